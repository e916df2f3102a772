import { and, getTableColumns, type SQL, Subquery, sql } from 'drizzle-orm'
import { isRequest, rowsOfCallers } from '../../engine/db/log-look-ups.ts'
import { firstSeqAfter, firstSeqSince } from '../../engine/db/log-position.ts'
import { literal, type Query, qb } from '../../engine/db/prepared.ts'
import { auditLog } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { ROW_BYTES_MAX } from '../../engine/db/wide-rows.ts'
import { invalid, unavailable } from '../../engine/errors.ts'
import type { PageRequest } from '../../engine/json/pagination.ts'
import { type Boundary, selectBoundary } from '../../engine/log/archive/entries.ts'
import type { LogPlace, ScanOrder } from '../../engine/log/archive/scan.ts'
import { logPlaceAfter, startsAnew } from './cursor.ts'
import { type LogFilters, matching } from './filters.ts'

/** For a page, at most this many rows are compared with filters that have no index. */
export const ROWS_COMPARED_MAX = 100_000

const MOVING = 'Rows are moving to the archive of the audit log. Repeat this call.'
/** How often a page is read if rows move to the archive meanwhile. They move once in some minutes. */
const TRIES_MAX = 2
const GONE = 'The row at which the last page ended has been deleted: start again without a cursor.'

const { seq, created_at, request_id } = auditLog
const columns = getTableColumns(auditLog)

/** Rows of the database. */
export interface Hot<Row> {
  rows: Row[]
  /** Where a look-up stopped that has compared ROWS_COMPARED_MAX rows. Its page goes on from there. */
  end: LogPlace | null
  /** Where the archive begins, at the time of the look-up. */
  boundary: Boundary | undefined
}

/** The columns by which a filter's rows are in order, all descending. */
export function orderOf(filters: LogFilters): ScanOrder | 'name' {
  const [first, second] = indexFor(filters, undefined)?.order ?? ['seq']
  if (first === 'record_name') return 'name'
  if (second === 'request_id') return 'caller'
  return first === 'seq' ? 'seq' : 'time'
}

/** What is selected of the rows of a page. */
export type SelectRows<Row> = (page: Subquery) => Query & { _: { result: Row[] } }

/** The newest rows of the database first; by `record_name_prefix` in descending order of the name. */
export async function find<Row extends { seq: number }>(
  db: TenantDatabase,
  filters: LogFilters,
  request: PageRequest,
  select: SelectRows<Row>,
): Promise<Hot<Row>> {
  const index = indexFor(filters, request.before)
  return index
    ? await findAlong(db, index, filters, request, select)
    : await findInOrder(db, filters, request, select)
}

// Of a further page, a plus keeps SQLite from entering an index at an upper bound: it has to enter where the
// last page ended.

/** An index that leads to the rows of a filter. */
interface Index {
  /** The SELECT of these rows, in the order of the index. */
  rows: (condition: SQL, limit: number) => SQL
  /** The columns that give the order, all descending. */
  order: (keyof typeof auditLog.$inferSelect)[]
  /** The filter that the index answers, besides `from` and `to`. */
  answers: keyof LogFilters
}

function indexFor(filters: LogFilters, before: number | undefined): Index | null {
  const { request_id: id, record_name, record_name_prefix: prefix } = filters
  if (id !== undefined) return indexOf('request_id', isRequest(id))
  if (record_name !== undefined) return indexOf('record_name', sql`record_name = ${record_name}`)
  if (prefix !== undefined) {
    const last = `${prefix}\u{10ffff}`
    const upTo = before ? sql`+record_name < ${last}` : sql`record_name < ${last}`
    return indexOf('record_name_prefix', sql`record_name >= ${prefix} and ${upTo}`)
  }
  for (const answers of ['api_key_id', 'partner_id'] as const) {
    const value = filters[answers]
    if (value !== undefined) return indexOfCallers(answers, value)
  }
  return null
}

function indexOf(answers: keyof LogFilters, leads: SQL): Index {
  const order: Index['order'] = ['created_at', 'seq']
  if (answers === 'record_name_prefix') order.unshift('record_name')
  const newestFirst = sql.raw(order.map((name) => `${name} desc`).join(', '))
  const rows: Index['rows'] = (condition, limit) => sql`select * from audit_log
    where ${leads} and ${condition} order by ${newestFirst} limit ${literal(limit)}`
  return { rows, order, answers }
}

function indexOfCallers(answers: 'api_key_id' | 'partner_id', value: string): Index {
  const rows: Index['rows'] = (condition, limit) =>
    rowsOfCallers({ [answers]: value }, condition, limit)
  return { rows, order: ['created_at', 'request_id'], answers }
}

