import { isObject } from '../../../engine/json/json-object.ts'
import { appendName, appendStep } from '../../../engine/json/path.ts'

const VALUE_LENGTH_MAX = 200

/** A place of our record that two mappings fill with different values; null where one has none. */
export interface Difference {
  at: string
  before: string | null
  after: string | null
}

/** The first differences of two records, at most `max`. The order of members does not count. */
export function differencesOf(before: unknown, after: unknown, max: number): Difference[] {
  const found: Difference[] = []
  compare(before, after, '', (difference) => {
    found.push(difference)
    return found.length < max
  })
  return found
}

/** Recursion is safe: a record is at most 64 levels deep. False ends the comparison. */
function compare(
  before: unknown,
  after: unknown,
  at: string,
  add: (difference: Difference) => boolean,
): boolean {
  if (before === after) return true
  if (Array.isArray(before) && Array.isArray(after)) {
    const length = Math.max(before.length, after.length)
    for (let index = 0; index < length; index++) {
      if (!compare(before[index], after[index], appendStep(at, index), add)) return false
    }
    return true
  }
  if (isObject(before) && isObject(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (!compare(before[name], after[name], appendName(at, name), add)) return false
    }
    return true
  }
  const [one, other] = [shown(before), shown(after)]
  return one === other || add({ at, before: one, after: other })
}

function shown(value: unknown): string | null {
  if (value === undefined) return null
  const text = JSON.stringify(value)
  return text.length <= VALUE_LENGTH_MAX
    ? text
    : `${text.slice(0, VALUE_LENGTH_MAX).toWellFormed()}…`
}
