import { sql } from 'drizzle-orm'
import { orderItems, orders } from '../../engine/db/tables.ts'
import { Order } from '../../engine/model/order.ts'
import { fieldNames } from '../../engine/model/record.ts'
import { comparing } from '../same-records.ts'
import { CreateOrder } from './schema.ts'

const { order_id, position, sku_code, quantity, notes } = orderItems
const isOfOrder = sql`${order_id} = ${orders.id}`

/** As many lines, and each the same. They are looked at only where there are as many. */
const SAME_LINES = sql`case
  when json_array_length(asked.value, '$.items') <> (select count(*) from ${orderItems} where ${isOfOrder}) then 0
  else not exists (select 1 from json_each(asked.value, '$.items') as sent
    left join ${orderItems} on ${isOfOrder} and ${position} = sent.key
    where ${sku_code} is not sent.value ->> 'sku_code' or ${quantity} is not sent.value ->> 'quantity'
      or ${notes} is not sent.value ->> 'notes') end`

/** Orders belong to their partner. Their status is the warehouse's own. */
export const compareOrders = comparing({
  table: orders,
  key: Order.key,
  names: fieldNames(Order.fields, ({ create }) => create !== null),
  schema: CreateOrder,
  rest: SAME_LINES,
  visible: sql`${orders.partner_id} is ${sql.placeholder('own_partner_id')}`,
})
