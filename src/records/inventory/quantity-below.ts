import { desc, type SQL, sql } from 'drizzle-orm'
import { qb } from '../../engine/db/prepared.ts'
import { inventory } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { rowBytesMax } from '../../engine/db/wide-rows.ts'
import { narrowStock } from './lowest-stock.ts'

/** For a page, at most this many records are compared with a quantity. */
export const STOCK_LOOKED_MAX = 10_000

/**
 * The newest records that match and have less than this quantity, at most one more than the limit, in one round trip. `end` is
 * where the look-up stopped before it had them all; null if there are no more.
 */
export async function findBelow(
  db: TenantDatabase,
  match: SQL | undefined,
  below: number,
  limit: number,
) {
  const values = { row_bytes_max: rowBytesMax(limit) }
  const [found] = await db.read([selectLow(match, below, limit + 1)], values)
  const [{ looked, least } = { looked: 0, least: 0 }] = found
  return {
    rows: found.flatMap(({ stock, wide_bytes }) => (stock ? { ...stock, wide_bytes } : [])),
    end: looked > STOCK_LOOKED_MAX ? { seq: least + 1 } : null,
  }
}

/**
 * One pass over the records gives the numbers of those that are found, and the least number of all. The last
 * record of the pass only says that there are more. A row of the result without a record is no record found.
 */
function selectLow(match: SQL | undefined, below: number, rows: number) {
  const pass = sql`(
    select json_group_array(seq) filter (where quantity < ${below}) as seqs,
      min(seq) as least, count(*) as looked
    from (select seq, quantity from inventory where ${match}
      order by seq desc limit ${STOCK_LOOKED_MAX + 1})
  ) as pass`
  const isFound = sql`inventory.seq in (
    select value from json_each(pass.seqs) where looked <= ${STOCK_LOOKED_MAX} or value > least
    limit ${rows})`
  const { wide_bytes, ...stock } = narrowStock
  return qb
    .select({ stock, wide_bytes, looked: sql<number>`looked`, least: sql<number>`least` })
    .from(pass)
    .leftJoin(inventory, isFound)
    .orderBy(desc(inventory.seq))
}
