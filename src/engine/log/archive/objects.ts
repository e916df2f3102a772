import { inTime } from '../../limits/deadline.ts'
import { R2_OBJECTS_MAX } from '../objects.ts'

const CALL_MS_MAX = 10_000
/** For all of an object to arrive. */
const OBJECT_MS_MAX = 15_000

/** An object with audit rows, as `audit_archives` has it. */
export interface ArchiveObject {
  first_seq: number
  last_seq: number
  /** In ISO 8601. */
  first_at: string
  last_at: string
  rows: number
  /** Of the text, not compressed. */
  bytes: number
  /** Of the text: so no two texts have one name, and to store an object twice changes nothing. */
  sha256: string
}

/** R2 has no such object. */
export class MissingArchive extends Error {
  override name = 'MissingArchive'
}

/** The prefix of all objects of a tenant. */
export function prefixOfArchive(tenant: string): string {
  return `${tenant}/audit/`
}

/** In order of these names, the earliest rows come first. */
export function archiveKey(tenant: string, object: ArchiveObject): string {
  const { first_at, last_at, first_seq, last_seq, sha256 } = object
  const times = [first_at, last_at].map((time) => time.replaceAll(/[-:]/g, '')).join('_')
  const name = `${times}_${first_seq}-${last_seq}_${sha256.slice(0, 16)}.ndjson.gz`
  return prefixOfArchive(tenant) + name
}

/**
 * Stores the object. Throws if R2 does not confirm in time that it has these bytes, also where it had something of this
 * name before.
 */
export async function storeArchive(bucket: R2Bucket, key: string, bytes: ArrayBuffer) {
  const sha256 = await crypto.subtle.digest('SHA-256', bytes)
  await inTime(bucket.put(key, bytes, { sha256 }), CALL_MS_MAX)
}

/** The lines of an object, several at a time. Throws MissingArchive, and if R2 does not answer in time. */
export async function* archivedLines(bucket: R2Bucket, key: string): AsyncGenerator<string[]> {
  const ends_at = Date.now() + OBJECT_MS_MAX
  const object = await inTime(bucket.get(key), OBJECT_MS_MAX)
  if (!object) throw new MissingArchive(key)
  const reader = object.body
    .pipeThrough(new DecompressionStream('gzip'))
    .pipeThrough(new TextDecoderStream())
    .getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await inTime(reader.read(), ends_at - Date.now())
      if (done) return
      const lines = (rest + value).split('\n')
      // Each line has its end, so the last one is not whole yet, or empty.
      rest = lines.pop() ?? ''
      yield lines
    }
  } finally {
    // Not awaited: what hangs would hang here as well.
    reader.cancel().catch(() => {})
  }
}

/** Up to 1,000 objects whose rows are all older than the instant, in ISO 8601: the earliest, also such that no database names. */
export async function findArchivesBefore(bucket: R2Bucket, tenant: string, instant: string) {
  const prefix = prefixOfArchive(tenant)
  const before = instant.replaceAll(/[-:]/g, '')
  const page = await inTime(bucket.list({ prefix, limit: R2_OBJECTS_MAX }), CALL_MS_MAX)
  return page.objects
    .map(({ key }) => key)
    .filter((key) => (key.slice(prefix.length).split('_')[1] ?? '~') < before)
}
