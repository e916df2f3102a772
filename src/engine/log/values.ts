import { type CellAsked, cellPlace, cellsIn } from '../formats/csv-cells.ts'
import { isShortened } from '../json/messages.ts'
import { appendStep, pathIn } from '../json/path.ts'
import type { Problem } from '../mapping/problem.ts'

const KEY_LENGTH_MAX = 64
/** Fields whose values are names that the warehouse uses itself. */
const NAMES = new Set([
  'order_number',
  'status',
  'items[].sku_code',
  'sku',
  'code',
  'inventory[].location_code',
  'inventory[].sku_code',
])
const KINDS = new Set([
  'object',
  'array',
  'string',
  'number',
  'boolean',
  'null',
  'undefined',
  'nothing',
  'empty text',
])
const CUT = '...'

/** What stands for a key that may be a value. */
export const HIDDEN_KEY = "['…']"

/**
 * The path without keys that may be values: those of over 64 characters, or with `@` or white space, unless
 * a rule names them, and the last one of a shortened path. They are written `['…']`.
 */
export function withoutKeys(path: string, rules: () => string): string {
  if (!/[@\s]/.test(path) && path.length <= KEY_LENGTH_MAX) return path
  const [cell, other] = cellsIn(path)
  if (cell && !other) return withoutColumn(cell, rules)
  const steps = pathIn(path)
  if (!steps) return HIDDEN_KEY
  const cutAt = isShortened(path) ? steps.length - 1 : -1
  return steps.reduce<string>((text, step, at) => {
    const isHidden = typeof step === 'string' && (at === cutAt || isHiddenKey(step, rules))
    return isHidden ? text + HIDDEN_KEY : appendStep(text, step)
  }, '')
}

function withoutColumn({ row, column }: CellAsked, rules: () => string): string {
  const isHidden = typeof column === 'string' && isHiddenKey(column, rules)
  return cellPlace({ row, column: isHidden ? '…' : column })
}

/** Whether a key may be a value, and is not a name of the rules. */
export function isHiddenKey(key: string, rules: () => string): boolean {
  return (key.length > KEY_LENGTH_MAX || /[@\s]/.test(key)) && !rules().includes(key)
}

/** A path of any element: `items[3].quantity` and `items[].quantity` are the same field; so are the cells of a column. */
export function fieldOfAnyElement(path: string): string {
  const [cell, other] = cellsIn(path)
  if (cell && !other)
    return typeof cell.column === 'string' ? appendStep('$[]', cell.column) : '$[]'
  return path.replace(/\[(?:-1|\d+|\*)\]/g, '[]')
}

/** The problem without the value that it found, unless the rule is about a name. */
export function withoutValue(problem: Problem, path: (text: string) => string): Problem {
  const { at, source, rule, reason, found } = problem
  const isPlace = reason === 'AMBIGUOUS' || reason === 'DIFFERS'
  const isKind = KINDS.has(String(found)) || /^array of \d+$/.test(String(found))
  const isShown = typeof found !== 'string' || isKind || NAMES.has(fieldOfAnyElement(rule ?? ''))
  return {
    ...problem,
    at: path(at),
    ...(source !== undefined && { source: path(source) }),
    ...(!isShown && { found: isPlace ? path(found) : kindAndLength(found) }),
  }
}

/** Of a value as a message shows it: `"abc"` is `a string of 3 characters`. */
function kindAndLength(shown: string): string {
  if (shown === 'true' || shown === 'false') return 'a boolean'
  if (!shown.startsWith('"')) return `a number of ${counted(shown, 'character')}`
  const text = String(JSON.parse(shown))
  return `a string of ${counted(text, 'character')}`
}

function counted(text: string, what: string): string {
  if (text.endsWith(CUT)) return `more than ${text.length - CUT.length} ${what}s`
  return `${text.length} ${what}${text.length === 1 ? '' : 's'}`
}
