import { Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import { page } from '../../engine/answers/list.ts'
import type { AppEnv } from '../../engine/env.ts'
import { pageRequest } from '../../engine/json/pagination.ts'
import { notForPartners } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, query } from '../../middleware/validate.ts'
import { listLineDifferences, markSeen } from './queries.ts'
import { LINE_DIFFERENCES, LineDifferencesQuery, SeenDifferences } from './schema.ts'

const read = requireScope('settings.documents.read')
const write = requireScope('settings.deliveries.write')

/** Orders whose lines differ from those that a webhook has brought last, until somebody has seen it. */
export const lineDifferencesRoutes = new Hono<AppEnv>()

lineDifferencesRoutes.get('/', read, notForPartners, query(LineDifferencesQuery), async (c) => {
  const { limit, cursor, ...filters } = c.req.valid('query')
  const request = pageRequest(c.get('caller').tenant, { limit, cursor }, filters)
  return page(
    c,
    LINE_DIFFERENCES,
    request,
    await listLineDifferences(c.get('db'), filters, request),
  )
})

lineDifferencesRoutes.post(
  '/:id/seen/',
  write,
  notForPartners,
  body(SeenDifferences),
  async (c) => {
    const { request_id } = c.req.valid('json')
    return ok(c, await markSeen(c.get('db'), c.req.param('id'), request_id))
  },
)
