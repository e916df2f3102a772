import type { TenantDatabase } from '../../db/transact.ts'
import { BATCH_BYTES_MAX, rowBytesMax } from '../../db/wide-rows.ts'
import { ApiError } from '../../errors.ts'
import { type Place, placeAfter, START, type Walk } from './cursor.ts'
import { type Change, changesOf } from './records.ts'
import { type FeedRow, selectEnd, selectPage, selectState } from './statements.ts'

/** For a key that sees the orders of one partner, a page looks at most at so many changes. */
const LOOKED_MAX = 1000

const EXPIRED =
  'The data was restored or moved after this cursor was given, so it does not say what has changed. Begin anew with from=start.'

/** Where a page begins, and the epoch of the cursor that says so. */
export interface From {
  at: Place | 'start' | 'now'
  epoch: number | null
}

export interface ChangesPage {
  changes: Change[]
  /** Where the next page begins. */
  end: Place
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
  walk: Walk,
  { at, epoch }: From,
  limit: number,
): Promise<ChangesPage> {
  if (at === 'now') {
    const [states] = await db.read([selectState], { needs_newest: 1 })
    const state = current(states, epoch)
    return { changes: [], end: placeAfter(state.newest ?? 0), has_more: false, epoch: state.epoch }
  }
  const page = await readPage(db, walk, at === 'start' ? START : at, limit)
  const state = current(page.states, epoch)
  const kept = withinMemory(page.rows)
  const changes = await changesOf(db, kept)
  const isCut = kept.length < page.rows.length || kept.length === limit
  if (isCut) return { changes, end: endOf(kept, START), has_more: true, epoch: state.epoch }
  return { changes, end: page.end, has_more: page.isLookedOut, epoch: state.epoch }
}

type States = { epoch: number; newest: number | null }[]

function current([state]: States, epoch: number | null) {
  if (!state) throw new Error('The database has no workspace.')
  if (epoch !== null && epoch !== state.epoch) throw new ApiError('CURSOR_EXPIRED', EXPIRED)
  return state
}

/** `isLookedOut`: the page passed over so many orders of others that it stopped before it had all its rows. */
async function readPage(db: TenantDatabase, walk: Walk, at: Place, limit: number) {
  const { resources, orders_of } = walk
  const shared = { at_place: at.place, at_seq: at.seq, orders_of, rows: limit }
  const sizes = { row_bytes_max: rowBytesMax(limit) }
  const page = selectPage(resources, at)
  if (orders_of === null || !resources.includes('orders')) {
    const values = { ...shared, ...sizes, looked: limit, needs_newest: 0 }
    const [states, rows] = await db.read([selectState, page], values)
    return { states, rows, end: endOf(rows, at), isLookedOut: false }
  }
  const looked = { looked: LOOKED_MAX, looked_before: LOOKED_MAX - 1, needs_newest: 1 }
  const [states, rows, [end]] = await db.read([selectState, page, selectEnd(resources, at)], {
    ...shared,
    ...sizes,
    ...looked,
  })
  // Where others' orders stand is not this caller's business, so the end is that of the requests.
  const newest = placeAfter(states[0]?.newest ?? 0)
  return { states, rows, end: end ?? newest, isLookedOut: end !== undefined }
}

function endOf(rows: Place[], otherwise: Place): Place {
  const { place, seq } = rows.at(-1) ?? otherwise
  return { place, seq }
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
