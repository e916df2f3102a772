import { UNLIMITED, type WorkMeter } from '../json/filter/evaluate.ts'
import { Filter } from '../json/filter/filter.ts'
import { memberOf } from '../json/json-object.ts'
import { EACH, type Path, type PathStep } from '../json/path.ts'
import { isList } from './rules.ts'

interface Concrete {
  /** Filters take indexes as wildcards do. */
  lists?: boolean
  /** A single value is a list of one, which has no index in the payload. */
  listsSingles?: boolean
  /** The element that a filter picks. */
  pick?: (filter: Filter, array: unknown[]) => number | undefined
}

/** The path with these indexes for its wildcards, in order, the real index for -1 and for a filter that picks. */
export function concretePath(
  path: Path,
  positions: readonly (number | undefined)[],
  payload: unknown,
  {
    lists = false,
    listsSingles = false,
    pick = (filter, array) => firstTaken(filter, array),
  }: Concrete = {},
): Path {
  let level = 0
  let value = payload
  return path.flatMap((step) => {
    let concrete: PathStep = step
    const isSingle = listsSingles && typeof step !== 'string' && isSingleValue(value)
    if (isSingle && isCounted(step, lists)) level += 1
    if (isSingle) return []
    if (isCounted(step, lists)) concrete = positions[level++] ?? step
    else if (!Array.isArray(value)) concrete = step
    else if (step === -1 && value.length > 0) concrete = value.length - 1
    else if (step instanceof Filter) concrete = pick(step, value) ?? step
    value = memberOf(value, concrete)
    return [concrete]
  })
}

/** Whether the step takes an index of those for the wildcards. */
function isCounted(step: PathStep, lists: boolean): boolean {
  return lists ? isList(step) : step === EACH
}

function isSingleValue(value: unknown): boolean {
  return value !== undefined && value !== null && !Array.isArray(value)
}

export function firstTaken(
  filter: Filter,
  array: unknown[],
  meter: WorkMeter = UNLIMITED,
): number | undefined {
  return filter.firstTwo(array, meter)[0]
}
