import { type Context, Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import { page } from '../../engine/answers/list.ts'
import type { AppEnv } from '../../engine/env.ts'
import { NoFields } from '../../engine/json/fields.ts'
import { pageRequest } from '../../engine/json/pagination.ts'
import { notForPartners } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, query } from '../../middleware/validate.ts'
import { applyDeliveries, applyDelivery } from './apply.ts'
import { dismissDelivery, findDelivery, listDeliveries } from './queries.ts'
import { ApplyDeliveries, DELIVERIES, DeliveriesQuery } from './schema.ts'

const read = requireScope('settings.documents.read')
const write = requireScope('settings.deliveries.write')

/** The deliveries that wait. Those that were applied are requests of the audit log. */
export const waitingRoutes = new Hono<AppEnv>()

waitingRoutes.get('/', read, notForPartners, query(DeliveriesQuery), async (c) => {
  const { limit, cursor, ...filters } = c.req.valid('query')
  const request = pageRequest(c.get('caller').tenant, { limit, cursor }, filters)
  return page(c, DELIVERIES, request, await listDeliveries(c.get('db'), filters, request))
})

waitingRoutes.get('/:id/', read, notForPartners, async (c) =>
  ok(c, await findDelivery(c.get('db'), c.req.param('id'))),
)

waitingRoutes.post('/:id/apply/', write, notForPartners, body(NoFields), async (c) => {
  const id = c.req.param('id')
  return ok(about(c, id), await applyDelivery(c, id))
})

waitingRoutes.post('/:id/dismiss/', write, notForPartners, body(NoFields), async (c) => {
  const delivery_id = c.req.param('id')
  await dismissDelivery(c.get('db'), delivery_id)
  return ok(c, { delivery_id, outcome: 'dismissed' })
})

/** Several of them. A path of its own: no parameter of another route may match it (Hono's RegExpRouter). */
export const applyDeliveriesRoutes = new Hono<AppEnv>()

applyDeliveriesRoutes.post('/', write, notForPartners, body(ApplyDeliveries), async (c) => {
  const answers = await applyDeliveries(c, c.req.valid('json'))
  return ok(about(c, answers[0]?.delivery_id ?? ''), answers)
})

/** What was tried has a row of its own; this one names it, or the first of several. */
function about(c: Context<AppEnv>, record_id: string): Context<AppEnv> {
  c.get('exchange').record_id = record_id
  return c
}
