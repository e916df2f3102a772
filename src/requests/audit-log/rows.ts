import { getTableColumns } from 'drizzle-orm'
import { prepared, qb } from '../../engine/db/prepared.ts'
import { auditLog } from '../../engine/db/tables.ts'
import {
  BATCH_BYTES_MAX,
  isAmong,
  narrowColumns,
  ROW_BYTES_MAX,
  wholeColumns,
  wholeRows,
  wideReader,
} from '../../engine/db/wide-rows.ts'
import { byteLength } from '../../engine/json/fields.ts'
import { readArchived } from '../../engine/log/archive/by-seq.ts'
import type { Log } from '../../engine/log/archive/entries.ts'
import type { LogRow } from '../../engine/log/archive/lines.ts'
import { type AuditRecord, loggedRecord } from './record.ts'

/** So many rows are read at a time for an answer that is sent while it is read. */
const BATCH_ROWS = 500

const TEXTS = ['api_key_name', 'partner_name', 'path', 'notes', 'record_name', 'message'] as const

const { details, error_fields, settings_version, record_id, list_page, caller, ...columns } =
  getTableColumns(auditLog)
export const narrow = narrowColumns(columns, [...TEXTS])
const selectNarrow = prepared(() => qb.select(narrow).from(auditLog).where(isAmong(auditLog.seq)))
const selectWide = prepared(() =>
  qb.select(wholeColumns(columns)).from(auditLog).where(isAmong(auditLog.seq)),
)

/** An archived row as `narrow` selects it. */
export function narrowed(row: LogRow): LogRow & { wide_bytes: number | null } {
  const size = TEXTS.reduce((sum, name) => sum + byteLength(row[name] ?? ''), 0)
  const { details: _, error_fields: __, ...told } = row
  const small = { ...told, details: null, error_fields: null, wide_bytes: null }
  if (size <= ROW_BYTES_MAX) return small
  const without = Object.fromEntries(TEXTS.map((name) => [name, null]))
  return { ...small, ...without, wide_bytes: size }
}

/** Yields these rows in batches, in this order, each batch when it is asked for. Leaves deleted ones out. */
export async function* readRecords(log: Log, seqs: number[]) {
  const readWide = wideRecords(log)
  for (let at = 0; at < seqs.length; at += BATCH_ROWS) {
    const asked = seqs.slice(at, at + BATCH_ROWS)
    const values = { seqs: JSON.stringify(asked), row_bytes_max: BATCH_BYTES_MAX / 2 / BATCH_ROWS }
    const [rows] = await log.db.readOn([selectNarrow], values)
    const bySeq = new Map(rows.map((row) => [row.seq, loggedRecord(row)]))
    while (asked.length > 0) {
      const { dropped } = await addArchived(log, bySeq, asked, BATCH_BYTES_MAX)
      const end = asked.findIndex((seq) => dropped.has(seq))
      const now = asked.splice(0, end === -1 ? asked.length : end)
      yield* wholeRows({ rows: now.flatMap((one) => bySeq.get(one) ?? []), readWide })
      for (const seq of now) bySeq.delete(seq)
    }
  }
}

/** Reads whole rows, wherever they are by now. */
export function wideRecords(log: Log) {
  const readWide = wideReader(log.db, selectWide)
  return async (seqs: number[], options?: { confirms: boolean }): Promise<AuditRecord[]> => {
    const rows = await readWide(seqs, options)
    const bySeq = new Map(rows.map((row) => [row.seq, loggedRecord(row)]))
    await addArchived(log, bySeq, seqs)
    return [...bySeq.values()]
  }
}

/** Adds the archived ones of these rows to those of the database. They may have moved since they were found. */
async function addArchived(
  log: Log,
  bySeq: Map<number, AuditRecord>,
  seqs: number[],
  bytesMax?: number,
) {
  const missing = seqs.filter((seq) => !bySeq.has(seq))
  if (missing.length === 0) return { dropped: new Set<number>() }
  const archived = await readArchived(log, missing, bytesMax)
  for (const [seq, row] of archived.rows) bySeq.set(seq, loggedRecord({ ...row, wide_bytes: null }))
  return archived
}
