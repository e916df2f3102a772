import { type SQL, sql } from 'drizzle-orm'
import { WRITTEN_IN } from './audit-row.ts'
import { waitingDeliveries } from './delivery-tables.ts'
import { literal, prepared, type Query, qb } from './prepared.ts'
import { auditLog, inventoryUploadSlices } from './tables.ts'
import { ENDS_AT, endAs } from './waiting.ts'

/** Rows of one upload that wait; more are failed rows and nothing else. An answer lists as many. */
export const WAITING_ROWS_MAX = 1000
/** A row in our own words: two codes of 255 characters, each of at most 6 bytes, and what is around them. */
const ROW_BYTES_MAX = 4000

/** The delivery that brings the rows. */
export interface RowsToKeep {
  delivery_id: string
  api_key_id: string
  partner_id: string
  sender_event: string | null
  sender_id: string | null
  created_at: string
  /** The upload's, for all of its rows. */
  source: string
}

// Of what the upload has found (src/records/inventory/upload-statements.ts): [location, SKU, what is asked, rows] of each pair
// that had no record. `asked` is the number of the pair and the quantity in one integer, or null.
const MISSING = sql`(
  select location_code, sku_code, has_product, asked >> ${sql.placeholder('number_shift')} as number,
    json_array(location_code, sku_code) as pair,
    json_object('inventory', json_array(json_object('location_code', location_code, 'sku_code', sku_code,
      'quantity', asked & ((1 << ${sql.placeholder('number_shift')}) - 1))), 'source', ${sql.placeholder('row_source')}) as body
  from (
    select row.value ->> 0 as location_code, row.value ->> 1 as sku_code, row.value ->> 2 as asked,
      exists (select 1 from products where sku = row.value ->> 1) as has_product,
      exists (select 1 from locations where code = row.value ->> 0) as has_location
    from ${inventoryUploadSlices} as slice cross join json_each(slice.rows) as row
    where slice.request_id = ${sql.placeholder('request_id')}
    limit -1)
  where not (has_product and has_location) and asked is not null) as missing`

const total = (name: string, subject: SQL) =>
  sql`coalesce((select ${sql.raw(name)} from waiting_totals where subject = ${subject}), 0)`
const OWN = sql`${sql.placeholder('api_key_id')}`

/** How many rows the store has room for, by the bounds of waiting_totals. */
const ROOM = sql`max(0, min(${literal(WAITING_ROWS_MAX)},
  5000 - ${total('records', OWN)}, 10000 - ${total('records', sql`'all'`)},
  (50000000 - ${total('bytes', OWN)}) / ${literal(ROW_BYTES_MAX)},
  (100000000 - ${total('bytes', sql`'all'`)}) / ${literal(ROW_BYTES_MAX)}))`

/** Rows of the same pairs that came before: what is newer takes their place. */
const OUTDATED = sql`resource = 'inventory' and position is not null and created_at < ${sql.placeholder('created_at')}
  and identifier in (select pair from ${MISSING})`

const keep = prepared(() =>
  qb.insert(waitingDeliveries).select(
    sql`select null, ${sql.placeholder('delivery_id')} || '.' || number, number, ${WRITTEN_IN},
      ${sql.placeholder('api_key_id')}, ${sql.placeholder('waiting_partner_id')}, 'inventory', pair,
      location_code || ' / ' || sku_code, null, ${sql.placeholder('sender_event')}, ${sql.placeholder('sender_id')}, null, null,
      iif(has_product, 'location', 'product'), iif(has_product, location_code, sku_code), 0, null, 0, 'SERVICE_ERROR',
      iif(has_product, 'No location has the code of this row.', 'No product has the SKU of this row.'),
      ${sql.placeholder('created_at')}, ${ENDS_AT}, length(cast(body as blob)), body
    from ${MISSING}
    where not exists (select 1 from waiting_deliveries as newer where newer.resource = 'inventory'
      and newer.position is not null and newer.identifier = missing.pair)
    order by number limit ${ROOM}`,
  ),
)

const endOutdated = prepared(() => endAs('superseded', OUTDATED))

/**
 * Keeps the rows of an upload that lack a product or a location, one record each, in its batch. `number_shift` is how `asked`
 * has the number of the pair. There is one for each pair: the newest.
 */
export function keepMissingRows(rows: RowsToKeep, number_shift: number): Query[] {
  const { partner_id, source, ...own } = rows
  const values = { ...own, waiting_partner_id: partner_id, row_source: source, number_shift }
  return [endOutdated, keep].map((statement) => statement.with(values))
}

