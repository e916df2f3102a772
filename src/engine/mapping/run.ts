import { BODY_BYTES_MAX, VALUES_MAX } from '../json/fields.ts'
import type { WorkMeter } from '../json/filter/evaluate.ts'
import { isObject } from '../json/json-object.ts'
import { shortened } from '../json/messages.ts'
import { EACH, type Path, type PathStep, printPath } from '../json/path.ts'
import { SENT_ALONE, type SentWith } from '../json/sent-with.ts'
import type { Warning } from '../json/warnings.ts'
import { concretePath, printPlace } from './concrete.ts'
import { PROBLEMS_MAX, type Problem } from './problem.ts'
import type { RecordView } from './record-view.ts'
import type { RowFaults } from './row-faults.ts'
import type { MappingRule } from './rules.ts'
import { writes } from './single.ts'
import type { Doubt } from './time-zone.ts'

/** Most steps (see Meter) of all rules together on one document: what filters test, joins list and conversions look at. */
export const WORK_MAX = 10 * VALUES_MAX
/** Most objects and arrays that the rules make of one document: each takes several times the memory of a value. */
export const OBJECTS_MAX = 300_000
/** What a value in an object or array takes of memory, in bytes, and what the object or array takes besides. */
const VALUE_MEMORY = 16
const OBJECT_MEMORY = 64
const MEMORY_MAX = VALUE_MEMORY * VALUES_MAX + OBJECT_MEMORY * OBJECTS_MAX
/** The most rows whose errors an answer lists. */
const FAULTY_ROWS_MAX = 1000

/** What mapping one document may take. */
export interface RunLimits {
  /** The most `work`. */
  workMax?: number
  /** The most `repeatedBytes`. */
  bytesMax?: number
  /** The most `memory`. */
  memoryMax?: number
}

/** Which of its limits a document exceeds: of its work, or of what it takes of memory. */
export type Exceeded = 'steps' | 'memory'

/** By `each`: which of the elements that it leads to are left out, because they have nothing left. */
export type LeftOut = Map<MappingRule, Set<number>>

/** A value that is written into every element. */
export interface Broadcast {
  value: unknown
  bytes: number
  /** In an upload: why there is no value. */
  fault: Problem | undefined
}

/** What a run has taken of its limits. */
export interface Taken {
  work: number
  values: number
  objects: number
  repeatedBytes: number
}

export function memoryOf({ values, objects }: Pick<Taken, 'values' | 'objects'>): number {
  return VALUE_MEMORY * values + OBJECT_MEMORY * objects
}

export interface RunOptions extends RunLimits {
  partial?: boolean
  identifier?: Path | null
  /** What came beside the payload. */
  sent?: SentWith | undefined
  /** The work that has been done before. */
  work?: number
  /** What the records before have taken, of the same document. */
  before?: Taken | undefined
  /** One record of several in the document. */
  record?: RecordView | undefined
}

/** The state of mapping one document. */
export class MappingRun implements WorkMeter {
  /** An object, or an array if the rules begin with `$[`. */
  readonly payload: unknown
  readonly sent: SentWith
  /** By slot: the current element of each source array. */
  readonly elements: unknown[] = []
  /** By slot: the names of the members, if the list is an object. */
  readonly names: (readonly string[] | null)[] = []
  /** By wildcard level of the target: the index of that element. */
  readonly positions: number[] = []
  /** By level of an `each`: the index of the current element in its source array. */
  readonly eachPositions: number[] = []
  /** Leaves out fixed values and does not check `required`. */
  readonly partial: boolean
  /** The field by which the partner addresses its records, if its mapping names one. */
  readonly identifier: Path | null
  readonly limits: Required<Omit<RunLimits, 'workMax'>>
  #values = 0
  #objects = 0
  /** The document exceeds a limit. A field, because it is read for each element. */
  isSpent = false
  /** Bytes as JSON of all copies of repeated values. */
  repeatedBytes = 0
  work: number
  readonly workMax: number
  /** The first PROBLEMS_MAX. */
  readonly problems: Problem[] = []
  /** Warnings about values that may be meant otherwise. The first PROBLEMS_MAX. */
  readonly doubts: Warning[] = []
  /** The number of all problems, those of rows too. */
  noted = 0
  /** The problems of the row at hand; null if it has none. */
  rowFaults: RowFaults | null = null
  #faultyRows = 0
  readonly leftOut: LeftOut = new Map()
  /** By rule that writes one value into every element: the value and its size as JSON. */
  readonly broadcast = new Map<MappingRule, Broadcast>()
  /** By path of a joined text that is the same for every element: the texts that it leads to. */
  readonly texts = new Map<Path, readonly string[]>()
  readonly record: RecordView | null

