import { getTableColumns, type SQL, Subquery, sql } from 'drizzle-orm'
import { literal } from './prepared.ts'
import { createdAtOf } from './request-id.ts'
import { auditLog } from './tables.ts'

// How requests of a key or a partner are found in the audit log, and one request by its id. Both go along the one index
// of callers, which are pairs of a key and its partner: (caller, created_at, request_id).

/** Whose requests: of a key, of a partner, or of this key for this partner. */
export interface LogSubject {
  api_key_id?: string | SQL | undefined
  partner_id?: string | SQL | undefined
}

/** A UNION has at most so many parts in D1. */
const MERGED_MAX = 5

/**
 * For WITH RECURSIVE: `own` has the callers of the subject that the log has rows of. Reads an index entry for each caller,
 * of a partner for each caller of the tenant.
 */
export function callersOf({ api_key_id, partner_id }: LogSubject): SQL {
  const bounds =
    api_key_id === undefined
      ? sql`true`
      : sql`log.caller >= ${api_key_id} || ' ' and log.caller < ${api_key_id} || '!'`
  const isOwn =
    partner_id === undefined
      ? sql`caller is not null`
      : sql`substr(caller, instr(caller, ' ') + 1) = ${partner_id} and ${partner_id} <> ''`
  return sql`known (caller) as (
      select min(log.caller) from audit_log as log where ${bounds}
      union all
      select (select min(log.caller) from audit_log as log where log.caller > known.caller and ${bounds})
      from known where known.caller is not null),
    own (caller) as materialized (select caller from known where ${isOwn})`
}

/**
 * For FROM, as `audit_log`: the newest rows of a subject, one by one, by `created_at` and `request_id` in descending
 * order. `conditions` are about rows of `audit_log`, whose columns have no qualifier in them.
 */
export function newestRows(subject: LogSubject, conditions: SQL, limit: number) {
  const rows = rowsOfCallers(subject, conditions, limit)
  return new Subquery(rows, getTableColumns(auditLog), 'audit_log')
}

/** The SELECT of newestRows. */
export function rowsOfCallers(subject: LogSubject, conditions: SQL, limit: number): SQL {
  const rows = literal(limit)
  const parts = Array.from(
    { length: MERGED_MAX },
    (_, at) => sql`select * from audit_log
      where caller = (select caller from few limit 1 offset ${literal(at)}) and ${conditions}`,
  )
  return sql`with recursive ${callersOf(subject)},
    few (caller) as materialized (
      select caller from own where (select count(*) from own) <= ${literal(MERGED_MAX)}),
    ${mergedOneByOne(conditions, rows)}
    select * from (
      ${sql.join(parts, sql` union all `)} order by created_at desc, request_id desc limit ${rows})
    union all
    select log.* from merged cross join audit_log as log on log.seq = merged.seq`
}

/** More callers than D1 merges by itself: each row is followed by the next one of its caller. It takes four times as long. */
function mergedOneByOne(conditions: SQL, rows: SQL): SQL {
  const newest = (
    caller: SQL,
  ) => sql`(select seq from audit_log where caller = ${caller} and ${conditions}
    order by created_at desc, request_id desc limit 1)`
  const next = sql`(select seq from audit_log where caller = merged.caller and ${conditions}
    and (created_at, request_id) < (merged.created_at, merged.request_id)
    order by created_at desc, request_id desc limit 1)`
  return sql`merged (seq, caller, created_at, request_id) as (
      select log.seq, log.caller, log.created_at, log.request_id
      from own cross join audit_log as log on log.seq = ${newest(sql`own.caller`)}
      where (select count(*) from own) > ${literal(MERGED_MAX)}
      union all
      select log.seq, log.caller, log.created_at, log.request_id
      from merged cross join audit_log as log on log.seq = ${next}
      order by 3 desc, 4 desc limit ${rows})`
}

/** SQL for the `created_at` of the subject's newest row; null without one. */
export function newestAt(subject: LogSubject): SQL {
  return sql`(with recursive ${callersOf(subject)}
    select max((select max(log.created_at) from audit_log as log where log.caller = own.caller)) from own)`
}

/** SQL for the `seq` of the subject's newest row; null without one. */
export function newestSeq(subject: LogSubject): SQL {
  const newest = sql`(select newest.seq from audit_log as newest where newest.caller = own.caller
    order by newest.created_at desc, newest.request_id desc limit 1)`
  return sql`(with recursive ${callersOf(subject)}
    select log.seq from own cross join audit_log as log on log.seq = ${newest}
    order by log.created_at desc, log.request_id desc limit 1)`
}

/** The index of ids that tell no time holds only these. */
export const IS_UNTIMED = sql.raw("substr(request_id, 15, 1) <> '7'")

/** For the placeholder or parameter of `seqsOf`. */
export function asked(ids: readonly string[]): string {
  return JSON.stringify(ids.map((id) => [id, createdAtOf(id)]))
}

/**
 * SQL for the `seq` of each request that is `asked` for and in the log. An id that tells its time is looked up once for
 * each caller of the tenant, any other in the index of those.
 */
export function seqsOf(ids: SQL): SQL {
  const hasTimed = sql`exists (select 1 from json_each(${ids}) where value ->> 1 is not null)`
  return sql`(with recursive
    known (caller) as (
      select iif(${hasTimed}, (select min(log.caller) from audit_log as log), null)
      union all
      select (select min(log.caller) from audit_log as log where log.caller > known.caller)
      from known where known.caller is not null)
    select log.seq from json_each(${ids}) as asked cross join known cross join audit_log as log
    where log.caller = known.caller and log.created_at = asked.value ->> 1 and log.request_id = asked.value ->> 0
    union all
    select found.seq from json_each(${ids}) as asked cross join (
      select seq, request_id from audit_log where ${IS_UNTIMED}) as found
    where found.request_id = asked.value ->> 0)`
}

/** SQL that is true of the row of `audit_log` with this id. */
export function isRequest(...ids: string[]): SQL {
  return sql`audit_log.seq in ${seqsOf(sql`${asked(ids)}`)}`
}
