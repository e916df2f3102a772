import { connect, newMeter } from '../db/connect.ts'
import { sqliteCode } from '../db/violations.ts'
import { errorName } from '../errors.ts'
import { type BoundTenant, boundTenants } from '../identity/binding.ts'
import { inTime, TimedOut } from '../limits/deadline.ts'
import { Pace } from '../limits/pace.ts'
import { type Chunk, ChunkSpent, type Job } from './job.ts'
import { type ChunkFailure, type JobReport, newReport, report } from './report.ts'
import { type Due, dueIn, Progress, runAt } from './turns.ts'

const CALL_MS_MAX = 10_000

// An invocation may make 1,000 D1 queries. Forty more are for metrics.
const QUERIES_MAX = 950
// It may make 10,000 calls, those of D1 among them.
const CALLS_MAX = 8000
// Cloudflare ends it after 15 minutes, and the next one comes after 10. A chunk takes another minute at most.
const DURATION_MS_MAX = 7 * 60 * 1000
const CHUNK_MS_MAX = 60_000
// Its calls begin by then, and each ends by its own deadline.
const CHUNK_CALLS_MS_MAX = 35_000
const TENANTS_AT_ONCE = 4
// An invocation may hold six connections open, and a call that hangs may keep its own until the end. Beyond one, each
// ends a worker, so that one connection is left for what the run stores.
const HUNG_SPARED = 1
// Between two chunks of one tenant. Without it the tenant's other requests waited for all chunks, locally.
const PAUSE_MS = 100
// Then a tenant waits for its turn of the next day.
const FAILURES_MAX = 3

/** A job of a tenant that is due. */
interface Task extends BoundTenant {
  reported: JobReport
  /** How often it has failed since the tenant's turn. */
  failures: number
  /** It is the tenant's own turn, and no chunk has begun. */
  isOwnTurn: boolean
}

interface Run {
  /** Of all tenants: many small chunks are long work, too. */
  pace: Pace
  now: string
  ends_at: number
  line: Task[]
  queries: number
  calls: number
  /** Chunks that have not ended in time. */
  hung: number
}

/** What a cron does for each tenant once a day. */
export interface DailyPlan {
  /** The key in the Worker's KV of how far it has come. The number in it rises when Progress changes its shape. */
  turns: string
  jobs: Job[]
}

interface Env {
  KEYS: KVNamespace
  METRICS?: AnalyticsEngineDataset
}

/**
 * One run of the cron: works off the jobs of the tenants that are due (turns.ts), by turns one chunk of each,
 * until nothing is left to do or the invocation has used its queries, calls or time; the next run goes on.
 * `scheduledTime` is in milliseconds. A job that fails or hangs is tried again by three later runs at most, after all others.
 * Runs may overlap or be repeated.
 *
 * Writes a line to the log for each job, and data points.
 */
export async function runDailyJobs(
  env: Env,
  { turns, jobs }: DailyPlan,
  scheduledTime: number,
): Promise<void> {
  const started_at = Date.now()
  const number = runAt(scheduledTime)
  const now = new Date(scheduledTime).toISOString()
  const tenants = boundTenants(env)
  const progress = await readProgress(env.KEYS, turns)
  const reported = jobs.map(newReport)
  const names = jobs.map(({ name }) => name)
  const { own, later } = dueIn(number, tenants, names, progress)
  const tasks = [...tasksOf(own, reported, true), ...tasksOf(later, reported, false)]
  const line = [...tasks]
  const ends_at = started_at + DURATION_MS_MAX
  const pace = new Pace({ tenant: '-', key: '-' })
  const run = { pace, now, ends_at, line, queries: 0, calls: 0, hung: 0 }
  await Promise.all(Array.from({ length: TENANTS_AT_ONCE }, () => work(run)))
  if (tasks.length > 0 && progress !== 'unknown') {
    const newest = Math.max(number, progress?.run ?? number)
    const left = leftOf(tasks)
    await storeProgress(env.KEYS, turns, { run: newest, tenants: tenants.length, left })
  }
  await report(env.METRICS, reported, now, Date.now() - started_at)
}

/** One job of all tenants after the other. */
function tasksOf(due: Due[], reported: JobReport[], isOwnTurn: boolean): Task[] {
  return reported.flatMap((each) =>
    due.flatMap(({ tenant, binding, jobs }) => {
      const failures = jobs.get(each.job.name)
      if (failures === undefined) return []
      each.outcomes.set(tenant, { binding, state: 'not_reached' })
      return [{ tenant, binding, reported: each, failures, isOwnTurn }]
    }),
  )
}

