import { sql } from 'drizzle-orm'
import { literal, prepared, qb } from '../../engine/db/prepared.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'

/** Of a product, the stock at so many locations is added up. */
export const LOCATIONS_ADDED_MAX = 200

/** The stock of a product over all locations, or the least that it is. */
export interface StockTotal {
  quantity: number
  locations: number
  /** There may be more: it has as many locations as are added up. */
  isLeast: boolean
}

const total = sql`(
  select json_array(sum(quantity), count(*))
  from (select quantity from inventory where sku_code = value limit ${literal(LOCATIONS_ADDED_MAX)}))`

const selectTotals = prepared(() =>
  qb
    .select({ sku: sql<string>`value`, total: sql<string>`${total}` })
    .from(sql`json_each(${sql.placeholder('skus')})`),
)

/** By SKU; a product without a record of stock is missing. Reads at most 200 records of each. */
export async function findStockTotals(
  db: TenantDatabase,
  skus: readonly string[],
): Promise<Map<string, StockTotal>> {
  if (skus.length === 0) return new Map()
  const [rows] = await db.read([selectTotals], { skus: JSON.stringify(skus) })
  return new Map(
    rows.flatMap(({ sku, total }): [string, StockTotal][] => {
      const [quantity, locations]: [number | null, number] = JSON.parse(total)
      if (quantity === null) return []
      return [[sku, { quantity, locations, isLeast: locations === LOCATIONS_ADDED_MAX }]]
    }),
  )
}
