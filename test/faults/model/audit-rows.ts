import type { Json } from './state.ts'

/** A row of audit_log, as the database has it. */
export interface AuditRow {
  seq: number
  request_id: string
  created_at: string
  settings_version: number
  record_id: string | null
  api_key_id: string
  api_key_name: string
  partner_id: string | null
  partner_name: string | null
  method: string
  path: string
  status: number
  error_code: string | null
  duration_ms: number
  source: string | null
  notes: string | null
  rows_total: number | null
  rows_created: number | null
  rows_updated: number | null
  rows_failed: number | null
  record_name: string | null
  message: string | null
  /** In ms since 1970. */
  document_until: number | null
  document_reason: string | null
  dry_run: 0 | 1
}

/** As the audit log's endpoint shows it, without what is known later. */
function shown(row: AuditRow): Json {
  const { request_id, created_at, method, path, status, error_code, duration_ms } = row
  const { rows_total: total, rows_created: created } = row
  const { rows_updated: updated, rows_failed: failed } = row
  return {
    request_id,
    created_at,
    api_key: { id: row.api_key_id, name: row.api_key_name },
    partner: row.partner_id === null ? null : { id: row.partner_id, name: row.partner_name },
    method,
    path,
    record_name: row.record_name,
    status,
    error_code,
    message: told(row),
    duration_ms,
    replay_of: null,
    delivery: null,
    dry_run: row.dry_run === 1,
    source: row.source,
    notes: row.notes,
    document: null,
    counts: total === null ? null : { total, created, updated, failed },
  }
}

/** The failed rows of an upload are told later than the upload, or never. */
function told({ rows_failed, message }: AuditRow): string | null {
  return (rows_failed ?? 0) > 0 ? null : message
}

/** The same of rows that the endpoint has shown. What it says of a document can change as well. */
export function withoutLater(data: Json[]): Json[] {
  return data.map((row) => {
    const { failed = 0 } = (row.counts ?? {}) as { failed?: number }
    return { ...row, message: failed > 0 ? null : row.message, document: null }
  })
}

interface LogQuery {
  limit?: string | undefined
  status?: string | undefined
  method?: string | undefined
  /** The request of the last row of the page before. */
  after?: string | undefined
}

/** What the endpoint shows of these rows, which are in order of seq. */
export function listed(rows: AuditRow[], query: LogQuery) {
  const { limit = '50', status, method, after } = query
  const last = rows.findIndex(({ request_id }) => request_id === after)
  const matching = (last < 0 ? rows : rows.slice(0, last)).filter(
    (row) =>
      (status === undefined || isOf(row.status, status)) &&
      (method === undefined || row.method === method),
  )
  const newest = matching.reverse()
  const isMore = newest.length > Number(limit)
  return { data: newest.slice(0, Number(limit)).map(shown), isMore }
}

function isOf(status: number, wanted: string): boolean {
  if (wanted === 'failed') return status >= 400
  return wanted.endsWith('xx') ? String(status)[0] === wanted[0] : String(status) === wanted
}
