import { asc, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'
import { prepared, qb } from '../../engine/db/prepared.ts'
import { inventory } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { type ListRow, narrowColumns, rowBytesMax } from '../../engine/db/wide-rows.ts'
import { cursorError, type ListPlace, type PageRequest } from '../../engine/json/pagination.ts'
import { LOW_STOCK_MAX, type StockRow } from './schema.ts'

const { seq, location_code, sku_code, quantity } = inventory
const narrow = narrowColumns({ seq, location_code, sku_code, quantity }, [
  'location_code',
  'sku_code',
])

// The index holds what the second condition says. As the first one it would be the end of the range in the index, in
// place of the smaller number.
const isLow = sql`quantity < ${sql.placeholder('below')} and quantity <= ${sql.raw(String(LOW_STOCK_MAX))}`

/**
 * Walks along the index of low stock. Of a row value (quantity, seq) SQLite would seek the quantity alone, and read all
 * of the same quantity that earlier pages have shown: the rest of that quantity is a walk of its own, merged with the
 * others.
 */
const selectLowest = prepared(
  unionAll(
    walk(sql`quantity = ${sql.placeholder('after')} and seq > ${sql.placeholder('after_seq')}`),
    walk(sql`quantity > ${sql.placeholder('after')}`),
  )
    .orderBy(asc(quantity), asc(seq))
    .limit(sql.placeholder('rows')),
)

function walk(condition: ReturnType<typeof sql>) {
  return qb.select(narrow).from(inventory).where(sql`${isLow} and ${condition}`)
}

/**
 * Stock of less than this quantity, of all locations, by quantity and then by seq: at most `limit` records. `end` is where the
 * next page begins; null if there is none.
 */
export async function listLowest(db: TenantDatabase, below: number, request: PageRequest) {
  const { limit } = request
  const place = placeOf(request, below)
  const values = { ...place, below, rows: limit + 1, row_bytes_max: rowBytesMax(limit) }
  const [rows] = await db.read([selectLowest], values)
  return cutAt(rows, limit)
}

/** A cursor of this list has the quantity in the place of a time. */
function placeOf({ before, before_time = '' }: PageRequest, below: number) {
  if (before === undefined) return { after: -1, after_seq: 0 }
  if (!/^\d{1,3}$/.test(before_time) || Number(before_time) >= below) throw cursorError()
  return { after: Number(before_time), after_seq: before }
}

type Row = StockRow & ListRow

function cutAt(rows: Row[], limit: number): { rows: Row[]; end: ListPlace | null } {
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { rows: kept, end: hasMore ? placeAt(last) : null }
}

function placeAt(row: { seq: number; quantity: number }): ListPlace {
  return { seq: row.seq, created_at: String(row.quantity) }
}
