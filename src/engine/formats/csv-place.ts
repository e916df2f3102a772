import { type Path, PathError, readPath } from '../json/path.ts'
import { type CsvOptions, rowNumbersOf } from './csv.ts'

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
    const row = `row ${rows.at(index)}`
    if (typeof column === 'number') return `${row}, column ${column + 1}`
    return typeof column === 'string' ? `${row}, column "${column}"` : row
  }
}

const CELL = /^row \d+(?:, column (?:"(.*)"|\d+))?$/s

/** What `placesInCsv` has said: the column's name, if it said one; null of any other text. */
export function cellIn(place: string): { column: string | undefined } | null {
  const match = CELL.exec(place)
  return match && { column: match[1] }
}

function stepsOf(text: string): Path {
  try {
    return text.startsWith('$[') ? readPath(text) : []
  } catch (error) {
    if (error instanceof PathError) return []
    throw error
  }
}
