import type { WorkMeter } from '../json/filter/evaluate.ts'
import { Filter } from '../json/filter/filter.ts'
import { comparedPaths } from '../json/filter/syntax.ts'
import { isObject } from '../json/json-object.ts'
import {
  EACH,
  MEMBER_NAME,
  type Path,
  type PathStep,
  printPath,
  takesMembers,
} from '../json/path.ts'
import { SentValue } from '../json/sent-with.ts'
import { UNUSED_MAX } from '../json/warnings.ts'
import type { CompiledRules } from './compile.ts'
import { membersAsList } from './list.ts'
import { allPaths } from './members.ts'
import { WORK_MAX } from './run.ts'

/** What the rules read at a place of the payload and below. */
interface Reading {
  path: Path
  /** A rule reads the place itself, and so everything below it. */
  whole: boolean
  /** A rule goes through the members of an object here. */
  takesMembers: boolean
  below: Map<PathStep, Reading>
  /** The filters of each `each` here. They choose the elements for rules that read all of them. */
  choosing: Set<Filter>
}

/** What no rule reads. */
export interface Unread {
  /** By the place of the first: elements that no rule reads because all rules give an index. */
  passedOver: Map<string, number>
  /** The names of other fields. The elements of an array share one, `lines[].colour`. At most UNUSED_MAX. */
  fields: string[]
}

interface Readings {
  top: Reading
  /** A rule reads an array by index, so that elements may be passed over. */
  byIndex: boolean
}

const readings = new WeakMap<CompiledRules, Readings>()

/** The payload's fields that no rule reads and that do not pass through, with their names or without. */
export function unreadFields(rules: CompiledRules, payload: unknown, named = true): Unread {
  const { top, byIndex } = readings.getOrInsertComputed(rules, readingsOf)
  if (!named && !byIndex) return { passedOver: new Map(), fields: [] }
  const unread = new UnreadFields(named, rules.listsSingles)
  if (rules.readsArray) {
    collect(top, payload, unread)
    return { passedOver: unread.passedOver, fields: [...unread.names] }
  }
  for (const [name, value] of isObject(payload) ? Object.entries(payload) : []) {
    const reading = top.below.get(name)
    const passes = rules.unmapped === 'keep' && !rules.root.names.has(name)
    if (reading) collect(reading, value, unread)
    else if (!passes) unread.add(top.path, name)
  }
  return { passedOver: unread.passedOver, fields: [...unread.names] }
}

class UnreadFields implements WorkMeter {
  /** Filters that the mapping itself has not tested: others of its list had a value. */
  work = 0
  readonly workMax = WORK_MAX
  readonly names = new Set<string>()
  readonly passedOver = new Map<string, number>()
  /** Fields that are named already: the elements of a long array have the same fields. */
  readonly #known = new Map<Path, Set<PathStep>>()
  readonly #named: boolean

  readonly listsSingles: boolean

  constructor(named: boolean, listsSingles: boolean) {
    this.#named = named
    this.listsSingles = listsSingles
  }

  get isFull(): boolean {
    return !this.#named || this.names.size >= UNUSED_MAX || this.work > this.workMax
  }

  add(path: Path, step: PathStep): void {
    const known = this.#known.get(path)
    if (this.isFull || known?.has(step)) return
    this.#known.set(path, (known ?? new Set()).add(step))
    this.names.add(printPath([...path, step]))
  }

  /** Arrays at the same place of several elements share their first and add up. */
  passOver(first: string, count: number): void {
    const before = this.passedOver.get(first)
    if (before === undefined && this.passedOver.size >= UNUSED_MAX) return
    this.passedOver.set(first, (before ?? 0) + count)
  }
}

function collect(reading: Reading, value: unknown, unread: UnreadFields): void {
  const { path, whole, below } = reading
  if (whole) return
  if (!Array.isArray(value) && unread.listsSingles && looksForList(reading)) {
    collectElements(reading, value === '' ? [] : [value], unread)
  } else if (isObject(value) && reading.takesMembers) {
    const { values, names } = membersAsList(value)
    collectElements(reading, values, unread, names)
  } else if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const next = below.get(name)
      if (next) collect(next, value[name], unread)
      else unread.add(path, name)
    }
  } else if (Array.isArray(value)) {
    collectElements(reading, value, unread)
  }
}

