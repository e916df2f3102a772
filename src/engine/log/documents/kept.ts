import { and, gt, type SQL, sql } from 'drizzle-orm'
import { auditLog, partners } from '../../db/tables.ts'
import { unlessRefused } from '../../errors.ts'
import { parseDocument } from '../../formats/format.ts'
import { type FormatOptions, formatOptionsIn } from '../../formats/options.ts'
import { memberAt, valuePath } from '../../webhooks/template.ts'
import type { KeptDocument } from './document.ts'

/** Documents of requests up to this time cannot be read any more, by the partner's policy of now. */
export function unreadableUntil(partner_id: string): SQL<string> {
  const days = sql`(select keep_documents ->> 'days' from ${partners} where id = ${partner_id})`
  return sql`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || coalesce(${days}, 0) || ' days')`
}

/** Of a row of the partner's: whether its document is kept and may be read. */
export function isReadable(partner_id: string): SQL | undefined {
  const { document_until, created_at } = auditLog
  return and(gt(document_until, Date.now()), gt(created_at, unreadableUntil(partner_id)))
}

/** A document as a mapping reads it. */
export interface ReadPayload {
  payload: unknown
  bytes: number
  /** A single value is a list of one. */
  listsSingles: boolean
}

/** What the body says, with the digits of its numbers; null if it is none that a request may have. */
export function payloadOf(
  { encoding, body, content_type }: Pick<KeptDocument, 'encoding' | 'body' | 'content_type'>,
  formats?: FormatOptions | null,
): ReadPayload | null {
  const bytes = Buffer.from(body, encoding === 'base64' ? 'base64' : 'utf-8')
  const options = { keepsDigits: true, formats }
  const read = unlessRefused(() => parseDocument(bytes, content_type, options))
  return read && { payload: read.value, bytes: bytes.length, listsSingles: read.listsSingles }
}

/** The record in the body of a delivery; undefined if there is none. */
export function recordAt(body: unknown, document: string | null): unknown {
  return document === null ? body : memberAt(body, valuePath(document))
}

/** Reads the record of a body as one mapping after the other does, anew only where their options differ. */
export function recordReader(
  kept: Pick<KeptDocument, 'encoding' | 'body' | 'content_type'>,
  document: string | null,
): (formats: FormatOptions | null) => ReadPayload | null {
  const known = new Map<string, ReadPayload | null>()
  return (formats) => {
    const options = JSON.stringify(formatOptionsIn(formats ?? {}))
    let found = known.get(options)
    if (found === undefined) {
      const read = payloadOf(kept, formats)
      found = read && { ...read, payload: recordAt(read.payload, document) }
      known.set(options, found)
    }
    return found
  }
}
