import { createHash } from 'node:crypto'
import { cursorParts, cursorText } from '../../engine/json/pagination.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'

/** The resources of the feed, in the order of their numbers in changed_place (migrations/). */
export const FEED = ['products', 'locations', 'inventory', 'orders'] as const satisfies Resource[]
export type FeedResource = (typeof FEED)[number]

const FORMAT = '1'
/** The format of a cursor that is within the stock of a request, or has `rest`. Its numbers are in base 36. */
const FORMAT_OF_STOCK = '2'
const BASE = 36
const NAME = 'changes'
/** Beside the bits of the resources: set if the caller has named them. */
const NAMED = 2 ** FEED.length
const ALL = '-'

/** After which record of the feed the next page begins. */
export interface FeedPlace {
  /** The record's changed_place. */
  place: number
  /** The seq of the last record shown. WHOLE: all records of this place have been shown; 0: none of this slice. */
  seq: number
  /** Within the stock of a request, the position of the slice that names the record; otherwise 0. */
  slice: number
  /** Stock that no slice names any more and that is still to come; null if there is none. */
  rest: RestOfStock | null
}

/**
 * Stock that the feed finds by a scan of `inventory`, because slices are gone: records with a seq above `at` whose last
 * change is in a request after `after` and up to `until`. They come in the order of their seq, once the other resources
 * have come up to `until`.
 */
export interface RestOfStock {
  after: number
  until: number
  at: number
}

export const WHOLE = Number.MAX_SAFE_INTEGER

/** Before the first record. */
export const START: FeedPlace = { place: -1, seq: WHOLE, slice: 0, rest: null }

/** After all that the requests up to this one have changed. */
export function placeAfterRequest(request: number): FeedPlace {
  return { place: request * FEED.length + FEED.length - 1, seq: WHOLE, slice: 0, rest: null }
}

/** The last request of which all stock comes before the place. */
export function stockBefore({ place, seq }: FeedPlace): number {
  const request = Math.floor((place - STOCK) / FEED.length)
  return seq < WHOLE && place % FEED.length === STOCK ? request - 1 : request
}

const STOCK = FEED.indexOf('inventory')

export function resourceAt({ place }: Pick<FeedPlace, 'place'>): FeedResource | undefined {
  return FEED[place % FEED.length]
}

/** What a walk along the feed shows. It is the same for all pages of the walk. */
export interface FeedWalk {
  tenant: string
  resources: FeedResource[]
  /** Whether the caller has named the resources. */
  isNamed: boolean
  /** The partner whose orders alone it shows; null for all orders. A cursor holds its digest. */
  orders_of: string | null
}

export interface FeedCursor extends FeedPlace {
  walk: Omit<FeedWalk, 'orders_of'> & { owner: string }
  /** The workspace's changes_epoch. */
  epoch: number
}

/** Tells cursors for the orders of one partner from others. */
export function feedOwner({ orders_of }: Pick<FeedWalk, 'orders_of'>): string {
  return orders_of === null
    ? ALL
    : createHash('sha256').update(orders_of).digest('base64url').slice(0, 16)
}

export function encodeFeedCursor(cursor: FeedCursor): string {
  if (!isOfStock(cursor)) return plainText(cursor)
  const { walk, slice, rest } = cursor
  const { after = -1, until = 0, at = 0 } = rest ?? {}
  const numbers = [...numbersOf(cursor), slice, rest ? 1 : 0, after + 1, until, at]
  const texts = numbers.map((number) => number.toString(BASE))
  return cursorText([FORMAT_OF_STOCK, walk.tenant, NAME, ...texts, walk.owner])
}

function plainText(cursor: FeedCursor): string {
  const { tenant, owner } = cursor.walk
  return cursorText([FORMAT, tenant, NAME, ...numbersOf(cursor), owner])
}

function numbersOf({ walk, epoch, place, seq }: FeedCursor): number[] {
  const bits = walk.resources.map((name) => 2 ** FEED.indexOf(name))
  const shown = bits.reduce((sum, bit) => sum + bit, walk.isNamed ? NAMED : 0)
  return [epoch, shown, place + 1, seq]
}

function isOfStock({ place, seq, rest }: FeedPlace): boolean {
  return rest !== null || (place % FEED.length === STOCK && seq < WHOLE)
}

/**
 * The content of a cursor; null unless `encodeFeedCursor` returns, or once returned, exactly this text for it. The scopes
 * of the resources are then checked, so a cursor that leads to any other resource is null too.
 */
export function decodeFeedCursor(text: string): FeedCursor | null {
  const [format, tenant = '', , ...parts] = cursorParts(text) ?? []
  const base = format === FORMAT ? 10 : BASE
  const numbers = parts.slice(0, -1).map((part) => Number.parseInt(part, base))
  const [epoch = 0, shown = 0, next = 0, seq = 0, slice = 0, hasRest = 0, ...more] = numbers
  const [after = 0, until = 0, at = 0] = more
  const resources = FEED.filter((_, bit) => shown & (2 ** bit))
  const isNamed = (shown & NAMED) > 0
  const rest = hasRest ? { after: after - 1, until, at } : null
  const walk = { tenant, resources, isNamed, owner: parts.at(-1) ?? '' }
  const cursor = { walk, epoch, place: next - 1, seq, slice, rest }
  const isExact = numbers.every((number) => Number.isSafeInteger(number) && number >= 0)
  if (!isExact || resources.length === 0 || !keepsTo(resources, cursor)) return null
  if (format === FORMAT) return plainText(cursor) === text ? withinStock(cursor) : null
  return isOfStock(cursor) && encodeFeedCursor(cursor) === text ? cursor : null
}

function keepsTo(resources: FeedResource[], at: FeedPlace): boolean {
  const within = at.seq < WHOLE ? resourceAt(at) : undefined
  if (within && !resources.includes(within)) return false
  return !at.rest || (within !== 'inventory' && resources.includes('inventory'))
}

/**
 * A plain cursor within the stock of a request comes from a build that had an index for it, in the order of seq. The
 * orders of that request come after its stock.
 */
function withinStock(cursor: FeedCursor): FeedCursor {
  if (!isOfStock(cursor)) return cursor
  const until = Math.floor(cursor.place / FEED.length)
  return { ...cursor, seq: WHOLE, slice: 0, rest: { after: until - 1, until, at: cursor.seq } }
}
