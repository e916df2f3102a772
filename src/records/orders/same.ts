import { sql } from 'drizzle-orm'
import { joinedCodes, recordNamedBy } from '../../engine/db/item-codes.ts'
import { orderItems, orders } from '../../engine/db/tables.ts'
import type { CodeAt } from '../../engine/mapping/item-code.ts'
import { Order } from '../../engine/model/order.ts'
import { fieldNames } from '../../engine/model/record.ts'
import { comparing } from '../same-records.ts'
import { modeAt } from './codes.ts'
import { CreateOrder } from './schema.ts'

const { order_id, position, sku_code, quantity, notes } = orderItems
const isOfOrder = sql`${order_id} = ${orders.id}`

const [TEXT, MODE] = [sql`sent.value ->> 'sku_code'`, sql`coalesce(sent.value ->> 'mode', 'own')`]

/** The stored order has the same number of lines, and each line is the same. Lines are compared only if the number is the same. */
const SAME_LINES = sql`case
  when json_array_length(asked.value, '$.items') <> (select count(*) from ${orderItems} where ${isOfOrder}) then 0
  else not exists (select 1 from json_each(asked.value, '$.items') as sent
    ${joinedCodes('products', TEXT, MODE)}
    left join ${orderItems} on ${isOfOrder} and ${position} = sent.key
    where ${sku_code} is not ${recordNamedBy(TEXT, MODE)}
      or ${quantity} is not sent.value ->> 'quantity' * coalesce(item_codes.units, 1)
      or ${notes} is not sent.value ->> 'notes') end`

/** The order with how the text of each line is looked up. */
function withModes({ items, ...header }: CreateOrder, codeAt: CodeAt): object {
  return { ...header, items: items.map((line, at) => ({ ...line, mode: modeAt(codeAt, at) })) }
}

/** Orders belong to their partner. Their status is the warehouse's own. */
export const compareOrders = comparing({
  table: orders,
  key: Order.key,
  names: fieldNames(Order.fields, ({ create }) => create !== null),
  schema: CreateOrder,
  rest: SAME_LINES,
  withMore: (order, { codeAt }) => (codeAt ? withModes(order, codeAt) : order),
  visible: sql`${orders.partner_id} is ${sql.placeholder('own_partner_id')}`,
})