/** A row of which an item code is unknown. It waits as it was sent: what its codes are is not known yet. */
export interface UnknownCodeRow {
  number: number
  /** Its texts and its partner. A newer row with the same takes its place. */
  identifier: string
  name: string
  needs: 'product_code' | 'location_code'
  needs_code: string
  message: string
  body: string
}

const UNKNOWN = sql`json_each(${sql.placeholder('unknown_rows')}) as one`
const member = (name: string) => sql.raw(`(one.value ->> '${name}')`)

const keepUnknown = prepared(() =>
  qb.insert(waitingDeliveries).select(
    sql`select null, ${sql.placeholder('delivery_id')} || '.' || ${member('number')}, ${member('number')}, ${WRITTEN_IN},
      ${sql.placeholder('api_key_id')}, ${sql.placeholder('waiting_partner_id')}, 'inventory', ${member('identifier')},
      ${member('name')}, null, ${sql.placeholder('sender_event')}, ${sql.placeholder('sender_id')}, null, null,
      ${member('needs')}, ${member('needs_code')},
      exists (select 1 from item_codes where partner_id = ${sql.placeholder('waiting_partner_id')}
        and kind = iif(${member('needs')} = 'product_code', 'products', 'locations') and code = ${member('needs_code')}),
      null, 0, 'SERVICE_ERROR', ${member('message')},
      ${sql.placeholder('created_at')}, ${ENDS_AT}, length(cast(${member('body')} as blob)), ${member('body')}
    from ${UNKNOWN}
    where not exists (select 1 from waiting_deliveries as newer where newer.resource = 'inventory'
      and newer.position is not null and newer.identifier = ${member('identifier')})
    order by ${member('number')} limit ${ROOM}`,
  ),
)

const UNKNOWN_OUTDATED = sql`resource = 'inventory' and position is not null and created_at < ${sql.placeholder('created_at')}
  and identifier in (select ${member('identifier')} from ${UNKNOWN})`

const endUnknownOutdated = prepared(() => endAs('superseded', UNKNOWN_OUTDATED))

/** Keeps the rows of an upload whose item codes are unknown, in its batch: one for each of the same texts. */
export function keepUnknownRows(rows: RowsToKeep, unknown: UnknownCodeRow[]): Query[] {
  if (unknown.length === 0) return []
  const { partner_id, source, ...own } = rows
  const latest = new Map(unknown.map((row) => [row.identifier, row]))
  const kept = [...latest.values()].slice(0, WAITING_ROWS_MAX)
  const values = {
    ...own,
    waiting_partner_id: partner_id,
    unknown_rows: JSON.stringify(kept),
  }
  return [endUnknownOutdated, keepUnknown].map((statement) => statement.with(values))
}

// In one batch with the upload that looks for both, so nothing can come between: the triggers wake what is left waiting.
const LACKS = sql`exists (select 1 from ${MISSING})`
const IT = sql`delivery_id = ${sql.placeholder('delivery_id')}`

const endRow = [
  prepared(() =>
    qb
      .update(waitingDeliveries)
      .set({
        needs: sql`(select iif(has_product, 'location', 'product') from ${MISSING})`,
        needs_code: sql`(select iif(has_product, location_code, sku_code) from ${MISSING})`,
        message: sql`(select iif(has_product, 'No location has the code of this row.', 'No product has the SKU of this row.')
          from ${MISSING})`,
        is_due: false,
        due_at: sql`null`,
        tries: sql`tries + 1`,
      })
      .where(sql`${IT} and ${LACKS}`),
  ),
  prepared(() => qb.delete(waitingDeliveries).where(sql`${IT} and not ${LACKS}`)),
  prepared(() =>
    qb
      .update(auditLog)
      .set({
        outcome: sql`iif(${LACKS}, 'waiting', iif(rows_failed > 0, 'stale', outcome))`,
      })
      .where(sql`audit_log.seq = ${WRITTEN_IN}`),
  ),
]

/** Ends the waiting of a row that is tried, in its batch, unless it still lacks something. Its audit row says what became of it. */
export function endTriedRow(delivery_id: string, number_shift: number): Query[] {
  const values = { delivery_id, row_source: null, number_shift }
  return endRow.map((statement) => statement.with(values))
}

/** How many rows of the delivery wait. */
export const countWaitingRows = prepared(() =>
  qb
    .select({ rows: sql<number>`count(*)`.as('rows') })
    .from(waitingDeliveries)
    .where(
      sql`delivery_id > ${sql.placeholder('delivery_id')} || '.' and delivery_id < ${sql.placeholder('delivery_id')} || '/'`,
    ),
)
