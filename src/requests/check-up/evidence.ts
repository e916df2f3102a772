import { and, desc, eq, gte, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import { lineDifferences } from '../../engine/db/delivery-tables.ts'
import { callersOf, newestRows } from '../../engine/db/log-look-ups.ts'
import { asFlag, type Queries, qb } from '../../engine/db/prepared.ts'
import { WAS_SENT_AGAIN } from '../../engine/db/sent-again.ts'
import { apiKeys, auditLog, keyAttempts, orders, partners } from '../../engine/db/tables.ts'
import { DAY_MS, HOUR_MS } from '../../engine/json/date-time.ts'
import { isReadable } from '../../engine/log/documents/kept.ts'
import { REQUESTS_SHOWN } from './finding.ts'
import { type Series, selectSeries, seriesOf } from './samples.ts'
import { type CheckedMapping, selectMappings } from './saved-mappings.ts'

/** Requests are looked at for so long. It is a week, so that each weekday counts once. */
const REQUESTS_MS = 7 * DAY_MS
const LISTS_MS = DAY_MS
/** Two weeks have the pause of a whole weekend, on whichever day it is asked. */
const HOURS = 14 * 24
/** Of a busy partner only the newest requests are read, so that its page is fast as well. */
const REQUESTS_MAX = 20_000
const FAILURES_MAX = 500
const MESSAGE_LENGTH_MAX = 300
const CALLS_MAX = 200
const LISTS_MAX = 20
const KEYS_MAX = 100
export const DIFFERING_MAX = 500
const UUID_LENGTH = 36

type RowOf<Select extends (...asked: never[]) => { _: { result: unknown[] } }> =
  ReturnType<Select>['_']['result'][number]

/** A request that was refused, or an upload with failed rows. Not one that was sent again and accepted since. */
export type FailedRequest = RowOf<typeof selectFailures>
/** A list of several pages, of which the last 24 hours have requests for the first page alone. */
export type ListCalls = RowOf<typeof selectLists>
export type PartnerKey = RowOf<typeof selectKeys>
/** Attempts with a key of the partner that has ended. */
export type EndedKeyUse = RowOf<typeof selectEndedKeys>
/** Its lines differ from those that a webhook of the partner has brought last, and nobody has seen it. */
export type DifferingOrder = RowOf<typeof selectDiffering>

/** What is known of a partner's traffic and keys. All lists are newest first. */
export interface Evidence {
  failures: FailedRequest[]
  lists: ListCalls[]
  /** When the last 200 requests came. */
  calls: string[]
  /** The hours since 1970 that had a request, of the last two weeks. */
  hours: number[]
  /** Live keys that no other key has replaced. */
  keys: PartnerKey[]
  endedKeys: EndedKeyUse[]
  differing: DifferingOrder[]
  /** Which documents are kept by now; null if none are. */
  documentsOf: 'errors' | 'all' | null
  mappings: CheckedMapping[]
  series: Series[]
}

/** So many statements read the evidence. */
export const EVIDENCE_QUERIES = 10

/** A TenantDatabase, or what else runs these queries in one round trip. */
export type Read = <T extends Queries>(queries: T) => Promise<BatchResponse<T>>

/** Whose evidence, at what time, and whether documents are looked at, too. */
export interface EvidenceAsked {
  partner_id: string
  now: number
  withDocuments: boolean
}

/**
 * Reads the log and the keys in one round trip: at most some 90,000 rows, or 40,000 without documents, whatever the partner
 * sends. Null if there is no such partner.
 */
export async function readEvidence(
  read: Read,
  { partner_id, now, withDocuments }: EvidenceAsked,
): Promise<Evidence | null> {
  const [[partner], failures, lists, calls, hours, keys, endedKeys, differing, ...kept] =
    await read([
      selectPartner(partner_id),
      selectFailures(partner_id, instant(now - REQUESTS_MS)),
      selectLists(partner_id, instant(now - LISTS_MS)),
      selectCalls(partner_id),
      selectHours(partner_id, Math.floor(now / HOUR_MS)),
      selectKeys(partner_id, instant(now)),
      selectEndedKeys(partner_id, instant(now - REQUESTS_MS)),
      selectDiffering(partner_id),
      selectMappings(partner_id),
      selectSeries(partner_id, withDocuments),
    ])
  if (!partner) return null
  const [mappings, series] = kept
  return {
    failures,
    lists,
    calls: calls.map(({ created_at }) => created_at),
    hours: hours.map(({ hour }) => hour),
    keys,
    endedKeys,
    differing,
    documentsOf: partner.keep_documents?.of ?? null,
    mappings,
    series: series.map(seriesOf),
  }
}

function selectPartner(id: string) {
  return qb
    .select({ keep_documents: partners.keep_documents })
    .from(partners)
    .where(and(eq(partners.id, id), isNull(partners.deleted_at)))
}

function instant(time: number): string {
  return new Date(time).toISOString()
}

const { request_id, created_at, method, path } = auditLog
const { record_name, error_code, message, error_fields } = auditLog

/** Not sent again by an administrator. */
const IS_OWN = sql`replay_of is null`

/** The request of a record that came among others, and failed. Its row names the request of the document twice. */
const IS_OF_RECORD = sql`record_id = replay_of`

/** The partner's newest requests since then, one by one. */
function requestsSince(partner_id: string, since: string) {
  return newestRows({ partner_id }, sql`created_at >= ${since}`, REQUESTS_MAX)
}

/** A dry run was to change nothing. */
const IS_REAL = sql`not dry_run`

/** A delivery that has ended without being applied is settled: by a newer one, by time or by a person. */
const HAS_NOT_ENDED = sql`(outcome is null or outcome not in ('superseded', 'dismissed'))`

/** After 408 and 5xx a client has to send the same document again, so its repetitions tell nothing. */
const IS_FINAL = sql`(status between 400 and 499 and status <> 408 or rows_failed > 0)`

function selectFailures(partner_id: string, since: string) {
  const has_document = sql`coalesce(${IS_FINAL} and ${isReadable(partner_id)}, false)`
  return qb
    .select({
      request_id,
      created_at,
      method,
      path,
      record_name,
      error_code,
      message: sql<string | null>`substr(${message}, 1, ${MESSAGE_LENGTH_MAX})`.as('message'),
      /** Each between line breaks (src/engine/log/explanation.ts). */
      error_fields,
      /** It is a delivery that was kept, so its sender heard that all is well. */
      is_taken: sql`outcome is 'waiting'`.mapWith(asFlag).as('is_taken'),
      /** Its document is kept, and to send it again without a change is of no use. */
      has_document: has_document.mapWith(asFlag).as('has_document'),
    })
    .from(requestsSince(partner_id, since))
    .where(
      and(
        or(IS_OWN, IS_OF_RECORD),
        IS_REAL,
        sql`(${error_fields} is not null or has_document)`,
        sql`not ${WAS_SENT_AGAIN}`,
        HAS_NOT_ENDED,
      ),
    )
    .limit(FAILURES_MAX)
}

function selectLists(partner_id: string, since: string) {
  const count = (page: string) => sql<number>`count(*) filter (where list_page = ${page})`
  return qb
    .select({
      path,
      firsts: count('first').as('firsts'),
      since: sql<string>`min(created_at) filter (where list_page = 'first')`,
      /** The ids of the newest of these requests. */
      requests: sql`substr(
        group_concat(request_id, ' ' order by created_at desc) filter (where list_page = 'first'),
        1, ${REQUESTS_SHOWN * UUID_LENGTH + REQUESTS_SHOWN - 1})`.mapWith((ids: string) =>
        ids.split(' '),
      ),
    })
    .from(requestsSince(partner_id, since))
    .where(and(IS_OWN, sql`list_page is not null`))
    .groupBy(path)
    .having(sql`firsts > 0 and ${count('next')} = 0`)
    .orderBy(sql`firsts desc`)
    .limit(LISTS_MAX)
}

function selectCalls(partner_id: string) {
  const newest = newestRows({ partner_id }, sql`true`, 2 * CALLS_MAX)
  return qb.select({ created_at }).from(newest).where(IS_OWN).limit(CALLS_MAX)
}

/** Each hour is a look into the index for each of the partner's keys, however many requests it has. */
function selectHours(partner_id: string, last: number) {
  const startOf = (hour: SQL) =>
    sql`strftime('%Y-%m-%dT%H:00:00.000Z', ${hour} * 3600, 'unixepoch')`
  return qb.select({ hour: sql<number>`hour` }).from(sql`(
    with recursive ${callersOf({ partner_id })}, hours (hour) as (
      select cast(${last} as integer)
      union all
      select hour - 1 from hours where hour > cast(${last - HOURS} as integer)
    )
    select hour from hours where exists (
      select 1 from own cross join ${auditLog} as log where log.caller = own.caller
        and log.created_at >= ${startOf(sql`hour`)} and log.created_at < ${startOf(sql`(hour + 1)`)}
    ) order by hour desc)`)
}

const IS_WEBHOOK = sql<boolean>`webhook is not null`.mapWith(asFlag)
const IS_REPLACED = sql`exists (select 1 from api_keys as heir where heir.rotated_from = api_keys.id)`

function selectKeys(partner_id: string, now: string) {
  const { id, name, hint, release, expires_at } = apiKeys
  return qb
    .select({ id, name, hint, release, expires_at, is_webhook: IS_WEBHOOK })
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.partner_id, partner_id),
        sql`revoked_at is null and (expires_at is null or expires_at > ${now})`,
        sql`not ${IS_REPLACED}`,
      ),
    )
    .orderBy(desc(apiKeys.seq))
    .limit(KEYS_MAX)
}

