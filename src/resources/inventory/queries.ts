import { and, desc, eq, lt, type SQL, sql } from 'drizzle-orm'
import { WRITTEN_IN } from '../../db/audit-row.ts'
import { jsonSlices } from '../../db/json-slices.ts'
import { prepared, qb } from '../../db/prepared.ts'
import { auditLog, inventory, inventoryUploadSlices, locations, products } from '../../db/tables.ts'
import { singleRow, type TenantDatabase } from '../../db/transact.ts'
import {
  BATCH_BYTES_MAX,
  isAmong,
  narrowColumns,
  rowBytesMax,
  wholeColumns,
  wholeRows,
  wideReader,
} from '../../db/wide-rows.ts'
import type { PageRequest } from '../../document/pagination.ts'
import { unusedFields, type Warning } from '../../document/warnings.ts'
import { type ApiError, notTogether } from '../../errors.ts'
import { findLowStock } from './low-stock.ts'
import {
  type CheckedRows,
  type Codes,
  checkRows,
  distinctCodes,
  ERRORS_MAX,
  firstErrors,
  type RowError,
  uploadWarnings,
} from './rows.ts'
import {
  type StockFilters,
  type StockQuery,
  type StockRow,
  UploadRows,
  type UpsertInventory,
} from './schema.ts'

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
 * Records that match all filters, newest first; one more than the limit if there are more. 400 SERVICE_ERROR for
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
 * reads the others in batches while they are sent; it is null if there are none.
 */
