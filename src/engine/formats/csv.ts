import Papa from 'papaparse'
import { VALUES_MAX } from '../json/fields.ts'
import { shortened } from '../json/messages.ts'
import { malformed, tooComplex } from './malformed.ts'

/** What may stand between cells, by the names that messages have for it. */
const SEPARATORS = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }
export type Separator = keyof typeof SEPARATORS

export interface Csv {
  /** Of the columns. */
  names: string[]
  rows: Record<string, string>[]
}

const [QUOTE, LINE_FEED, CARRIAGE_RETURN] = ['"', '\n', '\r'] as const

/**
 * The rows of a CSV text (RFC 4180) as objects by its first row, each cell as it stands there. Errors name row and column;
 * the first row is row 1. Without a `separator` the first row tells which it is.
 */
export function parseCsv(text: string, separator = separatorOf(text)): Csv {
  refuseMany(text, separator)
  const { data, errors } = Papa.parse<string[]>(text, {
    delimiter: separator,
    newline: newlineOf(text),
  })
  const [fault] = errors.filter(({ type }) => type === 'Quotes')
  if (fault) {
    throw malformed(`Row ${(fault.row ?? 0) + 1}: a quote is not closed, or stands where none may.`)
  }
  const [first = [], ...rows] = data
  const names = namesIn(first, rows)
  const objects = rows.flatMap((cells, at) => {
    return isBlank(cells) ? [] : [rowOf(names, cells, at + 2, separator)]
  })
  return { names: names.filter((name) => name !== ''), rows: objects }
}

/** The mark that the first row has most of, outside quotes. */
function separatorOf(text: string): Separator {
  const counts = new Map<string, number>(Object.keys(SEPARATORS).map((mark) => [mark, 0]))
  let isQuoted = false
  for (const mark of text) {
    if (mark === QUOTE) isQuoted = !isQuoted
    if (!isQuoted && (mark === LINE_FEED || mark === CARRIAGE_RETURN)) break
    const count = counts.get(mark)
    if (!isQuoted && count !== undefined) counts.set(mark, count + 1)
  }
  const [most] = [...counts].toSorted(([, one], [, other]) => other - one)
  return (most?.[0] ?? ',') as Separator
}

/** Papa guesses from the first megabyte of a text, and would take a quoted line feed for one. */
function newlineOf(text: string): '\n' | '\r' | '\r\n' {
  const at = text.search(/[\r\n]/)
  if (text[at] !== CARRIAGE_RETURN) return LINE_FEED
  return text[at + 1] === LINE_FEED ? '\r\n' : CARRIAGE_RETURN
}

/** Each cell takes several times the memory of its text. */
function refuseMany(text: string, separator: Separator): void {
  let cells = 1
  for (let at = 0; at < text.length; at++) {
    const mark = text[at]
    if (mark === separator || mark === LINE_FEED || mark === CARRIAGE_RETURN) cells += 1
    if (mark === '\0') throw malformed('The body has a NUL character, so it is no CSV.')
  }
  if (cells > VALUES_MAX) throw tooComplex(`The body has more than ${VALUES_MAX} cells.`)
}

function isBlank(cells: string[]): boolean {
  return cells.length === 1 && cells[0]?.trim() === ''
}

/** A column without a name is left out if nothing stands in it: many programs end each row with a separator. */
function namesIn(first: string[], rows: string[][]): string[] {
  const names = first.map((name) => name.trim())
  if (isBlank(names)) throw malformed('The body has no row with the names of its columns.')
  for (const [column, name] of names.entries()) {
    if (names.indexOf(name) !== column && name !== '') {
      throw malformed(`Row 1 has the column "${shortened(name)}" twice: name each once.`)
    }
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
