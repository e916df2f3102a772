import { isObject, type JsonObject, VALUES_MAX } from '../fields.ts'
import { EACH, type Path, printPath } from '../path.ts'
import type { Problem, Reason } from './problem.ts'
import { type Rule, wildcardsOf } from './rules.ts'
import { concretePath, kindName, type Run, readBroadcast, readFrom } from './run.ts'
import { arrayOf, lengthOf, noteAbsent, Slots, streamsOf } from './streams.ts'
import type { Node } from './tree.ts'

/**
 * Makes the value of one place: `base` is what an enclosing rule has put there, and is never
 * changed. Undefined where nothing is to be written.
 */
export type Build = (run: Run, base: unknown) => unknown

/** One for each top-level field of the target. */
export function buildersOf(root: Node): Map<string, Build> {
  const slots = new Slots()
  return new Map(
    Array.from(root.names, ([name, node]) => [name, builderOf(node, { slots, giver: null })]),
  )
}

interface Scope {
  slots: Slots
  /** The nearest rule at or above the place: it gives `base`. */
  giver: Rule | null
}

/** A place's own rule comes first; the rules below override what it gives. */
function builderOf(node: Node, { slots, giver }: Scope): Build {
  const fill = fillerOf(node, { slots, giver: node.rule ?? giver })
  const read = node.rule && readerOf(node.rule, slots)
  if (!read) return fill
  return (run, base) => {
    const own = read(run)
    return fill(run, own === undefined ? base : own)
  }
}

function fillerOf(node: Node, scope: Scope): Build {
  if (node.names.size > 0) return objectBuilder(node, scope)
  if (node.indexes.size > 0) return indexBuilder(node, scope)
  return node.each ? arrayBuilder(node, node.each, scope) : (_, base) => base
}

function readerOf(rule: Rule, slots: Slots): (run: Run) => unknown {
  const { source, value, target } = rule
  const isRepeated = wildcardsOf(target) > 0
  if (source === null) {
    const give = isRepeated ? (run: Run) => readBroadcast(run, rule) : () => value
    return (run) => (run.partial ? undefined : give(run))
  }
  const slot = slots.of(rule).at(-1)
  if (slot !== undefined) {
    const start = source.lastIndexOf(EACH) + 1
    return (run) => readFrom(run, rule, run.elements[slot], start)
  }
  return isRepeated
    ? (run) => readBroadcast(run, rule)
    : (run) => readFrom(run, rule, run.payload, 0)
}

function objectBuilder(node: Node, scope: Scope): Build {
  const members = Array.from(node.names, ([name, child]) => ({
    name,
    build: builderOf(child, scope),
    shortcut: shortcutTo(child, scope.slots),
  }))
  return (run, base) => {
    const given = isObject(base) ? base : undefined
    let result: JsonObject | undefined
    for (const { name, build, shortcut } of members) {
      const before = given && Object.hasOwn(given, name) ? given[name] : undefined
      const value = (shortcut && goTo(run, shortcut)) ?? build(run, before)
      if (value === undefined) continue
      if (base !== undefined && !given) {
        return conflict(run, node, scope.giver, 'object', base)
      }
      if (!result && given && !hasRoomFor(run, node, given)) return base
      result ??= given ? { ...given } : {}
      result[name] = value
    }
    return result ?? base
  }
}

/** The names that lead from the element of a slot (see Run) to what a rule reads of it. */
interface Shortcut {
  slot: number
  names: string[]
}

/**
 * Most members are one field of an element. Where it is there, nothing is to be noted, and its builder
 * need not be called.
 */
function shortcutTo({ rule, rules }: Node, slots: Slots): Shortcut | null {
  const slot = rule ? slots.of(rule).at(-1) : undefined
  if (!rule?.source || slot === undefined || rules.length > 1) return null
  const steps = rule.source.slice(rule.source.lastIndexOf(EACH) + 1)
  const names = steps.filter((step) => typeof step === 'string').filter(isNeverInherited)
  return names.length === steps.length ? { slot, names } : null
}

function isNeverInherited(name: string): boolean {
  return !(name in Object.prototype)
}

/** Asks for no own member, which takes a fifth of the time: no object inherits one of the names. */
function goTo(run: Run, { slot, names }: Shortcut): unknown {
  let value = run.elements[slot]
  for (const name of names) {
    if (!isObject(value)) return undefined
    value = value[name]
  }
  return value
}

