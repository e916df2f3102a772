import { type SQL, sql } from 'drizzle-orm'
import { literal, placeholders, prepared, qb } from '../../engine/db/prepared.ts'
import type { ORDER_STATUSES } from '../../engine/model/order.ts'
import { LOW_STOCK_MAX } from '../../records/inventory/schema.ts'
import { FOUND_POSITION } from '../../records/replaced-stock.ts'
import { COUNTED_MAX, countedTo, eachOf } from './counted.ts'

type OrderStatus = (typeof ORDER_STATUSES)[number]

/** In the order of the work. A draft is none yet. */
export const OPEN_STATUSES = [
  'pending',
  'in_progress',
  'partially_verified',
  'verified',
] as const satisfies readonly OrderStatus[]

/** So many of the newest changes of stock are looked at. */
export const UPLOADS_MAX = 8

const { now, today, orders_of, sees_orders, sees_stock } = placeholders(
  'now',
  'today',
  'orders_of',
  'sees_orders',
  'sees_stock',
)

/** A due date without a time is a midnight. Its day has to pass. */
const IS_OVERDUE = sql`due_date < iif(substr(due_date, 12) = '00:00:00.000Z', ${today}, ${now})`

/** Of each status at most 50 entries of an index that ends in the time of creation are read. */
const selectOpen = (isOwn: SQL) =>
  prepared(() =>
    qb.select({ status: sql<OrderStatus>`status`, found: sql<string>`found` }).from(sql`(
      select asked.value as status, (
          select json_array(count(*), min(created_at), count(*) filter (where ${IS_OVERDUE}))
          from (
            select created_at, due_date from orders where status = asked.value and ${isOwn} and ${sees_orders}
            order by created_at, created_seq limit ${literal(COUNTED_MAX)})
        ) as found
      from ${eachOf(OPEN_STATUSES, 'asked')}
    )`),
  )

const selectOpenOfAll = selectOpen(sql`true`)
const selectOpenOfOne = selectOpen(sql`partner_id = ${orders_of}`)

/** For a key with own_orders_only, the orders of its partner. */
export const selectOpenOrders = (ofPartner: string | null) =>
  ofPartner === null ? selectOpenOfAll : selectOpenOfOne

type Found = [orders: number, oldest_at: string | null, overdue: number]

/** Those of which there are some. Overdue are so many of those that were counted, which are the oldest. */
export function openOrdersIn(rows: { status: OrderStatus; found: string }[]) {
  return rows.flatMap(({ status, found }) => {
    const [orders, oldest_at, overdue]: Found = JSON.parse(found)
    return oldest_at === null ? [] : [{ status, orders: countedTo(orders), oldest_at, overdue }]
  })
}

/** The other slices say what conditions have found, and change nothing. */
const IS_CHANGE = sql`resource = 'inventory' and position <> ${literal(FOUND_POSITION)}`

/** The requests that changed stock last: along the slices that the feed of changes reads. A large upload has several. */
export const selectUploads = prepared(() =>
  qb
    .select({
      request_id: sql<string>`request_id`,
      created_at: sql<string>`created_at`,
      partner_id: sql<string | null>`partner_id`,
      sender: sql<string>`sender`,
    })
    .from(sql`(
      select log.request_id, log.created_at, log.partner_id,
        coalesce(log.partner_name, log.api_key_name) as sender
      from (
        select changed_in from replaced_values where ${IS_CHANGE} and changed_place > 0 and ${sees_stock}
        order by changed_place desc, position desc limit ${literal(UPLOADS_MAX)}
      ) as slice cross join audit_log as log on log.seq = slice.changed_in
    )`),
)

/** Along the index of low stock, which the second condition names: a record has one entry at most. */
export const selectLowStock = prepared(() =>
  qb.select({ records: sql<number>`count(*)`.as('records') }).from(
    sql`(select 1 from inventory where quantity <= (select low_stock_quantity from workspace)
        and quantity <= ${literal(LOW_STOCK_MAX)} and ${sees_stock} limit ${literal(COUNTED_MAX)})`,
  ),
)

export type StockUpload = (typeof selectUploads)['_']['result'][number]

/** Each of them once, the newest first. */
export function uploadsIn(rows: StockUpload[]): StockUpload[] {
  return [...new Map(rows.map((row) => [row.request_id, row])).values()].toSorted((one, other) =>
    other.created_at < one.created_at ? -1 : 1,
  )
}
