import { type Context, Hono } from 'hono'
import { shownRecords } from '../../engine/answers/list.ts'
import type { AppEnv } from '../../engine/env.ts'
import { outboundBy } from '../../middleware/map-outbound.ts'
import { primaryReads } from '../../middleware/near-reads.ts'
import { requireSomeScope } from '../../middleware/require-scope.ts'
import { query } from '../../middleware/validate.ts'
import { encodeFeedCursor, type FeedPlace, feedOwner } from './cursor.ts'
import { mayHaveChanged, nothingNewFor } from './newest.ts'
import { type ChangesPage, type From, readChanges } from './queries.ts'
import type { Change } from './records.ts'
import { ChangesQuery, READ_SCOPES, walkAsked } from './schema.ts'
import { waitUntilFound } from './waiting.ts'

// Where a request that waits stands. A rerun has the same Request, and misses nothing that has changed since the first look.
const reached = new WeakMap<Request, From & { at: FeedPlace }>()

const read = requireSomeScope(Object.values(READ_SCOPES))

export const changesRoutes = new Hono<AppEnv>()

// A copy of the database lags, and a change must not come late behind a later cursor.
changesRoutes.use(primaryReads)

changesRoutes.get('/', read, query(ChangesQuery), (c) => answerChanges(c, c.req.valid('query')))

/** 200 with the changes after the place that the query names, once there are any or `wait` seconds have passed. */
async function answerChanges(c: Context<AppEnv>, query: ChangesQuery): Promise<Response> {
  const { limit, cursor, from, wait } = query
  const { walk, warnings } = walkAsked(c.get('caller'), query)
  const begin: From = { at: cursor ?? from ?? 'start', epoch: cursor?.epoch ?? null }
  const look = async (): Promise<ChangesPage> => {
    const page = await readChanges(c.get('db'), walk, reached.get(c.req.raw) ?? begin, limit)
    reached.set(c.req.raw, { at: page.end, epoch: page.epoch })
    return page
  }
  const page = await waitUntilFound(c, wait, {
    look,
    isFound: hasAny,
    pauseMs: (since) => nothingNewFor(walk, since),
    hasNews: async (since) => {
      const at = reached.get(c.req.raw)?.at
      return at !== undefined && (await mayHaveChanged(c.get('db'), walk, at, since))
    },
  })
  const { end, epoch, has_more } = page
  const next_cursor = encodeFeedCursor({ walk: { ...walk, owner: feedOwner(walk) }, epoch, ...end })
  const outbound = outboundBy(c, walk.resources)
  const show = ({ record, ...change }: Change) => {
    return { ...change, record: outbound?.(change.resource, record) ?? record }
  }
  const pagination = { limit, next_cursor, has_more }
  return await shownRecords(c, page.changes, {
    show,
    isMapped: outbound !== null,
    pagination,
    warnings,
  })
}

function hasAny({ changes, has_more }: ChangesPage): boolean {
  return changes.length > 0 || has_more
}
