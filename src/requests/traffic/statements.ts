import { type SQL, sql } from 'drizzle-orm'
import { newestRows, newestSeq } from '../../engine/db/log-look-ups.ts'
import { firstSeqAfter, firstSeqSince } from '../../engine/db/log-position.ts'
import { literal } from '../../engine/db/prepared.ts'
import { auditLog } from '../../engine/db/tables.ts'
import { type BucketRange, bucketSql } from './buckets.ts'

/** At most this many of the newest rows are read, so that a busy tenant's page is fast as well. */
export const ROWS_MAX = 200_000

const ERRORS_MAX = 10

/** At most so many partners or keys are listed. */
export const BUSIEST_MAX = 5

/** Whose requests to count; all requests without any. */
export interface Subjects {
  partner_id?: string | undefined
  api_key_id?: string | undefined
}

/**
 * SQL for FROM: one row. Reads the log once, from its newest row back, and counts everything else from
 * `tally` and `by_subject`, which are small: many requests share a bucket, an outcome and a duration. Dry runs
 * are counted apart: their `counted` is null.
 */
export function trafficSummary(range: BucketRange, subjects: Subjects): SQL {
  return sql`(
    with grouped as materialized (
      select iif(path glob '/api/integrations/*'${alsoOf(subjects)}, iif(dry_run, null, 1), 0) as counted,
        ${sql.raw(bucketSql('created_at', range.bucketSeconds))} as bucket,
        ${subjectOf(subjects)} as subject,
        status, error_code, duration_ms, count(*) as requests, min(created_at) as oldest
      from (${rowsIn(range, subjects)} limit ${literal(ROWS_MAX)})
      group by 1, 2, 3, 4, 5, 6
    ),
    tally as materialized (
      select counted, bucket, status, error_code, duration_ms, sum(requests) as requests,
        min(oldest) as oldest
      from grouped group by 1, 2, 3, 4, 5
    ),
    by_subject as materialized (
      select bucket, subject, sum(requests) as requests,
        sum(iif(status >= 400, requests, 0)) as errors
      from grouped where counted and subject is not null group by 1, 2
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
    ),
    busiest as materialized (
      select subject, sum(requests) as requests, sum(errors) as errors from by_subject
      group by subject order by 2 desc, 1 limit ${literal(BUSIEST_MAX)}
    )
    select
      (select coalesce(sum(requests), 0) from tally) as rows_read,
      (select min(oldest) from tally) as oldest,
      (select coalesce(sum(requests), 0) from tally where counted is null) as dry_runs,
      (${countsByClass}) as counts,
      (${latenciesByBucket}) as latencies,
      (${topErrors}) as errors,
      (${busiestByName}) as busiest,
      (${countsOfBusiest}) as counts_of_busiest
  )`
}

/** Newest first. A key's or a partner's rows are read along the index that holds their times. */
function rowsIn({ from, to }: BucketRange, { api_key_id, partner_id }: Subjects): SQL {
  const columns = sql`created_at, path, status, error_code, duration_ms, api_key_id, partner_id, dry_run`
  const inRange = sql`created_at >= ${from} and created_at < ${to}`
  if (api_key_id !== undefined || partner_id !== undefined) {
    // The rows of a key are all read, whichever partner is asked for: others are not counted.
    const subject = api_key_id === undefined ? { partner_id } : { api_key_id }
    return sql`select ${columns} from ${newestRows(subject, inRange, ROWS_MAX)}`
  }
  return sql`select ${columns} from ${auditLog}
    where seq >= ${firstSeqSince(from)} and seq < ${firstSeqAfter(to)} and ${inRange}
    order by seq desc`
}

/** A key may have been linked to several partners. Its rows are found by the key. */
function alsoOf({ api_key_id, partner_id }: Subjects): SQL {
  const isBoth = api_key_id !== undefined && partner_id !== undefined
  return isBoth ? sql` and partner_id is ${partner_id}` : sql``
}

/** The id by which requests are grouped: of the partner, or of a key without one; within a partner, of the key. */
function subjectOf({ api_key_id, partner_id }: Subjects): SQL {
  if (api_key_id !== undefined) return sql`null`
  return partner_id === undefined ? sql`coalesce(partner_id, api_key_id)` : sql`api_key_id`
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
    group by 1, 2 order by 3 desc, 2, 1 limit ${literal(ERRORS_MAX)}
  )`

const SUBJECT = sql`busiest.subject`

/** The names are those of the newest row. */
const busiestByName = sql`
  select json_group_array(json_object(
    'id', subject, 'kind', iif(partner is null, 'key', 'partner'),
    'name', coalesce(partner, api_key, subject), 'requests', requests, 'errors', errors))
  from (
    select subject, requests, errors,
      (select coalesce(partner_name, partner_id) from audit_log
        where seq = ${newestSeq({ partner_id: SUBJECT })}) as partner,
      (select api_key_name from audit_log where seq = ${newestSeq({ api_key_id: SUBJECT })}) as api_key
    from busiest order by requests desc, subject
  )`

const countsOfBusiest = sql`
  select json_group_array(json_object('bucket', bucket, 'subject', subject, 'requests', requests))
  from (
    select bucket, subject, requests from by_subject
    where subject in (select subject from busiest)
  )`