async function work(run: Run): Promise<void> {
  while (Date.now() < run.ends_at) {
    const [task] = run.line
    if (!task || !reserve(run, task.reported.job)) return
    run.line.shift()
    const state = await workOff(run, task)
    if (state === 'unfinished') {
      await scheduler.wait(PAUSE_MS)
      run.line.push(task)
    }
    if (state === 'hung' && run.hung > HUNG_SPARED) return
  }
}

/** Takes what a chunk uses at most. False if that is not there any more. */
function reserve(run: Run, { queries_max, calls_max }: Job): boolean {
  if (run.queries + queries_max > QUERIES_MAX || run.calls + calls_max > CALLS_MAX) return false
  run.queries += queries_max
  run.calls += calls_max
  return true
}

/** One chunk. Notes what has come of it, and gives back what it has not used; what hangs may still use it. */
async function workOff(run: Run, task: Task): Promise<State> {
  const { tenant, binding, reported } = task
  const { job, counts, outcomes, failures } = reported
  const meter = newMeter()
  let calls = 0
  const calls_end_at = Date.now() + CHUNK_CALLS_MS_MAX
  const spend = () => {
    if (calls === job.calls_max || Date.now() > calls_end_at) throw new ChunkSpent()
    calls += 1
  }
  const add = (counted: string, amount: number) => {
    counts[counted] = (counts[counted] ?? 0) + amount
  }
  const connection = connect(binding, meter)
  const { now, pace } = run
  const { isOwnTurn } = task
  task.isOwnTurn = false
  const chunk = { tenant, now, connection, spend, pace, isOwnTurn, add }
  const { state, failure } = await resultOf(job, chunk)
  if (state === 'hung') run.hung += 1
  else {
    run.queries -= job.queries_max - meter.statements
    run.calls -= job.calls_max - calls
  }
  outcomes.set(tenant, { binding, state: state === 'hung' ? 'failed' : state })
  if (failure) failures.push({ tenant, ...failure })
  return state
}

type State = 'done' | 'unfinished' | 'failed' | 'hung'

async function resultOf(
  job: Job,
  chunk: Chunk,
): Promise<{ state: State; failure?: Omit<ChunkFailure, 'tenant'> }> {
  try {
    const hasMore = await inTime(job.work(chunk), CHUNK_MS_MAX)
    return { state: hasMore ? 'unfinished' : 'done' }
  } catch (error) {
    if (error instanceof ChunkSpent) return { state: 'unfinished' }
    const name = errorName(error)
    const state = error instanceof TimedOut ? 'hung' : 'failed'
    return { state, failure: { name, sqlite: sqliteCode(error) } }
  }
}

/** For the next run. */
function leftOf(tasks: Task[]): Progress['left'] {
  const left: Progress['left'] = {}
  for (const { tenant, reported, failures: before } of tasks) {
    const state = reported.outcomes.get(tenant)?.state ?? 'not_reached'
    const failures = { done: 0, unfinished: 0, not_reached: before, failed: before + 1 }[state]
    if (state === 'done' || failures > FAILURES_MAX) continue
    left[tenant] = { ...left[tenant], [reported.job.name]: failures }
  }
  return left
}

/** Null if no run has stored any, `unknown` if KV does not answer. */
async function readProgress(kv: KVNamespace, turns: string): Promise<Progress | null | 'unknown'> {
  try {
    return progressIn(await inTime(kv.get(turns), CALL_MS_MAX))
  } catch (error) {
    logFailure('read', error)
    return 'unknown'
  }
}

/** Null also for what is none: it would be in the way for ever. */
function progressIn(stored: string | null): Progress | null {
  try {
    return Progress.parse(JSON.parse(stored ?? 'null'))
  } catch {
    return null
  }
}

/** If KV does not take it, the next run makes up for this one again. */
async function storeProgress(kv: KVNamespace, turns: string, progress: Progress): Promise<void> {
  try {
    await inTime(kv.put(turns, JSON.stringify(progress)), CALL_MS_MAX)
  } catch (error) {
    logFailure('write', error)
  }
}

function logFailure(call: 'read' | 'write', error: unknown): void {
  console.error(JSON.stringify({ event: 'turns_not_stored', call, name: errorName(error) }))
}
