import { type SQL, sql } from 'drizzle-orm'

// SQL about how long the workspace remembers what writes replace. Values are never kept longer than the audit log.

const DAYS = sql`min(undo_days, audit_retention_days)`

/** True while the workspace remembers what writes replace. */
export const REMEMBERS: SQL = sql`(select undo_days > 0 from workspace)`

/**
 * The instant since which nothing that was replaced is missing, in ISO 8601: now if nothing is remembered. In a
 * statement that reads or changes `workspace`.
 */
export const COMPLETE_SINCE: SQL<string> = sql<string>`max(
  coalesce(remembered_since, created_at), ${expiredBefore(sql`'now'`)})`

/** COMPLETE_SINCE for any statement. */
export const REMEMBERED_SINCE: SQL<string> = sql<string>`(select ${COMPLETE_SINCE} from workspace)`

/** The instant before which values have expired at `now`; in a statement that reads `workspace`. */
export function expiredBefore(now: SQL): SQL {
  return sql`strftime('%Y-%m-%dT%H:%M:%fZ', ${now}, '-' || ${DAYS} || ' days')`
}
