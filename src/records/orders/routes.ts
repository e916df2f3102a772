import { Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import { exportList } from '../../engine/answers/export.ts'
import { exportAsked } from '../../engine/answers/format.ts'
import { page } from '../../engine/answers/list.ts'
import { newRecord, okRecord } from '../../engine/answers/record.ts'
import type { AppEnv } from '../../engine/env.ts'
import { nameRecord } from '../../engine/exchange/row.ts'
import { pageRequest } from '../../engine/json/pagination.ts'
import { futureStart } from '../../engine/json/range.ts'
import { ifMatch, ifNoneMatch } from '../../middleware/conditions.ts'
import { resolveIdentifier } from '../../middleware/identifier.ts'
import { mapOutbound } from '../../middleware/map-outbound.ts'
import { mappedBody } from '../../middleware/mapped-body.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { severalRecords } from '../../middleware/several-records.ts'
import { body, query } from '../../middleware/validate.ts'
import { compareOrders, createCompared, updateCompared } from './compared.ts'
import { exportedLines, exportedOrders } from './export.ts'
import { listAsked } from './filtered.ts'
import { cancelOrder, findOrder, listOrders } from './queries.ts'
import {
  CancelOrder,
  CreateOrder,
  faultsOfNew,
  OrderPage,
  OrderRecord,
  UpdateOrder,
} from './schema.ts'

const read = requireScope('integrations.orders.read')
const write = requireScope('integrations.orders.write')
const remove = requireScope('integrations.orders.delete')

const address = resolveIdentifier('orders')

export const ordersRoutes = new Hono<AppEnv>()

ordersRoutes.use(mapOutbound('orders'))

const several = severalRecords('orders', compareOrders)
const create = mappedBody('orders', CreateOrder, { record: OrderRecord, faults: faultsOfNew })

ordersRoutes.post('/', write, several, create, async (c) => {
  const { order, warnings } = await createCompared(c, c.req.valid('json'))
  return newRecord(c, order, warnings)
})

ordersRoutes.get('/', read, query(OrderPage), async (c) => {
  const { db, caller } = c.var
  const { limit, cursor, ...filters } = c.req.valid('query')
  const file = exportAsked(c, ['records', 'lines'])
  if (file) {
    const exported = file.rows === 'lines' ? exportedLines : exportedOrders
    return exportList(c, exported(caller.orders_of), filters, file.format)
  }
  const { asked, isWhole } = listAsked(filters, caller.orders_of)
  const request = pageRequest(caller.tenant, { limit, cursor }, asked)
  const orders = { ...filters, orders_of: caller.orders_of }
  return page(c, 'orders', request, await listOrders(db, orders, request), {
    isWhole,
    warnings: futureStart('created_from', filters.created_from),
  })
})

ordersRoutes.get('/:identifier/', read, ifNoneMatch, address, async (c) => {
  const order = await findOrder(c.get('db'), c.var.address)
  nameRecord(c, order.order_number)
  return okRecord(c, order)
})

const update = mappedBody('orders', UpdateOrder, { record: OrderRecord })

ordersRoutes.put('/:identifier/', write, ifMatch, update, address, async (c) => {
  const { order, warnings } = await updateCompared(c, c.var.address, c.req.valid('json'))
  return okRecord(c, order, warnings)
})

ordersRoutes.delete('/:identifier/', remove, ifMatch, body(CancelOrder), address, async (c) => {
  const { order, warnings } = await cancelOrder(c.get('db'), c.var.address, c.req.valid('json'))
  return ok(c, order, warnings)
})
