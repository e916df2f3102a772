import { type SQL, sql } from 'drizzle-orm'
import type { Connection } from '../db/connect.ts'
import { itemCodes, itemCodeTables } from '../db/item-code-tables.ts'
import { literal, qb } from '../db/prepared.ts'
import { auditLog, partners, replacedValues, settingsHistory, workspace } from '../db/tables.ts'
import { expiredBefore } from '../db/undo-days.ts'
import { DAY_MS } from '../json/date-time.ts'

/** The most rows per statement, which takes some 80 ms locally: the tenant's other requests wait for it. */
export const EXPIRED_ROWS_MAX = 5000
/** Of what requests replaced, a statement deletes at most that of so many requests, or about so many bytes. */
export const EXPIRED_REQUESTS_MAX = 1000
export const EXPIRED_BYTES_MAX = 20_000_000

/** How long the history of settings is kept. */
export const SETTINGS_HISTORY_DAYS = 400

export interface DeletedRows {
  rows: number
  /** Changes of settings. */
  changes: number
  /** Rows of replaced_values. */
  values: number
  /** Item codes of deleted partners. */
  codes: number
  hasMore: boolean
}

/**
 * Deletes what at `now`, an instant in ISO 8601, the workspace no longer keeps: audit rows, among the
 * EXPIRED_ROWS_MAX oldest, what requests replaced, oldest first, and, `withSettings`, changes of settings that are older
 * than 400 days, and item codes of deleted partners. The newest audit row and change of all stay, so that their seq is not
 * given again. The statements read the workspace's days themselves, so that a change holds at once.
 */
export async function deleteExpiredRows(
  connection: Connection,
  now: string,
  { withSettings, msMax }: { withSettings: boolean; msMax?: number },
): Promise<DeletedRows> {
  const ofSettings = withSettings ? [deleteChanges(now), deleteCodes, deleteCodeTables] : []
  const queries = [deleteRows(now), deleteValues(now), ...ofSettings] as const
  const [{ meta }, values, ofChanges, ofCodes] = await connection.batch(queries, {}, msMax)
  const changesDeleted = ofChanges?.meta.changes ?? 0
  const bytes = values.reduce((sum, row) => sum + row.bytes, 0)
  const requests = new Set(values.map(({ changed_in }) => changed_in)).size
  const hasMoreValues = requests === EXPIRED_REQUESTS_MAX || bytes >= EXPIRED_BYTES_MAX
  const hasMoreRows = meta.changes === EXPIRED_ROWS_MAX
  return {
    rows: meta.changes,
    changes: changesDeleted,
    values: values.length,
    codes: ofCodes?.meta.changes ?? 0,
    hasMore: hasMoreRows || hasMoreValues,
  }
}

function deleteRows(now: string) {
  const { audit_retention_days, id } = workspace
  const keptSince = sql`(select strftime('%Y-%m-%dT%H:%M:%fZ', ${now}, '-' || ${audit_retention_days} || ' days')
    from ${workspace} where ${id} = 1)`
  // In order of seq. A few rows among the oldest may not have expired: they were stored late.
  const expired = sql`(select oldest.seq from (
      select seq, created_at from ${auditLog} where seq < (select max(seq) from ${auditLog})
      order by seq limit ${literal(EXPIRED_ROWS_MAX)}
    ) as oldest where oldest.created_at < ${keptSince})`
  return qb.delete(auditLog).where(sql`seq in ${expired}`)
}

/** Of a request all or nothing: what is left of it would pass for the whole if the days were raised. */
function deleteValues(now: string) {
  const expired = sql`(
    select changed_in from (
      select changed_in, sum(bytes) over (order by changed_in) - bytes as bytes_before from (
        select changed_in, sum(octet_length(replaced)) as bytes from ${replacedValues}
        group by changed_in order by changed_in limit ${literal(EXPIRED_REQUESTS_MAX)}))
    where bytes_before < ${literal(EXPIRED_BYTES_MAX)} and coalesce(
      (select created_at from ${auditLog} where seq = changed_in)
        < (select ${expiredBefore(sql`${now}`)} from ${workspace} where id = 1),
      exists (select 1 from ${workspace})))`
  return qb
    .delete(replacedValues)
    .where(sql`changed_in in ${expired}`)
    .returning({
      changed_in: replacedValues.changed_in,
      bytes: sql<number>`octet_length(replaced)`.as('bytes'),
    })
}

const isOfDeleted = (partner_id: SQL) =>
  sql`exists (select 1 from ${partners} where id = ${partner_id} and deleted_at is not null)`

/** Finds them by the tables of codes, of which each partner has at most two. */
const deleteCodes = qb.delete(itemCodes).where(
  sql`(partner_id, kind, code) in (
    select code.partner_id, code.kind, code.code from ${itemCodeTables} as of_deleted
      cross join item_codes as code on code.partner_id = of_deleted.partner_id and code.kind = of_deleted.kind
    where ${isOfDeleted(sql`of_deleted.partner_id`)} limit ${literal(EXPIRED_ROWS_MAX)})`,
)

const deleteCodeTables = qb.delete(itemCodeTables).where(
  sql`${isOfDeleted(sql`item_code_tables.partner_id`)} and not exists (select 1 from item_codes
    where item_codes.partner_id = item_code_tables.partner_id and item_codes.kind = item_code_tables.kind)`,
)

/** Among the oldest. Reads no row that stays but the first. */
function deleteChanges(now: string) {
  const keptSince = new Date(Date.parse(now) - SETTINGS_HISTORY_DAYS * DAY_MS).toISOString()
  const firstKept = sql`coalesce(
    (select seq from ${settingsHistory} where created_at >= ${keptSince} order by seq limit 1),
    (select max(seq) from ${settingsHistory}))`
  const expired = sql`(select seq from ${settingsHistory} where seq < ${firstKept}
    order by seq limit ${literal(EXPIRED_ROWS_MAX)})`
  return qb.delete(settingsHistory).where(sql`seq in ${expired}`)
}

/** For how many milliseconds the oldest row has been older than the workspace's retention; 0 if it is not. */
export async function overdueMs(connection: Connection, now: string): Promise<number> {
  const { audit_retention_days, id } = workspace
  const oldest = sql`(select ${auditLog.created_at} from ${auditLog} order by ${auditLog.seq} limit 1)`
  const overdue = sql<
    number | null
  >`julianday(${now}) - julianday(${oldest}) - ${audit_retention_days}`
  const query = qb
    .select({ days: overdue.as('days') })
    .from(workspace)
    .where(sql`${id} = 1`)
  const [[row]] = await connection.batch([query])
  return Math.max(0, Math.round((row?.days ?? 0) * DAY_MS))
}
