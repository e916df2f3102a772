import { getTableColumns, sql } from 'drizzle-orm'
import { namesIn, picked } from '../engine/db/columns.ts'
import { inventory, locations, orderItems, orders, products } from '../engine/db/tables.ts'
import { Location } from '../engine/model/location.ts'
import { Order } from '../engine/model/order.ts'
import { Product } from '../engine/model/product.ts'
import { StockRow } from './inventory/schema.ts'

const item = getTableColumns(orderItems)

/** The columns of a record as GET of one record shows them; an order has its lines beside them. */
export const RECORD_COLUMNS = {
  orders: picked(orders, namesIn(Order.fields)),
  products: picked(products, namesIn(Product.fields)),
  locations: picked(locations, namesIn(Location.fields)),
  inventory: picked(inventory, namesIn(StockRow.shape)),
}

/** The columns of an order's line. */
export const ITEM_COLUMNS = omit(item, ['order_id', 'position'])

export interface ItemRow {
  id: string
  sku_code: string
}

/** A line of an order as answers show it. */
export function shownItem<Row extends ItemRow>({ id, sku_code, ...line }: Row) {
  return { id, sku: { sku: sku_code }, ...line }
}

/** SQL for the row `item` as JSON, as answers show it. */
export const SHOWN_ITEM = sql`json_object('id', item.id, 'sku', json_object('sku', item.sku_code), ${sql.join(
  Object.keys(omit(ITEM_COLUMNS, ['id', 'sku_code'])).map((name) =>
    sql.raw(`'${name}', item.${name}`),
  ),
  sql`, `,
)})`

/** Bytes of an order's lines as JSON; an estimate for orders that were stored before items_bytes existed. */
export const ITEMS_SIZE = sql<number>`coalesce(items_bytes, (
  select sum(120 + octet_length(sku_code) + coalesce(octet_length(notes), 0))
  from order_items where order_id = orders.id))`

function omit<C extends object, Name extends keyof C>(columns: C, names: Name[]): Omit<C, Name> {
  const kept = Object.entries(columns).filter(([name]) => !names.includes(name as Name))
  return Object.fromEntries(kept) as Omit<C, Name>
}
