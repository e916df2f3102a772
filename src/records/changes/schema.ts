import * as z from 'zod'
import { invalid, lacksScope, notTogether } from '../../engine/errors.ts'
import type { Caller } from '../../engine/identity/caller.ts'
import { covers, type Scope } from '../../engine/identity/scopes.ts'
import { LIMIT_DEFAULT, LIMIT_MAX, limitParam } from '../../engine/json/pagination.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import {
  decodeFeedCursor,
  FEED,
  type FeedCursor,
  type FeedResource,
  type FeedWalk,
  feedOwner,
} from './cursor.ts'

export const WAIT_SECONDS_MAX = 30

const NO_CURSOR = "Not a cursor of this feed. Send the last answer's next_cursor."
const NOT_RESOURCES = `Must be 1 to ${FEED.length} of these, each once, with commas between them: ${FEED.join(', ')}.`
const NOT_SECONDS = `Must be an integer from 0 to ${WAIT_SECONDS_MAX}.`

/** Names with commas between them; parses to those of FEED, in its order. */
const Resources = z.string().transform((text, context) => {
  const names = text.split(',')
  const resources = FEED.filter((name) => names.includes(name))
  if (resources.length === names.length) return resources
  context.addIssue({ code: 'custom', message: NOT_RESOURCES })
  return z.NEVER
})

/** Either `from` or `cursor`: `walkAsked` says so. */
export const ChangesQuery = z.object({
  from: z.enum(['start', 'now']).optional(),
  limit: limitParam(LIMIT_MAX).default(LIMIT_DEFAULT),
  cursor: z
    .string()
    .transform((text, context) => {
      const cursor = decodeFeedCursor(text)
      if (cursor !== null) return cursor
      context.addIssue({ code: 'custom', message: NO_CURSOR })
      return z.NEVER
    })
    .optional(),
  resource: Resources.optional(),
  wait: z
    .string()
    .regex(/^\d{1,2}$/, { error: NOT_SECONDS })
    .transform(Number)
    .refine((seconds) => seconds <= WAIT_SECONDS_MAX, { error: NOT_SECONDS })
    .default(0),
})
export type ChangesQuery = z.output<typeof ChangesQuery>

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
