import { Filter } from '../../engine/json/filter/filter.ts'
import { EACH, type Path, type PathStep, printPath, readPath } from '../../engine/json/path.ts'
import { readCell, splitCell, writeCell } from './cell.ts'
import type { Row } from './draft.ts'
import type { Cells, Remedy } from './remedy.ts'

/** Without the elements in which this rule finds no text; empty if the language cannot say that. */
export function leavingOut(row: Row, rows: Row[]): Remedy[] {
  const cells = elementsWith(row, rows)
  return cells ? [{ label: `Leave these out: each element of ${cells.source}`, cells }] : []
}

/**
 * The `each` that leaves out the elements in which this rule finds no text, such as
 * `lines[?length(@.sku) > 0]`. It narrows the `each` that there may be. Null if the rule has no such path.
 */
function elementsWith(row: Row, rows: Row[]): Cells | null {
  if (row.kind !== 'path' && row.kind !== 'required') return null
  const array = arrayOf(readPath(readCell(row.target)))
  const target = writeCell(printPath(array))
  const each = rows.find(
    (other) => other.kind === 'each' && other.target === target && other.source,
  )
  const paths = splitCell(row.source, '|').map((part) => readPath(readCell(part)))
  const source = each ? readPath(readCell(each.source)) : arrayOf(paths[0] ?? [])
  const tests = paths.map((path) => testOf(path, source.length, row.as === 'string'))
  if (array.length === 0 || source.length === 0 || tests.includes(null)) return null
  return { target, kind: 'each', source: writeCell(narrowed(source, tests.join(' || '))) }
}

/** The path up to its last wildcard; empty without one. */
function arrayOf(path: Path): Path {
  return path.slice(0, path.lastIndexOf(EACH) + 1)
}

function narrowed(source: Path, test: string): string {
  const last = source.at(-1)
  const before = printPath(source.slice(0, -1))
  if (!(last instanceof Filter)) return `${before}[?${test}]`
  const condition = last.text.replace(/^\[\s*\?/, '').slice(0, -1)
  return `${before}[?(${condition.trim()}) && (${test})]`
}

/** A rule that converts to text takes numbers, too. */
function testOf(path: Path, start: number, takesNumbers: boolean): string | null {
  const steps = path.slice(start).map(stepOf)
  if (path.length < start || steps.includes(null)) return null
  const value = `@${steps.join('')}`
  return takesNumbers ? `length(${value}) > 0 || ${value} > 0` : `length(${value}) > 0`
}

/** As RFC 9535 writes it; null for a step that leads to several values. */
function stepOf(step: PathStep): string | null {
  if (typeof step === 'number') return `[${step}]`
  if (typeof step !== 'string') return null
  if (/^[A-Za-z_]\w*$/.test(step)) return `.${step}`
  return /[\p{Cc}'\\]/u.test(step) ? null : `['${step}']`
}
