import { type SQL, sql } from 'drizzle-orm'
import { WRITTEN_IN } from '../../engine/db/audit-row.ts'
import { seqsOf } from '../../engine/db/log-look-ups.ts'
import { literal, prepared, qb } from '../../engine/db/prepared.ts'
import { changedAt } from '../../engine/db/record-change.ts'
import { inventory, locations, orders, products, replacedValues } from '../../engine/db/tables.ts'
import { REMEMBERED_SINCE } from '../../engine/db/undo-days.ts'
import { Location } from '../../engine/model/location.ts'
import { Product } from '../../engine/model/product.ts'
import {
  EACH_PAIR,
  HAS_REPLACED,
  IS_ZEROED,
  PAIR,
  SLICE_COLUMNS,
  UNDO_POSITION,
} from '../../records/inventory/replaced-pairs.ts'
import { UpdateOrder } from '../../records/orders/schema.ts'

/** An answer lists at most so many pairs of a kind. */
export const LISTED_MAX = 1000

/** The seq of the audit row of the request that is undone. */
export const UNDONE_SEQ: SQL = seqsOf(sql`${sql.placeholder('undone')}`)

/** The request, and the first of what it replaced. */
const TARGET = sql`audit_log as target left join replaced_values as first on first.changed_in = target.seq
  and first.position = (
    select min(position) from replaced_values where changed_in = target.seq and ${HAS_REPLACED})`
const IS_STOCK = sql`first.resource = 'inventory'`
const RECORD_ID = sql`iif(${IS_STOCK}, null, first.replaced ->> 'id')`
const VERSION = sql`iif(${IS_STOCK}, null, first.replaced ->> 'version')`
const VERSION_NOW = sql`case first.resource
  when 'orders' then (select version from orders where id = ${RECORD_ID})
  when 'products' then (select version from products where id = ${RECORD_ID})
  when 'locations' then (select version from locations where id = ${RECORD_ID}) end`
/** The PUT gave an order a status that is final. */
const IS_FINAL = sql`(first.resource = 'orders' and first.replaced ->> '$.to.status' in ('shipped', 'cancelled')
  and first.replaced ->> '$.from.status' <> first.replaced ->> '$.to.status')`
const ORDERS_OF = sql.placeholder('orders_of')
/** Null where there is nothing to own. */
const IS_VISIBLE = sql`(${ORDERS_OF} is null or first.resource is not 'orders'
  or exists (select 1 from orders where id = ${RECORD_ID} and partner_id = ${ORDERS_OF}))`

const remembered = {
  since: sql<string>`${REMEMBERED_SINCE}`.as('since'),
  undo_days: sql<number>`(select undo_days from workspace)`.as('undo_days'),
}

/** How long the workspace remembers what requests replace. */
export const selectRemembered = prepared(() => qb.select(remembered).from(sql`(select 1)`))

/** The request with this id, and what of it can be undone. */
export const selectTarget = prepared(() =>
  qb
    .select({
      seq: sql<number>`target.seq`.as('target_seq'),
      asked_at: sql<string>`target.created_at`.as('asked_at'),
      ...remembered,
      resource: sql<Resource | null>`first.resource`.as('resource'),
      bytes: sql<number>`iif(${IS_STOCK}, 0, octet_length(first.replaced))`.as('bytes'),
      record_id: sql<string | null>`${RECORD_ID}`.as('replaced_id'),
      version: sql<number | null>`${VERSION}`.as('version'),
      version_now: sql<number | null>`${VERSION_NOW}`.as('version_now'),
      is_final: sql<number>`${IS_FINAL}`.as('is_final'),
      is_visible: sql<number>`${IS_VISIBLE}`.as('is_visible'),
    })
    .from(sql`${TARGET}`)
    .where(sql`target.seq = ${UNDONE_SEQ}`),
)

type Resource = (typeof replacedValues.$inferSelect)['resource']

