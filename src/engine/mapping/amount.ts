import type { JsonObject } from '../json/json-object.ts'
import type { Path } from '../json/path.ts'
import { RuleError } from './rule-error.ts'
import { sourcePath } from './source-path.ts'

/** What a rule makes of an integer. */
export interface Amount {
  /** What these paths lead to is taken off. */
  less: readonly Path[]
  /** Multiplies what is left. */
  times: Path | number | null
  /** A line that has nothing left is left out. */
  leavesOutZero: boolean
}

/** Most paths of `less`. */
export const LESS_MAX = 8
/** Of a fixed `times`. */
export const TIMES_MAX = 1_000_000

/** Reads `less`, `times` and `at_zero` of a rule; null if it has none. Throws RuleError. */
export function readAmount({ less, times, at_zero }: JsonObject): Amount | null {
  if (less === undefined && times === undefined && at_zero === undefined) return null
  if (at_zero !== undefined && at_zero !== 'leave_out') {
    throw new RuleError('"at_zero" can only be "leave_out".')
  }
  return { less: lessOf(less), times: timesOf(times), leavesOutZero: at_zero !== undefined }
}

function lessOf(less: unknown = []): Path[] {
  const isList = Array.isArray(less) && less.every((path) => typeof path === 'string')
  if (!isList || less.length > LESS_MAX) {
    throw new RuleError(`"less" must be a list of at most ${LESS_MAX} paths.`)
  }
  return less.map((path) => sourcePath(path, { isList: true }))
}

function timesOf(times: unknown = null): Path | number | null {
  if (times === null) return null
  if (typeof times === 'string') return sourcePath(times)
  const isCount = typeof times === 'number' && Number.isInteger(times)
  if (isCount && times >= 1 && times <= TIMES_MAX) return times
  throw new RuleError(`"times" must be a path or an integer from 1 to ${TIMES_MAX}.`)
}

/** The paths that it reads. */
export function amountPaths(amount: Amount | null | undefined): Path[] {
  if (!amount) return []
  const { less, times } = amount
  return times === null || typeof times === 'number' ? [...less] : [...less, times]
}
