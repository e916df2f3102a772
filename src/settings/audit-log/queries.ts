import { and, desc, eq, getTableColumns, gte, lt, lte, type SQL, Subquery, sql } from 'drizzle-orm'
import { firstSeqAfter, firstSeqSince } from '../../db/log-position.ts'
import { prepared, type Query, qb } from '../../db/prepared.ts'
import { auditLog } from '../../db/tables.ts'
import type { TenantDatabase } from '../../db/transact.ts'
import {
  BATCH_BYTES_MAX,
  isAmong,
  type List,
  narrowColumns,
  ROW_BYTES_MAX,
  wholeColumns,
  wholeRows,
  wideReader,
} from '../../db/wide-rows.ts'
import type { PageRequest } from '../../document/pagination.ts'
import { ApiError, invalid } from '../../errors.ts'
import { type Filters, matching } from './filters.ts'
import { type AuditRecord, type LoggedRequest, recordOf, requestOf } from './record.ts'

/** For a page, at most this many rows are compared with filters that have no index. */
export const COMPARED_MAX = 100_000

/** So many rows are read at a time for an answer that is sent while it is read. */
const BATCH_ROWS = 500

const GONE = 'The row at which the last page ended has been deleted: start again without a cursor.'

const { seq, created_at, request_id } = auditLog
const { details, error_fields, settings_version, record_id, list_page, ...columns } =
  getTableColumns(auditLog)
const narrow = narrowColumns(columns, [
  'api_key_name',
  'partner_name',
  'path',
  'notes',
  'record_name',
  'message',
])
const selectNarrow = prepared(qb.select(narrow).from(auditLog).where(isAmong(auditLog.seq)))
const selectWide = prepared(
  qb.select(wholeColumns(columns)).from(auditLog).where(isAmong(auditLog.seq)),
)

/** Where a look-up stopped that has compared COMPARED_MAX rows. Its page goes on from there. */
export interface End {
  seq: number
  created_at: string
}

export interface LogList extends List<AuditRecord> {
  end: End | null
}

/**
 * One more than the limit if there are more, newest first; by `record_name_prefix` in descending order of the
 * name. `from` is inclusive, `to` exclusive.
 */
export async function listAuditLog(
  db: TenantDatabase,
  filters: Filters,
  request: PageRequest,
): Promise<LogList> {
  const { rows, end } = await find(db, filters, request, (page) => qb.select(narrow).from(page))
  return { rows: rows.map(recordOf), readWide: wideRecords(db), end }
}

/** The same list, of which `readRecords` reads the rows. */
export async function listSeqs(db: TenantDatabase, filters: Filters, request: PageRequest) {
  return await find(db, filters, request, (page) => qb.select({ seq }).from(page))
}

/** Yields these rows in batches, in this order, each batch when it is asked for. Leaves deleted ones out. */
export async function* readRecords(db: TenantDatabase, seqs: number[]) {
  const readWide = wideRecords(db)
  for (let at = 0; at < seqs.length; at += BATCH_ROWS) {
    const asked = seqs.slice(at, at + BATCH_ROWS)
    const values = { seqs: JSON.stringify(asked), row_bytes_max: BATCH_BYTES_MAX / 2 / BATCH_ROWS }
    const [rows] = await db.readOn([selectNarrow], values)
    const bySeq = new Map(rows.map((row) => [row.seq, recordOf(row)]))
    yield* wholeRows({ rows: asked.flatMap((one) => bySeq.get(one) ?? []), readWide })
  }
}

function wideRecords(db: TenantDatabase) {
  const readWide = wideReader(db, selectWide)
  return async (seqs: number[]) => (await readWide(seqs)).map(recordOf)
}

/** 404 NOT_FOUND if the log has no such request. */
export async function findRequest(db: TenantDatabase, id: string): Promise<LoggedRequest> {
  const [[row]] = await db.read([qb.select().from(auditLog).where(eq(request_id, id))])
  if (row) return requestOf(row)
  throw new ApiError('NOT_FOUND', `The audit log has no request with the id "${id}".`)
}

/** What is selected of the rows of a page. */
type Select<Row> = (page: Subquery) => Query & { _: { result: Row[] } }

/** The newest rows first; by `record_name_prefix` in descending order of the name. */
export async function find<Row extends { seq: number }>(
  db: TenantDatabase,
  filters: Filters,
  request: PageRequest,
  select: Select<Row>,
): Promise<{ rows: Row[]; end: End | null }> {
  const index = indexFor(filters, request.before)
  return index
    ? await findAlong(db, index, filters, request, select)
    : await findInOrder(db, filters, request, select)
}

// Of a further page, a plus keeps SQLite from entering an index at an upper bound: it has to enter where the
// last page ended.

/** An index that leads to the rows of a filter. */
interface Index {
  condition: SQL | undefined
  /** The columns that give the order, all descending. */
  order: (keyof typeof auditLog.$inferSelect)[]
  /** The filter that the index answers, besides `from` and `to`. */
  answers: keyof Filters
}

