import { type SQLChunk, sql } from 'drizzle-orm'
import { jsonParts } from '../../engine/db/json-parts.ts'
import { prepared, qb } from '../../engine/db/prepared.ts'
import { singleRow, type TenantDatabase } from '../../engine/db/transact.ts'

/** One product at one location. */
export interface Pair {
  location_code: string
  sku_code: string
}

/** What is stored of a pair: the quantity, null for no record, and whether location and product are active, null if there is none. */
const storedOf = (location: SQLChunk, sku: SQLChunk) => ({
  quantity: sql<number | null>`(select quantity from inventory
        where location_code = ${location} and sku_code = ${sku})`.as('quantity'),
  location: sql<number | null>`(select is_active from locations where code = ${location})`.as(
    'location',
  ),
  product: sql<number | null>`(select is_active from products where sku = ${sku})`.as('product'),
})

const selectPair = prepared(() =>
  qb
    .select(storedOf(sql.placeholder('location_code'), sql.placeholder('sku_code')))
    .from(sql`(select 1)`),
)

const selectPairs = prepared(() =>
  qb
    .select(storedOf(sql`asked.value ->> 0`, sql`asked.value ->> 1`))
    .from(sql`json_each(${sql.placeholder('asked')}) as asked`)
    .orderBy(sql`asked.key`),
)

export type StoredPair = (typeof selectPairs)['_']['result'][number]

/** What is stored of the pair. */
export async function findPair(db: TenantDatabase, pair: Pair): Promise<StoredPair> {
  const [rows] = await db.read([selectPair.with({ ...pair })])
  return singleRow(rows)
}

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
