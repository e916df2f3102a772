import { sql } from 'drizzle-orm'
import { prepared, qb } from '../../engine/db/prepared.ts'
import { orders } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import {
  isAmong,
  type List,
  type ListRow,
  narrowColumns,
  wholeColumns,
  withColumns,
} from '../../engine/db/wide-rows.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import { isLong } from '../../engine/model/fields.ts'
import { Order } from '../../engine/model/order.ts'
import { fieldNames } from '../../engine/model/record.ts'
import { ITEMS_SIZE, RECORD_COLUMNS, SHOWN_ITEM } from '../columns.ts'
import { listOrders } from './queries.ts'
import type { OrderFilters } from './schema.ts'

/** The most bytes of the lines of an order in a cell. A part of an export has room for them. */
const ITEMS_BYTES_MAX = 512 * 1024

const columns = { seq: orders.seq, ...RECORD_COLUMNS.orders }
const texts = fieldNames(Order.fields, isLong)
const hasRoom = sql`${ITEMS_SIZE} <= ${sql.raw(String(ITEMS_BYTES_MAX))}`
/** As JSON. Lines that are too large are an object, so that nobody takes them for none. */
const items = sql<string | null>`case when ${hasRoom}
  then (select json_group_array(${SHOWN_ITEM}) from (
    select * from order_items where order_id = orders.id order by position) as item)
  else json_object('too_large', json('true'), 'bytes', ${ITEMS_SIZE}) end`.as('items')

// A row has some 300 bytes beside its texts, and a line has names that its stored form lacks.
const inFull = {
  narrow: prepared(
    qb
      .select({
        ...narrowColumns(columns, texts, sql`300 + iif(${hasRoom}, 2 * ${ITEMS_SIZE}, 0)`),
        items: sql<string | null>`null`.as('items'),
      })
      .from(orders)
      .where(isAmong(orders.seq)),
  ),
  whole: prepared(
    qb
      .select({ ...wholeColumns(columns), items })
      .from(orders)
      .where(isAmong(orders.seq)),
  ),
}

/** All orders that the caller sees, as an export has them: summaries, or in CSV all columns and the lines. */
export function exportedOrders(orders_of: string | null) {
  return {
    resource: 'orders',
    columns: [...new Set([...Order.lists, ...Object.keys(Order.fields), 'items'])],
    page: (db: TenantDatabase, filters: OrderFilters, request: PageRequest) =>
      listOrders(db, { ...filters, orders_of }, request),
    inFull: (db: TenantDatabase, list: List<ListRow>) => withColumns(db, list, inFull),
  } as const
}
