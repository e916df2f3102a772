import { Filter } from '../json/filter/filter.ts'
import { isObject, isOwnText, memberOf } from '../json/json-object.ts'
import { appendStep, type Path, type PathStep } from '../json/path.ts'
import { SentValue } from '../json/sent-with.ts'
import { listAt } from './list.ts'
import type { MappingRule } from './rules.ts'
import { kindName, type MappingRun, noteKind, noteWork } from './run.ts'

/**
 * Goes from `value`, at step `start` of a path of the rule, to step `end`. Undefined if something is missing
 * on the way, or is of the wrong kind, which is noted as a problem.
 */
export function follow(
  run: MappingRun,
  rule: MappingRule,
  path: Path,
  value: unknown,
  start: number,
  end: number,
): unknown {
  const { none } = rule
  let current = value
  for (let at = start; at < end; at++) {
    if (current === undefined || current === null || none?.has(current)) return undefined
    const step = path[at]
    if (step instanceof SentValue) {
      const sent = step.in(run.sent)
      return none?.has(sent) ? undefined : sent
    }
    if (at > 0 && isEmptyList(step, current)) return undefined
    const isLed = isObject(current) || isOwnText(current, step)
    if (typeof step === 'string' ? !isLed : !Array.isArray(current)) {
      const list = typeof step === 'string' ? undefined : listAt(rule, path, at, current)
      if (!list) {
        noteKind(run, rule, path.slice(0, at), step, current)
        return undefined
      }
      current = elementAt(run, rule, path, at, list.values, list.names)
    } else {
      current =
        typeof step === 'string' ? memberOf(current, step) : elementAt(run, rule, path, at, current)
    }
  }
  return none?.has(current) ? undefined : current
}

/** Whether an object is looked for and there is an empty array: PHP writes `[]` for an object without members. */
export function isEmptyList(step: PathStep | undefined, value: unknown): boolean {
  return typeof step === 'string' && Array.isArray(value) && value.length === 0
}

/** The element that the step leads to; undefined if there is none, or if it is one of several records, which is noted. */
export function elementAt(
  run: MappingRun,
  rule: MappingRule,
  path: Path,
  at: number,
  array: unknown,
  names: readonly string[] | null = null,
): unknown {
  const step = path[at]
  if (!Array.isArray(array)) return undefined
  if (step instanceof Filter) return pick(run, rule, path, at, array, names)
  const element: unknown = memberOf(array, step)
  const isRecord = typeof element === 'object' && element !== null && kindName(element) !== 'number'
  if (!isRecord || array.length <= run.elementsMaxOf(rule)) return element
  run.noteValue(rule, () => ({
    reason: 'SEVERAL_RECORDS',
    rule: rule.name,
    at: run.place(rule, path.slice(0, at)),
    found: array.length,
  }))
  return undefined
}

/** The one element that the filter at this step takes; undefined if none, or several, which is noted. */
function pick(
  run: MappingRun,
  rule: MappingRule,
  path: Path,
  at: number,
  array: unknown[],
  names: readonly string[] | null,
): unknown {
  const filter = path[at] as Filter
  const [first, second] = filter.firstTwo(array, run)
  if (run.isOverworked) {
    noteWork(run, rule, path)
    return undefined
  }
  if (first === undefined || second === undefined)
    return first === undefined ? undefined : array[first]
  run.noteValue(rule, () => {
    const place = run.place(rule, path.slice(0, at))
    return {
      reason: 'AMBIGUOUS',
      rule: rule.name,
      at: appendStep(place, names?.[first] ?? first),
      found: appendStep(place, names?.[second] ?? second),
    }
  })
  return undefined
}
