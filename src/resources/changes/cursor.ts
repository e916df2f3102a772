import { createHash } from 'node:crypto'
import { cursorParts, cursorText } from '../../document/pagination.ts'
import type { Resource } from '../../mapping/identifier.ts'

/** The resources of the feed, in the order of their numbers in changed_place (migration 0018). */
export const FEED = ['products', 'locations', 'inventory', 'orders'] as const satisfies Resource[]
export type FeedResource = (typeof FEED)[number]

const FORMAT = '1'
const NAME = 'changes'
/** Beside the bits of the resources: set if the caller has named them. */
const NAMED = 2 ** FEED.length
const ALL = '-'

/** After which record of the feed the next page begins. */
export interface Place {
  /** The record's changed_place. */
  place: number
  /** Its seq: none is higher than Number.MAX_SAFE_INTEGER. */
  seq: number
}

/** Before the first record. */
export const START: Place = { place: -1, seq: Number.MAX_SAFE_INTEGER }

/** After all that the requests up to this one have changed. */
export function placeAfter(request: number): Place {
  return { place: request * FEED.length + FEED.length - 1, seq: Number.MAX_SAFE_INTEGER }
}

export function resourceAt({ place }: Pick<Place, 'place'>): FeedResource | undefined {
  return FEED[place % FEED.length]
}

/** What a walk along the feed shows: it is the same for all of its pages. */
export interface Walk {
  tenant: string
  resources: FeedResource[]
  /** Whether the caller has named the resources. */
  isNamed: boolean
  /** The partner whose orders alone it shows; null for all orders. A cursor holds its digest. */
  orders_of: string | null
}

export interface FeedCursor extends Place {
  walk: Omit<Walk, 'orders_of'> & { owner: string }
  /** The workspace's changes_epoch. */
  epoch: number
}

/** Tells cursors for the orders of one partner from others. */
export function ownerOf({ orders_of }: Pick<Walk, 'orders_of'>): string {
  return orders_of === null
    ? ALL
    : createHash('sha256').update(orders_of).digest('base64url').slice(0, 16)
}

export function encodeFeedCursor({ walk, epoch, place, seq }: FeedCursor): string {
  const bits = walk.resources.map((name) => 2 ** FEED.indexOf(name))
  const shown = bits.reduce((sum, bit) => sum + bit, walk.isNamed ? NAMED : 0)
  return cursorText([FORMAT, walk.tenant, NAME, epoch, shown, place + 1, seq, walk.owner])
}

/** The content of a cursor; null unless `encodeFeedCursor` returns exactly this text for it. */
export function decodeFeedCursor(text: string): FeedCursor | null {
  const [, tenant = '', , ...rest] = cursorParts(text) ?? []
  const [epoch = 0, shown = 0, next = 0, seq = 0] = rest.slice(0, 4).map(Number)
  const isExact = [epoch, shown, next, seq].every((part) => Number.isSafeInteger(part) && part >= 0)
  const resources = FEED.filter((_, at) => shown & (2 ** at))
  const isNamed = (shown & NAMED) > 0
  const walk = { tenant, resources, isNamed, owner: rest[4] ?? '' }
  const cursor = { walk, epoch, place: next - 1, seq }
  return isExact && resources.length > 0 && encodeFeedCursor(cursor) === text ? cursor : null
}
