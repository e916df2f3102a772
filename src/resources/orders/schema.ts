import * as z from 'zod'
import { ITEM_STATUSES, ORDER_STATUSES } from '../../db/tables.ts'
import { AnyObject, DateTime, Identifier, Name, Notes, Quantity, text } from '../../fields.ts'

const ITEMS_MAX = 1000

export const OrderItem = z.object({
  sku_code: Identifier,
  quantity: Quantity.min(1),
  notes: Notes.nullish(),
})
export type OrderItem = z.output<typeof OrderItem>

export const CreateOrder = z.object({
  order_number: Identifier,
  external_order_id: Identifier.nullish(),
  customer_name: Name.nullish(),
  customer_info: AnyObject.nullish(),
  notes: Notes.nullish(),
  order_date: DateTime.nullish(),
  due_date: DateTime.nullish(),
  metadata: AnyObject.nullish(),
  items: z.array(OrderItem).min(1).max(ITEMS_MAX),
})
export type CreateOrder = z.output<typeof CreateOrder>

/** Header fields only; a line item cannot be changed (spec 4, Orders, rule 1). */
export const UpdateOrder = z.object({
  customer_name: Name.nullish(),
  customer_info: AnyObject.nullish(),
  notes: Notes.nullish(),
  due_date: DateTime.nullish(),
  metadata: AnyObject.nullish(),
  status: z.enum(ORDER_STATUSES).optional(),
})
export type UpdateOrder = z.output<typeof UpdateOrder>

export const CancelOrder = z.object({ reason: text(1000).nullish() })
export type CancelOrder = z.output<typeof CancelOrder>

/** An order as it is shown. */
export const OrderRecord = z.object({
  id: z.string(),
  order_number: z.string(),
  external_order_id: z.string().nullable(),
  customer_name: z.string().nullable(),
  customer_info: AnyObject.nullable(),
  notes: z.string().nullable(),
  order_date: z.string().nullable(),
  due_date: z.string().nullable(),
  metadata: AnyObject.nullable(),
  status: z.enum(ORDER_STATUSES),
  created_at: z.string(),
  updated_at: z.string(),
  cancelled_at: z.string().nullable(),
  cancel_reason: z.string().nullable(),
  items: z.array(
    z.object({
      id: z.string(),
      sku: z.object({ sku: z.string() }),
      quantity: z.int(),
      notes: z.string().nullable(),
      verified_quantity: z.int(),
      verification_status: z.enum(ITEM_STATUSES),
    }),
  ),
})