/**
 * What the audit row of an undo names: the record, or the upload that is undone. Null unless all of it can
 * be: see `refuseUndo`.
 */
export const UNDONE_RECORD: SQL = sql`(
  select iif(${IS_STOCK}, target.request_id, ${RECORD_ID}) from ${TARGET}
  where target.seq = ${UNDONE_SEQ} and target.created_at >= ${REMEMBERED_SINCE}
    and first.resource in (select value from json_each(${sql.placeholder('resources')}))
    and ${IS_VISIBLE} and (${IS_STOCK} or ${VERSION_NOW} = ${VERSION}))`

/** The rule of orders whose status is final. */
export const IS_NOT_FINAL = sql`not exists (select 1 from ${TARGET}
  where target.seq = ${UNDONE_SEQ} and ${IS_FINAL})`

/** The slices of stock of the request that is undone, as `slice` wants them. */
const UNDONE_SLICES = sql`select ${SLICE_COLUMNS} from replaced_values
  where changed_in = ${UNDONE_SEQ} and resource = 'inventory' and ${HAS_REPLACED}`

/** The quantity that a pair gets back. */
const FORMER = sql`coalesce(${PAIR.from}, 0)`

/** Remembers the quantities that are still what the upload left, and what they are to be: so the undo is an upload. */
const rememberStock = prepared(() =>
  qb.insert(replacedValues).select(
    sql`with slice as materialized (${UNDONE_SLICES}),
    own as materialized (
      select ${UNDO_POSITION} as position, (
        select json_group_array(json_array(stock.seq, stock.quantity, ${FORMER}))
        from ${EACH_PAIR} cross join inventory as stock on stock.seq = ${PAIR.seq}
        where stock.quantity = ${PAIR.to} and stock.quantity <> ${FORMER}
      ) as pairs from slice)
    select ${WRITTEN_IN}, position, 'inventory', json_object('changed', json(pairs)) from own where pairs <> '[]'`,
  ),
)

/** What the undo itself has remembered. The LIMIT keeps SQLite from going through all records for each slice. */
const OWN_PAIRS = sql`(select pair.value ->> 0 as seq, pair.value ->> 2 as quantity
  from replaced_values as slice cross join json_each(slice.replaced, '$.changed') as pair
  where slice.changed_in = ${WRITTEN_IN} and slice.resource = 'inventory' limit -1)`

const setStock = qb.run(
  sql`update ${inventory} set quantity = own.quantity, changed_in = ${WRITTEN_IN},
    changed_by = ${sql.placeholder('request_id')},
    changed_at = (select created_at from audit_log where seq = ${WRITTEN_IN})
  from ${OWN_PAIRS} as own where inventory.seq = own.seq`,
)

const rememberRecord = prepared(() =>
  qb.insert(replacedValues).select(
    sql`select ${WRITTEN_IN}, 0, resource, json_object(
      'id', replaced -> 'id', 'version', (replaced ->> 'version') + 1,
      'from', replaced -> 'to', 'to', replaced -> 'from',
      'lines', json(case json_type(replaced, '$.lines') when 'array' then (
        select json_group_array(json_array(
          value ->> 0, value ->> 3, value ->> 4, value ->> 1, value ->> 2))
        from json_each(replaced, '$.lines')) end))
    from replaced_values where changed_in = ${UNDONE_SEQ} and resource <> 'inventory'`,
  ),
)

/** What the undo itself has remembered of a PUT, and gives the record. */
const OWN = sql`(select replaced ->> 'id' as id, replaced -> 'to' as fields, replaced from replaced_values
  where changed_in = ${WRITTEN_IN} and resource <> 'inventory') as own`

type RecordTable = typeof orders | typeof products | typeof locations

