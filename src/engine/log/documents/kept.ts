import { and, gt, type SQL, sql } from 'drizzle-orm'
import { auditLog, partners } from '../../db/tables.ts'
import { ApiError } from '../../errors.ts'
import { parseDocument } from '../../formats/format.ts'
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

/** What the body says, with the digits of its numbers; null if it is none that a request may have. */
export function payloadOf({
  encoding,
  body,
  content_type,
}: Pick<KeptDocument, 'encoding' | 'body' | 'content_type'>): {
  payload: unknown
  bytes: number
} | null {
  const bytes = Buffer.from(body, encoding === 'base64' ? 'base64' : 'utf-8')
  try {
    const { value } = parseDocument(bytes, content_type, { keepsDigits: true })
    return { payload: value, bytes: bytes.length }
  } catch (error) {
    if (error instanceof ApiError) return null
    throw error
  }
}

/** The record in the body of a delivery; undefined if there is none. */
export function recordAt(body: unknown, document: string | null): unknown {
  return document === null ? body : memberAt(body, valuePath(document))
}
