import { unlessRefused } from '../errors.ts'
import { EACH, type Path, type PathStep, pathIn } from '../json/path.ts'
import {
  type CsvOptions,
  isBlank,
  newlineOf,
  parseCsv,
  readCells,
  rowNumbersOf,
  separatorOf,
} from './csv.ts'
import type { Span, ValuePlace } from './text-place.ts'

/** A cell, by the number of its row, which begins with 1, and its column's name or number; or a row as a whole. */
export interface CellAsked {
  row: number
  column: string | number | null
}

interface Row extends Span {
  cells: Span[]
}

const [QUOTE, LINE_FEED, CARRIAGE_RETURN] = ['"', '\n', '\r'] as const

/** Where these cells stand in a CSV text; null of one that is not there. */
export function findCells(text: string, asked: readonly CellAsked[]): (Span | null)[] {
  const found: (Span | null)[] = asked.map(() => null)
  let [names, number]: [string[], number] = [[], 0]
  for (const row of rowsIn(text, separatorOf(text))) {
    number += 1
    if (number === 1) names = row.cells.map(({ start, end }) => nameIn(text.slice(start, end)))
    for (const [index, one] of asked.entries()) {
      if (one.row === number) found[index] = one.column === null ? row : cellIn(row, names, one)
    }
  }
  return found
}

function cellIn({ cells }: Row, names: string[], { column }: CellAsked): Span | null {
  return cells.find((_, at) => column === at + 1 || column === names[at]) ?? null
}

/** `newline` alone ends a row; without it any line break does. */
function* rowsIn(text: string, separator: string, newline?: string): Generator<Row> {
  let [isQuoted, rowStart, start]: [boolean, number, number] = [false, 0, 0]
  let cells: Span[] = []
  for (let at = 0; at <= text.length; at++) {
    const mark = text[at]
    if (mark === QUOTE && text[start] === QUOTE) isQuoted = !isQuoted
    if (isQuoted && mark !== undefined) continue
    const isBreak = mark === LINE_FEED || mark === CARRIAGE_RETURN
    const isEnd =
      mark === undefined || (isBreak && (newline === undefined || text.startsWith(newline, at)))
    if (!isEnd && mark !== separator) continue
    cells.push({ start, end: at })
    start = at + 1
    if (!isEnd) continue
    yield { start: rowStart, end: at, cells }
    const isPair = mark === CARRIAGE_RETURN && text[at + 1] === LINE_FEED
    if (isPair && newline !== CARRIAGE_RETURN) at += 1
    cells = []
    rowStart = at + 1
    start = at + 1
  }
}

function nameIn(cell: string): string {
  const isQuoted = cell.startsWith(QUOTE) && cell.endsWith(QUOTE) && cell.length > 1
  return (isQuoted ? cell.slice(1, -1).replaceAll('""', QUOTE) : cell).trim()
}

/** The cells to which these paths lead (of an empty one only its beginning), as a mapping with these options reads the text. Null if it cannot be read. */
export function findCsvPlaces(
  text: string,
  paths: readonly Path[],
  options: CsvOptions = {},
): ValuePlace[] | null {
  const { header = true, separator = separatorOf(text) } = options
  const isReadable = unlessRefused(() => parseCsv(text, options)) !== null
  if (!isReadable) return null
  const read = readCells(text, separator)
  const rows = [...rowsIn(text, separator, newlineOf(text))]
  if (!isSame(text, rows, read)) return null
  const names = header ? (read[0] ?? []).map((name) => name.trim()) : []
  const numbers = read.flatMap((cells, at) => (isBlank(cells) || (header && at === 0) ? [] : [at]))
  const pathsTo = columnPaths(paths, names, numbers.length - 1)
  return numbers.flatMap((number, index) => {
    const cells = rows[number]?.cells ?? []
    return pathsTo(index, cells.length).flatMap((path, column): ValuePlace[] => {
      const [cell, value = ''] = [cells[column], read[number]?.[column]]
      if (!path || !cell) return []
      return [
        { start: cell.start, end: value === '' ? cell.start : cell.end, path, values: [value] },
      ]
    })
  })
}

/** For a row of this length, the first path that leads to each cell. All rows that no path names share the result. */
function columnPaths(paths: readonly Path[], names: readonly string[], last: number) {
  const ofMost = new Map<number, (Path | undefined)[]>()
  const named = new Set(paths.map(([step]) => (step === -1 ? last : step)))
  const found = (index: number, length: number) => {
    const here = paths.filter((path) => path.length <= 2 && isAt(path[0], index, last))
    return Array.from({ length }, (_, column) =>
      here.find(
        ({ length: steps, 1: step }) =>
          steps === 1 || step === names[column] || isAt(step, column, length - 1),
      ),
    )
  }
  return (index: number, length: number) => {
    if (named.has(index)) return found(index, length)
    const known = ofMost.get(length) ?? found(index, length)
    ofMost.set(length, known)
    return known
  }
}

/** Whether the parser reads each cell as the text that stands there. */
function isSame(text: string, rows: Row[], read: string[][]): boolean {
  return (
    rows.length === read.length &&
    rows.every(
      ({ cells }, at) =>
        cells.length === read[at]?.length &&
        cells.every(
          ({ start, end }, column) => valueIn(text.slice(start, end)) === read[at]?.[column],
        ),
    )
  )
}

/** White space may follow the quote that ends a cell. */
function valueIn(cell: string): string {
  if (!cell.startsWith(QUOTE)) return cell
  return cell.slice(1, cell.lastIndexOf(QUOTE)).replaceAll('""', QUOTE)
}

function isAt(step: PathStep | undefined, index: number, last: number): boolean {
  return step === EACH || step === index || (step === -1 && index === last)
}

/**
 * Names a path of a CSV's rows as its sender sees it: `row 17, column "Menge"`, by the numbers that a spreadsheet has. Any
 * other text stays as it is. The rows are counted once, when the first place is asked for.
 */
export function placesInCsv(text: string, options: CsvOptions): (path: string) => string {
  let rows: number[] | null = null
  return (path) => {
    const [index, column] = (path.startsWith('$[') && pathIn(path)) || []
    if (typeof index !== 'number') return path
    rows ??= rowNumbersOf(text, options)
    const row = rows.at(index) ?? 0
    if (typeof column === 'number') return cellPlace({ row, column: column + 1 })
    return cellPlace({ row, column: typeof column === 'string' ? column : null })
  }
}

/** A cell in words, which `cellsIn` reads. */
export function cellPlace({ row, column }: CellAsked): string {
  if (column === null) return `row ${row}`
  return `row ${row}, column ${typeof column === 'number' ? column : `"${column}"`}`
}

const CELL = /row (\d+)(?:, column (?:"(.*?)"(?=$|, row \d)|(\d+)))?(?:, |$)/gsy

/** The cells in a text that `placesInCsv` has made: several of a joined text. None of any other text. */
export function cellsIn(place: string): CellAsked[] {
  const found = [...place.matchAll(CELL)]
  const length = found.reduce((sum, [text]) => sum + text.length, 0)
  if (length < place.length) return []
  return found.map(([, row, name, number]) => ({
    row: Number(row),
    column: name ?? (number === undefined ? null : Number(number)),
  }))
}
