import { sql } from 'drizzle-orm'
import { literal, prepared, qb } from '../../engine/db/prepared.ts'
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
import { ITEM_COLUMNS, ITEMS_SIZE, RECORD_COLUMNS, SHOWN_ITEM } from '../columns.ts'
import { listOrders } from './queries.ts'
import type { OrderFilters } from './schema.ts'

/** The most bytes of the lines of an order in a cell. A part of an export has room for them. */
const ITEMS_BYTES_MAX = 512 * 1024

const columns = { seq: orders.seq, ...RECORD_COLUMNS.orders }
const texts = fieldNames(Order.fields, isLong)
const LONG_NAMES: readonly string[] = texts
const hasRoom = sql`${ITEMS_SIZE} <= ${literal(ITEMS_BYTES_MAX)}`
/** As JSON. Lines that are too large are an object, so that nobody takes them for none. */
const items = sql<string | null>`case when ${hasRoom}
  then (select json_group_array(${SHOWN_ITEM}) from (
    select * from order_items where order_id = orders.id order by position) as item)
  else json_object('too_large', json('true'), 'bytes', ${ITEMS_SIZE}) end`.as('items')

// A row has some 300 bytes beside its texts, and a line has names that its stored form lacks.
const inFull = {
  narrow: prepared(() =>
    qb
      .select({
        ...narrowColumns(columns, texts, sql`300 + iif(${hasRoom}, 2 * ${ITEMS_SIZE}, 0)`),
        items: sql<string | null>`null`.as('items'),
      })
      .from(orders)
      .where(isAmong(orders.seq)),
  ),
  whole: prepared(() =>
    qb
      .select({ ...wholeColumns(columns), items })
      .from(orders)
      .where(isAmong(orders.seq)),
  ),
}

/** In a file with a row for each line, a longer text of the order is not repeated in each. */
const REPEATED_BYTES_MAX = 4096

const ORDER_COLUMNS = [...new Set([...Order.lists, ...Object.keys(Order.fields)])]
const LINE_COLUMNS = Object.keys(ITEM_COLUMNS).map((name) => `item_${name}`)

/** The same orders in CSV with a row for each of their lines. */
export function exportedLines(orders_of: string | null) {
  return {
    ...exportedOrders(orders_of),
    fileName: 'order-lines',
    columns: [...ORDER_COLUMNS, ...LINE_COLUMNS],
    rowsOf: linesOf,
  } as const
}

/** The lines of an order, each with the order's columns. Of lines that are too large there is one row, which says so. */
function* linesOf({ items: text, ...order }: { items: string | null }): Iterable<object> {
  const shared = Object.fromEntries(
    Object.entries(order).map(([name, value]) => [name, repeated(name, value)]),
  )
  const lines: unknown = JSON.parse(text ?? '[]')
  if (!Array.isArray(lines)) {
    yield { ...shared, ...Object.fromEntries(LINE_COLUMNS.map((name) => [name, lines])) }
    return
  }
  for (const { sku, ...line } of lines.length > 0 ? lines : [{}]) {
    yield { ...shared, ...lineCells({ ...line, sku_code: sku?.sku }) }
  }
}

function lineCells(line: Record<string, unknown>) {
  return Object.fromEntries(
    Object.keys(ITEM_COLUMNS).map((name) => [`item_${name}`, line[name] ?? null]),
  )
}

function repeated(name: string, value: unknown): unknown {
  if (value === null || !LONG_NAMES.includes(name)) return value
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const bytes = new TextEncoder().encode(text).length
  return bytes <= REPEATED_BYTES_MAX ? value : { too_large: true, bytes }
}

/** All orders that the caller sees, as an export has them: summaries, or in CSV all columns and the lines. */
export function exportedOrders(orders_of: string | null) {
  return {
    resource: 'orders',
    columns: [...ORDER_COLUMNS, 'items'],
    page: (db: TenantDatabase, filters: OrderFilters, request: PageRequest) =>
      listOrders(db, { ...filters, orders_of }, request),
    inFull: (db: TenantDatabase, list: List<ListRow>) => withColumns(db, list, inFull),
  } as const
}
