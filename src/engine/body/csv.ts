import type { Context } from 'hono'
import Papa from 'papaparse'
import type { AppEnv } from '../env.ts'
import { type ApiError, invalid } from '../errors.ts'
import { isLarge, takeLargeWork } from '../exchange/memory.ts'
import { VALUES_MAX } from '../json/fields.ts'
import type { JsonObject } from '../json/json-object.ts'
import { shortened } from '../json/messages.ts'
import { readBytes, refuseEncoding } from './payload.ts'

/** What may stand between cells, by the names that messages have for it. */
const SEPARATORS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }
type Separator = keyof typeof SEPARATORS
const CELL_ENDS = new Set(
  [...Object.keys(SEPARATORS), '\n', '\r'].map((mark) => mark.charCodeAt(0)),
)

/** Whether the request says that its body is CSV. */
export function sendsCsv(c: Context<AppEnv>): boolean {
  const [type = ''] = (c.req.header('Content-Type') ?? '').split(';')
  return type.trim().toLowerCase() === 'text/csv'
}

/**
 * The rows of a CSV body (RFC 4180, UTF-8) as objects, with commas between cells, or semicolons or tabs where the first
 * line has those. That line names these columns, in any order; `needed` must be among them. An empty cell is no member.
 * 400 VALIDATION_ERROR names what is wrong with the file as a whole.
 */
export async function readCsv(
  c: Context<AppEnv>,
  columns: readonly string[],
  needed: readonly string[],
): Promise<JsonObject[]> {
  const bytes = await readBytes(c)
  refuseEncoding(c)
  if (isLarge(bytes.length)) await takeLargeWork(c, bytes.length)
  return await c.get('db').pace.inTurn(bytes.length, () => rowsOfCsv(bytes, columns, needed))
}

/** As `readCsv`, of a file that is in memory. */
export function rowsOfCsv(
  bytes: Uint8Array,
  columns: readonly string[],
  needed: readonly string[],
): JsonObject[] {
  refuseMany(bytes)
  const text = textOf(bytes)
  const delimiter = separatorOf(text)
  const { data, errors } = Papa.parse<string[]>(text, { delimiter, skipEmptyLines: 'greedy' })
  const [fault] = errors.filter(({ type }) => type === 'Quotes')
  if (fault)
    throw wrongFile(
      `Line ${(fault.row ?? 0) + 1}: a quote is not closed, or stands where none may.`,
    )
  const [names = [], ...rows] = data.map((cells) => cells.map((cell) => cell.trim()))
  refuseNames(names, columns, needed)
  return rows.map((cells, at) => {
    if (cells.length > names.length) throw tooLong(at, cells.length, names.length, delimiter)
    return rowOf(names, cells)
  })
}

/** No column has one of these marks in its name. */
function separatorOf(text: string): Separator {
  const [first = ''] = text.split(/[\r\n]/, 1)
  return ([';', '\t'] as const).find((mark) => first.includes(mark)) ?? ','
}

function tooLong(row: number, cells: number, columns: number, separator: Separator): ApiError {
  const places = `${cells} cells, and the first line names ${columns} columns`
  return wrongFile(`Row ${row} has ${places}: put a text with ${SEPARATORS[separator]} in quotes.`)
}

function rowOf(names: string[], cells: string[]): JsonObject {
  const members = names.map((name, column) => [name, cells[column] ?? ''] as const)
  return Object.fromEntries(members.filter(([, cell]) => cell !== ''))
}

function refuseNames(names: string[], columns: readonly string[], needed: readonly string[]): void {
  const odd = names.find((name, at) => !columns.includes(name) || names.indexOf(name) !== at)
  const missing = needed.find((name) => !names.includes(name))
  if (odd === undefined && missing === undefined) return
  const wrong =
    odd === undefined ? `It lacks "${missing}".` : `It has "${shortened(odd)}" too much.`
  throw wrongFile(`The first line must name the columns ${columns.join(', ')}. ${wrong}`)
}

function wrongFile(message: string): ApiError {
  return invalid({ body: [message] })
}

/** Each cell takes several times the memory of its text. */
function refuseMany(bytes: Uint8Array): void {
  let cells = 0
  for (const byte of bytes) {
    if (CELL_ENDS.has(byte)) cells += 1
  }
  if (cells > VALUES_MAX) throw wrongFile(`Must have at most ${VALUES_MAX} cells.`)
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes)
  } catch {
    throw wrongFile('Must be UTF-8.')
  }
}
