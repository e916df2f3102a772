import { and, desc, eq, lt, type SQL } from 'drizzle-orm'
import { prepared, qb } from '../../engine/db/prepared.ts'
import { inventory } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import {
  BATCH_BYTES_MAX,
  isAmong,
  narrowColumns,
  rowBytesMax,
  wholeColumns,
  wholeRows,
  wideReader,
} from '../../engine/db/wide-rows.ts'
import { type ApiError, notTogether } from '../../engine/errors.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import { findLowStock } from './low-stock.ts'
import { selectNamed } from './named-codes.ts'
import type { StockFilters, StockQuery } from './schema.ts'

// The first rows share the request's one round trip; the others are read in batches while they are sent.
const FIRST_ROWS = 1000
const BATCH_ROWS = 4000
// Bytes of text per row of a batch.
const STOCK_BYTES_MAX = Math.floor(BATCH_BYTES_MAX / BATCH_ROWS)

const { seq, location_code, sku_code, quantity } = inventory
const record = { seq, location_code, sku_code, quantity }
const narrow = narrowColumns(record, ['location_code', 'sku_code'])

const selectWide = prepared(qb.select(wholeColumns(record)).from(inventory).where(isAmong(seq)))

/**
 * Records that match all filters, newest first; one more than the limit if there are more. 400 VALIDATION_ERROR for
 * `quantity_below` without a code. With it the list may stop before it has all rows of the page, at `end`.
 */
export async function listInventory(
  db: TenantDatabase,
  { location_code: location, sku_code: sku, quantity_below: below }: StockFilters,
  { limit, before }: PageRequest,
) {
  const match = and(
    location === undefined ? undefined : eq(location_code, location),
    sku === undefined ? undefined : eq(sku_code, sku),
    before === undefined ? undefined : lt(seq, before),
  )
  const readWide = wideReader(db, selectWide)
  if (below !== undefined) {
    if (location === undefined && sku === undefined) throw needsCode()
    return { ...(await findLowStock(db, match, below, limit)), readWide }
  }
  const values = { row_bytes_max: rowBytesMax(limit) }
  const [rows] = await db.read([selectStock(match, limit + 1)], values)
  return { rows, readWide, end: null }
}

function needsCode(): ApiError {
  const names = ['quantity_below', 'location_code', 'sku_code']
  return notTogether(names, 'Send quantity_below beside location_code or sku_code, not alone.')
}

/**
 * All stock at a location or of a SKU, newest first. The first 1,000 records take one round trip. `rest`
 * reads the others in batches while they are sent; it is null if there are none. `named` is what the code names.
 */
export async function findStock(db: TenantDatabase, by: StockQuery['by'], code: string) {
  const match = eq(by === 'location' ? location_code : sku_code, code)
  const values = { row_bytes_max: STOCK_BYTES_MAX }
  const [rows, named] = await db.read([selectStock(match, FIRST_ROWS), selectNamed(code)], values)
  const last = rows[FIRST_ROWS - 1]
  const readWide = wideReader(db, selectWide)
  return { list: { rows, readWide }, rest: last ? restOf(db, match, last.seq) : null, named }
}

async function* restOf(db: TenantDatabase, match: SQL, before: number) {
  const values = { row_bytes_max: STOCK_BYTES_MAX }
  const readWide = wideReader(db, selectWide)
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
  return qb.select(narrow).from(inventory).where(match).orderBy(desc(seq)).limit(limit)
}
