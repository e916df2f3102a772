import { sql } from 'drizzle-orm'
import { qb } from '../../engine/db/prepared.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { selectBoundary } from '../../engine/log/archive/entries.ts'
import { type BucketRange, bucketsSince, startOf } from './buckets.ts'
import { ROWS_MAX, type Subjects, trafficSummary } from './statements.ts'

/** Nearest-rank percentiles: at least 50 (95) of 100 requests took no longer. */
export interface Latency {
  p50_ms: number | null
  p95_ms: number | null
}

export interface Bucket extends Latency {
  starts_at: string
  /** Requests by status class, such as `4xx`; a class without requests is missing. */
  requests: Record<string, number>
  /** Requests of each of `busiest`, in its order. */
  of_busiest: number[]
}

export interface TrafficError {
  error_code: string | null
  status: number
  requests: number
}

export interface BusySubject {
  id: string
  kind: 'partner' | 'key'
  name: string
  requests: number
  /** How many of them have a status of 400 or more. */
  errors: number
}

export interface Traffic extends Latency {
  /** Where the numbers begin: with the range, or later if it has more than ROWS_MAX rows, or some in the archive. */
  since: string
  /** Whether every row of the range was counted. */
  complete: boolean
  /** Older requests of the range are in the archive. */
  isArchived: boolean
  bucketSeconds: number
  total: number
  /** They are in no other number. */
  dry_runs: number
  /** Like those of a bucket, for all buckets together. */
  requests: Record<string, number>
  /** From `since` on, without gaps, oldest first. */
  buckets: Bucket[]
  /** The most frequent errors, at most ten. */
  errors: TrafficError[]
  /**
   * At most five. Without a choice: partners, and keys without a partner. Of a partner: its keys. Of a key:
   * none.
   */
  busiest: BusySubject[]
}

/** Counts requests to the integrations API, but not to the settings or the dashboard. */
export async function summarizeTraffic(
  db: TenantDatabase,
  range: BucketRange,
  subjects: Subjects = {},
): Promise<Traffic> {
  const { from, to, bucketSeconds } = range
  const [[row], [archive]] = await db.read([
    qb
      .select({
        rows_read: sql<number>`rows_read`,
        oldest: sql<string | null>`oldest`,
        dry_runs: sql<number>`dry_runs`,
        counts: sql<string>`counts`,
        latencies: sql<string>`latencies`,
        errors: sql<string>`errors`,
        busiest: sql<string>`busiest`,
        counts_of_busiest: sql<string>`counts_of_busiest`,
      })
      .from(trafficSummary(range, subjects)),
    selectBoundary,
  ])
  if (!row) throw new Error('the traffic query gave no row')
  const isRead = row.rows_read < ROWS_MAX
  const begins = isRead || row.oldest === null ? from : row.oldest
  const isArchived = archive !== undefined && archive.archived_at >= begins
  const since = isArchived ? earlier(archive.archived_at, to) : begins
  const counts: Count[] = JSON.parse(row.counts)
  const latencies: BucketLatency[] = JSON.parse(row.latencies)
  const busiest: BusySubject[] = JSON.parse(row.busiest)
  const ofBusiest: SubjectCount[] = JSON.parse(row.counts_of_busiest)
  const of = Map.groupBy(ofBusiest, ({ bucket }) => bucket)
  const classes = Map.groupBy(counts, ({ bucket }) => bucket)
  return {
    since,
    complete: isRead && !isArchived,
    isArchived,
    bucketSeconds,
    total: counts.reduce((sum, { requests }) => sum + requests, 0),
    requests: byClass(counts),
    dry_runs: row.dry_runs,
    ...latencyOf(latencies, null),
    buckets: bucketsSince(since, range).map((bucket) => ({
      starts_at: startOf(bucket, bucketSeconds),
      requests: byClass(classes.get(bucket) ?? []),
      ...latencyOf(latencies, bucket),
      of_busiest: bySubject(busiest, of.get(bucket) ?? []),
    })),
    errors: JSON.parse(row.errors),
    busiest,
  }
}

/** The numbers begin within the range: the last moment of one that is archived as a whole. */
function earlier(time: string, to: string): string {
  const last = new Date(Date.parse(to) - 1).toISOString()
  return time < last ? time : last
}

interface BucketCount {
  bucket: number
  requests: number
}
type Count = BucketCount & { status_class: string }
type SubjectCount = BucketCount & { subject: string }

interface BucketLatency extends Latency {
  /** Null for all buckets together. */
  bucket: number | null
}

function byClass(counts: Count[]): Record<string, number> {
  const requests: Record<string, number> = {}
  for (const { status_class, requests: more } of counts) {
    requests[status_class] = (requests[status_class] ?? 0) + more
  }
  return requests
}

function bySubject(busiest: BusySubject[], counts: SubjectCount[]): number[] {
  return busiest.map(({ id }) => counts.find(({ subject }) => subject === id)?.requests ?? 0)
}

function latencyOf(latencies: BucketLatency[], bucket: number | null): Latency {
  const { p50_ms = null, p95_ms = null } = latencies.find((each) => each.bucket === bucket) ?? {}
  return { p50_ms, p95_ms }
}
