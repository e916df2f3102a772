import { isObject, type JsonObject } from '../json/json-object.ts'
import type { Path } from '../json/path.ts'
import { concretePath } from './concrete.ts'
import { forEachElement, levelsOf } from './each.ts'
import type { Problem, Reason } from './problem.ts'
import { ROW_FAULTS } from './row-faults.ts'
import { type ReadOptions, readerOf } from './rule-reader.ts'
import { type MappingRule, wildcardsOf } from './rules.ts'
import { kindName, type MappingRun, noteMissing } from './run.ts'
import {
  arrayOf,
  lengthOf,
  pathPrefix,
  readShortcut,
  type Shortcut,
  Slots,
  shortcutTo,
  streamsOf,
} from './streams.ts'
import { drives, type Node, type Size, sizeOf } from './tree.ts'

/**
 * Makes the value of one place. `base` is what an enclosing rule has written there; it is never changed.
 * Undefined if there is nothing to write.
 */
export type Build = (run: MappingRun, base: unknown) => unknown

/** A builder for each top-level field of the target. */
export function buildersOf(root: Node, isOutbound: boolean): Map<string, Build> {
  const scope = { slots: new Slots(), isOutbound, giver: null }
  return new Map(Array.from(root.names, ([name, node]) => [name, builderOf(node, scope)]))
}

interface Scope extends ReadOptions {
  /** The nearest rule at or above the place: its value is `base`. */
  giver: MappingRule | null
}

