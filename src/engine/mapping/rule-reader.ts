import { ExactNumber } from '../json/exact-number.ts'
import { byteLength, jsonBytes } from '../json/fields.ts'
import type { WorkMeter } from '../json/filter/evaluate.ts'
import { isObject } from '../json/json-object.ts'
import type { Path } from '../json/path.ts'
import { amountReader } from './amount-reader.ts'
import {
  convert,
  convertedText,
  formatted,
  isValue,
  REFUSED,
  settled,
  usualConversion,
} from './convert.ts'
import { follow } from './follow.ts'
import { joinedText } from './join.ts'
import { readTime } from './local-time.ts'
import { allPaths, type Steps } from './members.ts'
import type { NoValues } from './no-values.ts'
import { onceForOuter, readBroadcast } from './repeated.ts'
import { isList, type MappingRule, wildcardsOf } from './rules.ts'
import {
  hasRoomForBytes,
  kindName,
  type MappingRun,
  noteMissing,
  noteSingle,
  noteWork,
} from './run.ts'
import { beginningOf, nameReader, readShortcut, type Slots, shortcutTo } from './streams.ts'
import { type Table, tableResult } from './table.ts'
import { charactersRead, cutText } from './text.ts'

// Of work: characters that are looked at one by one.
const CHARACTERS_A_STEP = 16

/** What a rule writes at the elements at hand. */
export type RuleReader = (run: MappingRun) => unknown

export interface ReadOptions {
  slots: Slots
  /** `format` then says how to write a datetime. */
  isOutbound: boolean
}

/** Null for an `each`: its elements are what the rules below it write. */
export function readerOf(rule: MappingRule, options: ReadOptions): RuleReader | null {
  const { origin, target, steps } = rule
  if (rule.isOfGroup) return groupReader(rule, options)
  if (origin.kind === 'each') return origin.isFilled ? null : leafReader(rule, options.slots)
  const read = steps ? steppedReader(rule, steps, options) : plainReader(rule, options.slots)
  const isRepeated = wildcardsOf(target) > 0 && !isDriven(rule, options.slots)
  const give = isRepeated ? (run: MappingRun) => readBroadcast(run, rule, read) : read
  return origin.kind === 'value' ? (run) => (run.partial ? undefined : give(run)) : give
}

/** Reads a field of the header from the rows of a group: in those that have a value, it must be the same. */
function groupReader(rule: MappingRule, options: ReadOptions): RuleReader | null {
  const read = readerOf({ ...rule, isOfGroup: false }, options)
  const steps = rule.steps && { ...rule.steps, fallback: undefined }
  const readRow = readerOf({ ...rule, isOfGroup: false, required: false, steps }, options)
  if (!read || !readRow) return null
  return (run) => {
    const picked = sameRow(run, rule, readRow)
    if (picked === undefined) return undefined
    run.texts.clear()
    run.record?.pick(rule, picked)
    return read(run)
  }
}

/** The first row that has a value, else the first row. Undefined if another row has another value, which is noted. */
function sameRow(run: MappingRun, rule: MappingRule, readRow: RuleReader): number | undefined {
  const { record } = run
  const before = run.noted
  let first: { row: number; value: unknown } | undefined
  for (let row = 0; record && row < record.rowCount; row++) {
    record.turnTo(row)
    run.texts.clear()
    const value = readRow(run)
    if (run.noted !== before) return undefined
    if (!run.labour(1)) {
      noteWork(run, rule, rule.source ?? [])
      return undefined
    }
    if (!hasContent(value, rule.none, run)) continue
    first ??= { row, value }
    if (isSame(first.value, value, run)) continue
    noteDiffering(run, rule, first.row, row)
    return undefined
  }
  return first?.row ?? 0
}

function noteDiffering(run: MappingRun, rule: MappingRule, one: number, other: number): void {
  const placeIn = (row: number) => {
    run.record?.turnTo(row)
    return run.place(rule, rule.source ?? [])
  }
  const found = placeIn(other)
  run.note(() => ({ reason: 'DIFFERS', rule: rule.name, at: placeIn(one), found }))
}

/** Whether some path of the rule reads the elements at hand. */
function isDriven(rule: MappingRule, slots: Slots): boolean {
  return allPaths(rule).some((path) => beginningOf(rule, path, slots).slot !== undefined)
}

function leafReader(rule: MappingRule, slots: Slots): RuleReader {
  const path = rule.source ?? []
  const nameAt = nameReader(rule, path, slots)
  if (nameAt) return nameAt
  const slot = slots.of(rule).at(-1) ?? 0
  const start = path.findLastIndex(isList) + 1
  return (run) => follow(run, rule, path, run.elements[slot], start, path.length)
}

