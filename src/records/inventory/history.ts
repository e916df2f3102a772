import { type SQL, sql } from 'drizzle-orm'
import { STORED_MS_MAX } from '../../engine/db/log-position.ts'
import { literal, prepared, qb } from '../../engine/db/prepared.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { COMPLETE_SINCE } from '../../engine/db/undo-days.ts'
import { invalid, notTogether } from '../../engine/errors.ts'
import type { Caller } from '../../engine/identity/caller.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import { EACH_PAIR, HAS_REPLACED, PAIR, SLICE_COLUMNS } from './replaced-pairs.ts'
import type { HistoryQuery } from './schema.ts'

/** For a page, so many slices of uploads are looked through, or as many as have about so many bytes. */
export const SLICES_LOOKED_MAX = 1000
export const LOOKED_BYTES_MAX = 1_000_000
/** Of these slices, this many pairs are compared with what is asked for: a page reads at most 5,000 rows, four for each. */
export const PAIRS_COMPARED_MAX = 1200

/** What is asked for: stock at a location, of a SKU, or both; all of it without a code. */
export interface StockSubject {
  location_code?: string | undefined
  sku_code?: string | undefined
}

/** 400 VALIDATION_ERROR for two codes of which nothing can be at both. */
export function subjectOf(
  code: string,
  { by, ...narrowed }: Omit<HistoryQuery, 'limit' | 'cursor'>,
): StockSubject {
  const own = by === 'sku' ? 'sku_code' : 'location_code'
  if ((narrowed[own] ?? code) !== code) {
    throw notTogether([own], `Is not the code of the path: leave ${own} out.`)
  }
  return { ...narrowed, [own]: code }
}

/**
 * The quantities of this stock that uploads have replaced, newest first; one more than the limit if there are more. The page
 * may stop before it has all of its rows, at `end`. The history is complete back to `complete_since`, an instant. To a key
 * of a partner, no other key and no other partner are named, and the notes of others are not told.
 */
export async function listHistory(
  db: TenantDatabase,
  caller: Caller,
  subject: StockSubject,
  { limit, before, before_time }: PageRequest,
) {
  const place = before === undefined ? BEGINNING : placeOf(before, before_time)
  const { location_code = null, sku_code = null } = subject
  const values = { ...place, location_code, sku_code, rows: limit + 1 }
  const [found] = await db.read([selectHistory], values)
  const [{ complete_since, end_in, end_position, end_at }] = found as [Found, ...Found[]]
  const end = end_in === null ? null : cursorOf(end_in, end_position ?? 0, end_at ?? PAIRS_MAX)
  return { rows: found.flatMap((row) => shown(row, caller)), end, complete_since }
}

/**
 * A pair in the history. Uploads come newest first, the slices of an upload from the last to the first, and the pairs of a
 * slice from the first to the last.
 */
interface Place {
  changed_in: number
  position: number
  /** The index of the pair; -1 is before the first. */
  at: number
}

const PAIRS_MAX = 1_000_000
const BEGINNING: Place = { changed_in: Number.MAX_SAFE_INTEGER, position: 0, at: -1 }
const WITHIN = /^(\d{1,7})\.(\d{1,7})$/

/** As a cursor has it, in place of a time; PAIRS_MAX is the end of a slice. */
function cursorOf(changed_in: number, position: number, at: number) {
  return { seq: changed_in, created_at: `${position}.${at}` }
}

function placeOf(changed_in: number, within: string | undefined): Place {
  const [, position, at] = WITHIN.exec(within ?? '') ?? []
  if (position === undefined)
    throw invalid({ cursor: ['Not a cursor of this list.'] }, 'INVALID_CURSOR')
  // A slice that is done is not looked through again: it may be all that a page looks through.
  if (Number(at) === PAIRS_MAX) return { changed_in, position: Number(position) - 1, at: -1 }
  return { changed_in, position: Number(position), at: Number(at) }
}

function shown({ pair, ...row }: Found, { key, partner }: Caller) {
  const { changed_in, position, at, notes, ...change } = pair
  if (changed_in === null) return []
  const isOwnKey = partner === null || row.api_key_id === key.id
  const isOwnPartner = partner === null || row.partner_id === partner.id
  const named = (id: string | null, name: string | null) =>
    id === null ? null : { id, name: name ?? '' }
  return {
    ...cursorOf(changed_in, position, at),
    ...change,
    notes: isOwnPartner ? notes : null,
    api_key: isOwnKey ? named(row.api_key_id, row.api_key_name) : null,
    partner: isOwnPartner ? named(row.partner_id, row.partner_name) : null,
  }
}

const [CHANGED_IN, POSITION] = [sql.placeholder('changed_in'), sql.placeholder('position')]

/**
 * The slices from the place on that a page looks through. The last one of `seen` only says that there are more. Their
 * lengths are taken from the table itself: outside of it, SQLite would read and copy each slice to measure it.
 */
