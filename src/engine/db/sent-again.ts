import { type SQL, sql } from 'drizzle-orm'

/** Whether a request was accepted as a whole, and was no dry run. `log` is the name of `audit_log` in the statement. */
export function isAccepted(log: string): SQL {
  const row = sql.raw(log)
  return sql`${row}.status < 400 and coalesce(${row}.rows_failed, 0) = 0 and not ${row}.dry_run`
}

/**
 * Whether a request of `audit_log` was sent again by an administrator, and accepted as a whole. The requests of the records
 * in its document name it too: they have no numbers of records, as it has.
 */
export const WAS_SENT_AGAIN: SQL = sql`exists (select 1 from audit_log as again
  where again.replay_of = audit_log.request_id and ${isAccepted('again')}
    and (audit_log.rows_total is null or again.rows_total is not null))`
