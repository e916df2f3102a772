import type { PreparedQuery } from 'drizzle-orm/session'
import { isObject } from '../json/json-object.ts'

type Row = Record<string, unknown>

/** How a column becomes a field: under which name, and whether its 1 and 0 become true and false. */
interface Step {
  field: string
  column: string
  isFlag: boolean
}

// By statement; null if drizzle does more than that.
const plans = new WeakMap<PreparedQuery, readonly Step[] | null>()
const usedOnce = new WeakSet<PreparedQuery>()

/**
 * The result of a statement as drizzle maps it. Drizzle looks up a decoder for each cell of each row, which takes a seventh of the
 * isolate's time for a page of orders. Most statements have no JSON column, so they need no decoder: fields get their
 * names, and flags become booleans. A statement is planned at its second use: many are built for one use.
 */
export function mapRows(written: PreparedQuery, result: D1Result | undefined): unknown {
  const rows = result?.results as Row[] | undefined
  const first = rows?.[0]
  if (!isObject(first)) return written.mapResult(result, true)
  if (!usedOnce.has(written)) {
    usedOnce.add(written)
    return written.mapResult(result, true)
  }
  let plan = plans.get(written)
  if (plan === undefined) {
    plan = planFor(written, Object.keys(first))
    plans.set(written, plan)
  }
  if (plan === null) return written.mapResult(result, true)
  return plan.every(isNothing) ? rows : rows?.map((row) => mapped(row, plan))
}

function isNothing({ field, column, isFlag }: Step): boolean {
  return field === column && !isFlag
}

function mapped(row: Row, plan: readonly Step[]): Row {
  const fields: Row = {}
  for (const { field, column, isFlag } of plan) {
    const value = row[column]
    fields[field] = isFlag && value !== null ? value === 1 : value
  }
  return fields
}

/** Lets drizzle map made-up rows: one of texts, one of numbers, and those that flags are stored as. */
function planFor(written: PreparedQuery, columns: string[]): Step[] | null {
  const values = [
    (index: number) => `text ${index}`,
    (index: number) => index + 0.5,
    () => 1,
    () => 0,
  ]
  const tried = values.map((value) =>
    Object.fromEntries(columns.map((column, index) => [column, value(index)])),
  )
  try {
    const results = written.mapResult({ results: tried }, true)
    if (!Array.isArray(results) || !results.every(isObject)) return null
    const fields = Object.keys(results[0] ?? {})
    const steps = fields.map((field, index) => {
      const column = columns[index] ?? ''
      return stepFor(
        { field, column },
        tried.map((row) => row[column]),
        results.map((row) => row[field]),
      )
    })
    const isWhole = fields.length === columns.length
    return isWhole && steps.every((step) => step !== null) ? steps : null
  } catch {
    // A decoder of JSON does not read the text.
    return null
  }
}

function stepFor(names: Omit<Step, 'isFlag'>, given: unknown[], made: unknown[]): Step | null {
  if (made.every((value, index) => value === given[index])) return { ...names, isFlag: false }
  return made.every((value, index) => value === (given[index] === 1))
    ? { ...names, isFlag: true }
    : null
}
