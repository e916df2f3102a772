import { isObject, type JsonObject } from '../fields.ts'
import { EACH, type Path, printPath, type Step } from '../path.ts'
import { UNUSED_MAX } from '../warnings.ts'
import type { CompiledRules } from './compile.ts'

/** What the rules read below a place of the payload. */
interface Reading {
  path: Path
  /** The place itself is read, and so everything below. */
  whole: boolean
  below: Map<Step, Reading>
}

const readings = new WeakMap<CompiledRules, Reading>()

/**
 * The payload's fields that no rule reads and that do not go through as they are, each named once;
 * an array's elements together, `lines[].colour`. At most UNUSED_MAX of them.
 */
export function unreadFields(rules: CompiledRules, payload: JsonObject): string[] {
  const top = readings.get(rules) ?? readingOf(rules)
  readings.set(rules, top)
  const unread = new UnreadFields()
  for (const name of Object.keys(payload)) {
    const reading = top.below.get(name)
    const passes = rules.unmapped === 'keep' && !rules.root.names.has(name)
    if (unread.isFull) break
    if (reading) collect(reading, payload[name], unread)
    else if (!passes) unread.add(top.path, name)
  }
  return [...unread.names]
}

class UnreadFields {
  readonly names = new Set<string>()
  /** What is named already: a long array has the same fields over and over. */
  readonly #known = new Map<Path, Set<Step>>()

  get isFull(): boolean {
    return this.names.size >= UNUSED_MAX
  }

  add(path: Path, step: Step): void {
    const known = this.#known.get(path)
    if (this.isFull || known?.has(step)) return
    this.#known.set(path, (known ?? new Set()).add(step))
    this.names.add(printPath([...path, step]))
  }
}

function collect(reading: Reading, value: unknown, unread: UnreadFields): void {
  const { path, whole, below } = reading
  if (whole || unread.isFull) return
  if (isObject(value)) {
    for (const name of Object.keys(value)) {
      const next = below.get(name)
      if (next) collect(next, value[name], unread)
      else unread.add(path, name)
    }
  } else if (Array.isArray(value)) {
    for (const [index, element] of value.entries()) {
      const next = elementReading(reading, index, value.length)
      if (next) collect(next, element, unread)
      else unread.add(path, EACH)
    }
  }
}

/** An element may be read as one of all, by its index, and as the last one. */
function elementReading({ below }: Reading, index: number, length: number): Reading | undefined {
  const each = below.get(EACH)
  if (each && below.size === 1) return each
  const ways = [each, below.get(index), below.get(index - length)].filter(
    (way) => way !== undefined,
  )
  return ways.length > 1 ? ways.reduce(merged) : ways[0]
}

function merged(one: Reading, other: Reading): Reading {
  const below = new Map(one.below)
  for (const [step, reading] of other.below) {
    const known = below.get(step)
    below.set(step, known ? merged(known, reading) : reading)
  }
  return { path: one.path, whole: one.whole || other.whole, below }
}

function readingOf({ root }: CompiledRules): Reading {
  const top = readingAt([])
  for (const { source } of root.rules) {
    if (source) markRead(top, source)
  }
  return top
}

function markRead(top: Reading, source: Path): void {
  let reading = top
  for (const step of source) {
    const shown = typeof step === 'number' ? EACH : step
    const next = reading.below.get(step) ?? readingAt([...reading.path, shown])
    reading.below.set(step, next)
    reading = next
  }
  reading.whole = true
}

function readingAt(path: Path): Reading {
  return { path, whole: false, below: new Map() }
}
