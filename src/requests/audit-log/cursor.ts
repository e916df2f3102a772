import { type ApiError, invalid } from '../../engine/errors.ts'
import {
  cursorError,
  digestOf,
  type PageQuery,
  type PageRequest,
  pageRequest,
} from '../../engine/json/pagination.ts'
import type { LogPlace, ScanOrder } from '../../engine/log/archive/scan.ts'

const MOVED = 'Rows have moved to the archive since the last page: start again without a cursor.'

const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)(?: ([\w~-]{1,64}))?$/
const ABOVE = /^above-(\d{1,15})$/

/** Such a cursor holds a time beside the seq. Filters may differ from page to page: presets of times move on. */
const HOLDS_TIME = { order: 'time' }

/** What a cursor of the log holds beside a seq. */
export interface LogCursor {
  /** The row's created_at. */
  holdsTime?: boolean
  /** In order by caller: its created_at and its id, by which the page goes on where the row is archived by then. */
  timeAndId?: string
  /** In order of the name: how far the log was archived. */
  above?: number
}

/** The page that a query asks for. 400 VALIDATION_ERROR for a cursor of something else. */
export function logPageRequest(tenant: string, paging: PageQuery): PageRequest {
  const isPlain = paging.cursor?.filters === undefined
  const { filters, ...request } = pageRequest(tenant, paging, isPlain ? {} : HOLDS_TIME)
  const { before_time: time } = request
  if (isPlain !== (time === undefined) || !(isPlain || isTime(time) || stepsAbove(time) !== null)) {
    throw cursorError()
  }
  return request
}

function isTime(text: string | undefined): boolean {
  const time = TIME.exec(text ?? '')?.[1]
  return time !== undefined && !Number.isNaN(Date.parse(time))
}

/** What the cursor of a page that ends at this place holds. */
export function logCursor(order: ScanOrder, last: LogPlace | null): LogCursor {
  if (order === 'seq') return {}
  if (order === 'time' || !last) return { holdsTime: true }
  return { timeAndId: `${last.created_at} ${last.request_id}` }
}

/** The place at which the last page ended, as far as its cursor tells; undefined for the first page. */
export function logPlaceAfter({ before, before_time }: PageRequest): LogPlace | undefined {
  if (before === undefined) return undefined
  const [, created_at = '', request_id = ''] = TIME.exec(before_time ?? '') ?? []
  return { seq: before, created_at, request_id }
}

/** What its cursor is made of, for `cutPage`. */
export function logCursorParts({
  holdsTime,
  timeAndId,
  above,
}: LogCursor): Pick<PageRequest, 'filters' | 'place'> {
  if (timeAndId !== undefined) return { filters: digestOf(HOLDS_TIME), place: timeAndId }
  if (above !== undefined) return { filters: digestOf(HOLDS_TIME), place: `above-${above}` }
  return holdsTime ? { filters: digestOf(HOLDS_TIME) } : {}
}

/** How far the log was archived at the page before, in order of the name; null if that page ended in the archive. */
export function stepsAbove(time: string | undefined): number | null {
  if (time === undefined) return 0
  const digits = ABOVE.exec(time)?.[1]
  return digits === undefined ? null : Number(digits)
}

export function startsAnew(): ApiError {
  return invalid({ cursor: [MOVED] }, 'INVALID_CURSOR')
}
