import { Order } from '../../engine/model/order.ts'
import { exampleOf, shownPart } from '../../engine/model/record.ts'
import { exportedOrders } from '../../records/orders/export.ts'
import {
  CancelOrder,
  CreateOrder,
  OrderItem,
  OrderRecord,
  UpdateOrder,
} from '../../records/orders/schema.ts'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { because, together, unknownRecord, wrong } from '../errors.ts'

named('CreateOrder', CreateOrder)
named('CreateOrderItem', OrderItem)
named('UpdateOrder', UpdateOrder)
named('CancelOrder', CancelOrder)
named('Order', OrderRecord)
named('OrderItem', OrderRecord.shape.items.element)
named('OrderStatus', OrderRecord.shape.status)

const OrderSummary = named('OrderSummary', shownPart(Order, Order.lists))

const ORDER = OrderRecord.parse({
  ...exampleOf(Order),
  items: [
    {
      id: '87a14425-d35f-4ce2-a08b-6bbe31f93c0d',
      sku: { sku: 'TEA-EARLGREY-100' },
      quantity: 2,
      notes: null,
      verified_quantity: 0,
      verification_status: 'pending',
    },
  ],
})
const { notes, due_date, ...SENT } = Order.Create.parse(
  exampleOf(Order, Object.keys(Order.Create.shape)),
)

const NOT_FOUND = unknownRecord('No order has the order_number "SO-3001".')
const AMBIGUOUS = because('AMBIGUOUS_IDENTIFIER', {
  message: 'Several orders have the external_order_id "erp-77", so it identifies none of them.',
})

export const ordersReference = endpoints('integrations', 'Orders', {
  'POST /orders/': {
    operationId: 'createOrder',
    summary: 'Create an order',
    description:
      'Creates the order and its lines together, or nothing. A new order is `pending`: `status` `cancelled` or `shipped` returns `VALIDATION_ERROR`, any other has no effect. Each line names a product by its `sku_code`. An unknown product returns `SERVICE_ERROR`; an inactive product is accepted, with a warning.\n\nAfter a timeout or a 5xx, send the same body again. If the first attempt succeeded, the retry returns `VALIDATION_ERROR`, because the `order_number` exists.',
    body: {
      example: {
        ...SENT,
        items: [{ sku_code: 'TEA-EARLGREY-100', quantity: 2 }],
      },
    },
    answer: {
      status: 201,
      isShaped: true,
      description: 'The order.',
      data: OrderRecord,
      example: ORDER,
    },
    hasRecords: true,
    errors: {
      VALIDATION_ERROR: wrong('items[0].quantity', 'Must be at least 1.'),
      SERVICE_ERROR: because('UNKNOWN_SKU', {
        message: 'No product has the SKU "TEA-NONE".',
        fields: { 'items[0].sku_code': ['No product has the SKU "TEA-NONE".'] },
      }),
    },
  },
  'GET /orders/': {
    operationId: 'listOrders',
    summary: 'List orders',
    description:
      'Returns summaries of orders, newest first: of all, or of those that match the filters. Send one of `status`, `order_number`, `external_order_id` and `partner_id`, a range of `created_at`, or both. Filters take our values, whatever the mapping of a partner says. A list with filters is in order of `created_at`. A key with `own_orders_only` gets the orders of its partner, in order of `created_at` as well. CSV has the lines of an order as JSON text, or `{"too_large": true, "bytes": …}` if they have more than 524,288 bytes: `GET /orders/{identifier}/` has them. `Accept: text/csv; rows=lines` returns a row for each line of an order instead: the columns of the order, then those of the line with `item_` before their names. A text or an object of the order of more than 4,096 bytes is `{"too_large": true, "bytes": …}` there.',
    answer: {
      isShaped: true,
      ...pageOf('orders', OrderSummary, exampleOf(Order, Order.lists)),
      exported: { columns: exportedOrders(null).columns, records: [ORDER] },
    },
    errors: {
      VALIDATION_ERROR: together('Send only one of: status, partner_id.', 'status', 'partner_id'),
    },
  },
  'GET /orders/{identifier}/': {
    operationId: 'findOrder',
    summary: 'Retrieve an order',
    description: 'Returns the order with its lines.',
    answer: { isShaped: true, description: 'The order.', data: OrderRecord, example: ORDER },
    errors: { SERVICE_ERROR: AMBIGUOUS, NOT_FOUND },
  },
  'PUT /orders/{identifier}/': {
    operationId: 'updateOrder',
    summary: 'Update an order',
    description:
      "Replaces the given fields. `id` and `order_number` cannot be changed: other values than the order's return `VALIDATION_ERROR`. Lines cannot be changed either: other `items` have no effect, and a warning with the code `LINES_DIFFER` lists the differences. An order that was read can be sent back as it is. `shipped` and `cancelled` are final: another `status` returns `SERVICE_ERROR`, the same one changes nothing. `cancelled` cancels the order like DELETE; `verified` verifies every line. You can repeat this request.",
    body: {
      example: { status: 'in_progress', notes: 'gift wrap' },
    },
    answer: {
      isShaped: true,
      description: 'The updated order.',
      data: OrderRecord,
      example: { ...ORDER, status: 'in_progress', notes: 'gift wrap' },
    },
    errors: {
      VALIDATION_ERROR: wrong(
        'due_date',
        'Must be an ISO 8601 date or datetime, such as 2026-03-01T09:30:00Z, 2026-03-01 09:30:00+02:00 or 2026-03-01.',
      ),
      SERVICE_ERROR: because('ORDER_IS_FINAL', {
        message: 'The order is shipped or cancelled: its status cannot become "pending".',
        fields: {
          status: ['The order is shipped or cancelled: its status cannot become "pending".'],
        },
      }),
      NOT_FOUND,
    },
  },
  'DELETE /orders/{identifier}/': {
    operationId: 'cancelOrder',
    summary: 'Cancel an order',
    description:
      'Sets `status` to `cancelled` and keeps the order. Only the first cancellation sets the `reason`; a later, different one gets a warning. A shipped order returns `SERVICE_ERROR`. You can repeat this request.',
    body: { example: { reason: 'ordered twice' } },
    answer: {
      isShaped: true,
      description: 'The cancelled order.',
      data: OrderRecord,
      example: {
        ...ORDER,
        status: 'cancelled',
        cancelled_at: '2026-11-21T12:30:00.000Z',
        cancel_reason: 'ordered twice',
      },
    },
    errors: {
      VALIDATION_ERROR: wrong('reason', 'Must be a string, not a number.'),
      SERVICE_ERROR: because('SHIPPED_ORDER_STAYS', {
        message: 'The order is shipped and cannot be cancelled.',
      }),
      NOT_FOUND,
    },
  },
})
