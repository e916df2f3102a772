import { deleteExpiredRows, EXPIRED_ROWS_MAX } from './db/audit.ts'
import { type BoundTenant, boundTenants } from './db/binding.ts'
import { connect } from './db/connect.ts'
import { sqliteCode } from './db/violations.ts'

const DAY_MS = 24 * 60 * 60 * 1000
// Of the 1,000 D1 queries that an invocation may make. A prime, so that the start moves on from day
// to day whatever the number of tenants.
const STATEMENTS_MAX = 907
// A cron's invocation is ended after 15 minutes, and the last statements are waited for a while.
const DURATION_MS_MAX = 10 * 60 * 1000
// An invocation may hold six connections open.
const TENANTS_AT_ONCE = 4
// Between two slices of one tenant: without it, locally, its other requests waited for all of them.
const PAUSE_MS = 100
const FAILURES_LISTED_MAX = 20

interface Failure {
  tenant: string
  name: string
  sqlite: string | undefined
}

/** One run of the cron. */
interface Run {
  /** An instant in ISO 8601: rows are as old as they were when the run was due. */
  now: string
  ends_at: number
  /** Those that wait for a statement; `asked` are those that had one, and have more to delete. */
  queue: (BoundTenant & { asked: boolean })[]
  statements: number
  rows_deleted: number
  failures: Failure[]
}

/**
 * Deletes the audit rows that each workspace no longer keeps, for the daily cron; `scheduledTime` is
 * in milliseconds. Tenants take turns, one slice each, until nothing is left to delete or the
 * invocation's statements or time are spent; the next day's run goes on. Of more tenants than
 * statements, each day has the next so many, in the order of their names: every tenant has its turn
 * once in `tenants / STATEMENTS_MAX` days, rounded up. A tenant that fails is passed over until the
 * next run. Nothing is lost or done twice when runs overlap or are repeated.
 *
 * Leaves one line in the log, event `audit_retention`: `unfinished` are tenants with more to delete,
 * `not_reached` those that had no turn.
 */
export async function deleteExpiredAuditRows(env: object, scheduledTime: number): Promise<void> {
  const started_at = Date.now()
  const tenants = inTurn(boundTenants(env), Math.floor(scheduledTime / DAY_MS))
  const run: Run = {
    now: new Date(scheduledTime).toISOString(),
    ends_at: started_at + DURATION_MS_MAX,
    queue: tenants.map((tenant) => ({ ...tenant, asked: false })),
    statements: 0,
    rows_deleted: 0,
    failures: [],
  }
  await Promise.all(Array.from({ length: TENANTS_AT_ONCE }, () => work(run)))
  report(run, tenants.length, Date.now() - started_at)
}

function inTurn(tenants: BoundTenant[], day: number): BoundTenant[] {
  const start = (day * STATEMENTS_MAX) % Math.max(1, tenants.length)
  return [...tenants.slice(start), ...tenants.slice(0, start)]
}

async function work(run: Run): Promise<void> {
  while (run.statements < STATEMENTS_MAX && Date.now() < run.ends_at) {
    const next = run.queue.shift()
    if (!next) return
    run.statements += 1
    const deleted = await deleteSlice(run, next)
    run.rows_deleted += deleted
    if (deleted === EXPIRED_ROWS_MAX) {
      await scheduler.wait(PAUSE_MS)
      run.queue.push({ ...next, asked: true })
    }
  }
}

/** A failure is noted, and deletes nothing that is counted. */
async function deleteSlice(run: Run, { tenant, binding }: BoundTenant): Promise<number> {
  const meter = { round_trips: 0, rows_read: 0, duration_ms: 0 }
  try {
    return await deleteExpiredRows(connect(binding, meter), run.now)
  } catch (error) {
    const name = error instanceof Error ? error.constructor.name : typeof error
    run.failures.push({ tenant, name, sqlite: sqliteCode(error) })
    return 0
  }
}

function report({ queue, statements, rows_deleted, failures }: Run, tenants: number, ms: number) {
  const unfinished = queue.filter(({ asked }) => asked).length
  const line = JSON.stringify({
    event: 'audit_retention',
    tenants,
    rows_deleted,
    statements,
    duration_ms: ms,
    unfinished,
    not_reached: queue.length - unfinished,
    failed: failures.length,
    failures: failures.slice(0, FAILURES_LISTED_MAX),
  })
  if (failures.length > 0) console.error(line)
  else console.log(line)
}
