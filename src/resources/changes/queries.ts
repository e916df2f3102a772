import type { TenantDatabase } from '../../db/transact.ts'
import { BATCH_BYTES_MAX, rowBytesMax } from '../../db/wide-rows.ts'
import { ApiError } from '../../errors.ts'
import { type Place, placeAfter, START, type Walk } from './cursor.ts'
import { type Change, changesOf } from './records.ts'
import { type FeedRow, selectEnd, selectNewest, selectPage } from './statements.ts'

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
  const page = await readPage(db, walk, at, limit)
  if (epoch !== null && epoch !== db.changes_epoch) throw new ApiError('CURSOR_EXPIRED', EXPIRED)
  const kept = withinMemory(page.rows)
  const isCut = kept.length < page.rows.length || kept.length === limit
  const changes = await changesOf(db, kept)
  // What was left out has moved to the end, and whoever stops here would lack it.
  const hasMoved = changes.length < kept.length
  return {
    changes,
    end: isCut ? endOf(kept, START) : page.end,
    has_more: isCut || page.isLookedOut || hasMoved,
    epoch: db.changes_epoch,
  }
}

interface Page {
  rows: FeedRow[]
  /** Where the walk stands if the page is not full. */
  end: Place
  /** It passed over so many orders of others that it stopped before it had all its rows. */
  isLookedOut: boolean
}

async function readPage(
  db: TenantDatabase,
  walk: Walk,
  from: Place | 'start' | 'now',
  limit: number,
): Promise<Page> {
  if (from === 'now') {
    const [[newest]] = await db.read([selectNewest])
    return { rows: [], end: placeAfter(newest?.request ?? 0), isLookedOut: false }
  }
  const at = from === 'start' ? START : from
  const { resources, orders_of } = walk
  const page = selectPage(resources, at)
  const place = { at_place: at.place, at_seq: at.seq }
  const values = { ...place, orders_of, rows: limit, row_bytes_max: rowBytesMax(limit) }
  if (orders_of === null || !resources.includes('orders')) {
    const [rows] = await db.read([page], { ...values, looked: limit })
    return { rows, end: endOf(rows, at), isLookedOut: false }
  }
  const looked = { looked: LOOKED_MAX, looked_before: LOOKED_MAX - 1 }
  const queries = [page, selectEnd(resources, at), selectNewest] as const
  const [rows, [end], [newest]] = await db.read(queries, { ...values, ...looked })
  // Where others' orders stand is not this caller's business, so the end is that of the requests.
  const last = placeAfter(newest?.request ?? 0)
  return { rows, end: end ?? last, isLookedOut: end !== undefined }
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
