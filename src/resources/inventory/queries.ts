import { and, desc, eq, lt, type SQL, sql } from 'drizzle-orm'
import { jsonSlices } from '../../db/json.ts'
import { q } from '../../db/prepared.ts'
import { auditLog, inventory, inventoryUploadSlices, locations, products } from '../../db/tables.ts'
import { only, type TenantDatabase } from '../../db/transact.ts'
import type { PageRequest } from '../../pagination.ts'
import { unusedFields, type Warning } from '../../warnings.ts'
import { type Codes, checkRows, firstErrors, uploadWarnings } from './rows.ts'
import { type StockQuery, type StockRow, UploadRows, type UpsertInventory } from './schema.ts'

const STOCK_SLICE_ROWS = 10_000

const { seq, location_code, sku_code, quantity } = inventory
const record = { location_code, sku_code, quantity }

const IS_ACTIVE = sql`(select is_active from locations where code = ${location_code})
  and (select is_active from products where sku = ${sku_code})`

/**
 * Records of all locations, newest first; one more than the limit when there are more. With
 * `activeOnly` those of active products at active locations.
 */
export async function listInventory(
  db: TenantDatabase,
  { limit, before }: PageRequest,
  activeOnly: boolean,
) {
  const older = before === undefined ? undefined : lt(seq, before)
  const match = and(older, activeOnly ? IS_ACTIVE : undefined)
  const [rows] = await db.read([selectStock(match, limit + 1)])
  return rows
}

/**
 * All stock at a location or of a SKU, newest first. Up to 10,000 records come at once; of more,
 * `rest` gives all, read slice by slice while they are sent.
 */
export async function findStock(db: TenantDatabase, by: StockQuery['by'], code: string) {
  const match = eq(by === 'location' ? location_code : sku_code, code)
  const [rows] = await db.read([selectStock(match, STOCK_SLICE_ROWS + 1)])
  const more = rows.length > STOCK_SLICE_ROWS
  return { records: rows.map(recordOf), rest: more ? slicesOf(db, match, rows) : null }
}

async function* slicesOf(db: TenantDatabase, match: SQL, first: StockSlice) {
  yield first.map(recordOf)
  let last = first.at(-1)
  while (last) {
    const older = and(match, lt(seq, last.seq))
    const [slice] = await db.readOn([selectStock(older, STOCK_SLICE_ROWS)])
    yield slice.map(recordOf)
    last = slice.at(STOCK_SLICE_ROWS - 1)
  }
}

type StockSlice = { seq: number; location_code: string; sku_code: string; quantity: number }[]

function selectStock(match: SQL | undefined, limit: number) {
  return q
    .select({ seq, ...record })
    .from(inventory)
    .where(match)
    .orderBy(desc(seq))
    .limit(limit)
}

function recordOf({ location_code, sku_code, quantity }: StockSlice[number]) {
  return { location_code, sku_code, quantity }
}

/**
 * Sets quantities, row by row as if each came alone: known pairs are updated, new ones created, a
 * repeated pair ends as its last row says, bad rows are reported. All good rows commit together.
 */
export async function upsertInventory(db: TenantDatabase, input: UpsertInventory) {
  const checked = checkRows(input.inventory)
  const codes = distinctCodes(checked.valid)
  const requestId = db.subject.request_id
  const [counts, ...found] = await db.write({
    record: requestId,
    status: 200,
    upload: {
      source: input.source,
      notes: input.notes ?? null,
      rows_total: input.inventory.length,
    },
    changes: uploadRows(requestId, checked.valid, checked.failed, codes),
    answer: [
      selectCounts(requestId),
      ...codes.locations.map((slice) => selectOddLocations(slice)),
      ...codes.skus.map((slice) => selectOddSkus(slice)),
    ],
  })
  const oddLocations = sortCodes(found.slice(0, codes.locations.length).flat())
  const oddSkus = sortCodes(found.slice(codes.locations.length).flat())
  const errors = firstErrors(checked, oddLocations, oddSkus)
  const total = only(counts)
  const warnings: Warning[] = [
    ...unusedFields(UploadRows, { inventory: input.inventory }),
    ...uploadWarnings(total.failed ?? 0, errors.length, oddLocations, oddSkus),
  ]
  return { result: { ...total, errors }, warnings }
}

