import { sql } from 'drizzle-orm'
import { prepared, qb } from '../../engine/db/prepared.ts'
import { singleRow, type TenantDatabase } from '../../engine/db/transact.ts'

/** One product at one location. */
export interface Pair {
  location_code: string
  sku_code: string
}

const [LOCATION, SKU] = [sql.placeholder('location_code'), sql.placeholder('sku_code')]

const selectPair = prepared(() =>
  qb
    .select({
      quantity: sql<number | null>`(select quantity from inventory
        where location_code = ${LOCATION} and sku_code = ${SKU})`.as('quantity'),
      location: sql<number | null>`(select is_active from locations where code = ${LOCATION})`.as(
        'location',
      ),
      product: sql<number | null>`(select is_active from products where sku = ${SKU})`.as(
        'product',
      ),
    })
    .from(sql`(select 1)`),
)

/** The stored quantity, null for no record, and whether the location and the product are active, null if there is none. */
export async function findPair(db: TenantDatabase, pair: Pair) {
  const [rows] = await db.read([selectPair.with({ ...pair })])
  return singleRow(rows)
}
