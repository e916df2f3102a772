import { invalid, lacksScope, notTogether } from '../../engine/errors.ts'
import type { Caller } from '../../engine/identity/caller.ts'
import { covers, type Scope } from '../../engine/identity/scopes.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import { FEED, type FeedCursor, type FeedResource, type FeedWalk, feedOwner } from './cursor.ts'
import { type ChangesQuery, NO_CURSOR } from './schema.ts'

const ONE_OF_BOTH = 'Send from=start or from=now at first, and then cursor instead.'

/** The scope that reads the resource. */
export const READ_SCOPES: Readonly<Record<FeedResource, Scope>> = {
  products: 'integrations.products.read',
  locations: 'integrations.locations.read',
  inventory: 'integrations.inventory.read',
  orders: 'integrations.orders.read',
}

/**
 * The walk that the query asks for, and a warning for each resource that the caller may read and it does not show,
 * unless the caller has named the resources. 400 VALIDATION_ERROR for a cursor of another walk, 403 SCOPE_MISSING
 * for a resource that the caller may not read.
 */
export function walkAsked(
  { tenant, key, orders_of }: Caller,
  { from, cursor, resource }: ChangesQuery,
): { walk: FeedWalk; warnings: Warning[] } {
  if ((from === undefined) === (cursor === undefined)) {
    throw notTogether(['from', 'cursor'], ONE_OF_BOTH)
  }
  const readable = FEED.filter((name) => covers(key.scopes, READ_SCOPES[name]))
  const { resources, isNamed } = cursor?.walk ?? {
    resources: resource ?? readable,
    isNamed: resource !== undefined,
  }
  const walk = { tenant, resources, isNamed, orders_of }
  if (cursor) refuseOther(walk, cursor, resource)
  const closed = resources.find((name) => !readable.includes(name))
  if (closed) {
    throw lacksScope(READ_SCOPES[closed])
  }
  const left = isNamed ? [] : readable.filter((name) => !resources.includes(name))
  return { walk, warnings: left.map(notInFeed) }
}

function refuseOther(walk: FeedWalk, cursor: FeedCursor, resource?: FeedResource[]): void {
  const isOwn = cursor.walk.tenant === walk.tenant && cursor.walk.owner === feedOwner(walk)
  if (!isOwn) throw invalid({ cursor: [NO_CURSOR] }, 'INVALID_CURSOR')
  if (resource && resource.join() !== walk.resources.join()) {
    const message = `The cursor is for ${walk.resources.join(', ')}: leave resource out, or begin anew with from=start.`
    throw notTogether(['cursor', 'resource'], message)
  }
}

function notInFeed(name: FeedResource): Warning {
  const message = `This feed began without ${name}, which the key may read: begin anew with from=start to follow them too.`
  return { field: 'resource', message }
}
