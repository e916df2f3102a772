import { Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import { page } from '../../engine/answers/list.ts'
import type { AppEnv } from '../../engine/env.ts'
import { NoFields } from '../../engine/json/fields.ts'
import { pageRequest } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, query } from '../../middleware/validate.ts'
import { endSession, listSessions } from './queries.ts'
import { SESSIONS, SessionsQuery } from './schema.ts'

const read = requireScope('settings.keys.read')
const write = requireScope('settings.keys.write')

/** Sessions of the dashboard. */
export const sessionsRoutes = new Hono<AppEnv>()

sessionsRoutes.get('/', read, query(SessionsQuery), async (c) => {
  const { limit, cursor, ...filters } = c.req.valid('query')
  const request = pageRequest(c.get('caller').tenant, { limit, cursor }, filters)
  return page(c, SESSIONS, request, await listSessions(c.get('db'), filters, request))
})

sessionsRoutes.delete('/:id/', write, body(NoFields), async (c) =>
  ok(c, await endSession(c.get('db'), c.req.param('id'))),
)
