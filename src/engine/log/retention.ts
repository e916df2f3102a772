import type { Job } from '../cron/job.ts'
import { deleteExpiredRows, overdueMs } from './expired-rows.ts'

/** Deletes the audit rows, and what requests replaced, that the workspace no longer keeps. */
export const auditRetention: Job = {
  name: 'audit',
  event: 'audit_retention',
  counts: ['rows_deleted', 'values_deleted', 'batches'],
  queries_max: 2,
  calls_max: 0,
  overdue: overdueMs,
  async work({ connection, now, add }) {
    add('batches', 1)
    const { rows, values, hasMore } = await deleteExpiredRows(connection, now)
    add('rows_deleted', rows)
    add('values_deleted', values)
    return hasMore
  },
}
