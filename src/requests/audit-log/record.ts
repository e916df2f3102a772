import type { auditLog } from '../../engine/db/tables.ts'
import type { ListRow } from '../../engine/db/wide-rows.ts'

type Row = Omit<typeof auditLog.$inferSelect, 'caller'>
type ListedRow = Omit<
  Row,
  'details' | 'error_fields' | 'settings_version' | 'record_id' | 'list_page' | 'caller'
>

/** A row of the log as lists show it. */
export type AuditRecord = ReturnType<typeof loggedRecord>

/** A row of the log with all that it says. */
export type LoggedRequest = ReturnType<typeof loggedRequest>

export function loggedRecord(row: ListedRow & ListRow) {
  return { seq: row.seq, wide_bytes: row.wide_bytes, ...shown(row) }
}

/** With `details`: which fields, problems or rows were at fault. */
export function loggedRequest(row: Row) {
  return { ...shown(row), details: row.details }
}

function shown(row: ListedRow) {
  const { request_id, created_at, method, path, status, error_code, message, duration_ms } = row
  const { source, notes, record_name } = row
  return {
    request_id,
    created_at,
    api_key: { id: row.api_key_id, name: row.api_key_name },
    partner: row.partner_id === null ? null : { id: row.partner_id, name: row.partner_name },
    method,
    path,
    record_name,
    status,
    error_code,
    message,
    duration_ms,
    replay_of: row.replay_of,
    delivery: deliveryOf(row),
    dry_run: row.dry_run,
    source,
    notes,
    document: documentOf(row),
    counts: countsOf(row),
  }
}

/** Of an upload, or of a document with several records, which changes none. An upload alone has a source. */
function countsOf({ source, rows_total, rows_created, rows_updated, rows_failed }: ListedRow) {
  if (rows_total === null) return null
  const counts = { total: rows_total, created: rows_created ?? 0, failed: rows_failed ?? 0 }
  const others = rows_updated ?? 0
  return source === null
    ? { ...counts, updated: 0, unchanged: others }
    : { ...counts, updated: others }
}

/** Null if the request is no delivery, or one that was refused before it was understood. */
function deliveryOf({ outcome, sender_event, sender_id }: ListedRow) {
  const isDelivery = outcome !== null || sender_event !== null || sender_id !== null
  return isDelivery ? { outcome, event: sender_event, sender_id } : null
}

/** Null if the document was not to be kept. */
function documentOf({ document_until, document_reason }: ListedRow) {
  if (document_until !== null) {
    return { state: 'kept' as const, until: new Date(document_until).toISOString() }
  }
  return document_reason && { state: 'not_kept' as const, reason: document_reason }
}
