import type { PreparedQuery } from 'drizzle-orm/session'
import { isObject } from '../json/json-object.ts'

// Whether drizzle leaves the rows of a statement as D1 gives them.
const needsNoMapping = new WeakMap<PreparedQuery, boolean>()

/**
 * The result of a statement as drizzle maps it. Drizzle writes each row anew and looks up the decoder of each cell, which is a
 * sixth of what a page of orders costs the isolate. Most statements need none of it: their columns are named as their
 * fields, and no column is JSON or a boolean. Their rows are given as they are.
 */
export function mapRows(written: PreparedQuery, result: D1Result | undefined): unknown {
  const first = result?.results[0]
  if (!isObject(first)) return written.mapResult(result, true)
  const known = needsNoMapping.get(written) ?? isLeftAlone(written, Object.keys(first))
  needsNoMapping.set(written, known)
  return known ? result?.results : written.mapResult(result, true)
}

/** Tried with a row of texts and one of numbers: no decoder that changes either leaves both alone. */
function isLeftAlone(written: PreparedQuery, names: string[]): boolean {
  const tried = [
    Object.fromEntries(names.map((name, index) => [name, `text ${index}`])),
    Object.fromEntries(names.map((name, index) => [name, index + 0.5])),
  ]
  try {
    return JSON.stringify(written.mapResult({ results: tried }, true)) === JSON.stringify(tried)
  } catch {
    // A decoder of JSON does not read the text.
    return false
  }
}
