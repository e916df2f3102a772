import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { type ArchiveObject, archiveKey } from '../../../src/engine/log/archive/objects.ts'
import { isWhole, withBucket } from '../archive.ts'
import type { Environment } from '../environment.ts'
import { literal } from '../rows.ts'
import type { Ask } from './facts.ts'
import { storedFrom, type Write, writeIn, writesSince } from './requests.ts'

/** Requests that may have changed something. */
export interface Requests {
  /** Oldest first. */
  writes: Write[]
  /** Objects of the archive that the bucket does not have as they were stored: what is in them is not known. */
  lost: string[]
}

/** As `writesSince`, also those whose rows have left the database for the archive that it lists. */
export async function requestsSince(
  ask: Ask,
  environment: Environment,
  tenant: string,
  since: string,
): Promise<Requests> {
  // In this order: a row that leaves the database meanwhile is in the archive by then.
  const stored = await writesSince(ask, tenant, since)
  const { writes, lost } = await archivedSince(ask, environment, tenant, since)
  const known = new Set(stored.map(({ request_id }) => request_id))
  const others = writes.filter(({ request_id }) => !known.has(request_id))
  return { writes: [...others, ...stored], lost }
}

async function archivedSince(
  ask: Ask,
  environment: Environment,
  tenant: string,
  since: string,
): Promise<Requests> {
  const found: Requests = { writes: [], lost: [] }
  const objects = await objectsSince(ask, since)
  if (objects.length === 0) return found
  await withBucket(environment, tenant, async ({ get }) => {
    for (const object of objects) {
      const key = archiveKey(tenant, object)
      const bytes = await get(key)
      if (bytes && (await isWhole(object, bytes))) {
        const text = (await promisify(gunzip)(bytes)).toString()
        const lines = text.trimEnd().split('\n').toReversed()
        found.writes.push(...lines.flatMap((line) => writeIn(line, tenant, since) ?? []))
      } else found.lost.push(key)
    }
  })
  return found
}

async function objectsSince(ask: Ask, since: string): Promise<ArchiveObject[]> {
  const [rows = []] = await ask([
    `SELECT * FROM audit_archives WHERE last_at >= ${literal(storedFrom(since))} ORDER BY last_seq`,
  ])
  return rows as unknown as ArchiveObject[]
}
