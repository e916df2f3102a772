import { type SQL, sql } from 'drizzle-orm'
import { qb } from '../../db/prepared.ts'
import { changedAt } from '../../db/record-change.ts'
import { inventory, locations, orders, products, replacedValues } from '../../db/tables.ts'
import { OWN_SEQ, REMEMBERED_SINCE } from '../../db/undo-days.ts'
import {
  EACH_PAIR,
  HAS_REPLACED,
  IS_ZEROED,
  PAIR,
  SLICE_COLUMNS,
  UNDO_POSITION,
} from '../../resources/inventory/replaced-pairs.ts'

/** Of the pairs whose quantities differ by now, so many are listed. */
export const CHANGED_LISTED_MAX = 1000

/** The seq of the audit row of the request that is taken back. */
const UNDONE_SEQ = sql`(select seq from audit_log where request_id = ${sql.placeholder('undone')})`

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
const ORDERS_OF = sql.placeholder('orders_of')
/** Null where there is nothing to own. */
const IS_VISIBLE = sql`(${ORDERS_OF} is null or first.resource is not 'orders'
  or exists (select 1 from orders where id = ${RECORD_ID} and partner_id = ${ORDERS_OF}))`

/** The request with this id, and what can be taken back of it. */
export const selectTarget = qb
  .select({
    seq: sql<number>`target.seq`.as('target_seq'),
    asked_at: sql<string>`target.created_at`.as('asked_at'),
    since: sql<string>`${REMEMBERED_SINCE}`.as('since'),
    undo_days: sql<number>`(select undo_days from workspace)`.as('undo_days'),
    resource: sql<Resource | null>`first.resource`.as('resource'),
    bytes: sql<number>`iif(${IS_STOCK}, 0, octet_length(first.replaced))`.as('bytes'),
    version: sql<number | null>`${VERSION}`.as('version'),
    version_now: sql<number | null>`${VERSION_NOW}`.as('version_now'),
    is_visible: sql<number>`${IS_VISIBLE}`.as('is_visible'),
  })
  .from(sql`${TARGET}`)
  .where(sql`target.request_id = ${sql.placeholder('undone')}`)

type Resource = (typeof replacedValues.$inferSelect)['resource']

/**
 * What the audit row of an undo names: the record, or the upload that is taken back. Null unless all of it can
 * be: see `refusalOf`.
 */
export const UNDONE_RECORD: SQL = sql`(
  select iif(${IS_STOCK}, target.request_id, ${RECORD_ID}) from ${TARGET}
  where target.request_id = ${sql.placeholder('undone')} and target.created_at >= ${REMEMBERED_SINCE}
    and first.resource in (select value from json_each(${sql.placeholder('resources')}))
    and ${IS_VISIBLE} and (${IS_STOCK} or ${VERSION_NOW} = ${VERSION}))`

/** The slices of stock of the request that is taken back, as `slice` wants them. */
const UNDONE_SLICES = sql`select ${SLICE_COLUMNS} from replaced_values
  where changed_in = ${UNDONE_SEQ} and resource = 'inventory' and ${HAS_REPLACED}`

/** The quantity that a pair gets back. */
const FORMER = sql`coalesce(${PAIR.from}, 0)`

/** Remembers the quantities that are still what the upload left, and what they are to be: so the undo is an upload. */
const rememberStock = qb.insert(replacedValues).select(
  sql`with slice as materialized (${UNDONE_SLICES}),
    own as materialized (
      select ${UNDO_POSITION} as position, (
        select json_group_array(json_array(stock.seq, stock.quantity, ${FORMER}))
        from ${EACH_PAIR} cross join inventory as stock on stock.seq = ${PAIR.seq}
        where stock.quantity = ${PAIR.to} and stock.quantity <> ${FORMER}
      ) as pairs from slice)
    select ${OWN_SEQ}, position, 'inventory', json_object('changed', json(pairs)) from own where pairs <> '[]'`,
)

/** What the undo itself has remembered. */
const OWN_PAIRS = sql`(select pair.value ->> 0 as seq, pair.value ->> 2 as quantity
  from replaced_values as slice cross join json_each(slice.replaced, '$.changed') as pair
  where slice.changed_in = ${OWN_SEQ} and slice.resource = 'inventory')`

