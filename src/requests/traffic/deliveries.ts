import { sql } from 'drizzle-orm'
import { newestRows } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import type { DeliveryOutcome } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { selectBoundary } from '../../engine/log/archive/entries.ts'
import { type BucketRange, bucketSql, bucketsSince, startOf } from './buckets.ts'

/** At most this many of the newest rows of a webhook are read, each once along the index of callers. */
export const DELIVERIES_READ_MAX = 50_000

const NEWEST_MAX = 10

/** What has become of a delivery, as pages sum it up. `unproven`: its signature was missing or wrong. */
export const RESULT_CLASSES = ['applied', 'nothing', 'kept', 'unproven', 'refused'] as const
export type ResultClass = (typeof RESULT_CLASSES)[number]

const RESULT_OF: Record<DeliveryOutcome, ResultClass> = {
  created: 'applied',
  updated: 'applied',
  unchanged: 'applied',
  cancelled: 'applied',
  deactivated: 'applied',
  uploaded: 'applied',
  several: 'applied',
  skipped: 'nothing',
  stale: 'nothing',
  superseded: 'nothing',
  dismissed: 'nothing',
  waiting: 'kept',
}

/** The row of a delivery that was kept has the status of its error. */
const KEPT: readonly (DeliveryOutcome | null)[] = ['waiting', 'superseded', 'dismissed']

interface Answered {
  outcome: DeliveryOutcome | null
  status: number
  error_code: string | null
}

/** What has become of the delivery that was answered so. */
export function resultClassOf({ outcome, status, error_code }: Answered): ResultClass {
  if (status >= 400 && !KEPT.includes(outcome)) {
    return error_code === 'SIGNATURE_INVALID' ? 'unproven' : 'refused'
  }
  return outcome === null ? 'refused' : RESULT_OF[outcome]
}

const TAKEN: readonly ResultClass[] = ['applied', 'nothing', 'kept']

export interface DeliveryDay {
  starts_at: string
  deliveries: Record<ResultClass, number>
}

export interface DeliveryCounts {
  /** Where the numbers begin: with the range, or later if it has more than DELIVERIES_READ_MAX rows, or some in the archive. */
  since: string
  complete: boolean
  /** From `since` on, without gaps, oldest first. */
  days: DeliveryDay[]
  total: Record<ResultClass, number>
  /** By outcome, the most frequent first. */
  outcomes: { outcome: DeliveryOutcome; deliveries: number }[]
  /** How many that were kept have been applied since, or have come to another end, by a try of their own. */
  ended_by_try: number
  /** The newest one that was taken: its sender was proven, and its body could be read. */
  last_at: string | null
  last_unproven_at: string | null
  newest: NewDelivery[]
}

export type NewDelivery = ReturnType<typeof selectNewest>['_']['result'][number]

// A delivery with several records makes a request for each, at its own address. A try has none.
const IS_DELIVERY = sql`method = 'POST' and (replay_of is null or path glob '/webhooks/v1/x*') and not dry_run`

/** Counts what was delivered to a webhook, by day. Tries of what waits and dry runs are no deliveries. */
export async function summarizeDeliveries(
  db: TenantDatabase,
  api_key_id: string,
  range: BucketRange,
): Promise<DeliveryCounts> {
  const { from, to, bucketSeconds } = range
  const rows = () =>
    newestRows(
      { api_key_id },
      sql`created_at >= ${from} and created_at < ${to}`,
      DELIVERIES_READ_MAX,
    )
  const [groups, newest, [archive]] = await db.read([
    qb
      .select({ ...GROUPED, bucket: bucketOf(bucketSeconds) })
      .from(rows())
      .groupBy(sql`kind, bucket, outcome, status, error_code`),
    selectNewest(rows()),
    selectBoundary,
  ])
  const read = groups.reduce((sum, { requests }) => sum + requests, 0)
  const oldest = groups.map((group) => group.oldest).toSorted()[0]
  const begins = read < DELIVERIES_READ_MAX || oldest === undefined ? from : oldest
  const isArchived = archive !== undefined && archive.archived_at >= begins
  const since = isArchived && archive.archived_at < to ? archive.archived_at : begins
  const deliveries = groups.filter(({ kind }) => kind === 'delivery')
  return {
    since,
    complete: since === from && !isArchived,
    days: daysOf(deliveries, since, range),
    total: totalOf(deliveries),
    outcomes: outcomesOf(deliveries),
    ended_by_try: requestsOf(
      groups.filter(
        ({ kind, outcome }) => kind === 'try' && outcome !== 'waiting' && outcome !== null,
      ),
    ),
    last_at: newestOf(deliveries.filter((group) => TAKEN.includes(resultClassOf(group)))),
    last_unproven_at: newestOf(deliveries.filter((group) => resultClassOf(group) === 'unproven')),
    newest,
  }
}

