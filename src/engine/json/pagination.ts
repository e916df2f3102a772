import { createHash } from 'node:crypto'
import * as z from 'zod'
import { type ApiError, invalid } from '../errors.ts'

export const LIMIT_MAX = 200
export const LIMIT_DEFAULT = 50
const CURSOR_FORMAT = '2'
const NO_CURSOR =
  "Not a cursor of this list. Send the last answer's next_cursor, with the same filters."
const DIGEST = /^[\w-]{16}$/

/** One page of a list; the cursor is null on the last page. */
export interface Page<Row> {
  rows: Row[]
  next_cursor: string | null
}

/** The page that a list query reads: at most `limit` rows older than `before` (a seq), newest first. */
export interface PageRequest {
  limit: number
  before: number | undefined
  /** The created_at of the row `before`, if the list is in order of it; of another order, the value by which it is. */
  before_time?: string | undefined
  /** A digest of the list's filters; undefined without any. */
  filters?: string | undefined
  /** What the next page's cursor says in place of the last row's created_at, beside a digest. */
  place?: string | undefined
}

/** A row's place in a list. */
export interface ListPlace {
  seq: number
  /** Of a list in another order than of time, the value by which it is ordered. */
  created_at?: string
}

/** Where a page of a tenant's list ended. */
export interface Cursor {
  tenant: string
  /** The last row's: a positive safe integer. */
  seq: number
  /** A digest of the list's filters. A cursor leads through the list that it came from, and no other. */
  filters?: string | undefined
  /** The last row's, if the list has filters and shows it: such a list is in order of created_at. Or of another value. */
  created_at?: string | undefined
}

/** `limit` and `cursor` of a list endpoint (spec 4, Pagination); takes only cursors of this resource. */
export function pageParams(resource: string) {
  return {
    limit: limitParam(LIMIT_MAX).default(LIMIT_DEFAULT),
    ...cursorParam(resource),
  }
}

/** An integer from 1 to `most`. */
export function limitParam(most: number) {
  const error = notALimit(most)
  return z
    .string()
    .regex(/^\d{1,9}$/, { error })
    .transform(Number)
    .refine((limit) => limit >= 1 && limit <= most, { error })
}

export function notALimit(most: number): string {
  return `Must be an integer from 1 to ${most}.`
}

/** `cursor` of a list endpoint. */
export function cursorParam(resource: string) {
  return {
    cursor: z
      .string()
      .transform((text, context) => {
        const cursor = decodeCursor(resource, text)
        if (cursor !== null) return cursor
        context.addIssue({ code: 'custom', message: NO_CURSOR })
        return z.NEVER
      })
      .optional(),
  }
}

export function PageQuery(resource: string) {
  return z.object(pageParams(resource))
}
export type PageQuery = z.output<ReturnType<typeof PageQuery>>

/** Filters as the schema of their query parses them; undefined is no filter. */
export type Filters = Readonly<Record<string, string | number | string[] | undefined>>

/**
 * The page that a query asks for. 400 VALIDATION_ERROR if the cursor is from another tenant, or from a list
 * with other filters.
 */
export function pageRequest(
  tenant: string,
  { limit, cursor }: PageQuery,
  filters: Filters = {},
): PageRequest {
  const digest = digestOf(filters)
  if (cursor && (cursor.tenant !== tenant || cursor.filters !== digest)) {
    throw cursorError()
  }
  return { limit, before: cursor?.seq, before_time: cursor?.created_at, filters: digest }
}

/** For a cursor that is none of this list. */
export function cursorError(): ApiError {
  return invalid({ cursor: [NO_CURSOR] }, 'INVALID_CURSOR')
}

/** Undefined without filters. Their order does not matter. */
export function digestOf(filters: Filters): string | undefined {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined)
  if (given.length === 0) return undefined
  const text = JSON.stringify(given.toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return createHash('sha256').update(text).digest('base64url').slice(0, 16)
}

/** Values for a list's statement: `before`, and `rows` to read, one more than the limit (cutPage). */
export function pageValues({ limit, before = Number.MAX_SAFE_INTEGER }: PageRequest) {
  return { before, rows: limit + 1 }
}

/** The opaque cursor of a row: base64url of format, tenant, resource and seq, then filters and created_at. */
export function encodeCursor(resource: string, cursor: Cursor): string {
  const { tenant, seq, filters, created_at } = cursor
  const parts = [CURSOR_FORMAT, tenant, resource, seq, filters, created_at]
  return cursorText(parts.filter((part) => part !== undefined))
}

/** The text of a cursor that holds these parts: base64url. */
export function cursorText(parts: readonly (string | number)[]): string {
  return btoa(parts.join('.')).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

/** The parts that a cursor's text holds; null if it is none. A part with a dot counts as several. */
export function cursorParts(text: string): string[] | null {
  if (!/^[\w-]{1,200}$/.test(text)) return null
  try {
    return atob(text.replaceAll('-', '+').replaceAll('_', '/')).split('.')
  } catch {
    return null
  }
}

/** The content of a cursor; null unless `encodeCursor` returns exactly this text for it. */
export function decodeCursor(resource: string, text: string): Cursor | null {
  const [, tenant = '', , digits, filters, ...time] = cursorParts(text) ?? []
  const seq = Number(digits)
  const created_at = time.length > 0 ? time.join('.') : undefined
  const cursor = { tenant, seq, filters, created_at }
  const isSeq = Number.isSafeInteger(seq) && seq > 0
  const isDigest = filters === undefined || DIGEST.test(filters)
  return isSeq && isDigest && encodeCursor(resource, cursor) === text ? cursor : null
}

/** The rows within the limit, and the place at which the next page begins; null if there are no more rows. */
export function cutRows<Row extends ListPlace>(
  rows: Row[],
  limit: number,
  end: ListPlace | null = null,
): { kept: Row[]; last: ListPlace | null } {
  const kept = rows.slice(0, limit)
  return { kept, last: (rows.length > limit ? kept.at(-1) : end) ?? null }
}

/**
 * Removes the row that a list reads beyond its limit to learn whether there is a next page. `end` is where the
 * list stopped before it had all rows of the page.
 */
export function cutPage<Row extends ListPlace>(
  tenant: string,
  resource: string,
  rows: Row[],
  { limit, filters, place }: Pick<PageRequest, 'limit' | 'filters' | 'place'>,
  end: ListPlace | null = null,
): Page<Row> {
  const { kept, last } = cutRows(rows, limit, end)
  if (!last) return { rows: kept, next_cursor: null }
  const { seq, created_at } = { ...last, ...(place !== undefined && { created_at: place }) }
  const cursor = { tenant, seq, ...(filters !== undefined && { filters, created_at }) }
  return { rows: kept, next_cursor: encodeCursor(resource, cursor) }
}