interface CodeSlices {
  locations: string[]
  skus: string[]
}

function distinctCodes(rows: StockRow[]): CodeSlices {
  const [locations, skus] = [new Set<string>(), new Set<string>()]
  for (const { location_code, sku_code } of rows) {
    locations.add(location_code)
    skus.add(sku_code)
  }
  return { locations: jsonSlices(locations), skus: jsonSlices(skus) }
}

/** The rows are bound once, into a table of slices, since upsert and count both read them. */
function uploadRows(requestId: string, rows: StockRow[], malformed: number, codes: CodeSlices) {
  const slices = jsonSlices(rows.map((row) => [row.location_code, row.sku_code, row.quantity]))
  const { request_id } = inventoryUploadSlices
  return [
    ...slices.map((slice, position) =>
      q.insert(inventoryUploadSlices).values({
        request_id: requestId,
        position,
        newest_seq: sql`(select coalesce(max(seq), 0) from inventory)`,
        rows: slice,
      }),
    ),
    upsertSlices(requestId),
    q
      .update(auditLog)
      .set({
        rows_created: sql`(select count(*) from inventory where seq >
          (select min(newest_seq) from inventory_upload_slices where request_id = ${requestId}))`,
        rows_failed: sql`cast(${malformed} as integer) + ${countUnknown(requestId, codes)}`,
      })
      .where(eq(auditLog.request_id, requestId)),
    q.delete(inventoryUploadSlices).where(eq(request_id, requestId)),
  ]
}

/** CROSS JOIN keeps the rows in their order, in which a repeated pair overwrites itself. */
function upsertSlices(requestId: string) {
  return q
    .insert(inventory)
    .select(
      sql`select null, locations.code, products.sku, row.value ->> 2
        from inventory_upload_slices as slice
        cross join json_each(slice.rows) as row
        cross join locations on locations.code = row.value ->> 0
        cross join products on products.sku = row.value ->> 1
        where slice.request_id = ${requestId}
        order by slice.position`,
    )
    .onConflictDoUpdate({
      target: [location_code, sku_code],
      set: { quantity: sql`excluded.quantity` },
      setWhere: sql`inventory.quantity <> excluded.quantity`,
    })
}

/** Goes through the rows only if any of their codes is unknown, which a look at each code tells. */
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
  return q
    .select({
      total: rows_total,
      created: rows_created,
      updated: rows_updated,
      failed: rows_failed,
    })
    .from(auditLog)
    .where(eq(request_id, requestId))
}

/** Of these codes, those that no location has (`is_active` null) or an inactive one. */
function selectOddLocations(slice: string) {
  return q
    .select({ code: sql<string>`value`.as('code'), is_active: locations.is_active })
    .from(sql`json_each(${slice})`)
    .leftJoin(locations, sql`${locations.code} = value`)
    .where(sql`is_active is not 1`)
}

/** As selectOddLocations, of products. */
function selectOddSkus(slice: string) {
  return q
    .select({ code: sql<string>`value`.as('code'), is_active: products.is_active })
    .from(sql`json_each(${slice})`)
    .leftJoin(products, sql`${products.sku} = value`)
    .where(sql`is_active is not 1`)
}

function sortCodes(found: { code: string; is_active: boolean | null }[]): Codes {
  const codesWith = (is_active: boolean | null) =>
    new Set(found.filter((row) => row.is_active === is_active).map(({ code }) => code))
  return { unknown: codesWith(null), inactive: codesWith(false) }
}