const setStock = qb.run(
  sql`update ${inventory} set quantity = own.quantity, changed_in = ${OWN_SEQ},
    changed_by = ${sql.placeholder('request_id')},
    changed_at = (select created_at from audit_log where seq = ${OWN_SEQ})
  from ${OWN_PAIRS} as own where inventory.seq = own.seq`,
)

const rememberRecord = qb.insert(replacedValues).select(
  sql`select ${OWN_SEQ}, 0, resource, json_object(
      'id', replaced -> 'id', 'version', (replaced ->> 'version') + 1,
      'from', replaced -> 'to', 'to', replaced -> 'from',
      'lines', json(case json_type(replaced, '$.lines') when 'array' then (
        select json_group_array(json_array(
          value ->> 0, value ->> 3, value ->> 4, value ->> 1, value ->> 2))
        from json_each(replaced, '$.lines')) end))
    from replaced_values where changed_in = ${UNDONE_SEQ} and resource <> 'inventory'`,
)

/** What the undo itself has remembered of a PUT, and gives the record. */
const OWN = sql`(select replaced ->> 'id' as id, replaced -> 'to' as fields, replaced from replaced_values
  where changed_in = ${OWN_SEQ} and resource <> 'inventory') as own`

type RecordTable = typeof orders | typeof products | typeof locations

function setFields(table: RecordTable, names: string[], now: string) {
  const fields = names.map((name) => {
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
    setFields(orders, ORDER_FIELDS, now),
    setLines,
    setFields(products, ['quantity', 'is_active', 'cost', 'custom_fields'], now),
    setFields(locations, ['name', 'zone', 'aisle', 'metadata', 'is_active'], now),
  ]
}

const ORDER_FIELDS = [
  ...['customer_name', 'customer_info', 'notes', 'due_date', 'metadata', 'status'],
]

const PAIRS = sql`json_array_length(replaced, '$.changed')`

/** How much an undo has set back, from what it has remembered itself. */
export const selectSetBack = qb
  .select({
    restored: sql<number>`coalesce(sum(iif(resource = 'inventory', ${PAIRS}, 1))
      filter (where not (${IS_ZEROED})), 0)`.as('restored'),
    zeroed: sql<number>`coalesce(sum(${PAIRS}) filter (where ${IS_ZEROED}), 0)`.as('zeroed'),
  })
  .from(replacedValues)
  .where(sql`changed_in = ${OWN_SEQ}`)

/** A pair that somebody has changed since: neither what the upload left nor what it had been. */
export interface ChangedSince {
  location_code: string
  sku_code: string
  from: number | null
  to: number
  quantity: number
}

/** The first of those pairs, and how many there are, after an undo; with `isBefore`, as it would leave them. */
function selectChangedSince(isBefore: boolean) {
  const isOther = isBefore
    ? sql`stock.quantity <> ${FORMER} and stock.quantity <> ${PAIR.to}`
    : sql`stock.quantity <> ${FORMER}`
  return selectPairs(
    sql`changed`,
    sql`with slice as materialized (${UNDONE_SLICES}),
    changed as materialized (${pairsThat(isOther)})`,
    CHANGED_LISTED_MAX,
  )
}

export const selectLeft = selectChangedSince(false)
export const selectDiffering = selectChangedSince(true)

/** The pairs of `slice` that meet the condition. */
export function pairsThat(condition: SQL): SQL {
  return sql`select stock.seq as seq, ${PAIR.from} as former, ${PAIR.to} as became, stock.quantity as quantity
    from slice cross join ${EACH_PAIR} cross join inventory as stock on stock.seq = ${PAIR.seq}
    where ${condition}`
}

/** Names the first pairs of a common table expression, each with the number of all. */
export function selectPairs(name: SQL, tables: SQL, limit: number) {
  return qb
    .select({
      location_code: sql<string>`location_code`.as('location_code'),
      sku_code: sql<string>`sku_code`.as('sku_code'),
      from: sql<number | null>`former`.as('former'),
      to: sql<number>`became`.as('became'),
      quantity: sql<number>`quantity`.as('quantity'),
      all: sql<number>`number`.as('number'),
    })
    .from(
      sql`(${tables} select stock.location_code, stock.sku_code, named.former, named.became, named.quantity,
        (select count(*) from ${name}) as number
        from (select * from ${name} limit ${sql.raw(String(limit))}) as named
        join inventory as stock on stock.seq = named.seq)`,
    )
}
