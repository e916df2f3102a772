import type { Context } from 'hono'
import { Hono } from 'hono'
import { exportCsv } from '../../engine/answers/export.ts'
import { allRows } from '../../engine/db/wide-rows.ts'
import type { AppEnv } from '../../engine/env.ts'
import { notTogether } from '../../engine/errors.ts'
import { withIndexedFields } from '../../engine/identifiers/in-use.ts'
import { cutPage, pageRequest } from '../../engine/json/pagination.ts'
import { Order } from '../../engine/model/order.ts'
import { notForPartners } from '../../middleware/document-access.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { exportedLines, exportedOrders } from '../../records/orders/export.ts'
import { listAsked } from '../../records/orders/filtered.ts'
import { cancelOrder, findOrder, listOrders, updateOrder } from '../../records/orders/queries.ts'
import { CancelOrder, OrderPage } from '../../records/orders/schema.ts'
import { orderSearch } from '../../records/orders/search.ts'
import { markSeen } from '../../requests/line-differences/queries.ts'
import { SeenDifferences } from '../../requests/line-differences/schema.ts'
import { partnersOf } from '../form/choices.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { type PageFilters, recordPath } from '../paths.ts'
import { addEdit } from '../record-form/edit.tsx'
import { addressOf } from '../records/address.ts'
import { asClient } from '../records/as-client.ts'
import { isCsv } from '../records/filter-form.tsx'
import { listSearch } from '../records/search.ts'
import { isLimited, OWN_ORDERS_ONLY } from '../search-groups.ts'
import { redirectDone } from '../shell/notice.ts'
import { CANCELLATION, showCancellation } from './cancellation.tsx'
import { SEEN } from './differences.tsx'
import { FIELDS, LINES_FORMAT } from './form.tsx'
import { showBadOrderFilters, showOrders } from './list.tsx'
import { showOrder } from './page.tsx'

const remove = requireScope('integrations.orders.delete')
const seesLines = requireScope('settings.deliveries.write')

async function showFoundOrders(c: Context<AppEnv>, chosen: PageFilters) {
  if (isLimited(c)) throw notTogether(['search'], OWN_ORDERS_ONLY)
  const { tenant } = c.get('caller')
  const db = c.get('db')
  const request = listSearch(tenant, chosen, FIELDS)
  const page = await withIndexedFields(db, tenant, async (fields) => {
    const { query, pageOf } = orderSearch(request, fields)
    const [rows] = await db.read([query])
    return pageOf(rows)
  })
  return showOrders(c, { ...page, chosen, partners: [] })
}

/** The whole list as a file, with a row for each order or for each of their lines. */
function fileAsked(chosen: PageFilters) {
  if (isCsv(chosen)) return exportedOrders
  return chosen.format === LINES_FORMAT ? exportedLines : null
}

export const orderPages = new Hono<AppEnv>()

orderPages.use(asClient, requireScope('integrations.orders.read'))

orderPages.get('/', async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadOrderFilters(c, chosen, error))
  if (chosen.search !== undefined) return await showFoundOrders(c, chosen)
  const { limit, cursor, ...filters } = check(OrderPage, chosen)
  const { tenant, orders_of } = c.get('caller')
  const file = fileAsked(chosen)
  if (file) return await exportCsv(c, file(orders_of), filters, { hasMark: true })
  const { asked } = listAsked(filters, orders_of)
  const request = pageRequest(tenant, { limit, cursor }, asked)
  const db = c.get('db')
  const orders = { ...filters, orders_of }
  const [partners, list] = await Promise.all([partnersOf(c), listOrders(db, orders, request)])
  const page = cutPage(tenant, 'orders', await allRows(db, list), request)
  return showOrders(c, { ...page, chosen, partners })
})

orderPages.get('/:id/', (c) => showOrder(c, c.req.param('id')))

addEdit(orderPages, {
  resource: 'orders',
  record: Order,
  find: (c, address) => findOrder(c.get('db'), address),
  save: (c, address, input) => updateOrder(c.get('db'), address, input),
  saved: 'order-saved',
})

orderPages.get('/:id/cancel/', remove, async (c) => {
  const id = c.req.param('id')
  const error = await c.get('db').refusalOf((db) => cancelOrder(db, addressOf(c, 'orders', id), {}))
  return showCancellation(c, id, { reason: '', error })
})

orderPages.post('/:id/cancel/', remove, async (c) => {
  const id = c.req.param('id')
  const form = await formOf(c, CANCELLATION, (sent, error) =>
    showCancellation(c, id, { reason: sent.text('reason'), error }),
  )
  const input = check(CancelOrder, { reason: form.optional('reason') ?? undefined })
  const { warnings } = await cancelOrder(c.get('db'), addressOf(c, 'orders', id), input)
  const done = warnings.length > 0 ? 'reason-not-kept' : 'order-cancelled'
  return redirectDone(c, recordPath('orders', id), done)
})

orderPages.post('/:id/lines-seen/', seesLines, notForPartners, async (c) => {
  const id = c.req.param('id')
  const form = await formOf(c, SEEN, (_, error) => showOrder(c, id, error))
  const input = check(SeenDifferences, { request_id: form.text('request_id') })
  await markSeen(c.get('db'), id, input.request_id)
  return redirectDone(c, recordPath('orders', id), 'lines-seen')
})
