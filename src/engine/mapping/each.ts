import { Filter } from '../json/filter/filter.ts'
import { EACH } from '../json/path.ts'
import { convertedText } from './convert.ts'
import { follow } from './follow.ts'
import { listAt } from './list.ts'
import { isList, type MappingRule } from './rules.ts'
import { type MappingRun, noteKind, noteSingle, noteWork } from './run.ts'
import type { Slots } from './streams.ts'

/** One of the nested arrays that an `each` goes through, outermost first. */
export interface EachLevel {
  /** The steps of the path that lead from the enclosing element to the array. */
  start: number
  end: number
  slot: number
  /** What separates the parts of a text, which are the elements here. Null for a list. */
  split: string | null
  /** Null takes every element. */
  filter: Filter | null
}

/** The arrays of an `each`. Gives the rules a slot for each. */
export function levelsOf(
  { source, origin }: MappingRule,
  rules: MappingRule[],
  slots: Slots,
): EachLevel[] {
  const path = source ?? []
  const ends = path.flatMap((step, at) => (isList(step) ? [at] : []))
  const split = origin.kind === 'each' ? origin.split : null
  return ends.map((end, level) => {
    const step = path[end]
    const start = level === 0 ? 0 : (ends[level - 1] ?? 0) + 1
    return {
      start,
      end,
      slot: slots.add(rules),
      split: level === ends.length - 1 ? split : null,
      filter: step instanceof Filter ? step : null,
    }
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
  if (level.split !== null) return visitParts(run, rule, { ...level, depth }, found, visit)
  const list = listAt(rule, path, level.end, found)
  if (!list) {
    noteKind(run, rule, path.slice(0, level.end), EACH, found)
    return 'absent'
  }
  const { values: array, names } = list
  run.names[level.slot] = names
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

/** The parts of a text without those of white space alone. None is made before it is needed. */
function visitParts(
  run: MappingRun,
  rule: MappingRule,
  { slot, end, split, depth }: EachLevel & { depth: number },
  found: unknown,
  visit: () => boolean,
): Visited {
  const path = rule.source ?? []
  const text = convertedText(found)
  if (text === undefined || split === null) {
    noteSingle(run, rule, found, () => run.place(rule, path.slice(0, end)))
    return 'absent'
  }
  run.names[slot] = null
  let index = 0
  for (let start = 0; start <= text.length; ) {
    const at = text.indexOf(split, start)
    const stop = at === -1 ? text.length : at
    if (!run.labour(1 + ((stop - start) >> 4))) {
      noteWork(run, rule, path)
      return 'stopped'
    }
    const part = text.slice(start, stop)
    start = stop + split.length
    if (part.trim() === '') continue
    run.eachPositions[depth] = index++
    run.elements[slot] = part
    if (!visit()) return 'stopped'
  }
  return 'all'
}
