import { digestOf } from '../../../src/engine/json/pagination.ts'
import { OrderPage } from '../../../src/records/orders/schema.ts'
import {
  clearable,
  given,
  hasFields,
  instant,
  isDate,
  isInteger,
  isName,
  isObject,
  isText,
  listOf,
  oneOf,
  optional,
} from './fields.ts'
import { filtersOf, matchesOrder, orderFilters } from './filters.ts'
import { found } from './identifiers.ts'
import { Chosen } from './matching.ts'
import {
  BROKEN_RULE,
  type Context,
  filteredPage,
  INVALID,
  instantOf,
  isRefused,
  type Made,
  type Operation,
  operation,
  type Query,
  tagged,
  written,
} from './operation.ts'
import { replacedBy } from './replaced.ts'
import {
  changed,
  type Instant,
  type Json,
  type Key,
  type Line,
  type Order,
  type State,
  withRecord,
} from './state.ts'

const STATUSES = [
  ...['draft', 'pending', 'in_progress', 'partially_verified', 'verified', 'shipped', 'cancelled'],
]
const FINAL = ['shipped', 'cancelled']
const UPDATED = ['customer_name', 'customer_info', 'notes', 'due_date', 'metadata', 'status']
const CREATED = ['external_order_id', 'customer_name', 'customer_info', 'notes', 'metadata']

const header = {
  customer_name: clearable(isText),
  customer_info: clearable(isObject),
  notes: clearable(isText),
  due_date: clearable(isDate),
  metadata: clearable(isObject),
}
const isLine = hasFields({
  sku_code: isName,
  quantity: isInteger(1),
  notes: clearable(isText),
})

function record({ lines, partner_id, version, ...order }: Order) {
  const items = lines.map(({ sku_code, ...line }) => ({ ...line, sku: { sku: sku_code } }))
  return { data: { ...order, items }, version }
}
const at = (state: State, number: string) => record(state.orders.get(number) as Order)

function summary({ id, order_number, status, customer_name, created_at }: Order) {
  return { id, order_number, status, customer_name, created_at }
}

export const orders: Record<string, Operation> = {
  'orders.create': operation('POST', '/orders/', 'integrations.orders.write', {
    maps: 'orders',
    accepts: hasFields({
      order_number: isName,
      external_order_id: clearable(isName),
      ...header,
      order_date: clearable(isDate),
      status: (value) => !FINAL.includes(String(value)),
      items: listOf(isLine),
    }),
    act: create,
  }),
  'orders.list': operation('GET', '/orders/', 'integrations.orders.read', {
    maps: 'orders',
    act: list,
  }),
  'orders.get': operation('GET', '/orders/:at/', 'integrations.orders.read', {
    maps: 'orders',
    act: (context) => {
      const order = found(context, 'orders')
      return isRefused(order) ? order : tagged(200, context.state, () => record(order))
    },
  }),
  'orders.update': operation('PUT', '/orders/:at/', 'integrations.orders.write', {
    maps: 'orders',
    accepts: hasFields({ ...header, status: optional(oneOf(...STATUSES)) }),
    act: update,
  }),
  'orders.cancel': operation('DELETE', '/orders/:at/', 'integrations.orders.delete', {
    maps: 'orders',
    accepts: hasFields({ reason: clearable(isText) }),
    act: cancel,
  }),
}

/** With filters, or of a limited key, by created_at, which is the moment itself by the time that an answer is checked. */
function list(context: Context) {
  const { state, key, query } = context
  const rows = [...state.orders]
  const isWhole = filtersOf(query) === filtersOf({})
  const isTaken = orderFilters(query)
  if (query.after !== undefined && isTaken && !isOfList(query, key)) return INVALID
  const isFiltered = !isWhole || key.own_orders_only
  if (isFiltered) rows.sort(([, one], [, other]) => compare(one.created_at, other.created_at))
  return filteredPage(
    isTaken,
    context,
    rows,
    'orders',
    summary,
    (order) =>
      matchesOrder(query, order) && (!key.own_orders_only || order.partner_id === key.partner_id),
  )
}

/** Whether the cursor is of this list: a limited key has lists of its own. */
function isOfList({ digest, ...query }: Query, { own_orders_only, partner_id }: Key): boolean {
  const { limit, cursor, ...filters } = OrderPage.parse({ ...query, limit: '1' })
  const orders_of = own_orders_only ? (partner_id ?? undefined) : undefined
  return digest === digestOf({ ...filters, orders_of })
}

const compare = (one: Instant, other: Instant) => Number(one > other) - Number(one < other)

function create({ state, partner, body, made }: Context) {
  const order_number = String(body.order_number)
  if (state.orders.has(order_number)) return INVALID
  const lines = (body.items as Json[]).map((line, position) => lineOf(line, position, made))
  if (!lines.every(({ sku_code }) => state.products.has(sku_code))) return BROKEN_RULE
  const now = instantOf(made)
  const order: Order = {
    external_order_id: null,
    customer_name: null,
    customer_info: null,
    notes: null,
    metadata: null,
    ...given(body, CREATED),
    order_date: instant(body.order_date),
    due_date: instant(body.due_date),
    id: made.id,
    order_number,
    partner_id: partner?.id ?? null,
    status: 'pending',
    created_at: now,
    updated_at: now,
    version: 1,
    cancelled_at: null,
    cancel_reason: null,
    lines,
  }
  const next = withRecord(state, 'orders', order_number, order)
  return tagged(201, next, (later) => at(later, order_number))
}

function lineOf({ sku_code, quantity, notes = null }: Json, position: number, made: Made): Line {
  return {
    id: new Chosen(`line ${position} of ${made.id}`),
    sku_code: String(sku_code),
    quantity: Number(quantity),
    notes: notes as string | null,
    verified_quantity: 0,
    verification_status: 'pending',
  }
}

function update(context: Context) {
  const { state, body, made } = context
  const order = found(context, 'orders')
  if (isRefused(order)) return order
  const { order_number } = order
  const fields = given(body, UPDATED)
  const { status = order.status } = fields
  if (FINAL.includes(order.status) && status !== order.status) return BROKEN_RULE
  const now = instantOf(made)
  const next = changed(
    order,
    {
      ...fields,
      ...('due_date' in fields && { due_date: instant(fields.due_date) }),
      ...(fields.status === 'cancelled' && { cancelled_at: order.cancelled_at ?? now }),
      ...(fields.status === 'verified' && { lines: order.lines.map(verified) }),
    },
    now,
  )
  const done = tagged(200, withRecord(state, 'orders', order_number, next), (later) =>
    at(later, order_number),
  )
  return { ...done, replaced: replacedBy('orders', order_number, order, next, UPDATED, fields) }
}

const verified = (line: Line): Line => ({
  ...line,
  verified_quantity: line.quantity,
  verification_status: 'verified',
})

function cancel(context: Context) {
  const { state, body, made } = context
  const order = found(context, 'orders')
  if (isRefused(order)) return order
  const { order_number } = order
  if (order.status === 'shipped') return BROKEN_RULE
  const now = instantOf(made)
  const cancel_reason = (body.reason ?? null) as string | null
  const cancelled = { status: 'cancelled', cancelled_at: now, cancel_reason }
  const next =
    order.status === 'cancelled'
      ? state
      : withRecord(state, 'orders', order_number, changed(order, cancelled, now))
  return written(200, next, (later) => at(later, order_number).data)
}
