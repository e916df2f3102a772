import { sql } from 'drizzle-orm'
import type { Connection } from '../db/connect.ts'
import { qb } from '../db/prepared.ts'
import { auditLog, workspace } from '../db/tables.ts'
import { DAY_MS } from '../document/date-time.ts'

/** The most rows per statement, which takes some 80 ms locally: the tenant's other requests wait for it. */
export const EXPIRED_ROWS_MAX = 5000

/**
 * Deletes audit rows that at `now`, an instant in ISO 8601, are older than the workspace's retention, among
 * the EXPIRED_ROWS_MAX oldest. Returns their number. The newest row of all stays, so that its seq is not
 * given again. The statement reads the retention itself, so that a change of it holds at once.
 */
export async function deleteExpiredRows(connection: Connection, now: string): Promise<number> {
  const { audit_retention_days, id } = workspace
  const keptSince = sql`(select strftime('%Y-%m-%dT%H:%M:%fZ', ${now}, '-' || ${audit_retention_days} || ' days')
    from ${workspace} where ${id} = 1)`
  // In order of seq. A few rows among the oldest may not have expired: they were stored late.
  const expired = sql`(select oldest.seq from (
      select seq, created_at from ${auditLog} where seq < (select max(seq) from ${auditLog})
      order by seq limit ${sql.raw(String(EXPIRED_ROWS_MAX))}
    ) as oldest where oldest.created_at < ${keptSince})`
  const [{ meta }] = await connection.batch([qb.delete(auditLog).where(sql`seq in ${expired}`)])
  return meta.changes
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
