import { isObject, type JsonObject } from '../json/json-object.ts'
import { EACH, type Path, withLastStep } from '../json/path.ts'
import { type Amount, amountPaths, readAmount } from './amount.ts'
import { type CodeUse, readCodeUse } from './item-code.ts'
import type { TimeFormat } from './local-time.ts'
import { type NoValues, readNoValues } from './no-values.ts'
import { type PairLabel, readPair, readSeparator } from './pair.ts'
import { RuleError } from './rule-error.ts'
import { CONVERSION_KINDS, type ConversionKind, FORMATS, type Format } from './saved-rule.ts'
import { sourcePath } from './source-path.ts'
import { readTable, type Table } from './table.ts'
import { readTextSteps, type TextStep } from './text.ts'
import { readTimePattern } from './time-pattern.ts'
import { readTimeZone } from './time-zone.ts'

/** What a rule reads. */
export type Origin =
  | { kind: 'value'; value: unknown }
  /** `isList`: saved as a list, whose empty texts and containers are no value. */
  | { kind: 'from'; paths: [Path, ...Path[]]; isList: boolean }
  | { kind: 'join'; parts: JoinedPart[]; separator: string }
  /** `isFilled`: rules below it write the elements. `split`: the last list is of the parts of a text. */
  | { kind: 'each'; path: Path; isFilled: boolean; split: string | null }

/** A part of a joined text: what a path leads to, with its label if it is a pair, or a fixed text. */
export type JoinedPart = { path: Path; label?: PairLabel } | { text: string }

/** What a rule reads. */
export interface Sources {
  origin: Origin
  steps: Steps | null
}

/** All paths that a rule reads: those of its value, and those that change it. */
export function allPaths({ origin, steps }: Sources): Path[] {
  return [...pathsRead(origin), ...amountPaths(steps?.amount)]
}

/** The paths of a rule's value, in order. */
export function pathsRead(origin: Origin): Path[] {
  if (origin.kind === 'value') return []
  if (origin.kind === 'each') return [origin.path]
  return origin.kind === 'from' ? origin.paths : origin.parts.flatMap(partPaths)
}

/** The paths of a part of a joined text: the label of a pair comes first. */
export function partPaths(part: JoinedPart): Path[] {
  if (!('path' in part)) return []
  return part.label ? [part.label.path, part.path] : [part.path]
}

/** What a rule makes of what it reads. */
export interface Steps {
  /** Null if there are none. */
  text: readonly TextStep[] | null
  values: Table | null
  as: ConversionKind | null
  format: Format | null
  /** By which texts are read first. Null if "format" is no pattern and there is no zone. */
  time: TimeFormat | null
  /** Texts have a decimal comma. */
  hasComma: boolean
  /** What is taken off an integer, and what multiplies it. Null if nothing does. */
  amount: Amount | null
  /** Undefined if there is none. */
  fallback: unknown
  /** What is written is an item code. Null if it is none. */
  code: CodeUse | null
}

export interface Members {
  origin: Origin
  /** Null for a rule without any: null and "" are then values like others. */
  steps: Steps | null
  none: NoValues | null
  required: boolean
}

/** Most paths of a list, and most parts of a joined text. */
export const PARTS_MAX = 8
/** Of a fixed part of a joined text. */
export const TEXT_LENGTH_MAX = 1000
const ORIGINS = ['from', 'join', 'each', 'value'] as const
const STEPS = [
  ...['none', 'text', 'values', 'as', 'format', 'zone', 'decimal'],
  ...['less', 'times', 'at_zero', 'default', 'code', 'required'],
]
const MEMBERS: Record<(typeof ORIGINS)[number], readonly string[]> = {
  from: ['from', ...STEPS],
  join: ['join', 'with', ...STEPS],
  each: ['each', 'split'],
  value: ['value'],
}

