import * as z from 'zod'
import type { FieldErrors } from '../../engine/errors.ts'
import { byName } from '../../engine/json/by-name.ts'
import { QueryDateTime } from '../../engine/json/date-time.ts'
import { boundedText, Identifier, Notes, Quantity } from '../../engine/json/fields.ts'
import { pageParams } from '../../engine/json/pagination.ts'
import { ITEM_STATUSES, ORDER_STATUSES, Order } from '../../engine/model/order.ts'

/** Most lines of an order. */
export const ITEMS_MAX = 1000

/**
 * A page looks at one row of each status beyond those that it shows, and may read 55 rows for 50. D1 takes no
 * more than five parts of a UNION either.
 */
export const STATUSES_MAX = 4

const STATUS = `(?:${ORDER_STATUSES.join('|')})`

/** Statuses with commas between them; parses to each of them once, sorted. */
const Statuses = z
  .string()
  .regex(new RegExp(`^${STATUS}(?:,${STATUS}){0,${STATUSES_MAX - 1}}$`), {
    error: `Must be 1 to ${STATUSES_MAX} of these, with commas between them: ${ORDER_STATUSES.join(', ')}.`,
  })
  .transform((text) => [...new Set(text.split(','))].toSorted())

/** The query of the list. Which filters go together, `listOrders` says. */
export const OrderPage = z.object({
  ...pageParams('orders'),
  status: Statuses.optional(),
  ...byName(Order.filters, () => z.string().min(1).optional()),
  partner_id: z.string().min(1).optional(),
  created_from: QueryDateTime.optional(),
  created_to: QueryDateTime.optional(),
})
export type OrderFilters = Omit<z.output<typeof OrderPage>, 'limit' | 'cursor'>

export const OrderItem = z.object({
  sku_code: Identifier,
  quantity: Quantity.min(1),
  notes: Notes.nullish(),
})
export type OrderItem = z.output<typeof OrderItem>

export const CreateOrder = Order.Create.extend({
  items: z.array(OrderItem).min(1).max(ITEMS_MAX),
})
export type CreateOrder = z.output<typeof CreateOrder>

// Goods that are cancelled or gone are not to be picked, and another system may write these words as it likes.
const ENDED = /^\s*(?:cancell?ed|shipped)\s*$/i

/** Of a new order, which is pending, whatever other status it has. */
export function faultsOfNew({ status }: { status?: unknown }): FieldErrors {
  if (typeof status !== 'string' || !ENDED.test(status)) return {}
  return {
    status: [
      'A new order is pending. Do not send an order that is cancelled or shipped; if it was sent before, change it by PUT.',
    ],
  }
}

/** Header fields only: lines cannot be changed (spec 4, Orders, rule 1). */
export const UpdateOrder = Order.Update
export type UpdateOrder = z.output<typeof UpdateOrder>

export const CancelOrder = z.object({ reason: boundedText(1000).nullish() })
export type CancelOrder = z.output<typeof CancelOrder>

/** An order as the API shows it. */
export const OrderRecord = Order.Shown.extend({
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
