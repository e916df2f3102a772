import * as z from 'zod'
import { PageQuery } from '../../pagination.ts'
import {
  CancelOrder,
  CreateOrder,
  OrderItem,
  OrderRecord,
  UpdateOrder,
} from '../../resources/orders/schema.ts'
import { named } from '../components.ts'
import { type Endpoint, endpoint, type Telling } from '../endpoint.ts'
import { wrong } from '../errors.ts'

named('CreateOrder', CreateOrder)
named('CreateOrderItem', OrderItem)
named('UpdateOrder', UpdateOrder)
named('CancelOrder', CancelOrder)
named('Order', OrderRecord)
named('OrderItem', OrderRecord.shape.items.element)
named('OrderStatus', OrderRecord.shape.status)

const OrderSummary = named(
  'OrderSummary',
  z.object({
    id: z.string(),
    order_number: z.string(),
    status: OrderRecord.shape.status,
    customer_name: z.string().nullable(),
    created_at: z.string(),
  }),
)

const ORDER: z.output<typeof OrderRecord> = {
  id: 'e54d0960-fd7e-433d-b7f5-52f53c116de5',
  order_number: 'SO-2001',
  external_order_id: 'erp-77',
  customer_name: 'Ada Lund',
  customer_info: { city: 'Oslo', phone: '+47 22 00 00 00' },
  notes: null,
  order_date: '2026-11-21T09:30:00.000Z',
  due_date: null,
  metadata: { channel: 'web' },
  status: 'pending',
  created_at: '2026-11-21T12:07:50.269Z',
  updated_at: '2026-11-21T12:07:50.269Z',
  cancelled_at: null,
  cancel_reason: null,
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
}

const NOT_FOUND = { message: 'No order has the order_number "SO-2001".' }
const AMBIGUOUS = {
  message: 'Several orders have the external_order_id "erp-77": it names none.',
}

export const orders: Endpoint[] = [
  order({
    method: 'post',
    path: '/orders/',
    operationId: 'createOrder',
    scope: 'integrations.orders.write',
    summary: 'Create an order',
    description:
      'Order and lines are created together, or nothing is. A line names its product by `sku_code`; an unknown one is `SERVICE_ERROR`, an inactive one is taken with a warning.\n\nAfter a timeout or a 5xx, send the same body again: an `order_number` that exists is `VALIDATION_ERROR`, and then the first attempt has landed.',
    isMapped: true,
    body: {
      schema: CreateOrder,
      example: {
        order_number: 'SO-2001',
        external_order_id: 'erp-77',
        customer_name: 'Ada Lund',
        customer_info: { city: 'Oslo', phone: '+47 22 00 00 00' },
        order_date: '2026-11-21T09:30:00Z',
        metadata: { channel: 'web' },
        items: [{ sku_code: 'TEA-EARLGREY-100', quantity: 2 }],
      },
    },
    answer: { status: 201, description: 'The order.', data: OrderRecord, example: ORDER },
    refuses: {
      VALIDATION_ERROR: wrong('items[0].quantity', 'Must be at least 1.'),
      SERVICE_ERROR: {
        message: 'No product has the SKU "TEA-NONE".',
        fields: { 'items[0].sku_code': ['No product has the SKU "TEA-NONE".'] },
      },
    },
  }),
  order({
    method: 'get',
    path: '/orders/',
    operationId: 'listOrders',
    scope: 'integrations.orders.read',
    summary: 'List orders',
    description: 'Summaries of all orders, newest first.',
    query: PageQuery('orders'),
    answer: {
      description: 'A page of orders.',
      data: z.array(OrderSummary),
      isPage: true,
      example: [
        {
          id: ORDER.id,
          order_number: ORDER.order_number,
          status: 'pending',
          customer_name: ORDER.customer_name,
          created_at: ORDER.created_at,
        },
      ],
    },
  }),
  order({
    method: 'get',
    path: '/orders/{identifier}/',
    operationId: 'findOrder',
    scope: 'integrations.orders.read',
    summary: 'Find an order',
    description: 'The whole order, lines included.',
    answer: { description: 'The order.', data: OrderRecord, example: ORDER },
    refuses: { SERVICE_ERROR: AMBIGUOUS, NOT_FOUND },
  }),
  order({
    method: 'put',
    path: '/orders/{identifier}/',
    operationId: 'updateOrder',
    scope: 'integrations.orders.write',
    summary: 'Update an order',
    description:
      'Replaces the fields that are given; lines cannot be changed. `shipped` and `cancelled` are final: another `status` is `SERVICE_ERROR`, the same one a no-op. `cancelled` does what DELETE does, `verified` verifies every line. Safe to repeat.',
    isMapped: true,
    body: {
      schema: UpdateOrder,
      isOptional: true,
      example: { status: 'in_progress', notes: 'gift wrap' },
    },
    answer: {
      description: 'The whole order, updated.',
      data: OrderRecord,
      example: { ...ORDER, status: 'in_progress', notes: 'gift wrap' },
    },
    refuses: {
      VALIDATION_ERROR: wrong(
        'due_date',
        'Must be an ISO 8601 date or datetime, such as 2026-03-01T09:30:00Z.',
      ),
      SERVICE_ERROR: {
        message: 'The order is shipped or cancelled: its status cannot become "pending".',
      },
      NOT_FOUND,
    },
  }),
  order({
    method: 'delete',
    path: '/orders/{identifier}/',
    operationId: 'cancelOrder',
    scope: 'integrations.orders.delete',
    summary: 'Cancel an order',
    description:
      'Sets `status` to `cancelled`; the order is kept. Cancelled already: the same answer, and the first reason is kept. A shipped order is `SERVICE_ERROR`. Safe to repeat.',
    body: { schema: CancelOrder, isOptional: true, example: { reason: 'ordered twice' } },
    answer: {
      description: 'The whole order, cancelled.',
      data: OrderRecord,
      example: {
        ...ORDER,
        status: 'cancelled',
        cancelled_at: '2026-11-21T12:30:00.000Z',
        cancel_reason: 'ordered twice',
      },
    },
    refuses: {
      VALIDATION_ERROR: wrong('reason', 'Must be a string, not a number.'),
      SERVICE_ERROR: { message: 'The order is shipped and cannot be cancelled.' },
      NOT_FOUND,
    },
  }),
]

function order<Body extends z.ZodType, Data extends z.ZodType>(telling: Telling<Body, Data>) {
  return endpoint('integrations', 'Orders', telling)
}
