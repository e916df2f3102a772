import { connect, newMeter } from '../db/connect.ts'
import { sqliteCode } from '../db/violations.ts'
import { DAY_MS } from '../document/date-time.ts'
import { type BoundTenant, boundTenants } from '../identity/binding.ts'
import { type TenantRetention, writeRetention } from '../metrics/points.ts'
import { type Deleted, deleteExpiredRows, overdueMs } from './expired-rows.ts'

// An invocation may make 1,000 D1 queries, and a batch has two. This is a prime number, so that the start moves on
// from day to day whatever the number of tenants.
const BATCHES_MAX = 449
// Cloudflare ends a cron's invocation after 15 minutes, and the last statements take a while.
const DURATION_MS_MAX = 10 * 60 * 1000
// An invocation may hold six connections open.
const TENANTS_AT_ONCE = 4
// Between two slices of one tenant. Without it the tenant's other requests waited for all slices, locally.
const PAUSE_MS = 100
const FAILURES_LISTED_MAX = 20
// One more statement for each, for metrics. They fit beside those of the batches.
const UNFINISHED_MEASURED_MAX = 40

interface Failure {
  tenant: string
  name: string
  sqlite: string | undefined
}

/** One run of the cron. */
interface Run {
  /** The instant at which the run was due, in ISO 8601. Rows have the age that they had then. */
  now: string
  ends_at: number
  /** Tenants that wait for a batch. `hadTurn`: it has had one, and has more to delete. */
  queue: (BoundTenant & { hadTurn: boolean })[]
  batches: number
  rows_deleted: number
  values_deleted: number
  /** Tenants that have nothing left to delete. */
  done: string[]
  failures: Failure[]
}

/**
 * Deletes the audit rows, and what requests replaced, that each workspace no longer keeps, for the daily cron; `scheduledTime` is in
 * milliseconds. Tenants take turns, one slice each, until nothing is left to delete or the invocation has
 * used its batches or its time; the next day's run continues. If there are more tenants than batches,
 * each day takes the next ones by name, so that every tenant has a turn once in `tenants / BATCHES_MAX`
 * days, rounded up. A tenant that fails is skipped until the next run. Runs may overlap or be repeated.
 *
 * Writes one line to the log, event `audit_retention`: `unfinished` counts tenants with more to delete,
 * `not_reached` those without a turn.
 */
export async function deleteExpiredAuditRows(
  env: { METRICS?: AnalyticsEngineDataset },
  scheduledTime: number,
): Promise<void> {
  const started_at = Date.now()
  const tenants = inTurn(boundTenants(env), Math.floor(scheduledTime / DAY_MS))
  const run: Run = {
    now: new Date(scheduledTime).toISOString(),
    ends_at: started_at + DURATION_MS_MAX,
    queue: tenants.map((tenant) => ({ ...tenant, hadTurn: false })),
    batches: 0,
    rows_deleted: 0,
    values_deleted: 0,
    done: [],
    failures: [],
  }
  await Promise.all(Array.from({ length: TENANTS_AT_ONCE }, () => work(run)))
  const duration_ms = Date.now() - started_at
  report(run, tenants.length, duration_ms)
  await measure(env.METRICS, run, duration_ms)
}

function inTurn(tenants: BoundTenant[], day: number): BoundTenant[] {
  const start = (day * BATCHES_MAX) % Math.max(1, tenants.length)
  return [...tenants.slice(start), ...tenants.slice(0, start)]
}

async function work(run: Run): Promise<void> {
  while (run.batches < BATCHES_MAX && Date.now() < run.ends_at) {
    const next = run.queue.shift()
    if (!next) return
    run.batches += 1
    const deleted = await deleteSlice(run, next)
    if (deleted === null) continue
    run.rows_deleted += deleted.rows
    run.values_deleted += deleted.values
    if (deleted.hasMore) {
      await scheduler.wait(PAUSE_MS)
      run.queue.push({ ...next, hadTurn: true })
    } else run.done.push(next.tenant)
  }
}

/** What it has deleted; notes a failure and returns null. */
async function deleteSlice(run: Run, { tenant, binding }: BoundTenant): Promise<Deleted | null> {
  try {
    return await deleteExpiredRows(connect(binding, newMeter()), run.now)
  } catch (error) {
    const name = error instanceof Error ? error.constructor.name : typeof error
    run.failures.push({ tenant, name, sqlite: sqliteCode(error) })
    return null
  }
}

function report(run: Run, tenants: number, ms: number) {
  const { queue, batches, rows_deleted, values_deleted, failures } = run
  const unfinished = queue.filter(({ hadTurn }) => hadTurn).length
  const line = JSON.stringify({
    event: 'audit_retention',
    tenants,
    rows_deleted,
    values_deleted,
    batches,
    duration_ms: ms,
    unfinished,
    not_reached: queue.length - unfinished,
    failed: failures.length,
    failures: failures.slice(0, FAILURES_LISTED_MAX),
  })
  if (failures.length > 0) console.error(line)
  else console.log(line)
}

async function measure(
  metrics: AnalyticsEngineDataset | undefined,
  { now, queue, done, failures, rows_deleted: deleted }: Run,
  duration_ms: number,
): Promise<void> {
  if (!metrics) return
  const unfinished = queue.filter(({ hadTurn }) => hadTurn)
  const not_reached = queue.length - unfinished.length
  const counts = { unfinished: unfinished.length, not_reached, failed: failures.length }
  const late: TenantRetention[] = []
  for (const [index, { tenant, binding }] of unfinished.entries()) {
    const isMeasured = index < UNFINISHED_MEASURED_MAX
    const measuring = isMeasured ? overdueMs(connect(binding, newMeter()), now) : null
    const overdue_ms = (await measuring?.catch(() => null)) ?? null
    late.push({ tenant, state: 'unfinished', overdue_ms })
  }
  const unknown =
    (state: TenantRetention['state']) =>
    ({ tenant }: { tenant: string }) => ({
      tenant,
      state,
      overdue_ms: null,
    })
  writeRetention(metrics, { of: 'audit', duration_ms, deleted, ...counts }, [
    ...late,
    ...failures.map(unknown('failed')),
    ...queue.filter(({ hadTurn }) => !hadTurn).map(unknown('not_reached')),
    ...done.map((tenant) => ({ tenant, state: 'done' as const, overdue_ms: 0 })),
  ])
}
