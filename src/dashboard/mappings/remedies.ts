import { UNLIMITED } from '../../engine/json/filter/evaluate.ts'
import { EACH, type Path, printPath } from '../../engine/json/path.ts'
import { convert, convertedText, REFUSED, withPoint } from '../../engine/mapping/convert.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import { readTime } from '../../engine/mapping/local-time.ts'
import type { Problem } from '../../engine/mapping/problem.ts'
import { type ConversionKind, FORMATS } from '../../engine/mapping/saved-rule.ts'
import { readTimePattern } from '../../engine/mapping/time-pattern.ts'
import { bookings, isLocation, type Offered } from './booking.ts'
import { readCell } from './cell.ts'
import type { Draft, Row } from './draft.ts'
import { leavingOut } from './elements-with.ts'
import { type MappedField, targetsOf } from './known-fields.ts'
import { type Hint, OTHERS_STAY, type Remedy } from './remedy.ts'
import { pathOf, valueAt } from './value-at.ts'
import { writeEntry } from './values.ts'

/** What a preview found wrong, as far as a remedy depends on it. */
export interface Found {
  payload: unknown
  mapped: unknown
  problems: Problem[]
  errors: FieldError[]
}

interface FieldError {
  field: string
  /** The path in the payload. */
  source: string | null
}

export type Remediable = Problem | FieldError

const READ_AS: Record<Exclude<Row['as'], ''>, string> = {
  string: 'Write it as text',
  integer: 'Read it as an integer',
  decimal: 'Read it as a decimal',
  boolean: 'Read it as true or false',
  datetime: 'Read it as a datetime',
  epoch_seconds: 'Read it as seconds since 1970',
  epoch_milliseconds: 'Read it as milliseconds since 1970',
  comma_decimal: 'Read it as a decimal with a comma',
  comma_integer: 'Read it as an integer with points between thousands',
}

/** By what they are next to. */
export type Remedies = Map<Remediable, (Remedy | Hint)[]>

/**
 * Each remedy once, at the first finding that it mends: in the document, or in one of its records. `offered` are for
 * stock without a location.
 */
export function remediesOf(
  resource: Resource,
  draft: Draft,
  all: Found[],
  offered: Offered | null,
): Remedies {
  const given = new Set<string>()
  const rules = rulesOf(resource, draft)
  const remedies: Remedies = new Map()
  for (const [finding, found] of all.flatMap(placedFindings)) {
    const place = placeOf(finding)
    const rule = rules.find(({ target }) => isAt(target, place))
    const mending = [
      ...(rule ? ofFinding(finding, found, rule) : []),
      ...(offered && lacksLocation(finding, found)
        ? bookings(draft.inbound.rows, found.mapped, offered)
        : []),
    ]
    const fresh = mending.filter((remedy) => !given.has(JSON.stringify(remedy)))
    for (const remedy of fresh) given.add(JSON.stringify(remedy))
    remedies.set(finding, fresh)
  }
  return remedies
}

/** What is wrong, each with the document or the record that has it. */
export function placedFindings(found: Found): [Remediable, Found][] {
  return [...found.problems, ...found.errors].map((finding) => [finding, found])
}

/** Whether the finding is about stock that names no location. */
export function lacksLocation(finding: Remediable, found: Found): boolean {
  if (!isLocation(placeOf(finding))) return false
  if ('reason' in finding) return finding.reason === 'SOURCE_MISSING'
  const { value, sent } = valuesAt(finding, found)
  return isNone(value) && isNone(sent)
}

function placeOf(finding: Remediable): Path {
  return pathOf('reason' in finding ? (finding.rule ?? '') : finding.field)
}

function valuesAt({ field, source }: FieldError, { mapped, payload }: Found) {
  return { value: valueAt(mapped, field), sent: valueAt(payload, source ?? '') }
}

