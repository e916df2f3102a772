import * as z from 'zod'

export const LIMIT_MAX = 200
export const LIMIT_DEFAULT = 50
const CURSOR_FORMAT = '1'

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
      .transform((cursor, context) => {
        const before = decodeCursor(resource, cursor)
        if (before !== null) return before
        context.addIssue({
          code: 'custom',
          message: "Not a cursor of this list. Take it from the last answer's next_cursor.",
        })
        return z.NEVER
      })
      .optional(),
  }
}

export function PageQuery(resource: string) {
  return z.object(pageParams(resource)).transform(toPageRequest)
}

export function toPageRequest(query: { limit: number; cursor?: number | undefined }): PageRequest {
  return { limit: query.limit, before: query.cursor }
}

/** The opaque cursor of a row: base64url of format, resource and seq. */
export function encodeCursor(resource: string, seq: number): string {
  return btoa(`${CURSOR_FORMAT}.${resource}.${seq}`)
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** The seq in a cursor; null unless it is, to the letter, one that `encodeCursor` gave. */
export function decodeCursor(resource: string, cursor: string): number | null {
  if (!/^[\w-]{1,100}$/.test(cursor)) return null
  try {
    const text = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
    const seq = Number(text.split('.')[2])
    const valid = Number.isSafeInteger(seq) && encodeCursor(resource, seq) === cursor
    return valid ? seq : null
  } catch {
    return null
  }
}

/**
 * Cuts the one row that a list reads beyond its limit, which tells whether there is a next page.
 */
export function cutPage<Row extends { seq: number }>(
  resource: string,
  rows: Row[],
  limit: number,
): Page<Row> {
  const kept = rows.slice(0, limit)
  const last = kept.at(-1)
  const more = rows.length > limit && last !== undefined
  return { rows: kept, next_cursor: more ? encodeCursor(resource, last.seq) : null }
}
