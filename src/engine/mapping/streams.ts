import { isObject } from '../json/json-object.ts'
import { EACH, MEMBER_NAME, type Path, printPath } from '../json/path.ts'
import { follow } from './follow.ts'
import { listAt } from './list.ts'
import { isList, type MappingRule, wildcardsOf } from './rules.ts'
import { type MappingRun, noteKind } from './run.ts'
import { drives, type Node } from './tree.ts'

/** An array of the payload that drives one of the target: each element makes an element. */
export interface Stream {
  /** The first of the rules that read the array. Problems name this one. */
  rule: MappingRule
  slot: number
  /** The enclosing array's slot; undefined if the path begins at the payload. */
  outer: number | undefined
  /** The steps of the rule's source that lead from there to the array. */
  start: number
  end: number
}

/** For each rule, the slots (see Run) of the arrays that its source goes through, outermost first. */
export class Slots {
  readonly #byRule = new Map<MappingRule, number[]>()
  #next = 0

  of(rule: MappingRule): readonly number[] {
    return this.#byRule.get(rule) ?? []
  }

  add(rules: MappingRule[]): number {
    for (const rule of rules) this.#byRule.set(rule, [...this.of(rule), this.#next])
    return this.#next++
  }
}

/** What gives the name of the member that the path leads to, in the object of the slot; null for another path. */
export function nameReader(rule: MappingRule, path: Path, slots: Slots) {
  if (path.at(-1) !== MEMBER_NAME) return null
  const known = slots.of(rule)
  const level = Math.min(path.filter(isList).length, known.length) - 1
  const slot = known[level] ?? 0
  return (run: MappingRun): string | undefined => {
    const name = run.names[slot]?.[run.positionsOf(rule)[level] ?? 0]
    if (name === undefined) noteKind(run, rule, path.slice(0, -2), '', [])
    return name
  }
}

/** Where a path begins: at step `start` in the element of a slot, or at the payload. */
export interface Beginning {
  slot: number | undefined
  start: number
  /** What it leads to is the same for many elements of the target. */
  isOuter: boolean
}

/** The arrays of a path that drive those of the target come first: the path begins in their elements. */
export function beginningOf(rule: MappingRule, path: Path, slots: Slots): Beginning {
  const known = slots.of(rule)
  const driving = rule.within ? known.length : wildcardsOf(rule.target)
  const level = Math.min(wildcardsOf(path), driving)
  const ends = path.flatMap((step, at) => (step === EACH ? [at + 1] : []))
  const isOuter = level < driving
  return { slot: known[level - 1], start: ends[level - 1] ?? 0, isOuter }
}

/** The names that lead from the element of a slot (see Run) to the value that a rule reads. */
export interface Shortcut {
  slot: number
  names: string[]
}

/** Null if the path does not lead by names alone from the elements at hand to a value. */
export function shortcutTo(rule: MappingRule, path: Path, slots: Slots): Shortcut | null {
  const { slot, start, isOuter } = beginningOf(rule, path, slots)
  const steps = path.slice(start)
  const names = steps.filter((step) => typeof step === 'string').filter(isNeverInherited)
  if (slot === undefined || isOuter || rule.none) return null
  return names.length === steps.length ? { slot, names } : null
}

function isNeverInherited(name: string): boolean {
  return !(name in Object.prototype)
}

/** Skips `hasOwn`, which is 20 % faster and safe here: `Object.prototype` has none of these names. */
export function readShortcut(run: MappingRun, { slot, names }: Shortcut): unknown {
  let value = run.elements[slot]
  for (const name of names) {
    if (!isObject(value)) return undefined
    value = value[name]
  }
  return value
}

/** The payload's arrays that drive the target's array at this wildcard level. */
export function streamsOf(each: Node, level: number, slots: Slots): Stream[] {
  const drivers = each.rules.filter(drives)
  const bySource = Map.groupBy(drivers, ({ source }) => printPath(pathPrefix(source ?? [], level)))
  return Array.from(bySource.values(), (rules) => {
    const [rule] = rules as [MappingRule]
    const source = rule.source ?? []
    return {
      // What breaks the array is no error of one row.
      rule: { ...rule, isOfRow: false },
      outer: slots.of(rule)[level - 1],
      slot: slots.add(rules),
      start: level === 0 ? 0 : pathPrefix(source, level - 1).length + 1,
      end: pathPrefix(source, level).length,
    }
  })
}

/** The part of the path before its wildcard of this level (0 is the first). */
export function pathPrefix(path: Path, level: number): Path {
  const wildcards = path.flatMap((step, at) => (step === EACH ? [at] : []))
  return path.slice(0, wildcards[level])
}

/** The stream's array; undefined if there is none. Notes a problem if the value is of another kind. */
export function arrayOf(
  run: MappingRun,
  { rule, slot, outer, start, end }: Stream,
): unknown[] | undefined {
  const origin = outer === undefined ? run.payload : run.elements[outer]
  const found = follow(run, rule, rule.source ?? [], origin, start, end)
  if (found === undefined || found === null) return undefined
  const list = listAt(rule, rule.source ?? [], end, found)
  run.names[slot] = list?.names ?? null
  if (list) return list.values
  noteKind(run, rule, (rule.source ?? []).slice(0, end), EACH, found)
  return undefined
}

/** A stream with its array in this run, if there is one. */
type Driver = Stream & { array: unknown[] | undefined }

/** The length of zipped arrays; undefined if there is none, or if they differ, which is noted. */
export function lengthOf(run: MappingRun, { target }: Node, drivers: Driver[]): number | undefined {
  const length = drivers.find(({ array }) => array !== undefined)?.array?.length
  const odd = drivers.find(({ array }) => array !== undefined && array.length !== length)
  if (length === undefined || !odd) return length
  run.note(() => ({
    reason: 'LENGTH_MISMATCH',
    rule: odd.rule.name,
    at: run.targetPlace(target),
    source: run.place(odd.rule, (odd.rule.source ?? []).slice(0, odd.end)),
    expected: length,
    found: odd.array?.length ?? 0,
  }))
  return undefined
}
