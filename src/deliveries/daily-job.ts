import type { Job } from '../engine/cron/job.ts'
import { deleteOldChanges, OLD_CHANGES_MAX } from '../engine/db/delivery.ts'
import { selectHopeful } from '../engine/db/waiting.ts'
import type { Bindings } from '../engine/env.ts'
import { DAY_MS } from '../engine/json/date-time.ts'
import { wake } from './wake.ts'

const REMEMBERED_DAYS = 90

/** Wakes the tenant's object if something waits, in case a wake was lost; deletes how new documents were, after 90 days. */
export function deliveriesJob(env: Pick<Bindings, 'DELIVERIES'>): Job {
  return {
    name: 'deliveries',
    event: 'deliveries_retention',
    counts: ['changes_deleted', 'woken'],
    queries_max: 3,
    calls_max: 1,
    async work({ connection, tenant, now, spend, add }) {
      const before = new Date(Date.parse(now) - REMEMBERED_DAYS * DAY_MS).toISOString().slice(0, 10)
      const queries = [deleteOldChanges.with({ before }), ...selectHopeful] as const
      const [{ meta }, , [any]] = await connection.batch(queries)
      add('changes_deleted', meta.changes)
      if (any) {
        spend()
        await wake(env, tenant)
        add('woken', 1)
      }
      return meta.changes === OLD_CHANGES_MAX
    },
  }
}