const LOOKED: SQL = sql`
  since (complete) as materialized (select ${COMPLETE_SINCE} from workspace),
  seen as materialized (
    select changed_in, position, sum(bytes) over (order by changed_in desc, position desc) - bytes as bytes_before
    from (select changed_in, position, octet_length(replaced) as bytes from replaced_values
      where resource = 'inventory' and (changed_place, position) <= (${CHANGED_IN} * 4 + 2, ${POSITION}) and ${HAS_REPLACED}
      order by changed_place desc, position desc limit ${literal(SLICES_LOOKED_MAX + 1)})),
  looked as materialized (
    select * from seen where bytes_before < ${literal(LOOKED_BYTES_MAX)}
    order by changed_in desc, position desc limit ${literal(SLICES_LOOKED_MAX)}),
  last as materialized (
    select changed_in, position, coalesce(log.created_at, '') as asked_at
    from (select changed_in, position from looked order by changed_in, position limit 1)
    left join audit_log as log on log.seq = changed_in)`

/** Rows that came in before it are at least so much older in the order of their commits. */
const LATE = sql.raw(`'-${STORED_MS_MAX / 1000} seconds'`)

/** Where the page stops, unless all that is left has expired. */
const END: SQL = sql`(select count(*) from seen) > (select count(*) from looked)
  and (select asked_at from last) >= strftime('%Y-%m-%dT%H:%M:%fZ', (select complete from since), ${LATE})`

/** The pairs that a page compares, in order. */
const COMPARED: SQL = sql`
  select slice.changed_in, slice.position, pair.key as at, ${PAIR.seq} as seq, ${PAIR.from} as former, ${PAIR.to} as became
  from slice cross join ${EACH_PAIR}
  where slice.changed_in < ${CHANGED_IN} or slice.position < ${POSITION} or pair.key > ${sql.placeholder('at')}
  limit ${literal(PAIRS_COMPARED_MAX)}`

/**
 * A LIMIT keeps the slices in their order, in which their pairs are found: so SQLite stops where the page is full. `stop`
 * is the last pair that a page has compared without becoming full.
 */
const PAIRS: SQL = sql`
  slice as materialized (
    select ${SLICE_COLUMNS} from replaced_values where (changed_in, position) in (
      select changed_in, position from looked join audit_log on seq = changed_in
      where created_at >= (select complete from since))
    order by changed_in desc, position desc limit -1),
  found as materialized (
    select pair.changed_in, pair.position, pair.at, stock.location_code, stock.sku_code, pair.former, pair.became
    from (${COMPARED}) as pair cross join inventory as stock on stock.seq = pair.seq
    where (${sql.placeholder('location_code')} is null or stock.location_code = ${sql.placeholder('location_code')})
      and (${sql.placeholder('sku_code')} is null or stock.sku_code = ${sql.placeholder('sku_code')})
    limit ${sql.placeholder('rows')}),
  stop as materialized (
    select changed_in, position, at
    from (select 1 where (select count(*) from found) < ${sql.placeholder('rows')}) cross join (${COMPARED})
    limit 1 offset ${literal(PAIRS_COMPARED_MAX - 1)})`

/** A row of the result without a pair is no row found. */
const selectHistory = prepared(() =>
  qb
    .select({
      complete_since: sql<string>`complete_since`,
      end_in: sql<number | null>`end_in`,
      end_position: sql<number | null>`end_position`,
      end_at: sql<number | null>`end_at`,
      api_key_id: sql<string | null>`api_key_id`,
      api_key_name: sql<string | null>`api_key_name`,
      partner_id: sql<string | null>`partner_id`,
      partner_name: sql<string | null>`partner_name`,
      pair: {
        changed_in: sql<number | null>`changed_in`,
        position: sql<number>`position`,
        at: sql<number>`at`,
        location_code: sql<string>`location_code`,
        sku_code: sql<string>`sku_code`,
        from: sql<number | null>`former`,
        to: sql<number>`became`,
        changed_at: sql<string>`created_at`,
        request_id: sql<string>`request_id`,
        source: sql<string | null>`source`,
        notes: sql<string | null>`notes`,
      },
    })
    .from(
      sql`(with ${LOOKED}, ${PAIRS}
        select complete as complete_since, coalesce(stop.changed_in, iif(${END}, last.changed_in, null)) as end_in,
          coalesce(stop.position, last.position) as end_position, stop.at as end_at, found.*, request_id, created_at, source, notes, api_key_id,
          api_key_name, partner_id, partner_name
        from since left join last left join stop left join found left join audit_log on audit_log.seq = found.changed_in
        order by found.changed_in desc, found.position desc, found.at)`,
    ),
)

type Found = (typeof selectHistory)['_']['result'][number]
