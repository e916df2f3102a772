import type { TenantDatabase } from '../../engine/db/transact.ts'
import { BATCH_BYTES_MAX, rowBytesMax } from '../../engine/db/wide-rows.ts'
import { ApiError } from '../../engine/errors.ts'
import {
  type FeedPlace,
  type FeedWalk,
  placeAfterRequest,
  type RestOfStock,
  resourceAt,
  START,
  stockBefore,
  WHOLE,
} from './cursor.ts'
import { type Change, changedRecords } from './records.ts'
import { type FeedRow, selectEnd, selectNewest, selectPage } from './statements.ts'
import { OF_REST } from './stock.ts'

/** For a key that sees the orders of one partner, a page looks at most at so many changes. */
const LOOKED_MAX = 1000

const EXPIRED =
  'The data was restored or moved after this cursor was given, so it does not say what has changed. Begin anew with from=start.'

/** Where a page begins, and the epoch of the cursor that says so. */
export interface From {
  at: FeedPlace | 'start' | 'now'
  epoch: number | null
}

export interface ChangesPage {
  changes: Change[]
  /** Where the next page begins. */
  end: FeedPlace
  /** Whether to ask for the next page at once. That page may be empty. */
  has_more: boolean
  epoch: number
}

/**
 * The changes after a place, oldest first. One round trip, and another one for records that are wide: the page ends
 * before it would hold more than BATCH_BYTES_MAX of those. 410 CURSOR_EXPIRED if the epoch is not that of now.
 */
export async function readChanges(
  db: TenantDatabase,
  walk: FeedWalk,
  { at, epoch }: From,
  limit: number,
): Promise<ChangesPage> {
  if (at === 'now') return await readNow(db)
  const begin = at === 'start' ? { ...START, rest: restAfter(walk, -1) } : at
  const first = await readPage(db, walk, begin, limit)
  if (epoch !== null && epoch !== db.changes_epoch) throw new ApiError('CURSOR_EXPIRED', EXPIRED)
  const lacking = lackingStock(db, walk, begin)
  const page = lacking ? await readPage(db, walk, lacking, limit) : first
  const kept = withinMemory(page.rows)
  const isCut = kept.length < page.rows.length || kept.length === limit
  const shown = kept.filter(({ is_passed }) => !is_passed)
  const changes = await changedRecords(db, shown)
  // What was left out has moved to the end, and whoever stops here would lack it.
  const hasMoved = changes.length < shown.length
  return {
    changes,
    end: isCut ? page.placeOf(kept.at(-1) as FeedRow) : page.end,
    has_more: isCut || page.endsEarly || hasMoved,
    epoch: db.changes_epoch,
  }
}

async function readNow(db: TenantDatabase): Promise<ChangesPage> {
  const [[newest]] = await db.read([selectNewest])
  const end = placeAfterRequest(newest?.request ?? 0)
  return { changes: [], end, has_more: false, epoch: db.changes_epoch }
}

/** All stock that was changed after the request, up to now. */
function restAfter({ resources }: FeedWalk, after: number): RestOfStock | null {
  return resources.includes('inventory') ? { after, until: WHOLE, at: 0 } : null
}

/** The place with the rest of the stock, if slices are gone of which the feed goes on; otherwise null. */
function lackingStock(db: TenantDatabase, walk: FeedWalk, at: FeedPlace): FeedPlace | null {
  const before = stockBefore(at)
  if (at.rest || before >= db.stock_listed_after) return null
  const rest = restAfter(walk, before)
  const isWithin = at.seq < WHOLE && resourceAt(at) === 'inventory'
  return rest && { ...at, ...(isWithin && { seq: WHOLE, slice: 0 }), rest }
}

interface Page {
  rows: FeedRow[]
  /** Where the walk stands if the page is not full. */
  end: FeedPlace
  /** The page is not full, and yet not the last one. */
  endsEarly: boolean
  /** The place in the feed of one of its rows. */
  placeOf: (row: FeedRow) => FeedPlace
}

async function readPage(
  db: TenantDatabase,
  { resources, orders_of }: FeedWalk,
  at: FeedPlace,
  limit: number,
): Promise<Page> {
  const isLimited = orders_of !== null && resources.includes('orders')
  // One more than the limit, because nothing may be left of the slice in which the last page ended.
  const looked = isLimited ? LOOKED_MAX : limit + 1
  const values = { ...valuesOf(at, limit), orders_of, looked, looked_before: looked - 1 }
  const more = isLimited || at.rest ? [selectNewest] : []
  const ends = isLimited ? [selectEnd(resources, at)] : []
  const queries = [selectPage(resources, at), ...more, ...ends] as const
  const [rows, [newest] = [], [far] = []] = (await db.read(queries, values)) as [
    FeedRow[],
    { request: number }[]?,
    Pick<FeedPlace, 'place' | 'seq'>[]?,
  ]
  const request = newest?.request ?? 0
  const rest = at.rest && { ...at.rest, until: Math.min(at.rest.until, request) }
  const placeOf = (row: FeedRow) => placeOfRow(row, rest)
  // Where others' orders stand is not this caller's business, so the end is that of the requests.
  if (far) {
    // The rest of the stock follows all other records. More of those come, so this page leaves it out.
    const others = rows.filter(({ slice }) => slice !== OF_REST)
    return { rows: others, end: endOfLooked(far, rest), endsEarly: true, placeOf }
  }
  if (rest) {
    const endsEarly = at.rest?.until !== WHOLE
    return { rows, end: placeAfterRequest(rest.until), endsEarly, placeOf }
  }
  const last = rows.at(-1)
  const end = isLimited ? placeAfterRequest(request) : afterRequest(last ? placeOf(last) : at)
  return { rows, end, endsEarly: false, placeOf }
}

function valuesOf({ place, seq, slice, rest }: FeedPlace, limit: number) {
  const { after = -1, until = WHOLE, at = 0 } = rest ?? {}
  const until_place = until === WHOLE ? WHOLE : placeAfterRequest(until).place
  const within = { at_place: place, at_seq: seq, at_slice: slice }
  return {
    ...within,
    after,
    until,
    until_place,
    at,
    rows: limit,
    row_bytes_max: rowBytesMax(limit),
  }
}

function placeOfRow({ place, seq, slice }: FeedRow, rest: RestOfStock | null): FeedPlace {
  if (rest && slice === OF_REST)
    return { ...placeAfterRequest(rest.until), rest: { ...rest, at: seq } }
  return { place, seq, slice: slice ?? 0, rest }
}

/** The page has looked through all of this slice. */
function endOfLooked({ place, seq }: Pick<FeedPlace, 'place' | 'seq'>, rest: RestOfStock | null) {
  const isSlice = resourceAt({ place }) === 'inventory'
  return isSlice ? { place, seq: 0, slice: seq + 1, rest } : { place, seq, slice: 0, rest }
}

/** Nothing comes after the last slice of a request: so the next look does not go through it again. */
function afterRequest(at: FeedPlace): FeedPlace {
  return resourceAt(at) === 'inventory' ? { ...at, seq: WHOLE, slice: 0 } : at
}

/** The first rows, as many as there is memory for, and at least one. */
function withinMemory(rows: FeedRow[]): FeedRow[] {
  let bytes = 0
  const end = rows.findIndex(({ wide_bytes }, index) => {
    bytes += wide_bytes ?? 0
    return index > 0 && bytes > BATCH_BYTES_MAX
  })
  return end < 0 ? rows : rows.slice(0, end)
}
