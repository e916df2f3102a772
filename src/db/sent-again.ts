import { type SQL, sql } from 'drizzle-orm'

/** Whether a request of `audit_log` was sent again by an administrator, and accepted as a whole. */
export const WAS_SENT_AGAIN: SQL = sql`exists (select 1 from audit_log as again
  where again.replay_of = audit_log.request_id and again.status < 400
    and coalesce(again.rows_failed, 0) = 0 and not again.dry_run)`
