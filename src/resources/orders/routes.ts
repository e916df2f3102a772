import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { created, ok, page } from '../../envelope.ts'
import { addressOf } from '../../middleware/address.ts'
import { mapOutbound } from '../../middleware/mapping.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, mappedBody, query } from '../../middleware/validate.ts'
import { PageQuery, pageRequest } from '../../pagination.ts'
import { cancelOrder, createOrder, findOrder, listOrders, updateOrder } from './queries.ts'
import { CancelOrder, CreateOrder, UpdateOrder } from './schema.ts'

const read = requireScope('integrations.orders.read')
const write = requireScope('integrations.orders.write')
const remove = requireScope('integrations.orders.delete')

export const orders = new Hono<AppEnv>()

orders.use(mapOutbound('orders'))

orders.post('/', write, mappedBody('orders', CreateOrder), async (c) => {
  const { order, warnings } = await createOrder(c.get('db'), c.req.valid('json'))
  return created(c, order, warnings)
})

orders.get('/', read, query(PageQuery('orders')), async (c) => {
  const request = pageRequest(c.get('caller').tenant, c.req.valid('query'))
  return page(c, 'orders', request.limit, await listOrders(c.get('db'), request))
})

orders.get('/:identifier/', read, async (c) =>
  ok(c, await findOrder(c.get('db'), addressOf(c, 'orders'))),
)

orders.put('/:identifier/', write, mappedBody('orders', UpdateOrder), async (c) =>
  ok(c, await updateOrder(c.get('db'), addressOf(c, 'orders'), c.req.valid('json'))),
)

orders.delete('/:identifier/', remove, body(CancelOrder), async (c) =>
  ok(c, await cancelOrder(c.get('db'), addressOf(c, 'orders'), c.req.valid('json'))),
)
