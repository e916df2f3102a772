import type { JsonObject } from '../../engine/json/json-object.ts'

/** The rows of a file, in which all cells are texts, with `units` as a number where it is one. */
export function withNumbers(rows: JsonObject[]): JsonObject[] {
  return rows.map((row) => {
    const { units } = row
    const isNumber = typeof units === 'string' && /^\d{1,15}$/.test(units)
    return isNumber ? { ...row, units: Number(units) } : row
  })
}
