import { isRequest } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { isRequestId } from '../../engine/db/request-id.ts'
import { auditLog } from '../../engine/db/tables.ts'
import { cursorError, type PageRequest } from '../../engine/json/pagination.ts'
import { refuseReversed } from '../../engine/json/range.ts'
import { findArchived, timesOf } from '../../engine/log/archive/by-id.ts'
import { type Log, selectBoundary } from '../../engine/log/archive/entries.ts'
import type { LogRow } from '../../engine/log/archive/lines.ts'
import {
  type Asked,
  compare,
  type LogPlace,
  placeAbove,
  type ScanOrder,
  scanArchive,
} from '../../engine/log/archive/scan.ts'
import { notInLog } from '../../engine/log/not-in-log.ts'
import { type LogCursor, logCursor, logPlaceAfter, startsAnew, stepsAbove } from './cursor.ts'
import type { LogFilters } from './filters.ts'
import { markOf, matcherOf } from './matches.ts'
import { find, type Hot, orderOf, type SelectRows } from './queries.ts'
import { type LoggedRequest, loggedRecord, loggedRequest } from './record.ts'
import { narrow, narrowed, wideRecords } from './rows.ts'

/**
 * One more than the limit if there are more, newest first; by `record_name_prefix` in descending order of the
 * name, and then those of the archive, newest first. `from` is inclusive, `to` exclusive.
 */
export async function listAuditLog(log: Log, filters: LogFilters, request: PageRequest) {
  const { rows, end, cursor } = await findRows(log, filters, request, {
    select: (page) => qb.select(narrow).from(page),
    keep: narrowed,
  })
  return { rows: rows.map(loggedRecord), readWide: wideRecords(log), end, cursor }
}

/** The same list, of which `readRecords` reads the rows. */
export async function listSeqs(log: Log, filters: LogFilters, request: PageRequest) {
  const { seq, created_at, request_id } = auditLog
  return await findRows(log, filters, request, {
    select: (page) => qb.select({ seq, created_at, request_id }).from(page),
    keep: (row): LogPlace => ({
      seq: row.seq,
      created_at: row.created_at,
      request_id: row.request_id,
    }),
  })
}

/** 404 NOT_FOUND if the log has no such request, or not among those that can be looked through at once. */
export async function findRequest(log: Log, id: string): Promise<LoggedRequest> {
  const [[row], [boundary]] = await log.db.read([
    qb.select().from(auditLog).where(isRequest(id)),
    selectBoundary,
  ])
  if (row) return loggedRequest(row)
  const archived = boundary && (await findArchived(log, id, boundary))
  if (archived?.row) return loggedRequest(archived.row)
  throw notInLog(id, archived?.end?.created_at)
}

interface Page<Row> {
  rows: Row[]
  /** Where the look-up stopped before its page was full. */
  end: LogPlace | null
  /** What the page's cursor holds beside a seq. */
  cursor: LogCursor
}

/** How the rows of a page are read: from the database, and from the archive. */
interface Reading<Row> {
  select: SelectRows<Row>
  keep: (row: LogRow) => Row
}

/** Rows of the database, and of the archive below. */
async function findRows<Row extends LogPlace>(
  log: Log,
  filters: LogFilters,
  request: PageRequest,
  reading: Reading<Row>,
): Promise<Page<Row>> {
  refuseReversed(filters)
  const order = orderOf(filters)
  if (order === 'name') return await findByName(log, filters, request, reading)
  const { limit, before, before_time } = request
  if (before_time && stepsAbove(before_time) !== null) throw cursorError()
  const hot = await find(log.db, filters, request, reading.select)
  const cursorOf = (found: Pick<Hot<Row>, 'rows' | 'end'>) => ({
    ...found,
    cursor: logCursor(order, (found.rows.length > limit && found.rows[limit - 1]) || found.end),
  })
  const { boundary } = hot
  const { request_id } = filters
  if (!boundary || (request_id !== undefined && !isRequestId(request_id))) return cursorOf(hot)
  const until = hot.rows[limit] ?? hot.end
  const newest = placeAbove(boundary.archived_to, boundary.archived_at)
  if (until && compare(order, until, newest) <= 0) return cursorOf(hot)
  if (order !== 'seq' && before !== undefined && before_time === undefined) throw startsAnew()
  const after = logPlaceAfter(request)
  const cold = await scanArchive(
    log,
    { ...askedOf(filters, order, boundary), after, until: until ?? undefined, limit: limit + 1 },
    reading.keep,
  )
  return cursorOf(merged(order, hot, { ...cold, rows: cold.rows.map(({ row }) => row) }, limit))
}

function askedOf(filters: LogFilters, order: ScanOrder, { archived_to }: { archived_to: number }) {
  const { from, to, request_id } = filters
  const times = request_id === undefined ? {} : timesOf(request_id)
  return {
    order,
    archived_to,
    from: inOrder(from, times.from).at(-1),
    to: inOrder(to, times.to)[0],
    matches: matcherOf(filters),
    mark: markOf(filters),
  } satisfies Omit<Asked, 'limit'>
}

/** Beyond the place at which the first of both stopped, nothing is known. */
function merged<Row extends LogPlace>(
  order: ScanOrder,
  hot: Pick<Hot<Row>, 'rows' | 'end'>,
  cold: Pick<Hot<Row>, 'rows' | 'end'>,
  limit: number,
): Pick<Hot<Row>, 'rows' | 'end'> {
  const ends = [hot.end, cold.end].filter((end) => end !== null)
  const [end = null] = ends.sort((one, other) => compare(order, one, other))
  const rows = [...hot.rows, ...cold.rows]
    .filter((row) => end === null || compare(order, row, end) <= 0)
    .sort((one, other) => compare(order, one, other))
    .slice(0, limit + 1)
  return { rows, end: rows.length > limit ? null : end }
}

/**
 * The database's rows in order of their name, then the archive's, newest first. If rows have moved to the archive
 * meanwhile, some would come twice: 400 VALIDATION_ERROR then.
 */
async function findByName<Row extends LogPlace>(
  log: Log,
  filters: LogFilters,
  request: PageRequest,
  { select, keep }: Reading<Row>,
): Promise<Page<Row>> {
  const { limit, before, before_time } = request
  const above = before === undefined ? null : stepsAbove(before_time)
  const isHot = before === undefined || above !== null
  const hot: Hot<Row> = isHot
    ? await find(log.db, filters, request, select)
    : { rows: [], end: null, boundary: (await log.db.read([selectBoundary]))[0][0] }
  const archived_to = hot.boundary?.archived_to ?? 0
  if (above !== null && archived_to > above) throw startsAnew()
  const cursor: LogCursor = { above: archived_to }
  if (!hot.boundary || hot.rows.length > limit || hot.end) return { ...hot, cursor }
  const after = isHot ? undefined : logPlaceAfter(request)
  const asked = {
    ...askedOf(filters, 'seq', hot.boundary),
    after,
    limit: limit + 1 - hot.rows.length,
  }
  const cold = await scanArchive(log, asked, keep)
  const rows = [...hot.rows, ...cold.rows.map(({ row }) => row)]
  const endsHot = rows.length > limit && hot.rows.length === limit
  return { rows, end: cold.end, cursor: endsHot ? cursor : { holdsTime: true } }
}

function inOrder(...times: (string | undefined)[]): string[] {
  return times.filter((time) => time !== undefined).sort()
}
