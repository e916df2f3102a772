import { and, desc, eq, lt, type SQL, sql } from 'drizzle-orm'
import { qb } from '../../engine/db/prepared.ts'
import { products } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { rowBytesMax, wideReader } from '../../engine/db/wide-rows.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import { byActivity, type CatalogueFilters } from './filters.ts'
import type { Statements } from './statements.ts'

/** For a page, at most so many products are looked at. */
export const PRODUCTS_LOOKED_MAX = 10_000

const { seq, sku } = products
const conditionFor = byActivity((condition) => condition)

/**
 * Products without a record of stock, newest first; one more than the limit if there are more. `end` is where the look-up
 * stopped before it had all rows of the page; null if it came to the end.
 */
export async function listWithoutStock(
  { listed, selectWide }: Pick<Statements, 'listed' | 'selectWide'>,
  db: TenantDatabase,
  { is_active, sku: named }: CatalogueFilters,
  { limit, before }: PageRequest,
) {
  const match = and(
    conditionFor(is_active) ?? sql`true`,
    named === undefined ? undefined : eq(sku, String(named)),
    before === undefined ? undefined : lt(seq, before),
  )
  const values = { row_bytes_max: rowBytesMax(limit) }
  const [found] = await db.read([selectWithout(listed, match, limit + 1)], values)
  const [{ looked, least } = { looked: 0, least: 0 }] = found
  return {
    rows: found.flatMap(({ record, wide_bytes }) => (record ? { ...record, wide_bytes } : [])),
    readWide: wideReader(db, selectWide),
    end: looked < PRODUCTS_LOOKED_MAX ? null : { seq: least },
  }
}

/** One pass over the products gives the numbers of those that are found. A row without a record is no record found. */
function selectWithout(listed: Statements['listed'], match: SQL | undefined, rows: number) {
  const pass = sql`(
    select json_group_array(seq) filter (
        where not exists (select 1 from inventory where sku_code = sku)) as seqs,
      min(seq) as least, count(*) as looked
    from (select seq, sku from ${products} where ${match}
      order by seq desc limit ${PRODUCTS_LOOKED_MAX})
  ) as pass`
  const isFound = sql`products.seq in (select value from json_each(pass.seqs) limit ${rows})`
  const { wide_bytes, ...record } = listed
  return qb
    .select({ record, wide_bytes, looked: sql<number>`looked`, least: sql<number>`least` })
    .from(pass)
    .leftJoin(products, isFound)
    .orderBy(desc(seq))
}
