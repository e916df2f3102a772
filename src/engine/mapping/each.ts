import { Filter } from '../json/filter/filter.ts'
import { EACH } from '../json/path.ts'
import { follow } from './follow.ts'
import { listAt } from './list.ts'
import { isList, type MappingRule } from './rules.ts'
import { type MappingRun, noteKind, noteWork } from './run.ts'
import type { Slots } from './streams.ts'

/** One of the nested arrays that an `each` goes through, outermost first. */
export interface EachLevel {
  /** The steps of the path that lead from the enclosing element to the array. */
  start: number
  end: number
  slot: number
  /** Null takes every element. */
  filter: Filter | null
}

/** The arrays of an `each`. Gives the rules a slot for each. */
export function levelsOf({ source }: MappingRule, rules: MappingRule[], slots: Slots): EachLevel[] {
  const path = source ?? []
  const ends = path.flatMap((step, at) => (isList(step) ? [at] : []))
  return ends.map((end, level) => {
    const step = path[end]
    const start = level === 0 ? 0 : (ends[level - 1] ?? 0) + 1
    return { start, end, slot: slots.add(rules), filter: step instanceof Filter ? step : null }
  })
}

/**
 * Calls `visit` for each element that the path leads to, in order, until it returns false. False if there is
 * no outermost array, or it is of another kind, which is noted.
 */
export function forEachElement(
  run: MappingRun,
  rule: MappingRule,
  levels: EachLevel[],
  visit: () => boolean,
): boolean {
  return visitLevel(run, rule, levels, 0, run.payload, visit) !== 'absent'
}

type Visited = 'all' | 'stopped' | 'absent'

function visitLevel(
  run: MappingRun,
  rule: MappingRule,
  levels: EachLevel[],
  depth: number,
  origin: unknown,
  visit: () => boolean,
): Visited {
  const level = levels[depth]
  if (!level) return 'absent'
  const path = rule.source ?? []
  run.eachPositions.length = depth
  const found = follow(run, rule, path, origin, level.start, level.end)
  if (found === undefined || found === null) return 'absent'
  const array = listAt(rule, found)
  if (!array) {
    noteKind(run, rule, path.slice(0, level.end), EACH, found)
    return 'absent'
  }
  for (let index = 0; index < array.length; index++) {
    const element: unknown = array[index]
    const isTaken = level.filter === null || level.filter.test(element, run)
    if (!run.labour(1)) {
      noteWork(run, rule, path)
      return 'stopped'
    }
    if (!isTaken) continue
    run.eachPositions[depth] = index
    run.elements[level.slot] = element
    if (depth + 1 < levels.length) {
      const visited = visitLevel(run, rule, levels, depth + 1, element, visit)
      if (visited === 'stopped') return visited
    } else if (!visit()) return 'stopped'
  }
  return 'all'
}