export async function findStock(db: TenantDatabase, by: StockQuery['by'], code: string) {
  const match = eq(by === 'location' ? location_code : sku_code, code)
  const values = { row_bytes_max: STOCK_BYTES_MAX }
  const [rows] = await db.read([selectStock(match, FIRST_ROWS)], values)
  const last = rows[FIRST_ROWS - 1]
  const readWide = wideReader(db, selectWide)
  return { list: { rows, readWide }, rest: last ? restOf(db, match, last.seq) : null }
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

/**
 * Sets quantities row by row, as if each row came alone: updates known pairs, creates new ones, reports
 * bad rows. The last row of a repeated pair wins. All good rows commit together.
 */
export async function upsertInventory(db: TenantDatabase, input: UpsertInventory) {
  const checked = checkRows(input.inventory)
  const codes = slicesOfCodes(checked)
  const requestId = db.subject.request_id
  const [counts, ...found] = await db.write({
    record: requestId,
    status: 200,
    upload: {
      source: input.source,
      notes: input.notes ?? null,
      rows_total: input.inventory.length,
    },
    changes: uploadRows(requestId, checked.valid, checked.failed, codes.valid),
    answer: [
      selectCounts(requestId),
      ...codes.all.locations.map((slice) => selectLocationsToReport(slice)),
      ...codes.all.skus.map((slice) => selectSkusToReport(slice)),
    ],
  })
  const locationCodes = sortCodes(found.slice(0, codes.all.locations.length).flat())
  const skus = sortCodes(found.slice(codes.all.locations.length).flat())
  const errors = firstErrors(checked, locationCodes, skus)
  const total = singleRow(counts)
  const warnings: Warning[] = [
    ...unusedFields(UploadRows, { inventory: input.inventory }),
    ...uploadWarnings(total.failed ?? 0, errors.length, locationCodes, skus),
  ]
  return { result: { ...total, errors }, warnings }
}

/** The row errors that upsertInventory would answer with, and one more if there are more. Writes nothing. */
export async function findRowErrors(db: TenantDatabase, rows: unknown[]): Promise<RowError[]> {
  const checked = checkRows(rows)
  const { all } = slicesOfCodes(checked)
  const found: Record<keyof CodeSlices, Reported[]> = { locations: [], skus: [] }
  for (const slice of all.locations) {
    const [reported] = await db.read([selectLocationsToReport(slice)])
    found.locations.push(...reported)
  }
  for (const slice of all.skus) {
    const [reported] = await db.read([selectSkusToReport(slice)])
    found.skus.push(...reported)
  }
  return firstErrors(checked, sortCodes(found.locations), sortCodes(found.skus), ERRORS_MAX + 1)
}

interface CodeSlices {
  locations: string[]
  skus: string[]
}

/** Codes as JSON slices: `valid` of the well-formed rows, `all` of the malformed ones too. */
function slicesOfCodes(checked: CheckedRows): { valid: CodeSlices; all: CodeSlices } {
  const { valid, malformed } = distinctCodes(checked)
  const [locations, skus] = [jsonSlices(valid.locations), jsonSlices(valid.skus)]
  return {
    valid: { locations, skus },
    all: {
      locations: [...locations, ...jsonSlices(malformed.locations)],
      skus: [...skus, ...jsonSlices(malformed.skus)],
    },
  }
}

/** Binds the rows once, into a table of slices, since both the upsert and the count read them. */
function uploadRows(requestId: string, rows: StockRow[], malformed: number, codes: CodeSlices) {
  const slices = jsonSlices(rows.map((row) => [row.location_code, row.sku_code, row.quantity]))
  const { request_id } = inventoryUploadSlices
  return [
    ...slices.map((slice, position) =>
      qb.insert(inventoryUploadSlices).values({
        request_id: requestId,
        position,
        newest_seq: sql`(select coalesce(max(seq), 0) from inventory)`,
        rows: slice,
      }),
    ),
    upsertSlices(requestId),
    qb
      .update(auditLog)
      .set({
        rows_created: sql`(select count(*) from inventory where seq >
          (select min(newest_seq) from inventory_upload_slices where request_id = ${requestId}))`,
        rows_failed: sql`cast(${malformed} as integer) + ${countUnknown(requestId, codes)}`,
      })
      .where(eq(auditLog.request_id, requestId)),
    qb.delete(inventoryUploadSlices).where(eq(request_id, requestId)),
  ]
}

/** CROSS JOIN keeps the rows in order, so that the last row of a repeated pair wins. */
function upsertSlices(requestId: string) {
  return qb
    .insert(inventory)
    .select(
      sql`select null, locations.code, products.sku, row.value ->> 2,
        ${WRITTEN_IN}, ${requestId}, (select created_at from audit_log where request_id = ${requestId})
        from inventory_upload_slices as slice
        cross join json_each(slice.rows) as row
        cross join locations on locations.code = row.value ->> 0
        cross join products on products.sku = row.value ->> 1
        where slice.request_id = ${requestId}
        order by slice.position`,
    )
    .onConflictDoUpdate({
      target: [location_code, sku_code],
      set: {
        quantity: sql`excluded.quantity`,
        changed_in: sql`excluded.changed_in`,
        changed_by: sql`excluded.changed_by`,
        changed_at: sql`excluded.changed_at`,
      },
      setWhere: sql`inventory.quantity <> excluded.quantity`,
    })
}

/**
 * Counts the well-formed rows with an unknown location or product. Goes through the rows only if one of
 * their distinct codes is unknown.
 */
function countUnknown(requestId: string, codes: CodeSlices): SQL {
  const unknown = [
    ...codes.locations.map(
      (slice) => sql`exists (select 1 from json_each(${slice}) where not exists
        (select 1 from locations where code = value))`,
    ),
    ...codes.skus.map(
      (slice) => sql`exists (select 1 from json_each(${slice}) where not exists
        (select 1 from products where sku = value))`,
    ),
  ]
  if (unknown.length === 0) return sql`0`
  return sql`case when ${sql.join(unknown, sql` or `)} then (
    select count(*) from inventory_upload_slices as slice, json_each(slice.rows) as row
    where slice.request_id = ${requestId} and (
      not exists (select 1 from locations where code = row.value ->> 0)
      or not exists (select 1 from products where sku = row.value ->> 1))) else 0 end`
}

function selectCounts(requestId: string) {
  const { rows_total, rows_created, rows_updated, rows_failed, request_id } = auditLog
  return qb
    .select({
      total: rows_total,
      created: rows_created,
      updated: rows_updated,
      failed: rows_failed,
    })
    .from(auditLog)
    .where(eq(request_id, requestId))
}

/** The codes without a location (`is_active` null) or with an inactive one. */
function selectLocationsToReport(slice: string) {
  return qb
    .select({ code: sql<string>`value`.as('code'), is_active: locations.is_active })
    .from(sql`json_each(${slice})`)
    .leftJoin(locations, sql`${locations.code} = value`)
    .where(sql`is_active is not 1`)
}

/** Like selectLocationsToReport, for products. */
function selectSkusToReport(slice: string) {
  return qb
    .select({ code: sql<string>`value`.as('code'), is_active: products.is_active })
    .from(sql`json_each(${slice})`)
    .leftJoin(products, sql`${products.sku} = value`)
    .where(sql`is_active is not 1`)
}

/** A code that no record has (`is_active` is null), or an inactive one. */
interface Reported {
  code: string
  is_active: boolean | null
}

function sortCodes(found: Reported[]): Codes {
  const codesWith = (is_active: boolean | null) =>
    new Set(found.filter((row) => row.is_active === is_active).map(({ code }) => code))
  return { unknown: codesWith(null), inactive: codesWith(false) }
}
