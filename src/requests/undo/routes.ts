import { Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import { page } from '../../engine/answers/list.ts'
import type { AppEnv } from '../../engine/env.ts'
import { logOf } from '../../engine/exchange/log.ts'
import { NoFields } from '../../engine/json/fields.ts'
import { PageQuery, pageRequest } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, query } from '../../middleware/validate.ts'
import { listRequestChanges } from './changes.ts'
import { undoRequest } from './queries.ts'
import { askerOf, unlisted } from './target.ts'

/** The name of the list in its cursors. */
const REQUEST_CHANGES = 'request-changes'

const RequestChangesQuery = PageQuery(REQUEST_CHANGES)

const read = requireScope('settings.audit.read')

/** What a request of the audit log has changed. */
export const requestChangesRoutes = new Hono<AppEnv>()

requestChangesRoutes.get('/', read, query(RequestChangesQuery), async (c) => {
  const id = c.req.param('id') ?? ''
  const request = pageRequest(c.get('caller').tenant, c.req.valid('query'), { id })
  const { rows, warnings } = await listRequestChanges(logOf(c), id, askerOf(c), request)
  return page(c, REQUEST_CHANGES, request, rows, { warnings })
})

/** Undoes it. */
export const undoRoutes = new Hono<AppEnv>()

undoRoutes.post('/', read, body(NoFields), async (c) => {
  const undone = await undoRequest(logOf(c), c.req.param('id') ?? '', askerOf(c))
  return ok(c, undone, unlisted(undone))
})