function indexFor(filters: Filters, before: number | undefined): Index | null {
  const { request_id: id, record_name, record_name_prefix: prefix } = filters
  const order = ['created_at', 'seq'] as Index['order']
  if (id !== undefined) return { order, condition: eq(request_id, id), answers: 'request_id' }
  if (record_name !== undefined) {
    return { order, condition: eq(auditLog.record_name, record_name), answers: 'record_name' }
  }
  if (prefix !== undefined) {
    const last = `${prefix}\u{10ffff}`
    const upTo = before ? sql`+record_name < ${last}` : sql`record_name < ${last}`
    const condition = and(sql`record_name >= ${prefix}`, upTo)
    return { order: ['record_name', ...order], condition, answers: 'record_name_prefix' }
  }
  for (const answers of ['api_key_id', 'partner_id'] as const) {
    const value = filters[answers]
    if (value !== undefined) return { order, condition: eq(auditLog[answers], value), answers }
  }
  return null
}

/** In the order of the index. Compares at most COMPARED_MAX of its rows with the other filters. */
async function findAlong<Row>(
  db: TenantDatabase,
  { condition, order, answers }: Index,
  filters: Filters,
  { limit, before }: PageRequest,
  select: Select<Row>,
) {
  // In order of the name, a range is no part of the index.
  const isByTime = order[0] === 'created_at'
  const range = inRange(filters, before)
  const others = [...matching(filters, answers), ...(isByTime ? [] : range)]
  const rowsFrom = (newest?: number) =>
    qb
      .select()
      .from(auditLog)
      .where(
        and(
          condition,
          ...(isByTime ? range : []),
          afterRow(order, before),
          newest === undefined ? undefined : lte(seq, newest),
        ),
      )
      .orderBy(...order.map((name) => desc(auditLog[name])))
      .$dynamic()
  // SQLite gives the rows of a limited subquery one by one, in its order.
  const page = qb
    .select()
    .from(
      rowsFrom()
        .limit(others.length > 0 ? COMPARED_MAX : limit + 1)
        .as('audit_log'),
    )
    .where(and(...others))
    .limit(limit + 1)
  const [rows, [state]] = await db.read([select(page.as('audit_log')), stateOf(before)], {
    row_bytes_max: ROW_BYTES_MAX,
  })
  if (before !== undefined && !isByTime && state?.name == null) throw invalid({ cursor: [GONE] })
  if (others.length === 0 || rows.length > limit) return { rows, end: null }
  const [[last]] = await db.readOn([
    rowsFrom(state?.newest)
      .limit(1)
      .offset(COMPARED_MAX - 1),
  ])
  return { rows, end: last ?? null }
}

/** The newest row, and the name of the row at which the last page ended. */
function stateOf(before: number | undefined) {
  const name = sql<string | null>`(select record_name from audit_log where seq = ${before ?? 0})`
  return qb.select({ newest: sql<number>`max(seq)`, name: name.as('name') }).from(auditLog)
}

/** In order of seq. Compares at most COMPARED_MAX rows with the filters. */
async function findInOrder<Row>(
  db: TenantDatabase,
  filters: Filters,
  { limit, before }: PageRequest,
  select: Select<Row>,
) {
  const conditions = and(...inRange(filters, before), ...matching(filters))
  const bounds = boundsOf(filters, before)
  const page = sql`${bounds}
    select * from ${auditLog} where seq < (select start from bounds)
      and seq >= (select max(least, since) from bounds) ${conditions ? sql`and ${conditions}` : sql``}
    order by seq desc limit ${limit + 1}`
  const older = sql`${bounds}
    select seq, created_at from ${auditLog} where seq < (select least from bounds)
      and seq >= (select since from bounds)
    order by seq desc limit 1`
  const [rows, [next]] = await db.read(
    [
      select(new Subquery(page, columns, 'audit_log')),
      qb.select({ seq, created_at }).from(new Subquery(older, columns, 'audit_log')),
    ],
    { row_bytes_max: ROW_BYTES_MAX },
  )
  const isFull = rows.length > limit
  return { rows, end: next && !isFull ? { ...next, seq: next.seq + 1 } : null }
}

/** A page has rows with `least <= seq < start`, and `seq >= since`. */
function boundsOf({ from, to }: Filters, before: number | undefined): SQL {
  const end = to === undefined ? sql`(select max(seq) + 1 from ${auditLog})` : firstSeqAfter(to)
  const start = before === undefined ? sql`coalesce(${end}, 0)` : sql`cast(${before} as integer)`
  const since = from === undefined ? sql`0` : firstSeqSince(from)
  return sql`with position as materialized (select ${start} as start, ${since} as since),
    bounds as materialized (select start, since, start - ${sql.raw(String(COMPARED_MAX))} as least from position)`
}

function inRange({ from, to }: Filters, before: number | undefined): (SQL | undefined)[] {
  return [
    from === undefined ? undefined : gte(created_at, from),
    to === undefined ? undefined : before ? sql`+created_at < ${to}` : lt(created_at, to),
  ]
}

/** The rows that follow the row `before` in the order of these columns. */
function afterRow(order: Index['order'], before: number | undefined): SQL | undefined {
  if (before === undefined) return undefined
  const names = order.map((name) => sql.raw(name))
  const values = order.map((name) =>
    name === 'seq' ? before : sql`(select ${sql.raw(name)} from audit_log where seq = ${before})`,
  )
  const list = (parts: unknown[]) =>
    sql.join(
      parts.map((part) => sql`${part}`),
      sql`, `,
    )
  return sql`(${list(names)}) < (${list(values)})`
}
