import { EACH, type Path, printPath } from '../path.ts'
import type { Rule } from './rules.ts'
import { follow, noteKind, noteMissing, type Run, readBroadcast } from './run.ts'
import { drives, type Node } from './tree.ts'

/** An array of the payload that drives one of the target. */
export interface Stream {
  /** The first of the rules that read it speaks for them. */
  rule: Rule
  slot: number
  /** The enclosing array's slot; undefined where the path begins at the payload. */
  outer: number | undefined
  /** The steps of the rule's source that lead from there to the array. */
  start: number
  end: number
}

/** By rule, the slots (see Run) of the arrays that its source goes through, outermost first. */
export class Slots {
  readonly #byRule = new Map<Rule, number[]>()
  #next = 0

  of(rule: Rule): readonly number[] {
    return this.#byRule.get(rule) ?? []
  }

  add(rules: Rule[]): number {
    for (const rule of rules) this.#byRule.set(rule, [...this.of(rule), this.#next])
    return this.#next++
  }
}

/** The arrays that drive the elements of a target's array at this wildcard level. */
export function streamsOf(each: Node, level: number, slots: Slots): Stream[] {
  const drivers = each.rules.filter(drives)
  const bySource = Map.groupBy(drivers, ({ source }) => printPath(prefixOf(source ?? [], level)))
  return Array.from(bySource.values(), (rules) => {
    const [rule] = rules as [Rule]
    const source = rule.source ?? []
    return {
      rule,
      outer: slots.of(rule)[level - 1],
      slot: slots.add(rules),
      start: level === 0 ? 0 : prefixOf(source, level - 1).length + 1,
      end: prefixOf(source, level).length,
    }
  })
}

/** The path up to its wildcard of this level (0 is the first), without it. */
export function prefixOf(path: Path, level: number): Path {
  const wildcards = path.flatMap((step, at) => (step === EACH ? [at] : []))
  return path.slice(0, wildcards[level])
}

/** The array itself; undefined where there is none. */
export function arrayOf(run: Run, { rule, outer, start, end }: Stream): unknown[] | undefined {
  const origin = outer === undefined ? run.payload : run.elements[outer]
  const found = follow(run, rule, origin, start, end)
  if (found === undefined || found === null) return undefined
  if (Array.isArray(found)) return found
  noteKind(run, rule, (rule.source ?? []).slice(0, end), EACH, found)
  return undefined
}

/** A stream with the array that this run has found for it, if any. */
type Driver = Stream & { array: unknown[] | undefined }

/** How many elements zipped arrays have; undefined where they differ, or there is none. */
export function lengthOf(run: Run, { target }: Node, drivers: Driver[]): number | undefined {
  const length = drivers.find(({ array }) => array !== undefined)?.array?.length
  const odd = drivers.find(({ array }) => array !== undefined && array.length !== length)
  if (length === undefined || !odd) return length
  run.note(() => ({
    reason: 'LENGTH_MISMATCH',
    rule: odd.rule.name,
    at: run.targetPlace(target),
    source: run.place((odd.rule.source ?? []).slice(0, odd.end)),
    expected: length,
    found: odd.array?.length ?? 0,
  }))
  return undefined
}

/** Notes what a required rule lacks where there is no array for it to write into. */
export function noteAbsent(run: Run, rule: Rule, level: number): void {
  if (drives(rule)) noteMissing(run, rule, prefixOf(rule.source ?? [], level))
  else readBroadcast(run, rule)
}
