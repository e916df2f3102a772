import { and, desc, eq, lt, lte, ne, type SQL, sql } from 'drizzle-orm'
import { WRITTEN_ID } from '../../engine/db/audit-row.ts'
import { picked } from '../../engine/db/columns.ts'
import type { CodeMode } from '../../engine/db/item-codes.ts'
import { placeholders, prepared, preparedFor, qb } from '../../engine/db/prepared.ts'
import { CHANGED_HERE } from '../../engine/db/record-change.ts'
import { orderItems, orders, products } from '../../engine/db/tables.ts'
import { isAmong, narrowColumns, READ_BYTES_MAX, wholeColumns } from '../../engine/db/wide-rows.ts'
import { isLong } from '../../engine/model/fields.ts'
import { Order } from '../../engine/model/order.ts'
import { fieldNames } from '../../engine/model/record.ts'
import { ITEM_COLUMNS, ITEMS_SIZE, RECORD_COLUMNS } from '../columns.ts'
import { BYTES_MORE } from './codes.ts'
import type { OrderItem } from './schema.ts'

const { seq, version, changed_by } = orders
const { order_id, position } = orderItems
export const headerColumns = { ...RECORD_COLUMNS.orders, version, changed_by }

export const selectHeader = preparedFor((id) =>
  qb
    .select({ ...headerColumns, items_size: ITEMS_SIZE.as('items_size') })
    .from(orders)
    .where(eq(orders.id, id)),
)

const selectItemsOf = (isOrder: (id: SQL) => SQL | undefined) =>
  preparedFor((id) =>
    qb
      .select(ITEM_COLUMNS)
      .from(orderItems)
      .where(eq(order_id, qb.select({ id: orders.id }).from(orders).where(isOrder(id))))
      .orderBy(position),
  )

export const selectItems = selectItemsOf((id) => eq(orders.id, id))

/** Gives no lines if they are large: `withItems` reads those. */
export const selectFewItems = selectItemsOf((id) =>
  and(eq(orders.id, id), lte(ITEMS_SIZE, READ_BYTES_MAX)),
)

export const orderSummary = { seq, ...picked(orders, Order.lists) }

/** The fields of a summary whose texts may be long. */
export const LONG = Order.lists.filter((name) => isLong(Order.fields[name]))

export const selectSummaries = prepared(() =>
  qb
    .select(narrowColumns(orderSummary, LONG))
    .from(orders)
    .where(lt(seq, sql.placeholder('before')))
    .orderBy(desc(seq))
    .limit(sql.placeholder('rows')),
)

export const selectWideSummaries = prepared(() =>
  qb.select(wholeColumns(orderSummary)).from(orders).where(isAmong(seq)),
)

export const ORDER_ID = sql`${sql.placeholder('order_id')}`

const insertedHeader = (items_bytes: SQL) =>
  qb.insert(orders).values({
    ...placeholders(...fieldNames(Order.fields, ({ create }) => create !== null)),
    items_bytes,
    id: WRITTEN_ID,
    partner_id: sql.placeholder('own_partner_id'),
    created_at: sql.placeholder('now'),
    updated_at: sql.placeholder('now'),
    ...CHANGED_HERE,
  })

const ITEMS_BYTES = sql`${sql.placeholder('items_bytes')}`

type NewLine = OrderItem & { id: string; position: number }

/** A line as BY_SKU reads it: a member of an array is found in half the time of one with a name. */
export function sentLine({ position, id, quantity, notes, sku_code }: NewLine): unknown[] {
  return [position, id, quantity, notes, sku_code]
}

/** As BY_CODE reads it: the text of the line is our SKU, or the partner's code, or either. */
export function codedLine(line: NewLine, mode: CodeMode | undefined): unknown[] {
  const text = line.sku_code
  const own = mode === 'code' ? null : text
  const code = mode === 'own' ? null : text
  return [...sentLine(line).with(-1, own), code]
}

/** SQL that is true if some line of the written order is not verified. */
export const HAS_UNVERIFIED_ITEMS = sql`exists (select 1 from order_items
  where order_id = ${WRITTEN_ID} and verification_status <> 'verified')`

/** SQL for the written order's lines that are not verified, as JSON of ReplacedLine. */
export const UNVERIFIED_ITEMS = sql`(select json_group_array(
    json_array(position, verified_quantity, verification_status, quantity, 'verified'))
  from order_items where order_id = ${WRITTEN_ID} and verification_status <> 'verified')`

export const verifyItems = prepared(() =>
  qb
    .update(orderItems)
    .set({ verified_quantity: sql`${orderItems.quantity}`, verification_status: 'verified' })
    .where(and(eq(order_id, WRITTEN_ID), ne(orderItems.verification_status, 'verified'))),
)

const isNamed = sql`${products.sku} in (select value from json_each(${sql.placeholder('skus')}))`
export const selectSkus = prepared(() =>
  qb.select({ sku: products.sku }).from(products).where(isNamed),
)

/** The statements of a new order. Of inactive products they give the SKUs. */
export const BY_SKU = {
  insertHeader: prepared(() => insertedHeader(ITEMS_BYTES)),
  /** Looks up each line's product: an unknown SKU becomes NULL, which the column refuses. */
  insertItems: prepared(() =>
    qb.insert(orderItems).select(
      sql`select ${WRITTEN_ID}, value ->> 0, value ->> 1, (select sku from products where sku = value ->> 4),
      value ->> 2, value ->> 3, 0, 'pending' from json_each(${sql.placeholder('items')})`,
    ),
  ),
  selectInactive: prepared(() =>
    qb.select({ sku: products.sku }).from(products).where(and(isNamed, sql`not is_active`)),
  ),
}

/** Those of an order whose lines have item codes: they look up what each code stands for first. */
export const BY_CODE: typeof BY_SKU = {
  insertHeader: prepared(() => insertedHeader(sql`${ITEMS_BYTES} + ${BYTES_MORE}`)),
  insertItems: prepared(() =>
    qb.insert(orderItems).select(
      sql`select ${WRITTEN_ID}, line.value ->> 0, line.value ->> 1,
      (select sku from products where sku = coalesce(item_codes.record_name, line.value ->> 4)),
      line.value ->> 2 * coalesce(units, 1), line.value ->> 3, 0, 'pending'
      from json_each(${sql.placeholder('items')}) as line
        left join item_codes on partner_id = ${sql.placeholder('codes_of')} and kind = 'products'
          and code = line.value ->> 5`,
    ),
  ),
  selectInactive: prepared(() =>
    qb
      .selectDistinct({ sku: products.sku })
      .from(orderItems)
      .innerJoin(products, and(eq(products.sku, orderItems.sku_code), sql`not is_active`))
      .where(eq(order_id, WRITTEN_ID)),
  ),
}
