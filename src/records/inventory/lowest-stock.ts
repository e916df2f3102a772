import { asc, type SQL, type SQLChunk, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'
import { literal, prepared, qb } from '../../engine/db/prepared.ts'
import { inventory } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { type ListRow, narrowColumns, rowBytesMax } from '../../engine/db/wide-rows.ts'
import { cursorError, type ListPlace, type PageRequest } from '../../engine/json/pagination.ts'
import { LOW_STOCK_MAX, type StockRow } from './schema.ts'

const { seq, location_code, sku_code, quantity } = inventory
/** What lists read of a record. */
export const narrowStock = narrowColumns({ seq, location_code, sku_code, quantity }, [
  'location_code',
  'sku_code',
])

// The index holds what this says. As the first condition it would be the end of the range in the index, in place of the
// smaller number.
const isInIndex = sql`quantity <= ${literal(LOW_STOCK_MAX)}`
const after = sql.placeholder('after')

/**
 * Conditions of two walks along the index of low stock. Merged, they give stock of less than `below` by quantity and then by
 * seq, after the place of the placeholders `after` and `after_seq`. Of a row value (quantity, seq) SQLite would seek the
 * quantity alone, and read all of the same quantity that earlier pages have shown.
 */
export function walksBelow(below: SQLChunk) {
  const isLow = sql`quantity < ${below} and ${isInIndex}`
  return {
    rest: sql`${isLow} and quantity = ${after} and seq > ${sql.placeholder('after_seq')}`,
    above: sql`${isLow} and quantity > ${after}`,
  }
}

/** Stock of less than `below`, of all locations. */
export function lowestFirst(below: SQLChunk) {
  const { rest, above } = walksBelow(below)
  const walk = (condition: SQL) => qb.select(narrowStock).from(inventory).where(condition)
  return unionAll(walk(rest), walk(above)).orderBy(asc(quantity), asc(seq))
}

const selectLowest = prepared(() =>
  lowestFirst(sql.placeholder('below')).limit(sql.placeholder('rows')),
)

/**
 * Stock of less than this quantity, of all locations, by quantity and then by seq: at most `limit` records. `end` is where the
 * next page begins; null if there is none.
 */
export async function listLowest(db: TenantDatabase, below: number, request: PageRequest) {
  const { limit } = request
  const place = afterQuantity(request)
  if (place.after >= below) throw cursorError()
  const values = { ...place, below, rows: limit + 1, row_bytes_max: rowBytesMax(limit) }
  const [rows] = await db.read([selectLowest], values)
  return cutAt(rows, limit)
}

/** Values for `lowestFirst`. A cursor of a list by quantity has the quantity in the place of a time. */
export function afterQuantity({ before, before_time = '' }: PageRequest) {
  if (before === undefined) return { after: -1, after_seq: 0 }
  if (!/^\d{1,3}$/.test(before_time)) throw cursorError()
  return { after: Number(before_time), after_seq: before }
}

type Row = StockRow & ListRow

/** The rows within the limit. `end` is the place of the last one if there are more. */
export function cutAt(rows: Row[], limit: number): { rows: Row[]; end: ListPlace | null } {
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  const hasMore = rows.length > limit && last !== undefined
  return { rows: kept, end: hasMore ? quantityPlace(last) : null }
}

/** What a cursor of a list by quantity holds of a record. */
export function quantityPlace(row: { seq: number; quantity: number }): ListPlace {
  return { seq: row.seq, created_at: String(row.quantity) }
}
