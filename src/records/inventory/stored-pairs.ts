import { sql } from 'drizzle-orm'
import { jsonParts } from '../../engine/db/json-parts.ts'
import { prepared, qb } from '../../engine/db/prepared.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import type { Pair } from './pair.ts'

/** What is stored of a pair. */
export interface StoredPair {
  /** Null for no record. */
  quantity: number | null
  /** Whether the location is active: 1 or 0, null if there is none. */
  location: number | null
  product: number | null
}

const [LOCATION, SKU] = [sql`asked.value ->> 0`, sql`asked.value ->> 1`]

const selectPairs = prepared(() =>
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
    .from(sql`json_each(${sql.placeholder('asked')}) as asked`)
    .orderBy(sql`asked.key`),
)

/** What is stored of each of many pairs, in their order. */
export async function findPairs(db: TenantDatabase, pairs: readonly Pair[]): Promise<StoredPair[]> {
  const asked = pairs.map(({ location_code, sku_code }) => [location_code, sku_code])
  const parts = await jsonParts(asked, db.pace)
  if (parts.length === 0) await db.confirm()
  const found: StoredPair[] = []
  for (const part of parts) {
    const [rows] = await db.read([selectPairs.with({ asked: part })])
    await db.pace.spent(part.length)
    found.push(...rows)
  }
  return found
}
