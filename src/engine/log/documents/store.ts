import { inTime } from '../../limits/deadline.ts'
import type { Pace } from '../../limits/pace.ts'
import type { KeptDocument } from './document.ts'

// With the audit row, which waits for it, within the 30 s that a request's work has after its answer.
const STORE_MS_MAX = 8000
const READ_MS_MAX = 10_000
/** For each character: whoever reads a document parses its body, too. */
const READ_STEPS = 2

/** Whose document, and of when: everything that its key in R2 consists of. */
export interface DocumentName {
  tenant: string
  /** When the request came in, in ISO 8601. */
  created_at: string
  partner_id: string | null
  request_id: string
}

export interface StoredDocument extends KeptDocument {
  /** In ms since 1970. */
  until: number
}

/** The prefix of all documents of a tenant. */
export function documentsPrefix(tenant: string): string {
  return `${tenant}/documents/`
}

/** The prefix of a partner's documents of a day (`2026-11-23`); null is for keys without a partner. */
export function prefixOfPartner(tenant: string, day: string, partner_id: string | null): string {
  return `${documentsPrefix(tenant)}${day}/${partner_id ?? '-'}/`
}

export function keyOf({ tenant, created_at, partner_id, request_id }: DocumentName): string {
  return prefixOfPartner(tenant, created_at.slice(0, 10), partner_id) + request_id
}

/** Throws if R2 does not confirm it within 8 seconds. Then it may be stored all the same. */
export async function storeDocument(
  bucket: R2Bucket,
  name: DocumentName,
  document: StoredDocument,
): Promise<void> {
  await inTime(store(bucket, name, document), STORE_MS_MAX)
}

async function store(bucket: R2Bucket, name: DocumentName, document: StoredDocument) {
  const text = JSON.stringify(document)
  const bytes = await compressed(text)
  const customMetadata = { until: String(document.until), length: String(text.length) }
  await bucket.put(keyOf(name), bytes, { customMetadata })
}

export interface DocumentReading {
  pace: Pace
  /** Called with the length of the document's text, before it is in memory. */
  takeMemory: (length: number) => Promise<void>
  msLeft?: () => number
}

/**
 * The document, or null if there is none. Throws if R2 takes longer than `msLeft` gives, for the object and then for its
 * text.
 */
export async function readDocument(
  bucket: R2Bucket,
  name: DocumentName,
  { pace, takeMemory, msLeft = () => READ_MS_MAX }: DocumentReading,
): Promise<StoredDocument | null> {
  const object = await inTime(bucket.get(keyOf(name)), msLeft())
  if (!object) return null
  await takeMemory(Number(object.customMetadata?.length ?? 0)).catch(async (error) => {
    await object.body.cancel()
    throw error
  })
  const reading = new Response(object.body.pipeThrough(new DecompressionStream('gzip'))).text()
  const text = await inTime(reading, msLeft())
  return await pace.inTurn(text.length * READ_STEPS, () => JSON.parse(text) as StoredDocument)
}

async function compressed(text: string): Promise<ArrayBuffer> {
  const { body } = new Response(text)
  const bytes = body?.pipeThrough(new CompressionStream('gzip'))
  return await new Response(bytes).arrayBuffer()
}