function indexBuilder(node: Node, scope: Scope): Build {
  const children = [...node.indexes].sort(([one], [other]) => one - other)
  const builds = children.map(([, child]) => builderOf(child, scope))
  return (run, base) => {
    const given = Array.isArray(base) ? base : undefined
    const values = builds.map((build, index) => build(run, given?.[index]))
    const length = values.findLastIndex((value) => value !== undefined) + 1
    if (length === 0) return base
    if (base !== undefined && !given) {
      return conflict(run, node, scope.giver, 'array', base)
    }
    const hole = values.slice(0, length).indexOf(undefined)
    if (hole !== -1) {
      const element = children[hole]?.[1] ?? node
      run.note(() => problemAt(run, 'ARRAY_HOLE', element))
      return base
    }
    if (given && !hasRoom(run, node, () => given.length)) return base
    return [...values.slice(0, length), ...(given ?? []).slice(length)]
  }
}

function arrayBuilder(node: Node, each: Node, scope: Scope): Build {
  const level = wildcardsOf(node.target)
  const streams = streamsOf(each, level, scope.slots)
  const build = builderOf(each, scope)
  const required = each.rules.filter((rule) => rule.required)
  return (run, base) => {
    const before = run.noted
    const drivers = streams.map((stream) => ({ ...stream, array: arrayOf(run, stream) }))
    const length = lengthOf(run, node, drivers)
    if (length === undefined) {
      const isAbsent = run.noted === before && !run.partial
      if (isAbsent) for (const rule of required) noteAbsent(run, rule, level)
      return base
    }
    if (!hasRoom(run, node, () => length * (each.rules.length + 1))) return base
    if (base !== undefined && !isArrayOf(base, length)) {
      return conflict(run, node, scope.giver, `array of ${length}`, base)
    }
    const result: unknown[] = new Array(length)
    for (let index = 0; index < length; index++) {
      run.positions[level] = index
      // By index: an iterator for each element takes a twentieth of the mapping.
      for (let at = 0; at < drivers.length; at++) {
        const driver = drivers[at]
        if (driver) run.elements[driver.slot] = driver.array?.[index]
      }
      const value = build(run, base?.[index])
      if (run.isSpent) return base
      result[index] = value === undefined ? emptyElement(each) : value
    }
    run.positions.length = level
    return result
  }
}

function isArrayOf(value: unknown, length: number): value is unknown[] {
  return Array.isArray(value) && value.length === length
}

/** An element without a value stays, so that the others keep their positions. */
function emptyElement({ names }: Node): unknown {
  return names.size > 0 ? {} : null
}

/** Apart: a closure over `given` within a builder would cost every object its place on the heap. */
function hasRoomFor(run: Run, node: Node, given: JsonObject): boolean {
  return hasRoom(run, node, () => Object.keys(given).length)
}

/** Whether as many values may still be made at the place; notes it where they may not. */
function hasRoom(run: Run, node: Node, values: () => number): boolean {
  if (!run.isSpent && run.spend(values())) return true
  run.note(() => problemAt(run, 'TOO_LARGE', node, { expected: VALUES_MAX }))
  return false
}

/** What an enclosing rule gave cannot hold what the rules below write; it is left as it is. */
function conflict(
  run: Run,
  node: Node,
  giver: Rule | null,
  expected: string,
  base: unknown,
): unknown {
  const found = Array.isArray(base) ? `array of ${base.length}` : kindName(base)
  const source = giver?.source ? givenBy(run, giver, giver.source, node.target) : undefined
  run.note(() => ({ ...problemAt(run, 'TARGET_CONFLICT', node, { expected, found }), source }))
  return base
}

/** The path of the payload that an enclosing rule has brought to the place. */
function givenBy(run: Run, { target }: Rule, source: Path, place: Path): string {
  const within = concretePath(place, run.positions, undefined).slice(target.length)
  return printPath([...concretePath(source, run.positions, run.payload), ...within])
}

/** The first rule below speaks for the place. */
function problemAt(
  run: Run,
  reason: Reason,
  { rule: own, rules, target }: Node,
  what: Pick<Problem, 'expected' | 'found'> = {},
): Problem {
  const rule = rules.find((below) => below !== own) ?? own
  const source = rule?.source ? run.place(rule.source) : undefined
  return { reason, rule: rule?.name, at: run.targetPlace(target), source, ...what }
}