/** A place's own rule runs first; the rules below it override parts of its value. */
function builderOf(node: Node, scope: Scope): Build {
  const fill = fillerOf(node, { ...scope, giver: node.rule ?? scope.giver })
  const read = node.rule && readerOf(node.rule, scope)
  if (!read) return fill
  const isLeaf = node.names.size === 0 && node.indexes.size === 0 && !node.each
  if (isLeaf) {
    return (run, base) => {
      const own = read(run)
      return own === undefined ? base : own
    }
  }
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

function objectBuilder(node: Node, scope: Scope): Build {
  const members = Array.from(node.names, ([name, child]) => ({
    name,
    build: builderOf(child, scope),
    shortcut: plainShortcut(child, scope.slots),
  }))
  return (run, base) => {
    const given = isObject(base) ? base : undefined
    let result: JsonObject | undefined
    for (const { name, build, shortcut } of members) {
      const before = given && Object.hasOwn(given, name) ? given[name] : undefined
      const value = (shortcut && readShortcut(run, shortcut)) ?? build(run, before)
      if (value === undefined) continue
      if (isLost(base) && !given) return conflict(run, node, scope.giver, 'object', base)
      if (!result && given && !hasRoomFor(run, node, given)) return base
      result ??= given ? { ...given } : {}
      result[name] = value
    }
    return result ?? base
  }
}

/**
 * Most members are one field of an element. If the element has the field, there is no problem to note, so
 * its builder need not be called.
 */
function plainShortcut({ rule, rules }: Node, slots: Slots): Shortcut | null {
  if (!rule?.source || rule.steps || rules.length > 1) return null
  return shortcutTo(rule, rule.source, slots)
}

function indexBuilder(node: Node, scope: Scope): Build {
  const children = [...node.indexes].sort(([one], [other]) => one - other)
  const builds = children.map(([, child]) => builderOf(child, scope))
  return (run, base) => {
    const given = Array.isArray(base) ? base : undefined
    const values = builds.map((build, index) => withRowFaults(run, build(run, given?.[index])))
    const length = values.findLastIndex((value) => value !== undefined) + 1
    if (length === 0) return base
    if (isLost(base) && !given) return conflict(run, node, scope.giver, 'array', base)
    const hole = values.slice(0, length).indexOf(undefined)
    if (hole !== -1) {
      const element = children[hole]?.[1] ?? node
      run.note(() => problemAt(run, 'ARRAY_HOLE', element))
      return base
    }
    if (given && !hasRoom(run, node, { values: given.length, objects: 1 })) return base
    return [...values.slice(0, length), ...(given ?? []).slice(length)]
  }
}

function arrayBuilder(node: Node, each: Node, scope: Scope): Build {
  return each.rule?.origin.kind === 'each'
    ? eachBuilder(node, each, each.rule, scope)
    : zippedBuilder(node, each, scope)
}

/** The array's elements are those that an `each` leads to. */
function eachBuilder(node: Node, each: Node, rule: MappingRule, scope: Scope): Build {
  const levels = levelsOf(rule, each.rules, scope.slots)
  const build = builderOf(each, scope)
  const absent = absenceOf(each, scope)
  const size = sizeOf(each)
  const isLeftOut = leftOutOf(rule, each, scope)
  return (run, base) => {
    const before = run.noted
    const result: unknown[] = []
    const isThere = forEachElement(run, rule, levels, () => {
      if (isLeftOut?.(run, result.length)) return true
      if (!hasRoom(run, node, size)) return false
      run.positions[0] = result.length
      const value = withRowFaults(run, build(run, undefined) ?? emptyElement(each))
      if (run.isSpent) return false
      result.push(value)
      return true
    })
    run.positions.length = 0
    run.eachPositions.length = 0
    if (isThere && !run.isSpent) return result
    if (run.noted === before && !run.partial) absent(run, 0)
    return base
  }
}

/** Whether the line at hand has nothing left. Null if such lines stay. Reads its quantity without noting problems. */
function leftOutOf(rule: MappingRule, each: Node, scope: Scope) {
  const quantity = each.rules.find(({ steps }) => steps?.amount?.leavesOutZero)
  const read = quantity && readerOf(quantity, scope)
  if (!read) return null
  return (run: MappingRun, kept: number): boolean => {
    const isZero = run.silently(() => read(run)) === 0
    if (isZero) {
      const indexes = run.leftOut.get(rule) ?? new Set()
      run.leftOut.set(rule, indexes.add(kept + indexes.size))
    }
    return isZero
  }
}

/** The arrays of the payload that drive this one are zipped. */
function zippedBuilder(node: Node, each: Node, scope: Scope): Build {
  const level = wildcardsOf(node.target)
  const streams = streamsOf(each, level, scope.slots)
  const build = builderOf(each, scope)
  const absent = absenceOf(each, scope)
  const size = sizeOf(each)
  return (run, base) => {
    const before = run.noted
    const drivers = streams.map((stream) => ({ ...stream, array: arrayOf(run, stream) }))
    const length = lengthOf(run, node, drivers)
    if (length === undefined) {
      if (run.noted === before && !run.partial) absent(run, level)
      return base
    }
    if (!hasRoom(run, node, size, length)) return base
    if (isLost(base) && !isArrayOf(base, length)) {
      return conflict(run, node, scope.giver, `array of ${length}`, base)
    }
    const given = isArrayOf(base, length) ? base : undefined
    const result: unknown[] = new Array(length)
    for (let index = 0; index < length; index++) {
      run.positions[level] = index
      // By index: an iterator for each element takes 5 % of the mapping's time.
      for (let at = 0; at < drivers.length; at++) {
        const driver = drivers[at]
        if (driver) run.elements[driver.slot] = driver.array?.[index]
      }
      const value = build(run, given?.[index])
      if (run.isSpent) return base
      result[index] = withRowFaults(run, value === undefined ? emptyElement(each) : value)
    }
    run.positions.length = level
    return result
  }
}

/** Notes what required rules lack when there is no array that they write into. */
function absenceOf(each: Node, scope: Scope): (run: MappingRun, level: number) => void {
  const required = each.rules.filter((rule) => rule.required && !rule.isOfRow)
  const readers = required.map((rule) => ({ rule, read: readerOf(rule, scope) }))
  return (run, level) => {
    for (const { rule, read } of readers) {
      const isDriven = drives(rule) || (rule.within !== null && wildcardsOf(rule.source ?? []) > 0)
      if (isDriven) noteMissing(run, rule, pathPrefix(rule.source ?? [], level), undefined)
      else read?.(run)
    }
  }
}

/** The element with the problems of its row, if it has any. */
function withRowFaults(run: MappingRun, element: unknown): unknown {
  const faults = run.rowFaults && run.takeRowFaults()
  if (!faults) return element
  return Object.defineProperty({ ...Object(element) }, ROW_FAULTS, { value: faults })
}

/** Whether other values in its place would lose something. */
function isLost(base: unknown): boolean {
  return base !== undefined && base !== null
}

function isArrayOf(value: unknown, length: number): value is unknown[] {
  return Array.isArray(value) && value.length === length
}

/** An element without a value stays, so that the others keep their positions. */
function emptyElement({ names }: Node): unknown {
  return names.size > 0 ? {} : null
}

/** Whether the document may have a copy of the object. */
function hasRoomFor(run: MappingRun, node: Node, given: JsonObject): boolean {
  return hasRoom(run, node, { values: Object.keys(given).length, objects: 1 })
}

/** Whether the document may have so much more, so many times; notes a problem at the place if not. */
function hasRoom(run: MappingRun, node: Node, { values, objects }: Size, times = 1): boolean {
  if (!run.isSpent && run.spend(times * values, times * objects)) return true
  run.note(() => problemAt(run, 'TOO_LARGE', node, run.bound))
  return false
}

/** Notes that an enclosing rule's value cannot hold what the rules below write. Keeps that value. */
function conflict(
  run: MappingRun,
  node: Node,
  giver: MappingRule | null,
  expected: string,
  base: unknown,
): unknown {
  const found = Array.isArray(base) ? `array of ${base.length}` : kindName(base)
  const source = giver?.source ? sourceWithin(run, giver, giver.source, node.target) : undefined
  run.note(() => ({ ...problemAt(run, 'TARGET_CONFLICT', node, { expected, found }), source }))
  return base
}

/** The payload's path of the value that an enclosing rule has written to the place. */
function sourceWithin(
  run: MappingRun,
  { target, listsSingles }: MappingRule,
  source: Path,
  place: Path,
): string {
  const within = concretePath(place, run.positions, undefined).slice(target.length)
  return run.print([
    ...concretePath(source, run.positions, run.payload, { listsSingles }),
    ...within,
  ])
}

/** Names the first rule below the place; without one, the place's own rule. */
function problemAt(
  run: MappingRun,
  reason: Reason,
  { rule: own, rules, target }: Node,
  what: Pick<Problem, 'expected' | 'found' | 'unit'> = {},
): Problem {
  const rule = rules.find((below) => below !== own) ?? own
  const source = rule?.source ? run.place(rule, rule.source) : undefined
  return { reason, rule: rule?.name, at: run.targetPlace(target), source, ...what }
}
