import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import { type FieldErrors, invalid } from '../errors.ts'
import { warningsOf } from './envelope.ts'
import { sendWhileMade, textParts } from './streaming.ts'

export type Cell = string | number | null

/** A page of a list as CSV. */
export interface CsvPage {
  /** The first line. */
  columns: readonly string[]
  /** The lines, in batches that are read when they are asked for. */
  batches: AsyncIterable<Cell[][]>
  /** Without `.csv`. */
  fileName: string
  next_cursor: string | null
  /** In ISO 8601: where a look-up stopped before its page was full. */
  searched_to: string | null
  /** Begins with a byte order mark, without which Excel takes UTF-8 for another encoding. */
  hasMark?: boolean
}

export const CSV_TYPE = 'text/csv; charset=utf-8'

// A spreadsheet takes a cell that begins like this for a formula, and runs it (OWASP, CSV injection).
// Where its list separator is a semicolon, one may begin within a cell.
const FORMULA = /(^|;\s*)(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g
const GUARDED = /(^|;\s*)'(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g

/**
 * 200 with CSV (RFC 4180) that is read while it is sent. `Link` has the next page, and `X-Searched-To` says where a
 * look-up stopped.
 */
export async function csvPage(c: Context<AppEnv>, page: CsvPage): Promise<Response> {
  const { columns, batches, hasMark = false } = page
  const parts = textParts(c.get('db').pace, csvHead(columns, { hasMark }), batches, (cells) => [
    csvLine(cells),
  ])
  return await sendWhileMade(c, parts, headersOf(c, page))
}

/** 400 VALIDATION_ERROR for a parameter without effect: CSV has no warnings. */
export function refuseWarnings(c: Context<AppEnv>): void {
  const fields = noEffect(c)
  if (Object.keys(fields).length > 0) throw invalid(fields)
}

/** An error for each field and parameter that `warnings` would name. */
export function noEffect(c: Context<AppEnv>): FieldErrors {
  const { warnings = [] } = warningsOf(c)
  const fields = warnings.map(({ field }) => [field, ['Has no effect: leave it out.']])
  return Object.fromEntries(fields)
}

/** The first line; with a byte order mark before it if the file is for a spreadsheet. */
export function csvHead(columns: readonly string[], { hasMark }: { hasMark: boolean }): string {
  return (hasMark ? '\ufeff' : '') + csvLine(columns)
}

/** A line with its end. A text that a spreadsheet would run begins with `'`, unless `isGuarded` is false. */
export function csvLine(cells: readonly Cell[], { isGuarded = true } = {}): string {
  return `${cells.map((cell) => cellText(cell, isGuarded)).join(',')}\r\n`
}

/** A text as a spreadsheet does not run it. */
export function guarded(text: string): string {
  return text.replace(FORMULA, "$1'")
}

/** A text of a guarded cell, as it was before. One that began with `'` itself may have been guarded or not. */
export function unguarded(cell: string): string {
  return cell.replace(GUARDED, '$1')
}

function cellText(cell: Cell, isGuarded: boolean): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell)
  const text = isGuarded ? guarded(cell) : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The name of a file, without its extension: what it holds, of which tenant, and when it was asked for. */
export function fileNameOf(resource: string, tenant: string): string {
  const now = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  return `${resource}-${tenant}-${now}Z`
}

function headersOf(
  c: Context<AppEnv>,
  { fileName, next_cursor, searched_to }: CsvPage,
): Record<string, string> {
  const next = new URL(c.get('exchange').url)
  if (next_cursor !== null) next.searchParams.set('cursor', next_cursor)
  return {
    'Content-Type': CSV_TYPE,
    'Content-Disposition': `attachment; filename="${fileName}.csv"`,
    ...(next_cursor !== null && { Link: `<${next}>; rel="next"` }),
    ...(searched_to !== null && { 'X-Searched-To': searched_to }),
  }
}
