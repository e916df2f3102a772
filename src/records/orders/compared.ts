import { sql } from 'drizzle-orm'
import type { Context } from 'hono'
import { joinedCodes, recordNamedBy } from '../../engine/db/item-codes.ts'
import { orderItems, orders } from '../../engine/db/tables.ts'
import type { AppEnv } from '../../engine/env.ts'
import type { Address } from '../../engine/identifiers/address.ts'
import type { CodeAt } from '../../engine/mapping/item-code.ts'
import { Order } from '../../engine/model/order.ts'
import { fieldNames } from '../../engine/model/record.ts'
import { codesIn } from '../item-codes.ts'
import { comparing } from '../same-records.ts'
import { comparedCodes, comparedLines, modeAt } from './codes.ts'
import { differences } from './differences.ts'
import { noteLines } from './line-differences.ts'
import { createOrder, updateOrder } from './queries.ts'
import { CreateOrder, type UpdateOrder } from './schema.ts'

/** Creates the order, and warns of what else the document says otherwise than the order. 409 DUPLICATE as createOrder. */
export async function createCompared(c: Context<AppEnv>, input: CreateOrder, unlessAt?: Address) {
  const { db, caller } = c.var
  const by = { ...codesIn(c), orders_of: caller.orders_of, scopes: caller.key.scopes }
  const { order, warnings } = await createOrder(db, by, input, unlessAt)
  const unlike = differences(order, c.get('fixed')?.others)
  return { order, warnings: [...warnings, ...unlike] }
}

/**
 * Changes the order, and warns of what else the document says otherwise than the order. `notes`: keeps in what its lines
 * differ.
 */
export async function updateCompared(
  c: Context<AppEnv>,
  address: Address,
  input: UpdateOrder,
  notes = false,
) {
  const others = c.get('fixed')?.others
  const codes = comparedCodes(others, codesIn(c))
  const { order, found } = await updateOrder(c.get('db'), address, input, {
    codes,
    notes: notes ? noteLines(others?.items, codes) : [],
  })
  return { order, warnings: differences(order, comparedLines(others, codes, found)) }
}

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
