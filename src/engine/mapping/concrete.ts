import { UNLIMITED, type WorkMeter } from '../json/filter/evaluate.ts'
import { Filter } from '../json/filter/filter.ts'
import { isObject, memberOf } from '../json/json-object.ts'
import { EACH, MEMBER_NAME, type Path, type PathStep, printPath } from '../json/path.ts'
import { membersAsList } from './list.ts'
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
    // The parts of a text have no places of their own.
    const isOfText = step === EACH && isSingleValue(value) && !isObject(value)
    const isSingle = isOfText || (listsSingles && isListed(step) && isSingleValue(value))
    const position = isCounted(step, lists) ? positions[level++] : undefined
    if (isSingle) return []
    let concrete: PathStep = position ?? step
    const picks = step instanceof Filter && !isCounted(step, lists)
    if (Array.isArray(value)) {
      if (step === -1 && value.length > 0) concrete = value.length - 1
      else if (picks) concrete = pick(step, value) ?? step
    } else if (isObject(value) && typeof step !== 'string') {
      const { names, values } = membersAsList(value)
      const index = picks ? pick(step, values) : position
      concrete = (index === undefined ? undefined : names[index]) ?? step
    }
    value = memberOf(value, concrete)
    return [concrete]
  })
}

/** The text of a place. That of a member's name is the place of the member. */
export function printPlace(path: Path, print: (path: Path) => string = printPath): string {
  return print(path.at(-1) === MEMBER_NAME ? path.slice(0, -1) : path) || '$'
}

function isListed(step: PathStep): boolean {
  return typeof step !== 'string' && step !== MEMBER_NAME
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