function looksForList({ below }: Reading): boolean {
  return [...below.keys()].some((step) => typeof step !== 'string' && step !== MEMBER_NAME)
}

function collectElements(
  reading: Reading,
  array: unknown[],
  unread: UnreadFields,
  names: readonly string[] | null = null,
): void {
  const readingOfElement = elementReader(reading, unread)
  const passedOver: number[] = []
  for (const [index, element] of array.entries()) {
    if (unread.work > unread.workMax) return
    const next = readingOfElement(element, names?.[index] ?? index, array.length)
    if (next) collect(next, element, unread)
    else if (next === undefined) passedOver.push(index)
  }
  const [first] = passedOver
  if (first === undefined) return
  const isByIndex = [...reading.below.keys()].some((step) => typeof step === 'number')
  if (isByIndex) unread.passOver(printPath([...reading.path, first]), passedOver.length)
  else unread.add(reading.path, EACH)
}

/** Null for an element that filters leave out: that is intended. */
type ElementReading = (
  element: unknown,
  index: number | string,
  length: number,
) => Reading | null | undefined

/** Rules may read one element by a wildcard, by its index, by -1, and by filters. */
function elementReader({ below, choosing }: Reading, meter: WorkMeter): ElementReading {
  const each = below.get(EACH)
  if (each && below.size === 1) return () => each
  const filters = [...below.keys()].filter((step) => step instanceof Filter)
  return (element, index, length) => {
    const matching = filters.filter((filter) => filter.test(element, meter))
    const isChosen = choosing.size === 0 || matching.some((filter) => choosing.has(filter))
    const steps: PathStep[] = [
      ...(isChosen ? ([EACH] as const) : []),
      index,
      ...(typeof index === 'number' ? [index - length] : []),
      ...matching,
    ]
    const ways = steps.flatMap((step) => below.get(step) ?? [])
    if (ways.length > 1) return ways.reduce(merged)
    return ways[0] ?? (filters.length > 0 ? null : undefined)
  }
}

function merged(one: Reading, other: Reading): Reading {
  const below = new Map(one.below)
  for (const [step, reading] of other.below) {
    const known = below.get(step)
    below.set(step, known ? merged(known, reading) : reading)
  }
  const choosing = one.choosing.union(other.choosing)
  return {
    path: one.path,
    whole: one.whole || other.whole,
    takesMembers: one.takesMembers || other.takesMembers,
    below,
    choosing,
  }
}

function readingsOf(rules: CompiledRules): Readings {
  const top = readingAt([])
  let byIndex = false
  for (const rule of rules.read) {
    const { origin } = rule
    for (const path of allPaths(rule)) {
      if (path[0] instanceof SentValue) continue
      byIndex ||= path.some((step) => typeof step === 'number')
      const isEach = origin.kind === 'each'
      markRead(top, path, { isEach, isWhole: !(isEach && origin.isFilled) })
    }
  }
  return { top, byIndex }
}

function markRead(top: Reading, source: Path, { isEach = false, isWhole = true } = {}): void {
  const last = markWay(top, source)
  if (isWhole) last.whole = true
  for (const [at, step] of source.entries()) {
    if (!(step instanceof Filter)) continue
    const array = markWay(top, source.slice(0, at))
    if (isEach) array.choosing.add(step)
    const element = readingBelow(array, step)
    for (const path of comparedPaths(step.condition)) markWay(element, path).whole = true
  }
}

/** The reading at the end of the path, made if it is not there yet. */
function markWay(top: Reading, path: Path): Reading {
  return path.reduce<Reading>((reading, step, at) => {
    reading.takesMembers ||= takesMembers(path, at)
    return readingBelow(reading, step)
  }, top)
}

function readingBelow(reading: Reading, step: PathStep): Reading {
  const shown = typeof step === 'string' ? step : EACH
  return reading.below.getOrInsertComputed(step, () => readingAt([...reading.path, shown]))
}

function readingAt(path: Path): Reading {
  return { path, whole: false, takesMembers: false, below: new Map(), choosing: new Set() }
}
