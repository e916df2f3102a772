import { sql } from 'drizzle-orm'
import { literal, qb } from '../../engine/db/prepared.ts'
import type { ReplacedRecord, Stored } from '../../engine/db/replaced-record.ts'
import { READ_BYTES_MAX } from '../../engine/db/wide-rows.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import type { Warning } from '../../engine/json/warnings.ts'
import type { Log } from '../../engine/log/archive/entries.ts'
import type { RecordDefinition } from '../../engine/model/record.ts'
import { RECORDS } from '../../engine/model/records.ts'
import {
  EACH_PAIR,
  HAS_REPLACED,
  PAIR,
  SLICE_COLUMNS,
} from '../../records/inventory/replaced-pairs.ts'
import { selectTarget, UNDONE_SEQ } from './statements.ts'
import { type Asker, hasExpired, targetOf, type UndoTarget, valuesFor } from './target.ts'

/** A place in the list: the position of a slice, and the index in it, as one number from 1 on. */
const PLACES = 1_000_000

/** A value that a request changed. Of stock it is the quantity of a pair, of other resources a field of the record. */
export interface ChangedValue {
  seq: number
  resource: string
  /** Null for stock. */
  record_name: string | null
  location_code: string | null
  sku_code: string | null
  field: string
  from: unknown
  to: unknown
}

/**
 * What the request changed, in order; one more than the limit if there is more. Empty if it changed nothing.
 * 404 NOT_FOUND if the log has no such request, 403 SCOPE_MISSING if the caller may not read its resource.
 */
export async function listRequestChanges(
  log: Log,
  id: string,
  asker: Asker,
  { limit, before: after = 0 }: PageRequest,
): Promise<{ rows: ChangedValue[]; warnings: Warning[] }> {
  const values = {
    ...valuesFor(id, asker),
    position: Math.floor(after / PLACES),
    index: after % PLACES,
    rows: limit + 1,
    bytes_max: READ_BYTES_MAX,
  }
  const { db } = log
  const [[found], stock, [record]] = await db.read(
    [selectTarget, selectStock, selectRecord],
    values,
  )
  const target = await targetOf(log, id, found, asker, 'read')
  if (hasExpired(target)) return { rows: [], warnings: [forgotten(target)] }
  if (target.resource === null) return { rows: [], warnings: [] }
  if (target.resource === 'inventory') return { rows: stock.map(stockChange), warnings: [] }
  const [whole] = record?.replaced
    ? [record]
    : (await db.readLarge(target.bytes, [selectRecord], { ...values, bytes_max: target.bytes }))[0]
  const changes = whole ? fieldChanges(target.resource, whole) : []
  return { rows: changes.filter(({ seq }) => seq > after).slice(0, limit + 1), warnings: [] }
}

function forgotten({ since, asked_at }: UndoTarget): Warning {
  const message = `What requests replaced is known since ${since}. This one is of ${asked_at}.`
  return { field: 'data', message }
}

/** The pairs after a place. They come in the order of the slices and their entries, so SQLite stops at the limit. */
const selectStock = qb
  .select({
    seq: sql<number>`page.seq`.as('page_seq'),
    location_code: sql<string>`stock.location_code`.as('location_code'),
    sku_code: sql<string>`stock.sku_code`.as('sku_code'),
    from: sql<number | null>`page.former`.as('former'),
    to: sql<number>`page.became`.as('became'),
  })
  .from(
    sql`(with slice as materialized (
        select ${SLICE_COLUMNS} from replaced_values
        where changed_in = ${UNDONE_SEQ}
          and resource = 'inventory' and ${HAS_REPLACED} and position >= ${sql.placeholder('position')}
        order by position limit ${sql.placeholder('rows')})
      select slice.position * ${literal(PLACES)} + pair.key + 1 as seq, ${PAIR.seq} as pair_seq,
        ${PAIR.from} as former, ${PAIR.to} as became
      from slice cross join ${EACH_PAIR}
      where slice.position > ${sql.placeholder('position')} or pair.key >= ${sql.placeholder('index')}
      limit ${sql.placeholder('rows')}) as page
    cross join inventory as stock on stock.seq = page.pair_seq`,
  )

type StockRow = (typeof selectStock)['_']['result'][number]

function stockChange({ seq, location_code, sku_code, from, to }: StockRow): ChangedValue {
  const pair = { record_name: null, location_code, sku_code }
  return { seq, resource: 'inventory', ...pair, field: 'quantity', from, to }
}

/** What a PUT replaced, unless it is larger than `bytes_max`. */
const selectRecord = qb
  .select({
    replaced: sql<
      string | null
    >`iif(octet_length(replaced) <= ${sql.placeholder('bytes_max')}, replaced, null)`.as(
      'replaced',
    ),
    record_name: sql<string>`case resource
      when 'orders' then (select order_number from orders where id = replaced ->> 'id')
      when 'products' then (select sku from products where id = replaced ->> 'id')
      when 'locations' then (select code from locations where id = replaced ->> 'id') end`.as(
      'record_name',
    ),
  })
  .from(sql`replaced_values`)
  .where(
    sql`changed_in = ${UNDONE_SEQ}
      and resource <> 'inventory'`,
  )

function fieldChanges(
  resource: string,
  { replaced, record_name }: { replaced: string | null; record_name: string },
) {
  const { from, to, lines } = JSON.parse(replaced ?? '{}') as ReplacedRecord
  const fields = Object.keys(to).map(
    (field) => [field, from[field] ?? null, to[field] ?? null] as const,
  )
  const verified = (lines ?? []).flatMap(([position, quantity, status, ...made]) => [
    [`items[${position}].verified_quantity`, quantity, made[0]] as const,
    [`items[${position}].verification_status`, status, made[1]] as const,
  ])
  return [...fields, ...verified]
    .filter(([, before, after]) => before !== after)
    .map(([field, before, after], index): ChangedValue => {
      const values = { from: shown(resource, field, before), to: shown(resource, field, after) }
      const record = { record_name, location_code: null, sku_code: null }
      return { seq: index + 1, resource, ...record, field, ...values }
    })
}

const DEFINITIONS: Record<string, RecordDefinition> = RECORDS

/** As the API shows the field. */
function shown(resource: string, field: string, value: Stored): unknown {
  if (value === null) return null
  const kind = DEFINITIONS[resource]?.fields[field]?.kind
  if (kind === 'object') return JSON.parse(String(value))
  return kind === 'flag' ? value === 1 : value
}
