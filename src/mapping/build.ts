import { isObject, type JsonObject } from '../fields.ts'
import { EACH, type Path } from './path.ts'
import type { Problem, Reason } from './problem.ts'
import { type Rule, wildcardsOf } from './rules.ts'
import { kindOf, type Run, readBroadcast, readFrom } from './run.ts'
import { arrayOf, lengthOf, noteAbsent, Slots, streamsOf } from './streams.ts'
import type { Node } from './tree.ts'

// As many as a body may have (middleware/payload.ts), lest a mapping multiply them.
const VALUES_MAX = 1_000_000

/**
 * Makes the value of one place: `base` is what an enclosing rule has put there, and is never
 * changed. Undefined where nothing is to be written.
 */
export type Build = (run: Run, base: unknown) => unknown

/** One for each top-level field of the target. */
export function buildersOf(root: Node): Map<string, Build> {
  const slots = new Slots()
  return new Map(Array.from(root.names, ([name, node]) => [name, builderOf(node, slots)]))
}

/** A place's own rule comes first; the rules below override what it gives. */
function builderOf(node: Node, slots: Slots): Build {
  const fill = fillerOf(node, slots)
  const read = node.rule && readerOf(node.rule, slots)
  if (!read) return fill
  return (run, base) => {
    const own = read(run)
    return fill(run, own === undefined ? base : own)
  }
}

function fillerOf(node: Node, slots: Slots): Build {
  if (node.names.size > 0) return objectBuilder(node, slots)
  if (node.indexes.size > 0) return indexBuilder(node, slots)
  return node.each ? arrayBuilder(node, node.each, slots) : (_, base) => base
}

function readerOf(rule: Rule, slots: Slots): (run: Run) => unknown {
  const { source, value, target } = rule
  if (source === null) return (run) => (run.partial ? undefined : value)
  const slot = slots.of(rule).at(-1)
  if (slot !== undefined) {
    const start = source.lastIndexOf(EACH) + 1
    return (run) => readFrom(run, rule, run.elements[slot], start)
  }
  return wildcardsOf(target) > 0
    ? (run) => readBroadcast(run, rule)
    : (run) => readFrom(run, rule, run.payload, 0)
}

function objectBuilder(node: Node, slots: Slots): Build {
  const members = Array.from(node.names, ([name, child]) => ({
    name,
    build: builderOf(child, slots),
  }))
  return (run, base) => {
    const given = isObject(base) ? base : undefined
    let result: JsonObject | undefined
    for (const { name, build } of members) {
      const value = build(run, given && Object.hasOwn(given, name) ? given[name] : undefined)
      if (value === undefined) continue
      if (base !== undefined && !given) return conflict(run, node, 'object', base)
      result ??= { ...given }
      result[name] = value
    }
    return result ?? base
  }
}

function indexBuilder(node: Node, slots: Slots): Build {
  const children = [...node.indexes].sort(([one], [other]) => one - other)
  const builds = children.map(([, child]) => builderOf(child, slots))
  return (run, base) => {
    const given = Array.isArray(base) ? base : undefined
    const values = builds.map((build, index) => build(run, given?.[index]))
    const length = values.findLastIndex((value) => value !== undefined) + 1
    if (length === 0) return base
    if (base !== undefined && !given) return conflict(run, node, 'array', base)
    const hole = values.slice(0, length).indexOf(undefined)
    if (hole !== -1) {
      const element = children[hole]?.[1] ?? node
      run.note(() => problemAt(run, 'ARRAY_HOLE', element, element.target))
      return base
    }
    return [...values.slice(0, length), ...(given ?? []).slice(length)]
  }
}

function arrayBuilder(node: Node, each: Node, slots: Slots): Build {
  const level = wildcardsOf(node.target)
  const streams = streamsOf(each, level, slots)
  const build = builderOf(each, slots)
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
    if (!hasRoom(run, each, length)) return base
    if (base !== undefined && !isArrayOf(base, length))
      return conflict(run, node, `array of ${length}`, base)
    const result: unknown[] = new Array(length)
    for (let index = 0; index < length; index++) {
      run.positions[level] = index
      for (const { slot, array } of drivers) run.elements[slot] = array?.[index]
      const value = build(run, base?.[index])
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

function hasRoom(run: Run, each: Node, length: number): boolean {
  run.values += length * (each.rules.length + 1)
  if (run.values <= VALUES_MAX) return true
  const array = each.target.slice(0, -1)
  const what = { expected: VALUES_MAX, found: run.values }
  run.note(() => problemAt(run, 'TOO_LARGE', each, array, what))
  return false
}

/** What an enclosing rule gave cannot hold what the rules below write; it is left as it is. */
function conflict(run: Run, node: Node, expected: string, base: unknown): unknown {
  const found = Array.isArray(base) ? `array of ${base.length}` : kindOf(base)
  run.note(() => problemAt(run, 'TARGET_CONFLICT', node, node.target, { expected, found }))
  return base
}

/** The first rule below speaks for the place, the place's own for where its value came from. */
function problemAt(
  run: Run,
  reason: Reason,
  { rule: own, rules }: Node,
  place: Path,
  what: Pick<Problem, 'expected' | 'found'> = {},
): Problem {
  const below = rules.find((rule) => rule !== own)
  const source = (own ?? below)?.source
  return {
    reason,
    rule: below?.name ?? own?.name,
    at: run.targetPlace(place),
    source: source ? run.place(source) : undefined,
    ...what,
  }
}
