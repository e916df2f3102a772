import * as z from 'zod'
import { invalid } from './errors.ts'

export const LIMIT_MAX = 200
export const LIMIT_DEFAULT = 50
const CURSOR_FORMAT = '2'
const NO_CURSOR = "Not a cursor of this list. Take it from the last answer's next_cursor."

/** What a list shows of its rows; the cursor is null where no more follow. */
export interface Page<Row> {
  rows: Row[]
  next_cursor: string | null
}

/** What a list query needs: rows older than `before` (a seq), newest first, `limit` of them. */
export interface PageRequest {
  limit: number
  before: number | undefined
}

/** Where a page of a tenant's list ended. */
export interface Cursor {
  tenant: string
  seq: number
}

/** `limit` and `cursor` of a list endpoint (spec 4, Pagination), for cursors of this resource. */
export function pageParams(resource: string) {
  return {
    limit: z
      .string()
      .regex(/^\d{1,9}$/, { error: `Must be an integer from 1 to ${LIMIT_MAX}.` })
      .transform(Number)
      .refine((limit) => limit >= 1 && limit <= LIMIT_MAX, {
        error: `Must be an integer from 1 to ${LIMIT_MAX}.`,
      })
      .default(LIMIT_DEFAULT),
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

/**
 * The page of the tenant's own list that a query asks for; 400 VALIDATION_ERROR for a cursor of
 * another tenant's.
 */
export function pageRequest(tenant: string, { limit, cursor }: PageQuery): PageRequest {
  if (cursor && cursor.tenant !== tenant) throw invalid({ cursor: [NO_CURSOR] })
  return { limit, before: cursor?.seq }
}

/** A page request as the placeholders of a list's statement: `before`, and `rows` to read. */
export function pageValues({ limit, before = Number.MAX_SAFE_INTEGER }: PageRequest) {
  return { before, rows: limit + 1 }
}

/** The opaque cursor of a row: base64url of format, tenant, resource and seq. */
export function encodeCursor(resource: string, { tenant, seq }: Cursor): string {
  return btoa(`${CURSOR_FORMAT}.${tenant}.${resource}.${seq}`)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** What a cursor says; null unless it is, to the letter, one that `encodeCursor` gave. */
export function decodeCursor(resource: string, text: string): Cursor | null {
  if (!/^[\w-]{1,200}$/.test(text)) return null
  try {
    const [, tenant = '', , digits] = atob(text.replaceAll('-', '+').replaceAll('_', '/')).split(
      '.',
    )
    const cursor = { tenant, seq: Number(digits) }
    const valid = Number.isSafeInteger(cursor.seq) && encodeCursor(resource, cursor) === text
    return valid ? cursor : null
  } catch {
    return null
  }
}

/**
 * Cuts the one row that a list reads beyond its limit, which tells whether there is a next page.
 */
export function cutPage<Row extends { seq: number }>(
  tenant: string,
  resource: string,
  rows: Row[],
  limit: number,
): Page<Row> {
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  const more = rows.length > limit && last !== undefined
  const next_cursor = more ? encodeCursor(resource, { tenant, seq: last.seq }) : null
  return { rows: kept, next_cursor }
}
