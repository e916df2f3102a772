import Papa from 'papaparse'
import type { ApiError } from '../errors.ts'
import { VALUES_MAX } from '../json/fields.ts'
import { shortened } from '../json/messages.ts'
import { malformed, tooComplex } from './malformed.ts'

/** What may stand between cells, by the names that messages have for it. */
const SEPARATORS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }
export type Separator = keyof typeof SEPARATORS

/** How a mapping reads CSV. */
export interface CsvOptions {
  /** Without it, the first row tells which it is. */
  separator?: Separator | undefined
  /** Whether the first row names the columns: without names each row is an array. */
  header?: boolean | undefined
}

interface NamedCsv {
  /** Of the columns. */
  names: string[]
  rows: Record<string, string>[]
  /** The number of each row, as a spreadsheet counts from 1. */
  numbers: number[]
}

// Two for each cell.
const QUOTES_MAX = 2 * VALUES_MAX
const [QUOTE, LINE_FEED, CARRIAGE_RETURN] = ['"', '\n', '\r'] as const

/** The rows of a CSV text (RFC 4180), each cell as it stands there. Errors name row and column; the first row is row 1. */
export function parseCsv(
  text: string,
  { header = true, separator = separatorOf(text) }: CsvOptions = {},
): Record<string, string>[] | string[][] {
  if (header) return parseNamedCsv(text, separator).rows
  return readCells(text, separator).filter((cells) => !isBlank(cells))
}

/** The numbers of the rows that `parseCsv` gives, as a spreadsheet counts them from 1. */
export function rowNumbersOf(
  text: string,
  { header = true, separator = separatorOf(text) }: CsvOptions = {},
): number[] {
  const numbers = readCells(text, separator).map((cells, at) => (isBlank(cells) ? 0 : at + 1))
  return numbers.filter((number) => number > (header ? 1 : 0))
}

/** As `parseCsv`, of a text with a header: objects by its first row. */
export function parseNamedCsv(text: string, separator = separatorOf(text)): NamedCsv {
  return rowsByName(readCells(text, separator), separator)
}

/** The texts of all cells, row by row. Throws 400 for quotes that are wrong. */
export function readCells(text: string, separator: Separator): string[][] {
  refuseMany(text, separator)
  const { data, errors } = Papa.parse<string[]>(text, {
    delimiter: separator,
    newline: newlineOf(text),
  })
  const [fault] = errors.filter(({ type }) => type === 'Quotes')
  if (fault) {
    throw malformed(`Row ${(fault.row ?? 0) + 1}: a quote is not closed, or stands where none may.`)
  }
  return data
}

function rowsByName([first = [], ...rows]: string[][], separator: Separator): NamedCsv {
  // A short row has all columns.
  if (first.length * rows.length > VALUES_MAX) throw tooManyCells()
  const names = namesIn(first, rows)
  const numbers = rows.flatMap((cells, at) => (isBlank(cells) ? [] : [at + 2]))
  const objects = numbers.map((row) => rowOf(names, rows[row - 2] ?? [], row, separator))
  return { names: names.filter((name) => name !== ''), rows: objects, numbers }
}

/** The mark that the first row has most of, outside quotes. Counts without copies: all of a large text may be its first row. */
export function separatorOf(text: string): Separator {
  const marks = Object.keys(SEPARATORS) as Separator[]
  const counts = marks.map(() => 0)
  // A quote that is not closed is none.
  const sinceQuote = marks.map(() => 0)
  const end = endOfFirstRow(text)
  let isQuoted = false
  for (let at = 0; at < end; at++) {
    const mark = text[at]
    if (mark === QUOTE) {
      isQuoted = !isQuoted
      sinceQuote.fill(0)
    }
    const place = marks.indexOf(mark as Separator)
    const counted = isQuoted ? sinceQuote : counts
    if (place !== -1) counted[place] = (counted[place] ?? 0) + 1
  }
  const totals = counts.map((count, place) => count + (sinceQuote[place] ?? 0))
  return marks[totals.indexOf(Math.max(...totals))] ?? ','
}

/** Papa would guess it from the first megabyte of the text. */
export function newlineOf(text: string): '\n' | '\r' | '\r\n' {
  const at = endOfFirstRow(text)
  if (text[at] !== CARRIAGE_RETURN) return LINE_FEED
  return text[at + 1] === LINE_FEED ? '\r\n' : CARRIAGE_RETURN
}

/** Line breaks within quotes do not count. Quotes begin a cell; a quote within a cell is an ordinary character. */
function endOfFirstRow(text: string): number {
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const mark = text[at]
    if (mark === QUOTE) {
      const isDoubled = isQuoted && text[at + 1] === QUOTE
      if (isDoubled) at += 1
      else isQuoted = !isQuoted && beginsCell(text, at)
    }
    if (!isQuoted && (mark === LINE_FEED || mark === CARRIAGE_RETURN)) return at
  }
  return text.length
}

function beginsCell(text: string, at: number): boolean {
  return at === 0 || Object.hasOwn(SEPARATORS, text[at - 1] ?? '')
}

/** Each cell takes several times the memory of its text, and so does each quote in one. */
function refuseMany(text: string, separator: Separator): void {
  let [cells, quotes] = [1, 0]
  for (let at = 0; at < text.length; at++) {
    const mark = text[at]
    if (mark === separator || mark === LINE_FEED || mark === CARRIAGE_RETURN) cells += 1
    if (mark === QUOTE) quotes += 1
    if (mark === '\0') throw malformed('The body has a NUL character, so it is no CSV.')
  }
  if (cells > VALUES_MAX) throw tooManyCells()
  if (quotes > QUOTES_MAX) throw tooComplex(`The body has more than ${QUOTES_MAX} quotes.`)
}

function tooManyCells(): ApiError {
  return tooComplex(`The body has more than ${VALUES_MAX} cells.`)
}

/** Whether a row is an empty line, which is no row. */
export function isBlank(cells: string[]): boolean {
  return cells.length === 1 && cells[0]?.trim() === ''
}

/** A column without a name is left out if nothing stands in it: many programs end each row with a separator. */
function namesIn(first: string[], rows: string[][]): string[] {
  const names = first.map((name) => name.trim())
  if (/^(?:\{|\[\s*(?:[{[]|$))/.test(names[0] ?? '')) {
    throw malformed(
      'The body looks like JSON, and its Content-Type says CSV: send application/json.',
    )
  }
  if (names.every((name) => name === ''))
    throw malformed('The body has no row with the names of its columns.')
  const known = new Set<string>()
  for (const [column, name] of names.entries()) {
    if (known.has(name)) {
      throw malformed(`Row 1 has the column "${shortened(name)}" twice: name each once.`)
    }
    if (name !== '') known.add(name)
    const filled = name === '' ? rows.findIndex((cells) => (cells[column] ?? '') !== '') : -1
    if (filled !== -1) {
      throw malformed(
        `Row 1, column ${column + 1} has no name, but row ${filled + 2} has a value there.`,
      )
    }
  }
  return names
}

function rowOf(
  names: string[],
  cells: string[],
  row: number,
  separator: Separator,
): Record<string, string> {
  if (cells.length > names.length && cells.slice(names.length).some((cell) => cell !== '')) {
    throw malformed(
      `Row ${row} has ${cells.length} cells, and row 1 names ${names.length} columns: put a text with ${SEPARATORS[separator]} in quotes.`,
    )
  }
  const members = names.map((name, column) => [name, cells[column] ?? ''] as const)
  return Object.fromEntries(members.filter(([name]) => name !== ''))
}