function ofFinding(finding: Remediable, found: Found, rule: FaultyRule): Remedy[] {
  if ('reason' in finding) return ofProblem(finding, rule)
  const { value, sent } = valuesAt(finding, found)
  return ofError(value, sent, rule)
}

/** A rule that may be at fault, and what its target takes. */
interface FaultyRule {
  target: Path
  row: Row
  rows: Row[]
  field: MappedField
}

/** The rules that read a path into a field that we know. */
function rulesOf(resource: Resource, { inbound: { rows } }: Draft): FaultyRule[] {
  const fields = new Map(targetsOf(resource).map((field) => [field.path, field]))
  return rows.flatMap((row) => {
    const target = pathOf(readCell(row.target))
    const field = fields.get(
      printPath(target.map((step) => (typeof step === 'number' ? EACH : step))),
    )
    const reads = row.source !== '' && row.kind !== 'each' && row.kind !== 'value'
    return field && reads ? [{ target, row, rows, field }] : []
  })
}

function isAt(target: Path, place: Path): boolean {
  const isElement = (step: Path[number]) => step === EACH || typeof step === 'number'
  return (
    target.length === place.length &&
    target.every((step, at) => step === place[at] || (step === EACH && isElement(place[at] ?? '')))
  )
}

function ofProblem({ reason, found = '' }: Problem, rule: FaultyRule): Remedy[] {
  const value = readFound(String(found))
  if (reason === 'UNMAPPED_VALUE') return value === undefined ? [] : entriesFor(value, rule)
  if (reason === 'CONVERSION') return value === undefined ? [] : conversionsOf(value, rule)
  return reason === 'SOURCE_MISSING' ? withoutSku(rule) : []
}

/** The value that a problem shows; undefined if it shows only the beginning. */
function readFound(found: string): string | undefined {
  try {
    const text = convertedText(JSON.parse(found))
    return text?.endsWith('...') ? undefined : text
  } catch {
    return undefined
  }
}

/** Of a row of an upload, which has no value where its rule could not give one. */
function ofError(value: unknown, sent: unknown, rule: FaultyRule): Remedy[] {
  const text = convertedText(value)
  if (value === 0 && rule.row.amount !== '') return withoutZero(rule)
  if (isNone(value) && isNone(sent)) return withoutSku(rule)
  if (isNone(value))
    return rule.row.values === '' ? [] : entriesFor(convertedText(sent) ?? '', rule)
  if (text === undefined) return []
  const isUnknown = rule.field.kind === 'choice' && !rule.field.choices.includes(text)
  if (isUnknown) return entriesFor(text, rule)
  const conversions = conversionsOf(value, rule)
  if (conversions.length > 0) return conversions
  return rule.field.kind === 'boolean' ? entriesFor(text, rule) : withoutBlanks(text, rule)
}

