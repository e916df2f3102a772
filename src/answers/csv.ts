import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import { invalid } from '../errors.ts'
import { inTurn, ownerOf } from '../middleware/memory.ts'
import { warningsOf } from './envelope.ts'
import { PART_LENGTH, sendParts } from './streaming.ts'

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

// A spreadsheet takes a cell that begins like this for a formula, and runs it (OWASP, CSV injection).
// Where its list separator is a semicolon, one may begin within a cell.
const FORMULA = /(^|;\s*)(?=[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20])/g

/**
 * 200 with CSV (RFC 4180) that is read while it is sent. `Link` has the next page, and `X-Searched-To` says where a
 * look-up stopped.
 */
export async function csvPage(c: Context<AppEnv>, page: CsvPage): Promise<Response> {
  const owner = ownerOf(c)
  const parts = partsOf(page)
  // Before the answer begins: an error of the database can still be told.
  let first: IteratorResult<string, void> | null = await inTurn(owner, () => parts.next())
  const next = async () => {
    const part = first ?? (await inTurn(owner, () => parts.next()))
    first = null
    return part.done ? null : part.value
  }
  return sendParts(c, 200, next, headersOf(c, page))
}

/** 400 VALIDATION_ERROR for a parameter without effect: CSV has no warnings. */
export function refuseWarnings(c: Context<AppEnv>): void {
  const { warnings = [] } = warningsOf(c)
  if (warnings.length === 0) return
  const fields = warnings.map(({ field }) => [field, ['Has no effect: leave it out.']])
  throw invalid(Object.fromEntries(fields))
}

/** A line with its end. A text that a spreadsheet would run begins with `'`. */
export function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(cellText).join(',')}\r\n`
}

function cellText(cell: Cell): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell)
  const guarded = cell.replace(FORMULA, "$1'")
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded
}

async function* partsOf({ columns, batches, hasMark }: CsvPage): AsyncGenerator<string, void> {
  let text = (hasMark ? '\ufeff' : '') + csvLine(columns)
  for await (const rows of batches) {
    for (const cells of rows) {
      text += csvLine(cells)
      if (text.length < PART_LENGTH) continue
      yield text
      text = ''
    }
  }
  if (text !== '') yield text
}

function headersOf(
  c: Context<AppEnv>,
  { fileName, next_cursor, searched_to }: CsvPage,
): Record<string, string> {
  const next = new URL(c.get('exchange').url)
  if (next_cursor !== null) next.searchParams.set('cursor', next_cursor)
  return {
    'Content-Type': 'text/csv; charset=utf-8',
    'Content-Disposition': `attachment; filename="${fileName}.csv"`,
    ...(next_cursor !== null && { Link: `<${next}>; rel="next"` }),
    ...(searched_to !== null && { 'X-Searched-To': searched_to }),
  }
}
