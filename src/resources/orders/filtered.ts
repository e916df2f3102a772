import { and, desc, eq, type SQL, sql } from 'drizzle-orm'
import { unionAll } from 'drizzle-orm/sqlite-core'
import { prepared, qb } from '../../db/prepared.ts'
import { orders } from '../../db/tables.ts'
import type { TenantDatabase } from '../../db/transact.ts'
import { narrowColumns, readPage } from '../../db/wide-rows.ts'
import type { PageRequest } from '../../document/pagination.ts'
import { notTogether } from '../../errors.ts'
import { type OrderFilters, STATUSES_MAX } from './schema.ts'
import { selectWideSummaries, summary } from './statements.ts'

const { created_seq, status, external_order_id, partner_id, created_at } = orders

/** Of these filters a list has one: each has an index of its own. */
const EXCLUSIVE = ['status', 'external_order_id', 'partner_id'] as const

/** As text, later than any created_at. */
const END_OF_TIME = '~'

const columns = narrowColumns({ ...summary, seq: created_seq }, ['order_number', 'customer_name'])

// A cast of to_seq would keep SQLite from finding the place in the index: it would read all orders of that moment. And
// of a place itself SQLite reads the row, with < as well as with <=.
const inRange = sql`created_at >= ${sql.placeholder('from')}
  and (created_at, created_seq) <= (${sql.placeholder('to')}, ${sql.placeholder('to_seq')})`

const newestFirst = [desc(created_at), desc(created_seq)]

/** Walks along the index of the condition, which ends with created_at and seq. */
function along(condition?: SQL) {
  return qb.select(columns).from(orders).where(and(condition, inRange))
}

function pageAlong(condition?: SQL) {
  return prepared(
    along(condition)
      .orderBy(...newestFirst)
      .limit(sql.placeholder('rows')),
  )
}

const selectCreated = pageAlong()
const selectExternal = pageAlong(eq(external_order_id, sql.placeholder('external_order_id')))
const selectOfPartner = pageAlong(eq(partner_id, sql.placeholder('partner_id')))
/** By the number of statuses, from 1 on. */
const selectInStatuses = Array.from({ length: STATUSES_MAX }, (_, more) => pageInStatuses(more + 1))

/** Walks along the index once for each status and merges the walks: SQLite reads one row ahead in each. */
function pageInStatuses(count: number) {
  const names = Array.from({ length: count }, (_, at) => statusName(at))
  const [first, second, ...rest] = names.map((name) => eq(status, sql.placeholder(name)))
  if (second === undefined) return pageAlong(first)
  const merged = unionAll(along(first), along(second), ...rest.map((other) => along(other)))
  return prepared(merged.orderBy(...newestFirst).limit(sql.placeholder('rows')))
}

function statusName(at: number): string {
  return `status_${at}`
}

/**
 * Summaries by created_at, newest first; one more than the limit if there are more. 400 SERVICE_ERROR for filters
 * that do not go together.
 */
export async function listFiltered(
  db: TenantDatabase,
  filters: OrderFilters,
  request: PageRequest,
) {
  refuseTogether(filters)
  const narrow = statementFor(filters).with({ ...valuesOf(filters), ...rangeOf(filters, request) })
  return await readPage(db, { narrow, whole: selectWideSummaries }, request)
}

function refuseTogether(filters: OrderFilters): void {
  const given = EXCLUSIVE.filter((name) => filters[name] !== undefined)
  if (given.length > 1) throw notTogether(given, `Send only one of: ${given.join(', ')}.`)
  const { created_from: from, created_to: to } = filters
  if (from !== undefined && to !== undefined && to < from) {
    throw notTogether(['created_from', 'created_to'], 'created_to is before created_from.')
  }
}

function statementFor({
  status: statuses,
  external_order_id: external,
  partner_id: id,
}: OrderFilters) {
  if (external !== undefined) return selectExternal
  if (id !== undefined) return selectOfPartner
  return selectInStatuses[(statuses?.length ?? 0) - 1] ?? selectCreated
}

function valuesOf({
  status: statuses = [],
  external_order_id: external,
  partner_id: id,
}: OrderFilters) {
  const byName = statuses.map((value, at) => [statusName(at), value])
  return { ...Object.fromEntries(byName), external_order_id: external, partner_id: id }
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
