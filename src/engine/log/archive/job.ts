import type { Job } from '../../cron/job.ts'
import { Budget } from '../../limits/budget.ts'
import { deleteExpiredArchives } from './retention.ts'
import { archiveSlice, SLICE_QUERIES_MAX } from './slice.ts'

/** Only one slice is in memory at a time. Nobody waits for it. */
const slices = new Budget({
  bytes: 1,
  leaseMs: 60_000,
  refusals: { all: 'Another slice of an audit log is being archived.' },
})

/** Archives the audit rows that the workspace no longer wants in the database, and deletes what the archive no longer keeps. */
export function auditArchive(bucket: R2Bucket): Job {
  return {
    name: 'archive',
    event: 'audit_archive',
    counts: ['rows_deleted', 'objects_deleted', 'rows_archived'],
    queries_max: SLICE_QUERIES_MAX + 2,
    calls_max: 3,
    async work(slice) {
      const share = slices.takeNow({ tenant: slice.tenant, key: '-' }, 1)
      if (!share) return true
      try {
        const source = { ...slice, bucket }
        const { objects, rows, hasMore } = await deleteExpiredArchives(source)
        slice.add('rows_deleted', rows)
        slice.add('objects_deleted', objects)
        const archived = await archiveSlice(source)
        slice.add('rows_archived', archived.rows)
        return hasMore || archived.hasMore
      } finally {
        share.leave()
      }
    },
  }
}
