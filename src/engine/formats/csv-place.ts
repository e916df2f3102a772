import { type Path, PathError, readPath } from '../json/path.ts'
import { type CsvOptions, rowNumbersOf } from './csv.ts'
import type { CellAsked } from './csv-cells.ts'

/**
 * Names a path of a CSV's rows as its sender sees it: `row 17, column "Menge"`, by the numbers that a spreadsheet has. Any
 * other text stays as it is. The rows are counted once, when the first place is asked for.
 */
export function placesInCsv(text: string, options: CsvOptions): (path: string) => string {
  let rows: number[] | null = null
  return (path) => {
    const [index, column] = stepsOf(path)
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

function stepsOf(text: string): Path {
  try {
    return text.startsWith('$[') ? readPath(text) : []
  } catch (error) {
    if (error instanceof PathError) return []
    throw error
  }
}
