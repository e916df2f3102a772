import { sql } from 'drizzle-orm'
import { connect, newMeter } from '../../db/connect.ts'
import { qb } from '../../db/prepared.ts'
import { partners, workspace } from '../../db/tables.ts'
import { DAY_MS } from '../../document/date-time.ts'
import { KEPT_DAYS_MAX } from '../../documents/policy.ts'
import { type BoundTenant, boundTenants } from '../../identity/binding.ts'
import { writeRetention } from '../../metrics/points.ts'
import { DELETED_MAX, deleteSliceOf, foldersIn } from './deletion.ts'
import { prefixOf } from './store.ts'

// An invocation may make 10,000 calls, of which the audit log's retention, which runs before, takes up to 1,000.
const CALLS_MAX = 8000
// Cloudflare ends a cron's invocation after 15 minutes, and the audit log's retention takes up to 10.
const DURATION_MS_MAX = 4 * 60 * 1000
const TENANTS_AT_ONCE = 4
const FAILURES_LISTED_MAX = 20

/** One run of the cron. */
interface Run {
  bucket: R2Bucket
  /** When the run was due, in ms since 1970. */
  now: number
  ends_at: number
  queue: BoundTenant[]
  calls: number
  deleted: number
  unfinished: number
  failures: { tenant: string; name: string }[]
}

/** Days for which a partner's documents are kept, by its id (`-` without a partner); no entry if none are. */
type DaysKept = ReadonlyMap<string, number>

/**
 * Deletes from R2 the documents that have passed their day, for the daily cron: those of days that are over for
 * more days than their partner's policy, or the workspace's, says by now; all where it says none; in any case
 * after 90. A tenant without time left, or that fails, has its turn the next day; each day begins with the next
 * tenant. Runs may overlap or be repeated.
 *
 * Writes one line to the log, event `document_retention`: `unfinished` counts tenants with more to delete,
 * `not_reached` those without a turn.
 */
export async function deleteExpiredDocuments(
  env: { DOCUMENTS?: R2Bucket; METRICS?: AnalyticsEngineDataset },
  scheduledTime: number,
): Promise<void> {
  if (!env.DOCUMENTS) return
  const started_at = Date.now()
  const tenants = boundTenants(env)
  const first = Math.floor(scheduledTime / DAY_MS) % Math.max(1, tenants.length)
  const run: Run = {
    bucket: env.DOCUMENTS,
    now: scheduledTime,
    ends_at: started_at + DURATION_MS_MAX,
    queue: [...tenants.slice(first), ...tenants.slice(0, first)],
    calls: 0,
    deleted: 0,
    unfinished: 0,
    failures: [],
  }
  await Promise.all(Array.from({ length: TENANTS_AT_ONCE }, () => work(run)))
  const duration_ms = Date.now() - started_at
  report(run, tenants.length, duration_ms)
  const { deleted, unfinished, queue, failures } = run
  const counts = { unfinished, not_reached: queue.length, failed: failures.length }
  writeRetention(env.METRICS, { of: 'documents', duration_ms, deleted, ...counts })
}

async function work(run: Run): Promise<void> {
  while (hasLeft(run)) {
    const next = run.queue.shift()
    if (!next) return
    try {
      await deleteOf(run, next)
    } catch (error) {
      if (error instanceof Spent) run.unfinished += 1
      else run.failures.push({ tenant: next.tenant, name: nameOf(error) })
    }
  }
}

async function deleteOf(run: Run, { tenant, binding }: BoundTenant): Promise<void> {
  const spend = () => spendCall(run)
  const days = await foldersIn(run.bucket, prefixOf(tenant), spend)
  if (days.length === 0) return
  const kept = await daysKept(binding)
  for (const day of days) {
    const prefix = `${prefixOf(tenant)}${day}/`
    if (hasPassed(run, day, KEPT_DAYS_MAX)) {
      await deleteAll(run, prefix)
      continue
    }
    for (const owner of await foldersIn(run.bucket, prefix, spend)) {
      const ofOwner = kept.get(owner)
      if (ofOwner === undefined || hasPassed(run, day, ofOwner)) {
        await deleteAll(run, `${prefix}${owner}/`)
      }
    }
  }
}

/** Whether the last moment of the day is so many days ago. */
function hasPassed({ now }: Run, day: string, days: number): boolean {
  return Date.parse(day) + (days + 1) * DAY_MS <= now
}

async function deleteAll(run: Run, prefix: string): Promise<void> {
  for (let deleted = DELETED_MAX; deleted === DELETED_MAX; ) {
    spendCall(run)
    deleted = await deleteSliceOf(run.bucket, prefix)
    run.deleted += deleted
    run.calls += 1
  }
}

/** Of deleted partners too. */
async function daysKept(binding: D1Database): Promise<DaysKept> {
  const days = sql<number | null>`keep_documents ->> 'days'`
  const [[own], others] = await connect(binding, newMeter()).batch([
    qb.select({ days }).from(workspace),
    qb.select({ id: partners.id, days }).from(partners).where(sql`keep_documents is not null`),
  ])
  const all = [{ id: '-', days: own?.days ?? null }, ...others]
  return new Map(all.flatMap(({ id, days: kept }) => (kept === null ? [] : [[id, kept]])))
}

/** The run has used its calls or its time. */
class Spent extends Error {}

function hasLeft({ calls, ends_at }: Run): boolean {
  return calls < CALLS_MAX && Date.now() < ends_at
}

function spendCall(run: Run): void {
  if (!hasLeft(run)) throw new Spent()
  run.calls += 1
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.constructor.name : typeof error
}

function report(run: Run, tenants: number, duration_ms: number): void {
  const { deleted, calls, unfinished, queue, failures } = run
  const line = JSON.stringify({
    event: 'document_retention',
    tenants,
    documents_deleted: deleted,
    calls,
    duration_ms,
    unfinished,
    not_reached: queue.length,
    failed: failures.length,
    failures: failures.slice(0, FAILURES_LISTED_MAX),
  })
  if (failures.length > 0) console.error(line)
  else console.log(line)
}
