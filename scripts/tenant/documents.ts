import { prefixOfArchive } from '../../src/engine/log/archive/objects.ts'
import { documentsPrefix } from '../../src/engine/log/documents/store.ts'
import { Failure } from '../failure.ts'
import type { Environment } from './environment.ts'
import { type Objects, withObjects } from './objects.ts'

/** Counting stops here: Cloudflare lists 1,000 at a time. */
export const COUNTED_MAX = 100_000

/** Objects of a tenant that are kept: documents, or those of the archive of its audit log. */
export interface Kept {
  count: number
  bytes: number
  /** There are more than have been counted. */
  is_more: boolean
}

/** How many documents the tenant has, and objects of its archive, each up to 100,000; null if the environment has no bucket. */
export async function countObjects(environment: Environment, slug: string) {
  return await withObjects(environment, async (objects) => ({
    documents: await countAll(objects, documentsPrefix(slug)),
    archive: await countAll(objects, prefixOfArchive(slug)),
  }))
}

async function countAll({ list }: Objects, prefix: string): Promise<Kept> {
  const kept: Kept = { count: 0, bytes: 0, is_more: false }
  for (let cursor: string | null = null; ; ) {
    const page = await list(prefix, cursor)
    kept.count += page.objects.length
    kept.bytes += page.objects.reduce((sum, { size }) => sum + size, 0)
    cursor = page.cursor
    if (cursor === null) return kept
    if (kept.count >= COUNTED_MAX) return { ...kept, is_more: true }
  }
}

/** Whether the tenant has any document, and any object of an archive of its audit log. */
export async function hasObjects(environment: Environment, slug: string) {
  const found = await withObjects(environment, async ({ list }) => ({
    documents: (await list(documentsPrefix(slug), null)).objects.length > 0,
    archive: (await list(prefixOfArchive(slug), null)).objects.length > 0,
  }))
  return found ?? { documents: false, archive: false }
}

/** Deletes all documents of the tenant and returns how many there were. If it fails, it can be run again. */
export async function deleteDocuments(environment: Environment, slug: string): Promise<number> {
  return (
    (await withObjects(environment, (objects) => deleteAll(objects, documentsPrefix(slug)))) ?? 0
  )
}

/** Deletes the archive of the audit log, as `deleteDocuments`. */
export async function deleteArchive(environment: Environment, slug: string): Promise<number> {
  const prefix = prefixOfArchive(slug)
  return (await withObjects(environment, (objects) => deleteAll(objects, prefix))) ?? 0
}

/** Lists from the start each time, because a document may have been stored meanwhile. */
async function deleteAll({ list, remove }: Objects, prefix: string): Promise<number> {
  let deleted = 0
  for (let last = ''; ; ) {
    const keys = (await list(prefix, null)).objects.map(({ key }) => key)
    const [first] = keys
    if (first === undefined) return deleted
    if (first === last) throw new Failure(`The document ${first} cannot be deleted.`)
    last = first
    await remove(keys)
    deleted += keys.length
  }
}
