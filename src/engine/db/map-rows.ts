import type { PreparedQuery } from 'drizzle-orm/session'
import { isObject } from '../json/json-object.ts'

type Row = Record<string, unknown>

/** Of each field the column that it has unchanged. */
type Renames = readonly (readonly [field: string, column: string])[]

// What drizzle makes of the rows of a statement: nothing, other names, or null for more than that.
const plans = new WeakMap<PreparedQuery, 'nothing' | Renames | null>()

/**
 * The result of a statement as drizzle maps it. Drizzle looks up the decoder of each cell of each row, which is a sixth of what a
 * page of orders costs the isolate. Most statements need no decoder: no column of theirs is JSON or a boolean.
 */
export function mapRows(written: PreparedQuery, result: D1Result | undefined): unknown {
  const rows = result?.results
  const first = rows?.[0]
  if (!isObject(first)) return written.mapResult(result, true)
  let plan = plans.get(written)
  if (plan === undefined) {
    plan = planFor(written, Object.keys(first))
    plans.set(written, plan)
  }
  if (plan === null) return written.mapResult(result, true)
  return plan === 'nothing' ? rows : rows?.map((row) => renamed(row as Row, plan))
}

function renamed(row: Row, renames: Renames): Row {
  const fields: Row = {}
  for (const [field, column] of renames) fields[field] = row[column]
  return fields
}

/** Tried with a row of texts and one of numbers: no decoder that changes either leaves both alone. */
function planFor(written: PreparedQuery, columns: string[]): 'nothing' | Renames | null {
  const texts = Object.fromEntries(columns.map((column, index) => [column, `text ${index}`]))
  const numbers = Object.fromEntries(columns.map((column, index) => [column, index + 0.5]))
  try {
    const mapped = written.mapResult({ results: [texts, numbers] }, true)
    if (!Array.isArray(mapped) || !isObject(mapped[0])) return null
    const [ofTexts, ofNumbers] = mapped
    const renames = Object.entries(ofTexts).map(([field, text]) => {
      const column = columns.find((one) => texts[one] === text && numbers[one] === ofNumbers[field])
      return column === undefined ? null : ([field, column] as const)
    })
    if (!renames.every((one) => one !== null)) return null
    const isSame = Object.keys(ofTexts).join() === columns.join()
    return isSame && renames.every(([field, column]) => field === column) ? 'nothing' : renames
  } catch {
    // A decoder of JSON does not read the text.
    return null
  }
}