const kind = sql<'delivery' | 'try' | 'other'>`case when ${IS_DELIVERY} then 'delivery'
  when replay_of is not null and not dry_run then 'try' else 'other' end`.as('kind')

const GROUPED = {
  kind,
  outcome: sql<DeliveryOutcome | null>`outcome`.as('outcome'),
  status: sql<number>`status`.as('status'),
  error_code: sql<string | null>`error_code`.as('error_code'),
  requests: sql<number>`count(*)`.as('requests'),
  oldest: sql<string>`min(created_at)`.as('oldest'),
  newest: sql<string>`max(created_at)`.as('newest'),
}

function selectNewest(rows: ReturnType<typeof newestRows>) {
  return qb
    .select({
      request_id: sql<string>`request_id`.as('request_id'),
      created_at: sql<string>`created_at`.as('created_at'),
      sender_event: sql<string | null>`sender_event`.as('sender_event'),
      record_name: sql<string | null>`record_name`.as('record_name'),
      outcome: sql<DeliveryOutcome | null>`outcome`.as('outcome'),
      status: sql<number>`status`.as('status'),
      error_code: sql<string | null>`error_code`.as('error_code'),
      message: sql<string | null>`message`.as('message'),
    })
    .from(rows)
    .where(IS_DELIVERY)
    .limit(NEWEST_MAX)
}

function bucketOf(bucketSeconds: number) {
  return sql<number>`${sql.raw(bucketSql('created_at', bucketSeconds))}`.as('bucket')
}

interface Group extends Answered {
  bucket: number
  requests: number
  newest: string
}

function daysOf(groups: Group[], since: string, range: BucketRange): DeliveryDay[] {
  const byDay = Map.groupBy(groups, ({ bucket }) => bucket)
  return bucketsSince(since, range).map((bucket) => ({
    starts_at: startOf(bucket, range.bucketSeconds),
    deliveries: totalOf(byDay.get(bucket) ?? []),
  }))
}

function totalOf(groups: Group[]): Record<ResultClass, number> {
  const total = { applied: 0, nothing: 0, kept: 0, unproven: 0, refused: 0 }
  for (const group of groups) total[resultClassOf(group)] += group.requests
  return total
}

function outcomesOf(groups: Group[]): DeliveryCounts['outcomes'] {
  const known = groups.filter((group) => resultClassOf(group) !== 'refused')
  const byOutcome = Map.groupBy(known, ({ outcome }) => outcome)
  return Array.from(byOutcome, ([outcome, same]) => ({ outcome, deliveries: requestsOf(same) }))
    .filter((one): one is DeliveryCounts['outcomes'][number] => one.outcome !== null)
    .toSorted((one, other) => other.deliveries - one.deliveries)
}

function requestsOf(groups: Pick<Group, 'requests'>[]): number {
  return groups.reduce((sum, { requests }) => sum + requests, 0)
}

function newestOf(groups: Group[]): string | null {
  return (
    groups
      .map(({ newest }) => newest)
      .toSorted()
      .at(-1) ?? null
  )
}
