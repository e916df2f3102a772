import { asc, eq, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'
import { qb } from '../../engine/db/prepared.ts'
import { inventory, workspace } from '../../engine/db/tables.ts'
import { singleRow, type TenantDatabase } from '../../engine/db/transact.ts'
import { asListed, type ListRow, rowBytesMax } from '../../engine/db/wide-rows.ts'
import type { ListPlace, PageRequest } from '../../engine/json/pagination.ts'
import {
  afterQuantity,
  cutAt,
  lowestFirst,
  narrowStock,
  quantityPlace,
  walksBelow,
} from './lowest-stock.ts'
import { STOCK_LOOKED_MAX } from './quantity-below.ts'
import { wideStock } from './queries.ts'
import type { StockRow } from './schema.ts'

const { seq, location_code, quantity } = inventory

type Row = StockRow & ListRow

interface Found {
  rows: Row[]
  /** Where the next page begins, or null. The list may stop there before it has all rows of the page. */
  end: ListPlace | null
  /** What is low in this workspace: at most this quantity. */
  most: number
}

const selectMost = qb.select({ most: workspace.low_stock_quantity }).from(workspace)
const below = sql`(select low_stock_quantity + 1 from workspace)`

/**
 * What is low in the workspace, by quantity and then by seq, of all locations or of one. Of one location it looks at its
 * records if they are at most 10,000, and else at the 10,000 lowest records of all.
 */
export async function listLowStock(
  db: TenantDatabase,
  { location_code: location }: { location_code?: string | undefined },
  request: PageRequest,
) {
  const found =
    location === undefined
      ? await ofAll(db, request)
      : ((await ofLocation(db, location, request)) ?? (await amongLowest(db, location, request)))
  return { ...found, readWide: wideStock(db) }
}

/** The list, as an export has it. */
export const LOW_STOCK = {
  resource: 'inventory',
  columns: ['location_code', 'sku_code', 'quantity'],
  page: listLowStock,
  inFull: asListed<Row>,
} as const

async function ofAll(db: TenantDatabase, request: PageRequest): Promise<Found> {
  const lowest = lowestFirst(below).limit(request.limit + 1)
  const [rows, most] = await db.read([lowest, selectMost], valuesOf(request))
  return { ...cutAt(rows, request.limit), ...singleRow(most) }
}

/** Null if the location has more records than are looked at. */
async function ofLocation(
  db: TenantDatabase,
  location: string,
  request: PageRequest,
): Promise<Found | null> {
  const records = qb
    .select({ seq, quantity })
    .from(inventory)
    .where(eq(location_code, location))
    .limit(STOCK_LOOKED_MAX + 1)
  const place = sql`(${sql.placeholder('after')}, ${sql.placeholder('after_seq')})`
  const pass = sql`(
    select json_group_array(seq order by quantity, seq)
        filter (where quantity < ${below} and (quantity, seq) > ${place}) as seqs,
      count(*) as looked, 0 as last
    from ${records}
  ) as pass`
  const { rows, looked, most } = await readPass(db, pass, request)
  return looked > STOCK_LOOKED_MAX ? null : { ...cutAt(rows, request.limit), most }
}

/** Those at the location among the lowest of all. Their last place comes as one number: a seq has less than 52 bits. */
async function amongLowest(
  db: TenantDatabase,
  location: string,
  request: PageRequest,
): Promise<Found> {
  const columns = { seq, quantity, location_code }
  const { rest, above } = walksBelow(below)
  const lowest = unionAll(
    qb.select(columns).from(inventory).where(rest),
    qb.select(columns).from(inventory).where(above),
  )
    .orderBy(asc(quantity), asc(seq))
    .limit(STOCK_LOOKED_MAX)
  const pass = sql`(
    select json_group_array(seq) filter (where location_code = ${location}) as seqs,
      count(*) as looked, max(quantity << 52 | seq) as last
    from ${lowest}
  ) as pass`
  const { rows, looked, last, most } = await readPass(db, pass, request)
  const cut = cutAt(rows, request.limit)
  const isEnd = looked < STOCK_LOOKED_MAX
  return { ...cut, end: cut.end ?? (isEnd ? null : quantityPlace(last)), most }
}

/** One pass over the records gives the numbers of those that are found. A row without a record is no record found. */
async function readPass(db: TenantDatabase, pass: SQL, request: PageRequest) {
  const isFound = sql`inventory.seq in (select value from json_each(pass.seqs) limit ${request.limit + 1})`
  const { wide_bytes, ...stock } = narrowStock
  const last = { seq: sql<number>`last & ((1 << 52) - 1)`, quantity: sql<number>`last >> 52` }
  const select = qb
    .select({
      stock,
      wide_bytes,
      looked: sql<number>`looked`,
      last_seq: last.seq,
      last_quantity: last.quantity,
    })
    .from(pass)
    .leftJoin(inventory, isFound)
    .orderBy(asc(quantity), asc(seq))
  const [found, most] = await db.read([select, selectMost], valuesOf(request))
  const [{ looked, last_seq, last_quantity } = { looked: 0, last_seq: 0, last_quantity: 0 }] = found
  return {
    rows: found.flatMap(({ stock, wide_bytes }) => (stock ? { ...stock, wide_bytes } : [])),
    looked,
    last: { seq: last_seq, quantity: last_quantity },
    ...singleRow(most),
  }
}

function valuesOf(request: PageRequest) {
  return { ...afterQuantity(request), row_bytes_max: rowBytesMax(request.limit) }
}
