import {
  ANY_OBJECT,
  always,
  choice,
  id,
  identifier,
  notes,
  object,
  once,
  otherIdentifier,
  setByUs,
  text,
  time,
} from './fields.ts'
import { record } from './record.ts'

export const ORDER_STATUSES = [
  'draft',
  'pending',
  'in_progress',
  'partially_verified',
  'verified',
  'shipped',
  'cancelled',
] as const

export const ITEM_STATUSES = ['pending', 'partial', 'verified'] as const

const RECEIVED_AT = '2026-11-21T12:07:50.269Z'

/** An order without its lines. */
export const Order = record({
  one: 'order',
  many: 'orders',
  key: 'order_number',
  free: 'metadata',
  fields: {
    id: id('e54d0960-fd7e-433d-b7f5-52f53c116de5'),
    order_number: identifier({
      about: 'Unique and compared exactly. No white space at either end, no control characters.',
      example: 'SO-3001',
    }),
    external_order_id: once(
      otherIdentifier({
        about: "The caller's own id for the order. It need not be unique.",
        example: 'erp-77',
      }),
    ),
    customer_name: text({ example: 'Ada Lund', isSearched: true }),
    customer_info: object({
      about: `Address, phone and other details: a ${ANY_OBJECT}`,
      example: { city: 'Oslo', phone: '+47 22 00 00 00' },
    }),
    notes: notes({ example: null }),
    order_date: once(
      time({
        about: 'When the order was placed. Without an offset it is UTC; responses show it in UTC.',
        example: '2026-11-21T09:30:00.000Z',
      }),
    ),
    due_date: time({
      about: 'When the order is due. Without an offset it is UTC; responses show it in UTC.',
      example: null,
    }),
    metadata: object({ example: { channel: 'web' } }),
    status: choice(ORDER_STATUSES, { example: 'pending' }),
    created_at: setByUs(always(time({ example: RECEIVED_AT }))),
    updated_at: setByUs(always(time({ example: RECEIVED_AT }))),
    cancelled_at: setByUs(time({ about: 'When the order was cancelled, in UTC.', example: null })),
    cancel_reason: setByUs(
      notes({ about: 'The reason that the first cancellation gave.', example: null }),
    ),
  },
  lists: ['id', 'order_number', 'status', 'customer_name', 'created_at'],
  filters: ['order_number', 'external_order_id'],
})
