import { getTableColumns, sql } from 'drizzle-orm'
import { inventory, locations, orderItems, orders, products } from '../db/tables.ts'

const order = getTableColumns(orders)
const product = getTableColumns(products)
const location = getTableColumns(locations)
const stock = getTableColumns(inventory)
const item = getTableColumns(orderItems)

/** Columns that all records have, and that no answer shows in them. */
type Beside = 'seq' | 'version' | 'changed_in' | 'changed_by' | 'changed_place'

/** The columns of a record as GET of one record shows them; an order has its lines beside them. */
export const RECORD_COLUMNS = {
  orders: without(order, 'partner_id', 'items_bytes', 'created_seq'),
  products: without(product, 'created_at', 'updated_at'),
  locations: without(location, 'created_at', 'updated_at'),
  inventory: without(stock, 'changed_at'),
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

/** Bytes of an order's lines as JSON; an estimate for orders that were stored before items_bytes existed. */
export const ITEMS_SIZE = sql<number>`coalesce(items_bytes, (
  select sum(120 + octet_length(sku_code) + coalesce(octet_length(notes), 0))
  from order_items where order_id = orders.id))`

function without<C extends object, Name extends keyof C>(columns: C, ...names: Name[]) {
  const beside: PropertyKey[] = ['seq', 'version', 'changed_in', 'changed_by', 'changed_place']
  return omit(columns, [...beside, ...names] as (Name | (Beside & keyof C))[])
}

function omit<C extends object, Name extends keyof C>(columns: C, names: Name[]): Omit<C, Name> {
  const kept = Object.entries(columns).filter(([name]) => !names.includes(name as Name))
  return Object.fromEntries(kept) as Omit<C, Name>
}