function selectEndedKeys(partner_id: string, since: string) {
  const { hint, reason, count, first_at, last_at } = keyAttempts
  return qb
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      is_webhook: IS_WEBHOOK,
      hint,
      reason,
      /** Whether another key has taken its place. */
      is_rotated: sql`${IS_REPLACED}`.mapWith(asFlag),
      count,
      first_at,
      last_at,
    })
    .from(keyAttempts)
    .innerJoin(apiKeys, eq(apiKeys.hint, hint))
    .where(
      and(
        eq(apiKeys.partner_id, partner_id),
        inArray(reason, ['revoked', 'expired']),
        gte(last_at, since),
      ),
    )
    .orderBy(desc(last_at))
    .limit(KEYS_MAX)
}

function selectDiffering(of: string) {
  const { order_id, partner_id, log_seq, noted_at, seen_at } = lineDifferences
  return qb
    .select({
      order_id,
      order_number: orders.order_number,
      request_id: sql<string>`${lineDifferences.request_id}`.as('noted_by'),
      created_at: sql<string>`${noted_at}`.as('noted_at'),
    })
    .from(lineDifferences)
    .innerJoin(orders, eq(orders.id, order_id))
    .where(and(eq(partner_id, of), isNull(seen_at)))
    .orderBy(desc(log_seq))
    .limit(DIFFERING_MAX)
}
