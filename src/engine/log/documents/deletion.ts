import { inTime } from '../../limits/deadline.ts'
import { deleteObjects, R2_OBJECTS_MAX } from '../objects.ts'
import { documentsPrefix, prefixOfPartner } from './store.ts'

const CALL_MS_MAX = 10_000
const CHUNK_MS_MAX = 15_000

export interface PartnerChunk {
  /** The names of the objects in R2. */
  keys: string[]
  request_ids: string[]
  /** There may be more. */
  remaining: boolean
}

/**
 * Deletes up to 1,000 of a partner's documents, the oldest days first. Throws if R2 does not answer; some may be
 * deleted then.
 */
export async function deletePartnerChunk(
  bucket: R2Bucket,
  tenant: string,
  partner_id: string,
): Promise<PartnerChunk> {
  const chunk = await findPartnerChunk(bucket, tenant, partner_id)
  if (chunk.keys.length > 0) await deleteObjects(bucket, chunk.keys)
  return chunk
}

/** The documents that deletePartnerChunk would delete. */
export async function findPartnerChunk(
  bucket: R2Bucket,
  tenant: string,
  partner_id: string,
): Promise<PartnerChunk> {
  const ends_at = Date.now() + CHUNK_MS_MAX
  const keys: string[] = []
  let remaining = false
  for (const day of await foldersIn(bucket, documentsPrefix(tenant))) {
    if (keys.length === R2_OBJECTS_MAX || Date.now() > ends_at) {
      remaining = true
      break
    }
    const prefix = prefixOfPartner(tenant, day, partner_id)
    const page = await inTime(
      bucket.list({ prefix, limit: R2_OBJECTS_MAX - keys.length }),
      CALL_MS_MAX,
    )
    keys.push(...page.objects.map(({ key }) => key))
    remaining ||= page.truncated
  }
  const request_ids = keys.map((key) => key.slice(key.lastIndexOf('/') + 1))
  return { keys, request_ids, remaining }
}

/** The names that follow the prefix up to the next slash, in order. `count` is called before each call of R2. */
export async function foldersIn(
  bucket: R2Bucket,
  prefix: string,
  count: () => void = () => {},
): Promise<string[]> {
  const folders: string[] = []
  let cursor: string | undefined
  do {
    count()
    const options = { prefix, delimiter: '/', ...(cursor !== undefined && { cursor }) }
    const page: R2Objects = await inTime(bucket.list(options), CALL_MS_MAX)
    folders.push(...page.delimitedPrefixes.map((folder) => folder.slice(prefix.length, -1)))
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor !== undefined)
  return folders
}

/** Deletes up to 1,000 documents with the prefix. Returns their number. */
export async function deleteChunkOf(bucket: R2Bucket, prefix: string): Promise<number> {
  const page = await inTime(bucket.list({ prefix, limit: R2_OBJECTS_MAX }), CALL_MS_MAX)
  const keys = page.objects.map(({ key }) => key)
  if (keys.length > 0) await deleteObjects(bucket, keys)
  return keys.length
}