/** Reads one rule as saved. Throws RuleError. */
export function readMembers(saved: unknown): Members {
  if (typeof saved === 'string') {
    const origin: Origin = { kind: 'from', paths: [sourcePath(saved)], isList: false }
    return { origin, steps: null, none: null, required: false }
  }
  if (!isObject(saved)) {
    throw new RuleError(
      'Must be a path, {"from": path}, {"join": [paths]}, {"each": path} or {"value": any JSON}.',
    )
  }
  const kind = kindOf(saved)
  checkMembers(saved, kind)
  const { required = false } = saved
  if (typeof required !== 'boolean') throw new RuleError('"required" must be true or false.')
  const origin = originOf(saved, kind)
  const none = saved.none === undefined ? null : readNoValues(saved.none)
  return { origin, steps: stepsOf(saved, origin), none, required }
}

function kindOf(saved: JsonObject): (typeof ORIGINS)[number] {
  const [kind, other] = ORIGINS.filter((name) => Object.hasOwn(saved, name))
  if (kind === undefined) {
    const [odd] = Object.keys(saved)
    const known = odd === undefined || MEMBERS.join.includes(odd) || MEMBERS.from.includes(odd)
    throw new RuleError(
      known
        ? 'Must have "from", "join", "each" or "value".'
        : `Must not have "${odd}": a rule has "from", "join", "each" or "value".`,
    )
  }
  if (other !== undefined) {
    throw new RuleError(`Must have either "${kind}" or "${other}", not both.`)
  }
  return kind
}

function checkMembers(saved: JsonObject, kind: (typeof ORIGINS)[number]): void {
  const allowed = MEMBERS[kind]
  const odd = Object.keys(saved).find((name) => !allowed.includes(name))
  if (odd === undefined) return
  const known = MEMBERS.from.includes(odd) || MEMBERS.join.includes(odd)
  if (kind === 'value' && known) throw new RuleError(`A fixed value cannot have "${odd}".`)
  const rest = allowed.slice(1).join(', ')
  throw new RuleError(
    `Must not have "${odd}": beside "${kind}" a rule has ${rest === '' ? 'nothing' : `only ${rest}`}.`,
  )
}

function originOf(saved: JsonObject, kind: (typeof ORIGINS)[number]): Origin {
  if (kind === 'value') return { kind, value: saved.value }
  if (kind === 'each') return eachOf(saved)
  if (kind === 'join') return joinOf(saved.join, saved.with)
  const { from } = saved
  if (!Array.isArray(from))
    return { kind, paths: [sourcePath(textOf(from, '"from"'))], isList: false }
  const [first, ...others] = from.map((path) => sourcePath(textOf(path, 'Each entry of "from"')))
  if (!first) throw new RuleError('"from" must have at least 1 path.')
  if (from.length > PARTS_MAX) throw new RuleError(`"from" must have at most ${PARTS_MAX} paths.`)
  return { kind, paths: [first, ...others], isList: true }
}

/** The parts of a text are a list as others are: `skus[]`. */
function eachOf({ each, split }: JsonObject): Origin {
  const path = sourcePath(textOf(each, '"each"'), { isList: true })
  if (split === undefined) return { kind: 'each', path, isFilled: false, split: null }
  if (split === '') throw new RuleError('"split" must be a text of at least 1 character.')
  const mark = readSeparator(split, 'split')
  return { kind: 'each', path: withLastStep(path, EACH), isFilled: false, split: mark }
}

function joinOf(join: unknown, separator: unknown = ' '): Origin {
  if (!Array.isArray(join)) {
    throw new RuleError('"join" must be a list of paths and of {"value": text}.')
  }
  if (join.length > PARTS_MAX) throw new RuleError(`"join" must have at most ${PARTS_MAX} parts.`)
  const parts = join.map(partOf)
  if (!parts.some((part) => 'path' in part)) {
    throw new RuleError('"join" must have a path: a fixed text alone is {"value": text}.')
  }
  return { kind: 'join', parts, separator: readSeparator(separator) }
}

