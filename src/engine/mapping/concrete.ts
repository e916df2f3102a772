import { UNLIMITED, type WorkMeter } from '../json/filter/evaluate.ts'
import { Filter } from '../json/filter/filter.ts'
import { memberOf } from '../json/json-object.ts'
import { EACH, type Path, type PathStep } from '../json/path.ts'
import { isList } from './rules.ts'

interface Concrete {
  /** Filters take indexes as wildcards do. */
  lists?: boolean
  /** The element that a filter picks. */
  pick?: (filter: Filter, array: unknown[]) => number | undefined
}

/** The path with these indexes for its wildcards, in order, the real index for -1 and for a filter that picks. */
export function concretePath(
  path: Path,
  positions: readonly (number | undefined)[],
  payload: unknown,
  { lists = false, pick = (filter, array) => firstTaken(filter, array) }: Concrete = {},
): Path {
  let level = 0
  let value = payload
  return path.map((step) => {
    let concrete: PathStep = step
    if (lists ? isList(step) : step === EACH) concrete = positions[level++] ?? step
    else if (!Array.isArray(value)) concrete = step
    else if (step === -1 && value.length > 0) concrete = value.length - 1
    else if (step instanceof Filter) concrete = pick(step, value) ?? step
    value = memberOf(value, concrete)
    return concrete
  })
}

export function firstTaken(
  filter: Filter,
  array: unknown[],
  meter: WorkMeter = UNLIMITED,
): number | undefined {
  return filter.firstTwo(array, meter)[0]
}