  constructor(payload: unknown, options: RunOptions = {}) {
    const { partial = false, bytesMax = BODY_BYTES_MAX, memoryMax = MEMORY_MAX } = options
    this.payload = payload
    this.sent = options.sent ?? SENT_ALONE
    this.partial = partial
    this.identifier = options.identifier ?? null
    this.record = options.record ?? null
    const { before } = options
    this.work = before?.work ?? options.work ?? 0
    this.#values = before?.values ?? 0
    this.#objects = before?.objects ?? 0
    this.repeatedBytes = before?.repeatedBytes ?? 0
    this.workMax = options.workMax ?? WORK_MAX
    this.limits = { bytesMax, memoryMax }
  }

  note(problemOf: () => Problem): void {
    this.noted += 1
    if (this.problems.length < PROBLEMS_MAX) this.problems.push(problemOf())
  }

  /** Tells that the value at the path is a local time that its zone has twice, or not at all. */
  doubt(rule: MappingRule, path: Path, doubt: Exclude<Doubt, null>, zone: string): void {
    if (this.doubts.length >= PROBLEMS_MAX) return
    const message =
      doubt === 'twice'
        ? `${zone} has this time twice, as clocks are put back: the first of the two was taken.`
        : `${zone} does not have this time, as clocks are put forward: the offset before was taken.`
    this.doubts.push({ field: shortened(this.place(rule, path)), message })
  }

  /** What `read` gives. It is read again, so that the problems that it notes are noted once. */
  silently(read: () => unknown): unknown {
    const [{ length }, { noted }] = [this.problems, this]
    const value = read()
    this.problems.length = length
    this.noted = noted
    return value
  }

