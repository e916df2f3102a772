import type { Job } from '../cron/job.ts'
import { auditArchive } from './archive/job.ts'
import { documentRetention } from './documents/retention.ts'
import { auditRetention } from './retention.ts'

/** What the cron does for each tenant once a day, in this order. */
export function dailyJobs({ DOCUMENTS: bucket }: { DOCUMENTS?: R2Bucket }): Job[] {
  return [auditRetention, ...(bucket ? [auditArchive(bucket), documentRetention(bucket)] : [])]
}
