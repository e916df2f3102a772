import { isObject, type JsonObject, jsonBytes, VALUES_MAX } from '../fields.ts'
import { EACH, type Path, printPath, type Step } from '../path.ts'
import { PROBLEMS_MAX, type Problem } from './problem.ts'
import type { Rule } from './rules.ts'

const UNIT_BYTES = 64

/** One document on its way through a mapping. */
export class Run {
  readonly payload: JsonObject
  /** By slot: the element that each source array is at. */
  readonly elements: unknown[] = []
  /** By wildcard level: the index of that element. */
  readonly positions: number[] = []
  /** Fixed values are left out, and required ones may be missing. */
  readonly partial: boolean
  /** How much has been made so far: a unit for each value, and for each 64 bytes of a repeated one. */
  #units = 0
  /** The first of them. */
  readonly problems: Problem[] = []
  /** How many there are. */
  noted = 0
  /** What rules have read that write the same value into every element, and its size in units. */
  readonly broadcast = new Map<Rule, { value: unknown; units: number }>()

  constructor(payload: JsonObject, { partial = false } = {}) {
    this.payload = payload
    this.partial = partial
  }

  note(problemOf: () => Problem): void {
    this.noted += 1
    if (this.problems.length < PROBLEMS_MAX) this.problems.push(problemOf())
  }

  /**
   * Whether as much may still be made. A mapping could multiply a payload: no document gets bigger
   * than a body may be.
   */
  spend(units: number): boolean {
    this.#units += units
    return this.#units <= VALUES_MAX
  }

  get isSpent(): boolean {
    return this.#units > VALUES_MAX
  }

  /** The payload's path at which this run stands. */
  place(path: Path): string {
    return printPath(concretePath(path, this.positions, this.payload))
  }

  /** The path of the document being built at which this run stands. */
  targetPlace(path: Path): string {
    return printPath(concretePath(path, this.positions, undefined))
  }
}

/**
 * Goes from `value`, which stands at step `start` of the rule's source, to step `end`. What is not
 * there is undefined; a value of the wrong kind on the way is noted, and undefined as well.
 */
export function follow(run: Run, rule: Rule, value: unknown, start: number, end: number): unknown {
  const path = rule.source ?? []
  let current = value
  for (let at = start; at < end; at++) {
    if (current === undefined || current === null) return undefined
    const step = path[at]
    if (typeof step === 'string' ? !isObject(current) : !Array.isArray(current)) {
      noteKind(run, rule, path.slice(0, at), step, current)
      return undefined
    }
    current = memberOf(current, step)
  }
  return current
}

/** What the rest of the rule's source leads to; notes that it is missing where it must not be. */
export function readFrom(run: Run, rule: Rule, origin: unknown, start: number): unknown {
  const { source, required } = rule
  const before = run.noted
  const found = follow(run, rule, origin, start, source?.length ?? 0)
  const isMissing = found === undefined && run.noted === before
  if (isMissing && required && !run.partial) noteMissing(run, rule, source ?? [])
  return found
}

/** The value that a rule writes into every element: read once, and so its problems noted once. */
export function readBroadcast(run: Run, rule: Rule): unknown {
  let known = run.broadcast.get(rule)
  if (!known) {
    const value = rule.source ? readFrom(run, rule, run.payload, 0) : rule.value
    known = { value, units: unitsOf(value) }
    run.broadcast.set(rule, known)
  }
  if (run.spend(known.units)) return known.value
  run.note(() => ({
    reason: 'TOO_LARGE',
    rule: rule.name,
    at: run.targetPlace(rule.target),
    source: rule.source ? run.place(rule.source) : undefined,
    expected: VALUES_MAX,
  }))
  return undefined
}

function unitsOf(value: unknown): number {
  return value === undefined ? 0 : Math.floor(jsonBytes(value) / UNIT_BYTES)
}

/** What stands at the path of the payload has no such step. */
export function noteKind(
  run: Run,
  rule: Rule,
  path: Path,
  step: Step | undefined,
  value: unknown,
): void {
  run.note(() => ({
    reason: 'TYPE_MISMATCH',
    rule: rule.name,
    at: run.place(path),
    expected: typeof step === 'string' ? 'object' : 'array',
    found: kindName(value),
  }))
}

export function noteMissing(run: Run, rule: Rule, path: Path): void {
  run.note(() => ({
    reason: 'SOURCE_MISSING',
    rule: rule.name,
    at: run.place(path),
    expected: 'value',
    found: 'nothing',
  }))
}

/** `object`, `array`, `null`, `string`, ... */
export function kindName(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** The member or element of a value; undefined where there is none. Own members only. */
export function memberOf(value: unknown, step: Step | undefined): unknown {
  if (typeof step === 'string') {
    return isObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
  }
  return typeof step === 'number' && Array.isArray(value) ? value.at(step) : undefined
}

/** The path with its wildcards, in their order, at these indexes, and -1 as what it means here. */
export function concretePath(
  path: Path,
  positions: readonly (number | undefined)[],
  payload: unknown,
): Path {
  let level = 0
  let value = payload
  return path.map((step) => {
    let concrete = step
    if (step === EACH) concrete = positions[level++] ?? EACH
    else if (step === -1 && Array.isArray(value) && value.length > 0) concrete = value.length - 1
    value = memberOf(value, concrete)
    return concrete
  })
}
