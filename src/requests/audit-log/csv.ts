import type { Context } from 'hono'
import { type Cell, csvPage, fileNameOf } from '../../engine/answers/csv.ts'
import type { AppEnv } from '../../engine/env.ts'
import { logOf } from '../../engine/exchange/log.ts'
import { cutPage } from '../../engine/json/pagination.ts'
import { logCursorParts, logPageRequest } from './cursor.ts'
import { listSeqs } from './log.ts'
import type { AuditRecord } from './record.ts'
import { readRecords } from './rows.ts'
import type { AuditLogQuery } from './schema.ts'

/** As in JSON; members of an object have its name before theirs. */
const CELLS: Record<string, (row: AuditRecord) => Cell> = {
  request_id: ({ request_id }) => request_id,
  created_at: ({ created_at }) => created_at,
  api_key_id: ({ api_key }) => api_key.id,
  api_key_name: ({ api_key }) => api_key.name,
  partner_id: ({ partner }) => partner?.id ?? null,
  partner_name: ({ partner }) => partner?.name ?? null,
  method: ({ method }) => method,
  path: ({ path }) => path,
  record_name: ({ record_name }) => record_name,
  status: ({ status }) => status,
  error_code: ({ error_code }) => error_code,
  message: ({ message }) => message,
  duration_ms: ({ duration_ms }) => duration_ms,
  replay_of: ({ replay_of }) => replay_of,
  delivery_outcome: ({ delivery }) => delivery?.outcome ?? null,
  delivery_event: ({ delivery }) => delivery?.event ?? null,
  delivery_sender_id: ({ delivery }) => delivery?.sender_id ?? null,
  dry_run: ({ dry_run }) => String(dry_run),
  document_until: ({ document }) => (document?.state === 'kept' ? document.until : null),
  document_reason: ({ document }) => (document?.state === 'not_kept' ? document.reason : null),
  source: ({ source }) => source,
  notes: ({ notes }) => notes,
  counts_total: ({ counts }) => counts?.total ?? null,
  counts_created: ({ counts }) => counts?.created ?? null,
  counts_updated: ({ counts }) => counts?.updated ?? null,
  counts_failed: ({ counts }) => counts?.failed ?? null,
}

export const CSV_COLUMNS = Object.keys(CELLS)

/** 200 with a page of the log as CSV; `hasMark` if it is for a spreadsheet. */
export async function auditLogCsv(
  c: Context<AppEnv>,
  { filters, paging }: AuditLogQuery,
  { hasMark = false } = {},
): Promise<Response> {
  const { tenant } = c.get('caller')
  const log = logOf(c)
  const request = logPageRequest(tenant, paging)
  const { rows, end, cursor } = await listSeqs(log, filters, request)
  const parts = { limit: request.limit, ...logCursorParts(cursor) }
  const page = cutPage(tenant, 'audit-log', rows, parts, end)
  const seqs = page.rows.map(({ seq }) => seq)
  return await csvPage(c, {
    columns: CSV_COLUMNS,
    batches: linesOf(readRecords(log, seqs)),
    // A file says by its name that it is not all.
    fileName: fileNameOf('audit-log', tenant) + (page.next_cursor ? '-more-follow' : ''),
    next_cursor: page.next_cursor,
    searched_to: end?.created_at ?? null,
    hasMark,
  })
}

async function* linesOf(batches: AsyncIterable<AuditRecord[]>) {
  for await (const rows of batches) yield rows.map(cellsOf)
}

/** The cells of CSV_COLUMNS. */
export function cellsOf(row: AuditRecord): Cell[] {
  return Object.values(CELLS).map((cell) => cell(row))
}
