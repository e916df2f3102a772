import { ApiError, invalid } from '../../engine/errors.ts'
import { parseNamedCsv } from '../../engine/formats/csv.ts'
import { shortened } from '../../engine/json/messages.ts'
import { count } from '../parts/numbers.ts'

/** What a table may have. */
export interface SheetForm {
  /** The names of its columns. */
  columns: readonly string[]
  /** Those that it must have. */
  needed: readonly string[]
  rowsMax: number
}

export interface SheetRow {
  /** As a spreadsheet counts. */
  number: number
  /** By the names of the columns, without white space at the ends. */
  cells: Record<string, string>
}

/** A table of which each column has a name that is known. */
export interface Sheet {
  /** As the first row has them, by our names, in their order. */
  heads: Map<string, string>
  /** Those in which something stands. */
  rows: SheetRow[]
}

/** A cell that is wrong, or a row. */
export interface SheetFault {
  row: number
  /** As the first row has it. */
  column: string | null
  message: string
}

/** The table in a text. 400 VALIDATION_ERROR says what is wrong with it as a whole. */
export function readSheet(text: string, form: SheetForm): Sheet {
  const whole = text.replace(/^\ufeff/, '')
  const table = whole.replace(/^[\r\n]+/, '')
  if (table.trim() === '') throw refused('Choose a file, or paste its text.')
  if (/^\s*[[{<]/.test(table)) throw refused('This is no CSV.')
  // The parser counts from the first line that has something.
  const above = whole.slice(0, whole.length - table.length).replaceAll('\r\n', '\n').length
  const { names, rows, numbers } = parsed(table)
  const heads = headsOf(names, form)
  const filled = rows.flatMap((cells, at) =>
    Object.values(cells).some((cell) => cell.trim() !== '') ? [at] : [],
  )
  if (filled.length === 0) throw refused('It has no rows below the names of its columns.')
  if (filled.length > form.rowsMax) {
    const [has, may] = [count(filled.length), count(form.rowsMax)]
    throw refused(`It has ${has} rows, and a file may have ${may}: split it.`)
  }
  const cellsOf = (cells: Record<string, string> = {}) =>
    Object.fromEntries([...heads].map(([name, head]) => [name, plainCell(cells[head] ?? '')]))
  return {
    heads,
    rows: filled.map((at) => ({ number: (numbers[at] ?? 0) + above, cells: cellsOf(rows[at]) })),
  }
}

export function refused(message: string): ApiError {
  return invalid({ document: [message] })
}

function parsed(table: string) {
  try {
    return parseNamedCsv(table)
  } catch (error) {
    if (error instanceof ApiError) throw refused(error.message.replace('The body', 'It'))
    throw error
  }
}

/** `Sku Code`, `sku-code` and `SKU_CODE` are one column. */
function headsOf(names: string[], { columns, needed }: SheetForm): Map<string, string> {
  const heads = new Map<string, string>()
  const unknown: string[] = []
  for (const name of names) {
    const known = name.toLowerCase().replaceAll(/[\s-]+/g, '_')
    if (!columns.includes(known)) unknown.push(name)
    else if (heads.has(known)) throw refused(`Row 1 has the column "${known}" twice: name it once.`)
    else heads.set(known, name)
  }
  const missing = needed.filter((name) => !heads.has(name))
  const wrong = [
    ...(missing.length > 0 ? [`It lacks ${listed(missing)}.`] : []),
    ...(unknown.length > 0 ? [unknownText(unknown, missing.length > 0)] : []),
  ]
  if (wrong.length === 0) return heads
  throw refused(`The first row names the columns: ${columns.join(', ')}. ${wrong.join(' ')}`)
}

/** A column that is not known may be one that is missed, under another name. */
function unknownText(names: string[], isMissing: boolean): string {
  const what = isMissing ? 'rename what is meant, and leave out the rest' : 'leave it out'
  return `There is no column ${listed(names)}: ${what}.`
}

function listed(names: string[]): string {
  const first = names.slice(0, 10).map((name) => `"${shortened(name)}"`)
  return first.join(', ') + (names.length > first.length ? ' and others' : '')
}

/** A cell as it is compared. */
export function plainCell(cell: string): string {
  return cell.replaceAll(/\r\n?/g, '\n').trim()
}
