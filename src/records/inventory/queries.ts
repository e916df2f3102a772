import { and, desc, eq, lt, type SQL } from 'drizzle-orm'
import { prepared, qb } from '../../engine/db/prepared.ts'
import { inventory } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import {
  BATCH_BYTES_MAX,
  isAmong,
  rowBytesMax,
  wholeColumns,
  wholeRows,
  wideReader,
} from '../../engine/db/wide-rows.ts'
import { notTogether } from '../../engine/errors.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import { listLowest, narrowStock } from './lowest-stock.ts'
import { selectNamed } from './named-codes.ts'
import { findBelow } from './quantity-below.ts'
import { LOW_STOCK_MAX, type StockFilters, type StockQuery } from './schema.ts'

// The first rows share the request's one round trip; the others are read in batches while they are sent.
const FIRST_ROWS = 1000
const BATCH_ROWS = 4000
// Less than this is what the index of low stock holds.
const BELOW_ALONE_MAX = LOW_STOCK_MAX + 1
// Bytes of text per row of a batch.
const STOCK_BYTES_MAX = Math.floor(BATCH_BYTES_MAX / BATCH_ROWS)

const { seq, location_code, sku_code, quantity } = inventory

const selectWide = prepared(() =>
  qb
    .select(wholeColumns({ seq, location_code, sku_code, quantity }))
    .from(inventory)
    .where(isAmong(seq)),
)

/**
 * Records that match all filters, newest first; one more than the limit if there are more. With `quantity_below` the list
 * ends at `end`: with a code it may stop there before it has all rows of the page, and without one it is in the order of
 * the quantity. 400 VALIDATION_ERROR if that is too large for a list without a code.
 */
export async function listInventory(
  db: TenantDatabase,
  { location_code: location, sku_code: sku, quantity_below: below }: StockFilters,
  request: PageRequest,
) {
  const { limit, before } = request
  const match = and(
    location === undefined ? undefined : eq(location_code, location),
    sku === undefined ? undefined : eq(sku_code, sku),
    before === undefined ? undefined : lt(seq, before),
  )
  const readWide = wideStock(db)
  if (below !== undefined) {
    const isOfCode = location !== undefined || sku !== undefined
    if (!isOfCode && below > BELOW_ALONE_MAX) {
      throw notTogether(['quantity_below', 'location_code', 'sku_code'], NEEDS_CODE)
    }
    const found = isOfCode
      ? await findBelow(db, match, below, limit)
      : await listLowest(db, below, request)
    return { ...found, readWide }
  }
  const values = { row_bytes_max: rowBytesMax(limit) }
  const [rows] = await db.read([selectStock(match, limit + 1)], values)
  return { rows, readWide, end: null }
}

/** Reads whole records of stock, for those that came without their texts. */
export function wideStock(db: TenantDatabase) {
  return wideReader(db, selectWide)
}

/** The message for a larger `quantity_below` without a code. */
export const NEEDS_CODE = `Send quantity_below beside location_code or sku_code; alone it is at most ${BELOW_ALONE_MAX}.`

/**
 * All stock at a location or of a SKU, newest first. The first 1,000 records take one round trip. `rest`
 * reads the others in batches while they are sent; it is null if there are none. `named` is what the code names.
 */
export async function findStock(db: TenantDatabase, by: StockQuery['by'], code: string) {
  const match = eq(by === 'location' ? location_code : sku_code, code)
  const values = { row_bytes_max: STOCK_BYTES_MAX }
  const [rows, named] = await db.read([selectStock(match, FIRST_ROWS), selectNamed(code)], values)
  const last = rows[FIRST_ROWS - 1]
  return {
    list: { rows, readWide: wideStock(db) },
    rest: last ? restOf(db, match, last.seq) : null,
    named,
  }
}

async function* restOf(db: TenantDatabase, match: SQL, before: number) {
  const values = { row_bytes_max: STOCK_BYTES_MAX }
  const readWide = wideStock(db)
  let last: { seq: number } | undefined = { seq: before }
  while (last) {
    const older = and(match, lt(seq, last.seq))
    const [rows]: [StockRows] = await db.readOn([selectStock(older, BATCH_ROWS)], values)
    yield* wholeRows({ rows, readWide })
    last = rows[BATCH_ROWS - 1]
  }
}

type StockRows = ReturnType<typeof selectStock>['_']['result']

function selectStock(match: SQL | undefined, limit: number) {
  return qb.select(narrowStock).from(inventory).where(match).orderBy(desc(seq)).limit(limit)
}
