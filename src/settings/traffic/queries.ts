import { type SQL, sql } from 'drizzle-orm'
import { q } from '../../db/prepared.ts'
import { auditLog } from '../../db/tables.ts'
import type { TenantDatabase } from '../../db/transact.ts'

/** Of the newest rows of a range no more are read, so that a busy tenant's page is fast as well. */
export const ROWS_MAX = 200_000

const ERRORS_MAX = 10

/** So many buckets of so many seconds, aligned to UTC; the last one holds the present moment. */
export interface Range {
  buckets: number
  bucketSeconds: number
}

/** Nearest-rank: the least duration such that at least 50 (95) of 100 requests took no longer. */
export interface Latency {
  p50_ms: number | null
  p95_ms: number | null
}

export interface Bucket extends Latency {
  starts_at: string
  /** Requests by class of status, such as `4xx`; a class without any is missing. */
  requests: Record<string, number>
}

export interface TrafficError {
  error_code: string | null
  status: number
  requests: number
}

export interface Traffic extends Latency {
  /** Where the numbers begin: with the range, or later where it has more than ROWS_MAX rows. */
  since: string
  /** Whether every row of the range was read. */
  complete: boolean
  total: number
  /** As those of a bucket. */
  requests: Record<string, number>
  /** From `since` on, without gaps, oldest first. */
  buckets: Bucket[]
  /** The most frequent ones. */
  errors: TrafficError[]
}

/** How the integrations API has been used: requests of settings and dashboard do not count. */
export async function summarizeTraffic(db: TenantDatabase, range: Range): Promise<Traffic> {
  const { bucketSeconds } = range
  const last = Math.floor(Date.now() / 1000 / bucketSeconds)
  const first = last - range.buckets + 1
  const [from, until] = [instantOf(first, bucketSeconds), instantOf(last + 1, bucketSeconds)]
  const [[row]] = await db.read([
    q
      .select({
        rows_read: sql<number>`rows_read`,
        oldest: sql<string | null>`oldest`,
        counts: sql<string>`counts`,
        latencies: sql<string>`latencies`,
        errors: sql<string>`errors`,
      })
      .from(summary(from, until, bucketSeconds)),
  ])
  if (!row) throw new Error('an aggregate without a row')
  const complete = row.rows_read < ROWS_MAX
  const since = complete || row.oldest === null ? from : row.oldest
  const begin = Math.floor(Date.parse(since) / 1000 / bucketSeconds)
  const counts: Count[] = JSON.parse(row.counts)
  const latencies: BucketLatency[] = JSON.parse(row.latencies)
  return {
    since,
    complete,
    total: counts.reduce((sum, { requests }) => sum + requests, 0),
    requests: byClass(counts),
    ...latencyOf(latencies, null),
    buckets: Array.from({ length: last - begin + 1 }, (_, index) => ({
      starts_at: instantOf(begin + index, bucketSeconds),
      requests: byClass(counts.filter(({ bucket }) => bucket === begin + index)),
      ...latencyOf(latencies, begin + index),
    })),
    errors: JSON.parse(row.errors),
  }
}

interface Count {
  bucket: number
  status_class: string
  requests: number
}

interface BucketLatency extends Latency {
  /** Null for all of them together. */
  bucket: number | null
}

/**
 * One row. The log is walked once, along the index of created_at; everything is then counted from
 * `tally`, which is small: many requests share a bucket, an outcome and a duration.
 */
function summary(from: string, until: string, bucketSeconds: number): SQL {
  return sql`(
    with tally as materialized (
      select path glob '/api/integrations/*' as counted,
        unixepoch(created_at) / ${sql.raw(String(bucketSeconds))} as bucket,
        status, error_code, duration_ms, count(*) as requests, min(created_at) as oldest
      from (
        select created_at, path, status, error_code, duration_ms from ${auditLog}
        where created_at >= ${from} and created_at < ${until}
        order by created_at desc limit ${sql.raw(String(ROWS_MAX))}
      )
      group by 1, 2, 3, 4, 5
    ),
    durations as (
      select bucket, duration_ms, sum(requests) as requests
      from tally where counted group by 1, 2
      union all
      select null, duration_ms, sum(requests) from tally where counted group by duration_ms
    ),
    ranks as (
      select bucket, duration_ms,
        sum(requests) over (partition by bucket order by duration_ms) as up_to,
        sum(requests) over (partition by bucket) as total
      from durations
    )
    select
      (select coalesce(sum(requests), 0) from tally) as rows_read,
      (select min(oldest) from tally) as oldest,
      (${countsByClass}) as counts,
      (${latenciesByBucket}) as latencies,
      (${topErrors}) as errors
  )`
}

const countsByClass = sql`
  select json_group_array(json_object(
    'bucket', bucket, 'status_class', status_class, 'requests', requests))
  from (
    select bucket, (status / 100) || 'xx' as status_class, sum(requests) as requests
    from tally where counted group by 1, 2
  )`

const latenciesByBucket = sql`
  select json_group_array(json_object('bucket', bucket, 'p50_ms', p50_ms, 'p95_ms', p95_ms))
  from (
    select bucket,
      min(duration_ms) filter (where up_to * 100 >= total * 50) as p50_ms,
      min(duration_ms) filter (where up_to * 100 >= total * 95) as p95_ms
    from ranks group by bucket
  )`

const topErrors = sql`
  select json_group_array(json_object(
    'error_code', error_code, 'status', status, 'requests', requests))
  from (
    select error_code, status, sum(requests) as requests
    from tally where counted and status >= 400
    group by 1, 2 order by 3 desc, 2, 1 limit ${sql.raw(String(ERRORS_MAX))}
  )`

function byClass(counts: Count[]): Record<string, number> {
  const requests: Record<string, number> = {}
  for (const { status_class, requests: more } of counts) {
    requests[status_class] = (requests[status_class] ?? 0) + more
  }
  return requests
}

function latencyOf(latencies: BucketLatency[], bucket: number | null): Latency {
  const { p50_ms = null, p95_ms = null } = latencies.find((each) => each.bucket === bucket) ?? {}
  return { p50_ms, p95_ms }
}

function instantOf(bucket: number, bucketSeconds: number): string {
  return new Date(bucket * bucketSeconds * 1000).toISOString()
}