/** In the order of the index. Compares at most ROWS_COMPARED_MAX of its rows with the other filters. */
async function findAlong<Row>(
  db: TenantDatabase,
  index: Index,
  filters: LogFilters,
  request: PageRequest,
  select: SelectRows<Row>,
  tries = TRIES_MAX,
): Promise<Hot<Row>> {
  const { rows: rowsAlong, order, answers } = index
  const { limit, before } = request
  // In order of the name, a range is no part of the index.
  const isByTime = order[0] === 'created_at'
  const range = inRange(filters, before)
  const others = [...matching(filters, answers), ...(isByTime ? [] : range)]
  const bounds = [...(isByTime ? range : []), ...afterRow(order, logPlaceAfter(request))]
  const rowsFrom = (most: number, ...more: SQL[]) =>
    new Subquery(rowsAlong(allOf([...bounds, ...more]), most), columns, 'audit_log')
  // SQLite gives the rows of a limited subquery one by one, in its order.
  const page = qb
    .select(columns)
    .from(rowsFrom(others.length > 0 ? ROWS_COMPARED_MAX : limit + 1))
    .where(and(...others))
    .limit(limit + 1)
  const [rows, [state], [boundary]] = await db.read(
    [select(page.as('audit_log')), stateOf(before), selectBoundary],
    { row_bytes_max: ROW_BYTES_MAX },
  )
  if (before !== undefined && !isByTime && state?.name == null) {
    throw boundary && boundary.archived_to >= before
      ? startsAnew()
      : invalid({ cursor: [GONE] }, 'INVALID_CURSOR')
  }
  if (others.length === 0 || rows.length > limit) return { rows, end: null, boundary }
  const [[last], [boundaryNow]] = await db.readOn([
    qb
      .select({ seq, created_at, request_id })
      .from(rowsFrom(ROWS_COMPARED_MAX, sql`seq <= ${state?.newest}`))
      .limit(1)
      .offset(ROWS_COMPARED_MAX - 1),
    selectBoundary,
  ])
  // Rows that have moved meanwhile are neither in `last` nor below `boundary`.
  if (boundaryNow?.archived_to !== boundary?.archived_to) {
    if (tries === 1) throw unavailable(MOVING, 'RECORD_CHANGING')
    return await findAlong(db, index, filters, request, select, tries - 1)
  }
  return { rows, end: last ?? null, boundary }
}

/** The newest row, and the name of the row at which the last page ended. */
function stateOf(before: number | undefined) {
  const name = sql<string | null>`(select record_name from audit_log where seq = ${before ?? 0})`
  return qb.select({ newest: sql<number>`max(seq)`, name: name.as('name') }).from(auditLog)
}

/** In order of seq. Compares at most ROWS_COMPARED_MAX rows with the filters. */
async function findInOrder<Row>(
  db: TenantDatabase,
  filters: LogFilters,
  { limit, before }: PageRequest,
  select: SelectRows<Row>,
): Promise<Hot<Row>> {
  const conditions = allOf([...inRange(filters, before), ...matching(filters)])
  const bounds = boundsOf(filters, before)
  const page = sql`${bounds}
    select * from ${auditLog} where seq < (select start from bounds)
      and seq >= (select max(least, since) from bounds) and ${conditions}
    order by seq desc limit ${limit + 1}`
  const older = sql`${bounds}
    select seq, created_at, request_id from ${auditLog} where seq < (select least from bounds)
      and seq >= (select since from bounds)
    order by seq desc limit 1`
  const [rows, [next], [boundary]] = await db.read(
    [
      select(new Subquery(page, columns, 'audit_log')),
      qb.select({ seq, created_at, request_id }).from(new Subquery(older, columns, 'audit_log')),
      selectBoundary,
    ],
    { row_bytes_max: ROW_BYTES_MAX },
  )
  const isFull = rows.length > limit
  return { rows, end: next && !isFull ? { ...next, seq: next.seq + 1 } : null, boundary }
}

/** A page has rows with `least <= seq < start`, and `seq >= since`. */
function boundsOf({ from, to }: LogFilters, before: number | undefined): SQL {
  const end = to === undefined ? sql`(select max(seq) + 1 from ${auditLog})` : firstSeqAfter(to)
  const start = before === undefined ? sql`coalesce(${end}, 0)` : sql`cast(${before} as integer)`
  const since = from === undefined ? sql`0` : firstSeqSince(from)
  return sql`with position as materialized (select ${start} as start, ${since} as since),
    bounds as materialized (select start, since, start - ${literal(ROWS_COMPARED_MAX)} as least from position)`
}

function inRange({ from, to }: LogFilters, before: number | undefined): SQL[] {
  const until = before ? sql`+created_at < ${to}` : sql`created_at < ${to}`
  return [
    ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
    ...(to === undefined ? [] : [until]),
  ]
}

/** The rows that follow this place in the order of these columns. Values that the place lacks are read from its row. */
function afterRow(order: Index['order'], after: LogPlace | undefined): SQL[] {
  if (!after) return []
  const told: Partial<Record<keyof typeof columns, unknown>> = { ...after }
  const names = order.map((name) => sql.raw(name))
  const values = order.map((name) =>
    // In order of the name the cursor holds something else.
    told[name] && order[0] !== 'record_name'
      ? sql`${told[name]}`
      : sql`(select ${sql.raw(name)} from audit_log where seq = ${after.seq})`,
  )
  return [sql`(${sql.join(names, sql`, `)}) < (${sql.join(values, sql`, `)})`]
}

function allOf(conditions: SQL[]): SQL {
  return sql.join([sql`true`, ...conditions], sql` and `)
}
