import type { Job } from '../cron/job.ts'
import { webhookSecrets } from '../cron/webhook-secrets.ts'
import { Budget } from '../limits/budget.ts'
import { webhookKeys } from '../webhooks/secret-keys.ts'
import { archiveChunk, CHUNK_QUERIES_MAX } from './archive/chunk.ts'
import { deleteExpiredArchives } from './archive/retention.ts'
import { documentRetention } from './documents/retention.ts'
import { deleteExpiredRows, overdueMs } from './expired-rows.ts'

/** Deletes the audit rows, changes of settings, what requests replaced, and item codes, that are no longer kept. */
const auditRetention: Job = {
  name: 'audit',
  event: 'audit_retention',
  counts: ['rows_deleted', 'values_deleted', 'changes_deleted', 'codes_deleted', 'batches'],
  queries_max: 5,
  calls_max: 0,
  overdue: overdueMs,
  async work({ connection, now, isOwnTurn, add }) {
    add('batches', 1)
    const { rows, values, changes, codes, hasMore } = await deleteExpiredRows(connection, now, {
      withSettings: isOwnTurn,
    })
    add('rows_deleted', rows)
    add('values_deleted', values)
    add('changes_deleted', changes)
    add('codes_deleted', codes)
    return hasMore
  },
}

/** Only one chunk is in memory at a time. Nobody waits for it. */
const chunks = new Budget({
  bytes: 1,
  leaseMs: 60_000,
  refusals: { all: 'Another chunk of an audit log is being archived.' },
})

/** What the cron does for each tenant once a day, in this order. */
export function dailyJobs(env: { DOCUMENTS?: R2Bucket }): Job[] {
  const { DOCUMENTS: bucket } = env
  const keys = webhookKeys(env)
  return [
    auditRetention,
    ...(bucket ? [auditArchive(bucket), documentRetention(bucket)] : []),
    ...(keys.length > 1 ? [webhookSecrets(keys)] : []),
  ]
}

/** Archives the audit rows that the workspace no longer wants in the database, and deletes what the archive no longer keeps. */
export function auditArchive(bucket: R2Bucket): Job {
  return {
    name: 'archive',
    event: 'audit_archive',
    counts: ['rows_deleted', 'objects_deleted', 'rows_archived'],
    queries_max: CHUNK_QUERIES_MAX + 2,
    calls_max: 3,
    async work(chunk) {
      const share = chunks.takeNow({ tenant: chunk.tenant, key: '-' }, 1)
      if (!share) return true
      try {
        const source = { ...chunk, bucket }
        const { objects, rows, hasMore } = await deleteExpiredArchives(source)
        chunk.add('rows_deleted', rows)
        chunk.add('objects_deleted', objects)
        const archived = await archiveChunk(source)
        chunk.add('rows_archived', archived.rows)
        return hasMore || archived.hasMore
      } finally {
        share.leave()
      }
    },
  }
}
