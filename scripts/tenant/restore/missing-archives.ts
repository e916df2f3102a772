import {
  type ArchiveObject,
  archiveKey,
  prefixOfArchive,
} from '../../../src/engine/log/archive/objects.ts'
import { query } from '../databases.ts'
import { type Objects, withObjects } from '../objects.ts'
import { say } from '../progress.ts'
import type { Restore } from './prepare.ts'

/**
 * Time travel brings the list of the archive's objects back, but not objects that the retention has deleted since. Takes
 * these off the list and names them: otherwise look-ups of their times, backups and exports would fail. May be repeated.
 */
export async function forgetMissingArchives({ environment, tenant, ask }: Restore): Promise<void> {
  const [tables = []] = await ask(["SELECT name FROM sqlite_master WHERE name = 'audit_archives'"])
  if (tables.length === 0) return
  const [rows = []] = await ask(['SELECT * FROM audit_archives ORDER BY last_seq'])
  const listed = rows as unknown as ArchiveObject[]
  const { slug, database_name } = tenant
  const stored = listed.length > 0 && (await withObjects(environment, (all) => keysOf(all, slug)))
  if (!stored) return
  const missing = listed.filter((object) => !stored.has(archiveKey(slug, object)))
  if (missing.length === 0) return
  const seqs = missing.map(({ last_seq }) => last_seq)
  await query(environment, database_name, [
    `DELETE FROM audit_archives WHERE last_seq IN (${seqs.join(', ')})`,
  ])
  for (const object of missing) {
    say(`  ${archiveKey(slug, object)} was deleted since: the audit log lacks its rows.`)
  }
}

async function keysOf({ list }: Objects, slug: string): Promise<Set<string>> {
  const keys = new Set<string>()
  let cursor: string | null = null
  do {
    const page = await list(prefixOfArchive(slug), cursor)
    for (const { key } of page.objects) keys.add(key)
    cursor = page.cursor
  } while (cursor !== null)
  return keys
}