function isNone(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/** An element without a SKU is a discount or shipping, or no line at all. */
function withoutSku({ row, rows, field }: FaultyRule): Remedy[] {
  return field.path.endsWith('[].sku_code') ? leavingOut(row, rows) : []
}

/** A line of which everything is taken off. */
function withoutZero({ row, rows }: FaultyRule): Remedy[] {
  const hasEach = rows.some(({ kind, target }) => kind === 'each' && target === 'items[]')
  if (!hasEach || row.target !== 'items[].quantity') return []
  const amount = `${row.amount}\nleave out at zero`
  return [
    { label: 'Leave out lines that have nothing left', cells: { target: row.target, amount } },
  ]
}

function entriesFor(theirs: string, { row, field }: FaultyRule): Remedy[] {
  const known: (string | boolean)[] = field.kind === 'boolean' ? [true, false] : field.choices
  return (known.length > 0 ? known : [theirs]).map((ours) => entryFor(theirs, ours, row))
}

function entryFor(theirs: string, ours: string | boolean, row: Row): Remedy {
  const entry = writeEntry(theirs, ours)
  const { target } = row
  if (row.values !== '')
    return { label: entry, cells: { target, values: `${row.values}\n${entry}` } }
  // A table refuses what it does not have: other documents were right without one.
  return { label: `${entry}, ${OTHERS_STAY}`, cells: { target, values: `${entry}\n* = *` } }
}

/** White space at the ends of an identifier is refused. */
function withoutBlanks(theirs: string, { row }: FaultyRule): Remedy[] {
  const ours = theirs.trim()
  if (ours === theirs || ours === '') return []
  const text = row.text === '' ? 'trim' : `${row.text}\ntrim`
  return [{ label: 'Trim white space', cells: { target: row.target, text } }]
}

function conversionsOf(value: unknown, { row, field: { kind } }: FaultyRule): Remedy[] {
  if (kind === 'choice' || kind === 'object') return []
  const conversions = candidatesFor(kind)
    .filter((as) => as !== row.as && canRead(value, as))
    .map((as) => ({ label: READ_AS[as], cells: { target: row.target, as } }))
  return kind === 'datetime' ? [...conversions, ...formatsFor(value, row)] : conversions
}

// Where day and month may be either, both are offered: whoever knows the sender chooses.
const PATTERNS = [
  ...['dd.MM.yyyy', 'dd.MM.yyyy HH:mm', 'dd.MM.yyyy HH:mm:ss', 'd.M.yyyy', 'd.M.yyyy H:mm'],
  ...[
    'M/d/yyyy',
    'M/d/yyyy h:mm a',
    'M/d/yyyy h:mm:ss a',
    'M/d/yyyy H:mm',
    'd/M/yyyy',
    'd/M/yyyy H:mm',
  ],
  ...['yyyy/MM/dd', 'yyyy/MM/dd HH:mm:ss', 'yyyyMMddHHmmss', "yyyyMMdd'T'HHmmss", 'dd-MMM-yyyy'],
]
const PATTERNS_OFFERED = 2

function formatsFor(value: unknown, { target, format }: Row): Remedy[] {
  if (typeof value !== 'string') return []
  const fitting = new Map<string, string>()
  for (const pattern of PATTERNS) {
    const form = { pattern: readTimePattern(pattern), zone: null }
    const read = pattern === format ? REFUSED : readTime(value, form, UNLIMITED)
    // Two patterns that read the same time are one offer.
    if (read !== REFUSED && !fitting.has(JSON.stringify(read)))
      fitting.set(JSON.stringify(read), pattern)
  }
  return [...fitting.values()].slice(0, PATTERNS_OFFERED).map((pattern) => ({
    label: `Read it as ${pattern}`,
    cells: { target, as: 'datetime', format: pattern },
  }))
}

function candidatesFor(kind: ConversionKind): Exclude<Row['as'], ''>[] {
  if (kind === 'datetime') return [kind, ...FORMATS]
  return kind === 'decimal' || kind === 'integer' ? [kind, `comma_${kind}`] : [kind]
}

/** Whether the value is a number with a decimal comma, and none without. `1.234` may be both, so it is not. */
function isWithComma(value: unknown, as: 'comma_decimal' | 'comma_integer'): boolean {
  const kind = as === 'comma_decimal' ? 'decimal' : 'integer'
  const read = withPoint(value)
  if (read === value || read === REFUSED) return false
  const isPlain = convert(value, kind, null, UNLIMITED) !== REFUSED
  return !isPlain && convert(read, kind, null, UNLIMITED) !== REFUSED
}

const YEARS = /^(?:199|20\d|210)\d-/

function canRead(value: unknown, as: Exclude<Row['as'], ''>): boolean {
  if (as === 'comma_decimal' || as === 'comma_integer') return isWithComma(value, as)
  if (as !== 'epoch_seconds' && as !== 'epoch_milliseconds') {
    const converted = convert(value, as, null, UNLIMITED)
    return converted !== REFUSED && converted !== value
  }
  const moment = convert(value, 'datetime', as, UNLIMITED)
  return typeof moment === 'string' && YEARS.test(moment)
}