  /** Notes that a rule's value cannot be given. In a row of an upload that is an error of the row alone. */
  noteValue(rule: MappingRule, problemOf: () => Problem): void {
    if (!rule.isOfRow) {
      this.note(problemOf)
      return
    }
    this.noted += 1
    this.rowFaults ??= new Map()
    if (this.#faultyRows < FAULTY_ROWS_MAX) this.rowFaults.set(String(rule.target[2]), problemOf())
  }

  /** The problems of the row that is complete now; null if it has none. */
  takeRowFaults(): RowFaults | null {
    const faults = this.rowFaults
    if (!faults) return null
    this.#faultyRows += 1
    this.rowFaults = null
    return faults
  }

  /** Counts what is about to be made; false if the document then exceeds a limit. */
  spend(values: number, objects: number): boolean {
    this.#values += values
    this.#objects += objects
    const isWithin = this.#values <= VALUES_MAX && this.#objects <= OBJECTS_MAX
    if (isWithin && this.memory <= this.limits.memoryMax) return true
    this.isSpent = true
    return false
  }

  /** The memory that the objects, arrays and values made so far take, in bytes, without their texts. */
  get memory(): number {
    return memoryOf({ values: this.#values, objects: this.#objects })
  }

  get taken(): Taken {
    const { work, repeatedBytes } = this
    return { work, values: this.#values, objects: this.#objects, repeatedBytes }
  }

  /** The most elements of an array of which the rule may read one by its index. */
  elementsMaxOf(rule: MappingRule): number {
    const { elementsMax = Number.POSITIVE_INFINITY } = rule
    return this.identifier !== null && writes(rule, this.identifier) ? 1 : elementsMax
  }

  get bytesLeft(): number {
    return Math.max(0, this.limits.bytesMax - this.repeatedBytes)
  }

  /** Counts another copy of a repeated value; false if all copies exceed `bytesMax`. */
  repeat(bytes: number): boolean {
    this.repeatedBytes += bytes
    if (this.repeatedBytes <= this.limits.bytesMax) return true
    this.isSpent = true
    return false
  }

  /** Counts elements that a filter tests or a join lists; false if they are too many. */
  labour(elements: number): boolean {
    this.work += elements
    if (!this.isOverworked) return true
    this.isSpent = true
    return false
  }

  get isOverworked(): boolean {
    return this.work > this.workMax
  }

  /** Null if the document is whole. */
  get exceeded(): Exceeded | null {
    if (this.isOverworked) return 'steps'
    return this.isSpent ? 'memory' : null
  }

  /** The limit that the document exceeds. */
  get bound(): Pick<Problem, 'expected' | 'unit'> {
    if (this.isOverworked) return { expected: this.workMax, unit: 'steps' }
    const { bytesMax } = this.limits
    if (this.repeatedBytes > bytesMax) return { expected: bytesMax, unit: 'bytes' }
    return this.#objects > OBJECTS_MAX
      ? { expected: OBJECTS_MAX, unit: 'objects' }
      : { expected: VALUES_MAX, unit: 'values' }
  }

  /** A path of the rule in the payload, with the current index for each wildcard. */
  place(rule: MappingRule, path: Path): string {
    const own = isRepeatedPart(rule, path) ? [] : this.positionsOf(rule)
    return this.#print(rule, path, own, listsFilters(rule))
  }

  /** As `place`, of a path that lists all it leads to; `deeper` are the indexes beyond the arrays of the target. */
  placeListed(rule: MappingRule, path: Path, deeper: readonly number[]): string {
    const own = path.includes(EACH) ? this.positionsOf(rule) : []
    return this.#print(rule, path, [...own, ...deeper], true)
  }

  /** The indexes of the elements at hand in the payload's lists, or in those of the target. */
  positionsOf({ within, origin }: MappingRule): readonly number[] {
    return within !== null || origin.kind === 'each' ? this.eachPositions : this.positions
  }

  #print(rule: MappingRule, path: Path, positions: readonly number[], lists: boolean): string {
    const { listsSingles } = rule
    const concrete = concretePath(path, positions, this.payload, { lists, listsSingles })
    return printPlace(concrete, (place) => this.print(place))
  }

  /** A path of the payload as the document has it. */
  print(path: Path): string {
    return this.record ? this.record.print(path) : printPath(path)
  }

  /** The path in the mapped document, with the current index for each wildcard. */
  targetPlace(path: Path): string {
    return printPath(concretePath(path, this.positions, undefined))
  }
}

/** Whether a filter in the rule's paths takes all elements that match, not one. */
export function listsFilters({ origin }: MappingRule): boolean {
  return origin.kind === 'join' || origin.kind === 'each'
}

/** Whether the path is a part of a joined text that is the same for all elements of the target. */
export function isRepeatedPart({ origin }: MappingRule, path: Path): boolean {
  return origin.kind === 'join' && !path.includes(EACH)
}

/** Notes that the rules take too many steps. */
export function noteWork(run: MappingRun, rule: MappingRule, path: Path): void {
  run.labour(1)
  run.note(() => ({
    reason: 'TOO_LARGE',
    rule: rule.name,
    at: run.place(rule, path.slice(0, 1)),
    ...run.bound,
  }))
}

/** Counts the bytes of a value that a rule makes; notes a problem if all together are too many. */
export function hasRoomForBytes(run: MappingRun, rule: MappingRule, bytes: number): boolean {
  if (run.repeat(bytes)) return true
  run.note(() => ({
    reason: 'TOO_LARGE',
    rule: rule.name,
    at: run.targetPlace(rule.target),
    source: rule.source ? run.place(rule, rule.source) : undefined,
    ...run.bound,
  }))
  return false
}

/** Notes that the payload's value at the path is of the wrong kind for the step. */
export function noteKind(
  run: MappingRun,
  rule: MappingRule,
  path: Path,
  step: PathStep | undefined,
  value: unknown,
  place = () => run.place(rule, path),
): void {
  run.note(() => ({
    reason: 'TYPE_MISMATCH',
    rule: rule.name,
    at: place(),
    expected: typeof step === 'string' ? 'object' : 'array',
    found: kindName(value),
  }))
}

/** Notes that the payload's value at the place is no text, number, true or false. */
export function noteSingle(
  run: MappingRun,
  rule: MappingRule,
  value: unknown,
  place: () => string,
): void {
  run.note(() => ({
    reason: 'TYPE_MISMATCH',
    rule: rule.name,
    at: place(),
    expected: 'single value',
    found: kindName(value),
  }))
}

/** Notes that the rule requires a value. */
export function noteMissing(run: MappingRun, rule: MappingRule, path: Path, found: unknown): void {
  run.noteValue(rule, () => ({
    reason: 'SOURCE_MISSING',
    rule: rule.name,
    at: run.place(rule, path),
    expected: 'value',
    found: found === undefined ? 'nothing' : found === '' ? 'empty text' : kindName(found),
  }))
}

/** `object`, `array`, `null`, `string`, ... */
export function kindName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value === 'object' && !isObject(value) ? 'number' : typeof value
}