function partOf(part: unknown): JoinedPart {
  if (typeof part === 'string') return { path: sourcePath(part, { isList: true }) }
  if (isObject(part) && Object.hasOwn(part, 'pair')) return readPair(part)
  if (!isObject(part) || Object.keys(part).join() !== 'value' || typeof part.value !== 'string') {
    throw new RuleError(
      'A part of "join" must be a path, {"value": text} or {"pair": [path, path]}.',
    )
  }
  if ([...part.value].length > TEXT_LENGTH_MAX) {
    throw new RuleError(`A fixed part of "join" must have at most ${TEXT_LENGTH_MAX} characters.`)
  }
  return { text: part.value }
}

function textOf(value: unknown, what: string): string {
  if (typeof value === 'string') return value
  throw new RuleError(`${what} must be a path.`)
}

function stepsOf(saved: JsonObject, origin: Origin): Steps | null {
  const isPlain = origin.kind === 'from' && !origin.isList
  const hasSteps = STEPS.some((name) => name !== 'required' && Object.hasOwn(saved, name))
  if (origin.kind === 'each' || origin.kind === 'value') return null
  if (isPlain && !hasSteps) return null
  const as = oneOf(saved.as, CONVERSION_KINDS, 'as')
  const { format, time } = formatOf(saved, as)
  const text = saved.text === undefined ? null : readTextSteps(saved.text)
  const values = saved.values === undefined ? null : readTable(saved.values)
  if (Object.hasOwn(saved, 'default') && (saved.default === null || saved.default === '')) {
    throw new RuleError('"default" must be a value, not null or an empty text.')
  }
  if (Object.hasOwn(saved, 'default') && saved.required === true) {
    throw new RuleError('A rule with "default" always has a value: leave "required" out.')
  }
  if (saved.decimal !== undefined && saved.decimal !== ',') {
    throw new RuleError('"decimal" can only be ",". Leave it out for a decimal point.')
  }
  const hasComma = saved.decimal === ','
  if (hasComma && as !== 'decimal' && as !== 'integer') {
    throw new RuleError('"decimal" needs "as": "decimal" or "as": "integer".')
  }
  const code = saved.code === undefined ? null : readCodeUse(saved.code)
  const amount = readAmount(saved)
  if (amount && as !== 'integer') {
    throw new RuleError('"less", "times" and "at_zero" need "as": "integer".')
  }
  return { text, values, as, format, time, hasComma, amount, fallback: saved.default, code }
}

/** An epoch, or a pattern of Unicode TR 35 such as `dd.MM.yyyy`. */
function formatOf(
  { format, zone }: JsonObject,
  as: ConversionKind | null,
): { format: Format | null; time: TimeFormat | null } {
  if (format === undefined && zone === undefined) return { format: null, time: null }
  const member = format === undefined ? 'zone' : 'format'
  if (as !== 'datetime') throw new RuleError(`"${member}" needs "as": "datetime".`)
  const epoch = FORMATS.find((known) => known === format)
  if (epoch !== undefined) {
    if (zone !== undefined) throw new RuleError('An epoch has no zone: leave "zone" out.')
    return { format: epoch, time: null }
  }
  if (format !== undefined && (typeof format !== 'string' || format === '')) {
    throw new RuleError(`"format" must be ${FORMATS.join(', ')} or a pattern such as "dd.MM.yyyy".`)
  }
  const pattern = format === undefined ? null : readTimePattern(format)
  return { format: null, time: { pattern, zone: zone === undefined ? null : readTimeZone(zone) } }
}

function oneOf<Name extends string>(
  value: unknown,
  names: readonly Name[],
  member: string,
): Name | null {
  if (value === undefined) return null
  const name = names.find((known) => known === value)
  if (name !== undefined) return name
  throw new RuleError(`"${member}" must be one of ${names.join(', ')}.`)
}