/** `shape` has the fields that a PUT of the resource takes. */
function setFields(table: RecordTable, shape: object, now: string) {
  const fields = Object.keys(shape).map((name) => {
    const column = sql.identifier(name)
    const given = sql`own.fields -> ${sql.raw(`'${name}'`)}`
    return sql`${column} = iif(${given} is null, ${table}.${column}, own.fields ->> ${sql.raw(`'${name}'`)})`
  })
  const changed = Object.entries(changedAt(table, now)).map(
    ([name, value]) => sql`${sql.identifier(name)} = ${value}`,
  )
  return qb.run(
    sql`update ${table} set ${sql.join([...fields, ...changed], sql`, `)} from ${OWN} where ${table.id} = own.id`,
  )
}

const setLines = qb.run(
  sql`update order_items set verified_quantity = line.value ->> 3, verification_status = line.value ->> 4
    from ${OWN} cross join json_each(own.replaced, '$.lines') as line
    where order_id = own.id and position = line.value ->> 0`,
)

/** The statements of an undo at `now`. Those of other resources than the request's change nothing. */
export function undoing(now: string) {
  return [
    rememberStock,
    setStock,
    rememberRecord,
    setFields(orders, UpdateOrder.shape, now),
    setLines,
    setFields(products, Product.Update.shape, now),
    setFields(locations, Location.Update.shape, now),
  ]
}

const PAIRS = sql`json_array_length(replaced, '$.changed')`

/** How much an undo has set back, from what it has remembered itself. */
export const selectSetBack = prepared(() =>
  qb
    .select({
      restored: sql<number>`coalesce(sum(iif(resource = 'inventory', ${PAIRS}, 1))
      filter (where not (${IS_ZEROED})), 0)`.as('restored'),
      zeroed: sql<number>`coalesce(sum(${PAIRS}) filter (where ${IS_ZEROED}), 0)`.as('zeroed'),
    })
    .from(replacedValues)
    .where(sql`changed_in = ${WRITTEN_IN}`),
)

/** What is found of a pair: its record, what the upload replaced and left, and what it holds. */
const FOUND = sql`stock.seq as seq, ${PAIR.from} as former, ${PAIR.to} as became, stock.quantity as quantity`

/** The first pairs of the upload that meet a condition, and how many do. */
function selectPairs(condition: SQL) {
  return qb
    .select({
      location_code: sql<string>`location_code`.as('location_code'),
      sku_code: sql<string>`sku_code`.as('sku_code'),
      from: sql<number | null>`former`.as('former'),
      to: sql<number>`became`.as('became'),
      quantity: sql<number>`held`.as('held'),
      all: sql<number>`number`.as('number'),
    })
    .from(
      sql`(with slice as materialized (${UNDONE_SLICES}),
        found as materialized (
          select ${FOUND} from slice cross join ${EACH_PAIR} cross join inventory as stock on stock.seq = ${PAIR.seq}
          where ${condition})
        select stock.location_code, stock.sku_code, named.former, named.became, named.quantity as held,
          (select count(*) from found) as number
        from (select * from found limit ${literal(LISTED_MAX)}) as named
        join inventory as stock on stock.seq = named.seq)`,
    )
}

export type FoundPair = ReturnType<typeof selectPairs>['_']['result'][number]

const IS_LEFT = sql`stock.quantity = ${PAIR.to}`
const IS_BACK = sql`stock.quantity = ${FORMER}`

/** After an undo: the pairs that somebody has changed since the upload, and that are not back either. */
export const selectChangedSince = prepared(() => selectPairs(sql`not (${IS_BACK})`))
/** Before an undo: the same pairs, and those that it would set back. */
export const selectOthers = prepared(() => selectPairs(sql`not (${IS_BACK}) and not (${IS_LEFT})`))
export const selectRestorable = prepared(() =>
  selectPairs(sql`${IS_LEFT} and not (${IS_BACK}) and slice.first is null`),
)
export const selectZeroable = prepared(() =>
  selectPairs(sql`${IS_LEFT} and not (${IS_BACK}) and slice.first is not null`),
)
