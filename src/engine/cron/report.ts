import { connect, newMeter } from '../db/connect.ts'
import { type TenantRetention, writeRetention } from '../metrics/points.ts'
import type { Job } from './job.ts'

const FAILURES_LISTED_MAX = 20
// One more query for each.
const UNFINISHED_MEASURED_MAX = 40
const MEASURE_MS_MAX = 60_000

/** How a tenant stands with a job after a run. */
export interface JobOutcome {
  binding: D1Database
  state: TenantRetention['state']
}

/** Of a chunk. */
export interface ChunkFailure {
  tenant: string
  name: string
  sqlite: string | undefined
}

/** What a run tells of a job. */
export interface JobReport {
  job: Job
  counts: Record<string, number>
  /** By tenant, of those that were due. */
  outcomes: Map<string, JobOutcome>
  failures: ChunkFailure[]
}

export function newReport(job: Job): JobReport {
  const counts = Object.fromEntries(job.counts.map((name) => [name, 0]))
  return { job, counts, outcomes: new Map(), failures: [] }
}

/**
 * Writes a line to the log for each job for which tenants were due, and data points of all. `now`: the instant at
 * which the run was due, in ISO 8601.
 */
export async function report(
  metrics: AnalyticsEngineDataset | undefined,
  reported: JobReport[],
  now: string,
  duration_ms: number,
): Promise<void> {
  for (const each of reported) {
    if (each.outcomes.size > 0) log(each, duration_ms)
    if (metrics) await measure(metrics, now, each, duration_ms)
  }
}

function log(reported: JobReport, duration_ms: number): void {
  const { job, counts, outcomes, failures } = reported
  const line = JSON.stringify({
    event: job.event,
    tenants: outcomes.size,
    ...counts,
    duration_ms,
    ...numbersOf(reported),
    failures: failures.slice(0, FAILURES_LISTED_MAX),
  })
  if (failures.length > 0) console.error(line)
  else console.log(line)
}

function numbersOf({ outcomes }: JobReport) {
  const states = [...outcomes.values()].map(({ state }) => state)
  const count = (state: JobOutcome['state']) => states.filter((each) => each === state).length
  return {
    unfinished: count('unfinished'),
    not_reached: count('not_reached'),
    failed: count('failed'),
  }
}

async function measure(
  metrics: AnalyticsEngineDataset,
  now: string,
  reported: JobReport,
  duration_ms: number,
): Promise<void> {
  const { job, counts, outcomes } = reported
  const [deleted] = job.counts
  const run = { of: job.name, duration_ms, deleted: counts[deleted] ?? 0, ...numbersOf(reported) }
  writeRetention(metrics, run, job.overdue ? await standings(job.overdue, now, outcomes) : [])
}

async function standings(
  overdue: NonNullable<Job['overdue']>,
  now: string,
  outcomes: JobReport['outcomes'],
): Promise<TenantRetention[]> {
  const ends_at = Date.now() + MEASURE_MS_MAX
  const all: TenantRetention[] = []
  let measured = 0
  for (const [tenant, { binding, state }] of outcomes) {
    let overdue_ms = state === 'done' ? 0 : null
    if (state === 'unfinished' && measured < UNFINISHED_MEASURED_MAX && Date.now() < ends_at) {
      measured += 1
      overdue_ms = await overdue(connect(binding, newMeter()), now).catch(() => null)
    }
    all.push({ tenant, state, overdue_ms })
  }
  return all
}
