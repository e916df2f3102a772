import { type SQL, sql } from 'drizzle-orm'
import { literal, placeholders, prepared, qb } from '../../engine/db/prepared.ts'

// How the keys and webhooks of partners do, as far as the index of callers tells it in a few steps.

/** So many callers are looked at, those of the tenant's own keys included. */
export const CALLERS_MAX = 16
/** Of so many silent ones, and of so many whose last request was refused, more is read. */
const LOOKED_AT_MAX = 2
/** So many requests in a row have to be refused. */
export const REFUSALS_MIN = 8
/** Requests within so many hours are one visit. Three times as long is a day. */
const VISIT_HOURS = 8
const VISITS_MAX = 12

const { now, day_ago } = placeholders('now', 'day_ago')

/** Of a row of the log: refused, and not because a record is not there, for which some clients ask to find it out. */
const IS_REFUSED = sql`(status between 400 and 499 and not (status = 404 and method = 'GET')
  and outcome is null and not dry_run and replay_of is null)`

/** The newest row of the last caller before another one in the order of the index, as JSON. */
const newestOf = (isBefore: SQL) => sql`(
  select json_array(caller, created_at, api_key_id, api_key_name, partner_id, partner_name, replay_of is not null, ${IS_REFUSED})
  from audit_log where ${isBefore} order by caller desc, created_at desc, request_id desc limit 1)`

const [CALLER, LAST_AT, KEY_ID, PARTNER_ID, WAS_REFUSED] = [0, 1, 2, 4, 7].map((at) =>
  sql.raw(`(newest ->> ${at})`),
) as [SQL, SQL, SQL, SQL, SQL]

/** A key that has ended is not expected to send, nor one with which an administrator has sent something again. */
const IS_SILENT = sql`(${LAST_AT} < ${day_ago} and ${PARTNER_ID} is not null and exists (
  select 1 from api_keys where id = ${KEY_ID} and api_keys.partner_id = ${PARTNER_ID} and revoked_at is null
    and (expires_at is null or expires_at > ${now})))`
const IS_IN_TROUBLE = sql`(${LAST_AT} >= ${day_ago} and ${PARTNER_ID} is not null and ${WAS_REFUSED})`

const visits = sql`(
  with recursive visits (at, n) as (
    select ${LAST_AT}, 1
    union all
    select (select max(created_at) from audit_log where caller = ${CALLER}
        and created_at <= strftime('%Y-%m-%dT%H:%M:%fZ', visits.at, ${`-${VISIT_HOURS} hours`})), n + 1
    from visits where visits.at is not null and n < ${literal(VISITS_MAX)}
  )
  select json_group_array(at) from visits where at is not null)`

const lastFirst = sql`where caller = ${CALLER} order by created_at desc, request_id desc limit`

/** Whether somebody has sent the caller's last request again, and the newest attempt was accepted. */
const wasMended = sql`(
  select status < 400 and not dry_run from audit_log
  where replay_of = (select request_id from audit_log ${lastFirst} 1) order by seq desc limit 1)`

const lastRefusals = sql`(
  select json_array(iif(${wasMended}, 0, count(*) filter (where ${IS_REFUSED})), min(created_at)) from (
    select created_at, status, method, outcome, dry_run, replay_of from audit_log
    ${lastFirst} ${literal(REFUSALS_MIN)}))`

const maximum = literal(LOOKED_AT_MAX)

/** Each step is one entry of the index of callers. `silent` and `troubled` count the steps before. */
export const selectSenders = prepared(() =>
  qb
    .select({
      newest: sql`newest`.mapWith((text: string): Newest => JSON.parse(text)),
      visits: sql`visits`.mapWith((text: string): string[] | null => JSON.parse(text)),
      refusals: sql`refusals`.mapWith((text: string): Refusals | null => JSON.parse(text)),
    })
    .from(sql`(
      with recursive callers (newest, n, silent, troubled) as (
        select ${newestOf(sql`caller > ''`)}, 1, 0, 0
        union all
        select ${newestOf(sql`caller < ${CALLER}`)}, n + 1, silent + (silent < ${maximum} and ${IS_SILENT}),
          troubled + ${IS_IN_TROUBLE}
        from callers where newest is not null and n < ${literal(CALLERS_MAX)}
      )
      select newest,
        iif(silent < ${maximum} and ${IS_SILENT}, ${visits}, null) as visits,
        iif(troubled < ${maximum} and ${IS_IN_TROUBLE}, ${lastRefusals}, null) as refusals
      from callers where newest is not null and ${PARTNER_ID} is not null
    )`),
)

type Newest = [
  caller: string,
  last_at: string,
  key_id: string,
  key_name: string,
  partner_id: string,
  partner_name: string | null,
  was_sent_again: 0 | 1,
]
type SenderRow = (typeof selectSenders)['_']['result'][number]

/**
 * Partners that have gone quiet, with the time that usually passes to the next visit, and those of which every request is
 * refused, since the first one that was counted.
 */
export function sendersIn(rows: SenderRow[], time: number) {
  const found = rows.map(({ newest, visits: times, refusals }) => {
    const [, last_at, key_id, key_name, partner_id, name, again] = newest
    const sender = { partner_id, partner_name: name ?? partner_id, key_id, key_name }
    return { sender, last_at, isOwn: !again, times, refusals }
  })
  const lastOf = Map.groupBy(found, ({ sender }) => sender.partner_id)
  const quiet = found.flatMap(({ sender, last_at, times }) => {
    const usual_ms = usualIfQuiet(times ?? [], time)
    const others = lastOf.get(sender.partner_id) ?? []
    const isLast = others.every((other) => !other.isOwn || other.last_at <= last_at)
    return usual_ms === null || !isLast ? [] : [{ ...sender, last_at, usual_ms }]
  })
  const refused = found.flatMap(({ sender, refusals }) => {
    const [number = 0, since = ''] = refusals ?? []
    return number < REFUSALS_MIN ? [] : [{ ...sender, since }]
  })
  return { quiet, refused }
}

type Refusals = [refused: number, since: string]

/** Fewer visits have no rhythm. */
const GAPS_MIN = 4
const QUIET_GAPS = 3

/**
 * The usual gap between the visits, the newest first, if the sender has been away for three times as long and for longer
 * than it was between any of them: nights and weekends are not quiet.
 */
export function usualIfQuiet(times: string[], time: number): number | null {
  const at = times.map((text) => Date.parse(text))
  const gaps = at.slice(1).map((earlier, index) => (at[index] ?? earlier) - earlier)
  const sorted = gaps.toSorted((one, other) => one - other)
  const usual = sorted[Math.floor(sorted.length / 2)]
  if (usual === undefined || gaps.length < GAPS_MIN) return null
  const away = time - (at[0] ?? time)
  return away > Math.max(QUIET_GAPS * usual, sorted.at(-1) ?? 0) ? usual : null
}