function plainReader(rule: MappingRule, slots: Slots): RuleReader {
  const { source, value } = rule
  if (!source) return () => value
  const nameAt = nameReader(rule, source, slots)
  if (nameAt) return nameAt
  const { slot, start, isOuter } = beginningOf(rule, source, slots)
  if (slot === undefined) return (run) => readFrom(run, rule, source, run.payload, 0)
  const read: RuleReader = (run) => readFrom(run, rule, source, run.elements[slot], start)
  return isOuter ? onceForOuter(rule, slot, read, (value) => value) : read
}

/** The value at the rest of the path. Notes a problem if there is none, null included, but it is required. */
export function readFrom(
  run: MappingRun,
  rule: MappingRule,
  path: Path,
  origin: unknown,
  start: number,
): unknown {
  const before = run.noted
  const found = follow(run, rule, path, origin, start, path.length)
  if (!rule.required || (found !== undefined && found !== null)) return found
  // A null that is sent is refused on PUT too.
  if (run.partial) return found
  if (run.noted !== before) return undefined
  noteMissing(run, rule, path, found)
  return undefined
}

function steppedReader(rule: MappingRule, steps: Steps, options: ReadOptions): RuleReader {
  const read = wholeReader(rule, steps, options)
  const changes = steps.text || steps.values || steps.amount
  const convertUsual = changes ? null : usualConversion(steps.as)
  const isOnePath = rule.origin.kind === 'from' && rule.origin.paths.length === 1
  const shortcut = isOnePath && rule.source && shortcutTo(rule, rule.source, options.slots)
  if (!convertUsual || !shortcut) return read
  return (run) => convertUsual(readShortcut(run, shortcut)) ?? read(run)
}

function wholeReader(rule: MappingRule, steps: Steps, options: ReadOptions): RuleReader {
  const after = stepsOf(rule, steps, options)
  const find =
    rule.origin.kind === 'join'
      ? joinFinder(rule, steps, after, options.slots)
      : firstFinder(rule, steps, after, options.slots)
  const fallbackBytes = jsonBytes(steps.fallback ?? null)
  const amount = amountReader(rule, steps, options.slots)
  return (run) => {
    if (run.isSpent) return undefined
    const before = run.noted
    const found = find(run)
    if (run.isOverworked && !run.isSpent) noteWork(run, rule, rule.source ?? [])
    const whole = found?.result
    const value =
      amount && found && typeof whole === 'number' ? amount(run, whole, found.path) : whole
    if (value !== undefined || run.noted !== before) return value
    if (run.partial) return undefined
    if (steps.fallback !== undefined) {
      return hasRoomForBytes(run, rule, fallbackBytes) ? steps.fallback : undefined
    }
    if (rule.required) noteMissing(run, rule, found?.path ?? rule.source ?? [], found?.value)
    return undefined
  }
}

/** A value, the path that it was found at, and what the steps make of it: undefined if that is no value, or fails. */
interface Found {
  value: unknown
  path: Path
  result: unknown
}

type Find = (run: MappingRun) => Found | undefined
type After = (run: MappingRun, value: unknown, path: Path) => unknown

/** The first path of a list that has a value. */
function firstFinder(rule: MappingRule, steps: Steps, after: After, slots: Slots): Find {
  const paths = rule.origin.kind === 'from' ? rule.origin.paths : []
  const finders = paths.map((path): Find => {
    const { slot, start, isOuter } = beginningOf(rule, path, slots)
    const nameAt = nameReader(rule, path, slots)
    const find: Find = (run) => {
      const origin = slot === undefined ? run.payload : run.elements[slot]
      const sent = nameAt ? nameAt(run) : follow(run, rule, path, origin, start, path.length)
      const value = partOfText(sent, steps, run)
      if (!hasValue(value, steps, run) || !isOfList(rule, value, run)) return undefined
      return { value, path, result: after(run, value, path) }
    }
    return isOuter ? onceForOuter(rule, slot, find, (found) => found?.result) : find
  })
  const [first] = finders
  if (first && finders.length === 1) return first
  return (run) => {
    for (const find of finders) {
      const found = find(run)
      if (found) return found
    }
    return undefined
  }
}

/** Whether a list of paths takes the value. It passes over objects and arrays without content. */
export function isOfList({ origin, none }: MappingRule, value: unknown, meter: WorkMeter): boolean {
  return origin.kind !== 'from' || !origin.isList || hasContent(value, none, meter)
}

/** The part of a text that the rule takes; undefined if it finds none. Other values than texts and numbers stay. */
export function partOfText(value: unknown, { text: steps }: Steps, meter: WorkMeter): unknown {
  if (steps === null) return value
  const text = convertedText(settled(value))
  if (text === undefined) return value
  meter.work += Math.floor(charactersRead(text.length, steps) / CHARACTERS_A_STEP)
  return meter.work > meter.workMax ? undefined : cutText(text, steps)
}

export function hasValue(value: unknown, { as, format }: Steps, meter: WorkMeter): boolean {
  if (value === undefined || value === null || value === '') return false
  return as === null || isValue(value, as, format, meter)
}

