import { connect } from '../db/connect.ts'
import { sqliteCode } from '../db/violations.ts'
import { DAY_MS } from '../document/date-time.ts'
import { type BoundTenant, boundTenants } from '../identity/binding.ts'
import { type Deleted, deleteExpiredRows } from './expired-rows.ts'

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
export async function deleteExpiredAuditRows(env: object, scheduledTime: number): Promise<void> {
  const started_at = Date.now()
  const tenants = inTurn(boundTenants(env), Math.floor(scheduledTime / DAY_MS))
  const run: Run = {
    now: new Date(scheduledTime).toISOString(),
    ends_at: started_at + DURATION_MS_MAX,
    queue: tenants.map((tenant) => ({ ...tenant, hadTurn: false })),
    batches: 0,
    rows_deleted: 0,
    values_deleted: 0,
    failures: [],
  }
  await Promise.all(Array.from({ length: TENANTS_AT_ONCE }, () => work(run)))
  report(run, tenants.length, Date.now() - started_at)
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
    run.rows_deleted += deleted.rows
    run.values_deleted += deleted.values
    if (deleted.hasMore) {
      await scheduler.wait(PAUSE_MS)
      run.queue.push({ ...next, hadTurn: true })
    }
  }
}

/** Notes a failure, and deletes nothing then. */
async function deleteSlice(run: Run, { tenant, binding }: BoundTenant): Promise<Deleted> {
  const meter = { round_trips: 0, statements: 0, rows_read: 0, duration_ms: 0 }
  try {
    return await deleteExpiredRows(connect(binding, meter), run.now)
  } catch (error) {
    const name = error instanceof Error ? error.constructor.name : typeof error
    run.failures.push({ tenant, name, sqlite: sqliteCode(error) })
    return { rows: 0, values: 0, hasMore: false }
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
