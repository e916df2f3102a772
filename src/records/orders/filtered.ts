import { and, desc, eq, getTableColumns, type SQL, Subquery, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'
import { prepared, qb } from '../../engine/db/prepared.ts'
import { orders } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { narrowColumns, readPage } from '../../engine/db/wide-rows.ts'
import { notTogether } from '../../engine/errors.ts'
import type { Filters, PageRequest } from '../../engine/json/pagination.ts'
import { refuseReversed } from '../../engine/json/range.ts'
import { ORDER_STATUSES, Order } from '../../engine/model/order.ts'
import { type OrderFilters, STATUSES_MAX } from './schema.ts'
import { LONG, orderSummary, selectWideSummaries } from './statements.ts'

const { created_seq, status, order_number, external_order_id, partner_id, created_at } = orders

/** Of these filters a list has one: each has an index of its own. */
const EXCLUSIVE = ['status', 'order_number', 'external_order_id', 'partner_id'] as const

/** As text, later than any created_at. */
const END_OF_TIME = '~'

const columns = narrowColumns({ ...orderSummary, seq: created_seq }, LONG)

// A cast of to_seq would keep SQLite from finding the place in the index: it would read all orders of that moment. And
// of a place itself SQLite reads the row, with < as well as with <=.
const inRange = sql`created_at >= ${sql.placeholder('from')}
  and (created_at, created_seq) <= (${sql.placeholder('to')}, ${sql.placeholder('to_seq')})`

const newestFirst = [desc(created_at), desc(created_seq)]

/** Walks along the index of the condition, which ends with created_at and seq. */
function along(condition?: SQL) {
  return qb.select(columns).from(orders).where(and(condition, inRange))
}

function selectAlong(condition?: SQL) {
  return along(condition)
    .orderBy(...newestFirst)
    .limit(sql.placeholder('rows'))
}

function pageAlong(condition?: SQL) {
  return prepared(() => selectAlong(condition))
}

const ordersOf = sql.placeholder('orders_of')
const isOwn = eq(partner_id, ordersOf)
const isOfPartner = eq(partner_id, sql.placeholder('partner_id'))
const isNumbered = eq(order_number, sql.placeholder('order_number'))
const isExternal = eq(external_order_id, sql.placeholder('external_order_id'))

/** The lists of all orders. */
const OF_ALL = {
  created: prepared(selectInAnyStatus) as ReturnType<typeof pageAlong>,
  numbered: pageAlong(isNumbered),
  external: pageAlong(isExternal),
  ofPartner: pageAlong(isOfPartner),
  inStatuses: pagesInStatuses(),
}

/** The lists of the orders of one partner, each along an index that begins with the partner. */
const OF_ONE: typeof OF_ALL = {
  created: pageAlong(isOwn),
  numbered: pageAlong(and(isNumbered, isOwn)),
  external: pageAlong(isOwnAnd(isExternal)),
  // Compares both values before it reads: those of another partner are none.
  ofPartner: pageAlong(and(isOfPartner, sql`${sql.placeholder('partner_id')} = ${ordersOf}`)),
  inStatuses: pagesInStatuses(isOwnAnd),
}

/** By the number of statuses, from 1 on. */
function pagesInStatuses(narrowed = (condition: SQL): SQL | undefined => condition) {
  return Array.from({ length: STATUSES_MAX }, (_, more) => pageInStatuses(more + 1, narrowed))
}

/** Walks along the index once for each status and merges the walks: SQLite reads one row ahead in each. */
function pageInStatuses(count: number, narrowed: (condition: SQL) => SQL | undefined) {
  return prepared(() => {
    const conditions = Array.from({ length: count }, (_, at) =>
      narrowed(eq(status, sql.placeholder(statusName(at)))),
    )
    const [first, second, ...rest] = conditions
    if (second === undefined) return selectAlong(first)
    const merged = unionAll(along(first), along(second), ...rest.map((other) => along(other)))
    return merged.orderBy(...newestFirst).limit(sql.placeholder('rows'))
  })
}

/**
 * Merges the walks of all statuses. D1 takes five parts in a UNION, so the parts of this one are such themselves, and
 * SQLite merges them all: no LIMIT may stand inside. An index of created_at alone would cost each order a row more.
 */
function selectInAnyStatus() {
  const halves = [ORDER_STATUSES.slice(0, STATUSES_MAX), ORDER_STATUSES.slice(STATUSES_MAX)]
  const names = Order.lists.map((name) => sql.identifier(name))
  const merges = halves.map((statuses) => {
    const walks = statuses.map(
      (value) => sql`select ${sql.join(names, sql`, `)}, created_seq
        from ${orders} where status = ${value} and ${inRange}`,
    )
    return sql`select * from (${sql.join(walks, sql` union all `)})`
  })
  const page = sql`${sql.join(merges, sql` union all `)}
    order by created_at desc, created_seq desc limit ${sql.placeholder('rows')}`
  const walked = new Subquery(page, getTableColumns(orders), 'orders')
  return qb.select(columns).from(walked)
}

/** Without `unlikely`, SQLite takes a narrower index, which has one of the two columns, and goes through more rows. */
function isOwnAnd(condition: SQL): SQL | undefined {
  return and(isOwn, sql`unlikely(${condition})`)
}

function statusName(at: number): string {
  return `status_${at}`
}

/** Which list it is, for its cursors: the orders of one partner are a list of their own. */
export function listAsked(filters: OrderFilters, orders_of: string | null) {
  const isWhole = Object.values(filters).every((value) => value === undefined)
  const asked: Filters = { ...filters, orders_of: orders_of ?? undefined }
  return { asked, isWhole }
}

/**
 * Summaries by created_at, newest first; one more than the limit if there are more. With `orders_of`, of no other
 * partner's orders. 400 VALIDATION_ERROR for filters that do not go together.
 */
export async function listFiltered(
  db: TenantDatabase,
  { orders_of, ...filters }: OrderFilters & { orders_of: string | null },
  request: PageRequest,
) {
  refuseTogether(filters)
  const statement = statementFor(orders_of === null ? OF_ALL : OF_ONE, filters)
  const values = { ...valuesOf(filters), ...rangeOf(filters, request), orders_of }
  const narrow = statement.with(values)
  return await readPage(db, { narrow, whole: selectWideSummaries }, request)
}

function refuseTogether(filters: OrderFilters): void {
  const given = EXCLUSIVE.filter((name) => filters[name] !== undefined)
  if (given.length > 1) throw notTogether(given, `Send only one of: ${given.join(', ')}.`)
  const { created_from: from, created_to: to } = filters
  refuseReversed({ from, to }, ['created_from', 'created_to'])
}

function statementFor(
  { created, numbered, external, ofPartner, inStatuses }: typeof OF_ALL,
  filters: OrderFilters,
) {
  if (filters.order_number !== undefined) return numbered
  if (filters.external_order_id !== undefined) return external
  if (filters.partner_id !== undefined) return ofPartner
  return inStatuses[(filters.status?.length ?? 0) - 1] ?? created
}

function valuesOf({ status: statuses = [], ...filters }: OrderFilters) {
  const { order_number, external_order_id, partner_id } = filters
  const byName = statuses.map((value, at) => [statusName(at), value])
  return { ...Object.fromEntries(byName), order_number, external_order_id, partner_id }
}

/** From created_from on, to created_to or to the row at which the last page ended. */
function rangeOf(
  { created_from = '', created_to = END_OF_TIME }: OrderFilters,
  request: PageRequest,
) {
  const { before, before_time = '' } = request
  if (before === undefined) return { from: created_from, to: created_to, to_seq: 0 }
  return { from: created_from, to: before_time, to_seq: before - 1 }
}