function joinFinder(rule: MappingRule, steps: Steps, after: After, slots: Slots): Find {
  const read = joinedText(rule, slots)
  const path = rule.source ?? []
  return (run) => {
    const value = partOfText(read(run), steps, run)
    if (!hasValue(value, steps, run)) return undefined
    return { value, path, result: after(run, value, path) }
  }
}

/** Looks the value up in `values`, then converts it. Undefined if that gives no value, or fails. */
function stepsOf(
  rule: MappingRule,
  { text, values, as, format, time, hasComma }: Steps,
  { isOutbound }: ReadOptions,
): After {
  return (run, value, path) => {
    if ((text || values) && !isSingle(run, rule, value, path)) return undefined
    const looked = values ? lookUp(run, rule, values, { value, path }) : value
    if (looked === undefined || looked === null || looked === '') return undefined
    if (as === null) return looked
    const moment = time && !isOutbound ? readTime(looked, time, run) : null
    if (moment !== null && moment !== REFUSED) {
      if (moment.doubt) run.doubt(rule, path, moment.doubt, time?.zone?.name ?? 'UTC')
      return hasRoomForBytes(run, rule, moment.utc.length + 2) ? moment.utc : undefined
    }
    const converted = moment ?? convert(looked, as, isOutbound ? null : format, run, hasComma)
    if (converted === REFUSED) {
      refuse(run, rule, path, { reason: 'CONVERSION', expected: as, found: shown(looked) })
      return undefined
    }
    if (isNewText(converted, looked) && !hasRoomForBytes(run, rule, converted.length + 2)) {
      return undefined
    }
    return isOutbound && format !== null ? formatted(converted, format) : converted
  }
}

/** A text that the conversion makes, in ASCII: `1e300` as decimal has 301 digits. */
function isNewText(converted: unknown, from: unknown): converted is string {
  return typeof converted === 'string' && converted !== from
}

/** Whether the value has a text. If not, notes a problem. */
function isSingle(run: MappingRun, rule: MappingRule, value: unknown, path: Path): boolean {
  if (convertedText(value) !== undefined) return true
  noteSingle(run, rule, value, () => run.place(rule, path))
  return false
}

function lookUp(
  run: MappingRun,
  rule: MappingRule,
  values: Table,
  { value, path }: Pick<Found, 'value' | 'path'>,
) {
  const text = String(convertedText(settled(value)))
  const result = tableResult(values, text, value)
  if (result === undefined)
    refuse(run, rule, path, { reason: 'UNMAPPED_VALUE', found: shown(text) })
  const isOfTable = typeof result === 'string' && result !== value
  if (isOfTable && !hasRoomForBytes(run, rule, byteLength(result) + 2)) return undefined
  return result
}

/** Whether the rule writes something for the value, were it not for its default. */
export function givesValue(value: unknown, steps: Steps, meter: WorkMeter): boolean {
  const part = partOfText(value, steps, meter)
  if (!hasValue(part, steps, meter)) return false
  const { values } = steps
  const result = values ? tableResult(values, String(convertedText(settled(part))), part) : part
  return result !== null && result !== ''
}

interface Refusal {
  reason: 'CONVERSION' | 'UNMAPPED_VALUE'
  expected?: string
  found: string
}

function refuse(run: MappingRun, rule: MappingRule, path: Path, refusal: Refusal): void {
  run.noteValue(rule, () => ({ ...refusal, rule: rule.name, at: run.place(rule, path) }))
}

const SHOWN_MAX = 60

/** A value as a message shows it: texts in quotes, cut; objects by their kind. */
function shown(value: unknown): string {
  const text = convertedText(value)
  if (text === undefined) return kindName(value)
  const cut = text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX).toWellFormed()}...` : text
  return typeof value === 'string' ? JSON.stringify(cut) : cut
}

/** Whether the value is one, or has one at any depth: null, empty texts and what is in `none` are none. */
function hasContent(value: unknown, none: NoValues | null, meter: WorkMeter): boolean {
  if (value === undefined || value === null || value === '' || none?.has(value)) return false
  if (typeof value !== 'object' || value instanceof ExactNumber) return true
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    meter.work += 1
    if (meter.work > meter.workMax) return false
    if (hasContent(member, none, meter)) return true
  }
  return false
}

/** Whether both are the same as JSON, whatever the order of members. */
function isSame(one: unknown, other: unknown, meter: WorkMeter): boolean {
  if (one === other) return true
  meter.work += 1
  if (meter.work > meter.workMax) return false
  const isText = typeof one === 'string' || typeof other === 'string'
  const text = isText ? undefined : convertedText(one)
  if (text !== undefined) return text === convertedText(other)
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false
    return one.every((element, at) => isSame(element, other[at], meter))
  }
  if (!isObject(one) || !isObject(other)) return false
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name], meter))
  )
}
