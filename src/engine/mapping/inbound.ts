import { settledNumbers } from '../json/exact-number.ts'
import { BODY_BYTES_MAX, valueBytes } from '../json/fields.ts'
import { isObject, type JsonObject } from '../json/json-object.ts'
import { shortened } from '../json/messages.ts'
import { type Path, printPath, readPath } from '../json/path.ts'
import type { SentWith } from '../json/sent-with.ts'
import type { SourceOf } from '../json/source.ts'
import { type Warning, withoutEffect } from '../json/warnings.ts'
import { applyRules, type CompiledRules, compileRules, type Mapped } from './compile.ts'
import { findRecords, onlyRecords } from './find-records.ts'
import type { Resource } from './identifier.ts'
import type { CodeAt } from './item-code.ts'
import { PROBLEMS_MAX, type Problem } from './problem.ts'
import { Provenance } from './provenance.ts'
import { type FoundRecord, RecordView } from './record-view.ts'
import type { RecordRules } from './records.ts'
import { type Exceeded, MappingRun, memoryOf, type RunOptions, type Taken } from './run.ts'
import type { SavedRules } from './saved-rule.ts'
import { unreadFields } from './unread.ts'

/** A partner's document in our format. */
export interface MappedDocument {
  value: JsonObject
  /** If there are any, the value must not be used. */
  problems: Problem[]
  /**
   * An upper bound of the document's size as JSON, without the names of members; or the size of a body that takes as
   * much memory, if that is more.
   */
  bytes: number
  /** The steps that mapping it took. */
  work: number
  /** The limit where mapping stopped, so that the value must not be used; null if it is whole. */
  exceeded: Exceeded | null
  /** The payload's path that fills one of our fields, such as `items[1].quantity` (provenance.ts). */
  sourceOf: SourceOf
  /** As `sourceOf`, for a parsed path. */
  sourceOfPath: (target: Path) => string | null
  /** Which of its texts are item codes; null if none is. */
  codeAt: CodeAt | null
  /**
   * What no rule reads: elements of arrays that the mapping reads by index, and the names of other fields,
   * which need not be looked for.
   */
  unread: (named?: boolean) => Unread
  /** All records, if the mapping makes several of a document. */
  several?: Pick<MappedRecords, 'records' | 'problems'>
}

interface Unread {
  passedOver: Warning[]
  fields: Warning[]
}

// The caller cache keeps one object of rules until the mapping changes.
const compiled = {
  plain: new WeakMap<SavedRules, CompiledRules>(),
  listing: new WeakMap<SavedRules, CompiledRules>(),
}

/** The body of a request as the partner sent it. */
export interface PartnerDocument {
  method: string
  payload: unknown
  /** The size of the payload as JSON. */
  bytes: number
  /** The mapping's `identifier_field`. */
  identifier_field?: string | null | undefined
  /** The payload has numbers whose digits JSON.parse does not keep. */
  hasExactNumbers?: boolean
  /** A single value is a list of one, whatever the mapping says. */
  listsSingles?: boolean | undefined
  /** What came beside it, which a mapping can read. */
  sent?: SentWith | undefined
}

/** Maps a document like `mapDocument`, but may first wait for the memory that it takes, or for its turn. */
export type MapDocument = (
  resource: Resource,
  saved: SavedRules,
  sent: PartnerDocument,
) => Promise<MappedDocument>

// Memory in bytes for each byte of a document. A share of the requests' memory reckons with as much.
const MEMORY_FACTOR = 8

/** Where mapping one document stops, earlier than any must. */
export interface DocumentLimits {
  /** The most `bytes` of what the rules make. */
  bytesMax?: number
  /** The most `work`. */
  workMax?: number
}

/** Maps the body of a POST or PUT. Compiles each object of rules once. */
export function mapDocument(
  resource: Resource,
  saved: SavedRules,
  sent: PartnerDocument,
  limits: DocumentLimits = {},
): MappedDocument {
  const rules = compiledInbound(resource, saved, sent.listsSingles)
  if (rules.records) return theOnlyOne(rules.records, mapAll(rules, sent, limits))
  return documentOf(rules, sent, applyRules(rules, sent.payload, optionsOf(rules, sent, limits)))
}

function optionsOf(
  rules: CompiledRules,
  { method, identifier_field, sent }: PartnerDocument,
  limits: DocumentLimits,
): RunOptions {
  const { bytesMax } = limits
  return {
    ...limits,
    sent,
    ...(bytesMax !== undefined && { memoryMax: bytesMax * MEMORY_FACTOR }),
    partial: method === 'PUT',
    identifier: identifier_field && !rules.takesFirst ? readPath(identifier_field) : null,
  }
}

function documentOf(
  rules: CompiledRules,
  { payload, bytes, hasExactNumbers = false, sent }: PartnerDocument,
  mapped: Mapped,
): MappedDocument {
  const most = bytes * rules.copiesMax + mapped.repeatedBytes
  const isSmall = mapped.problems.length > 0 || most <= BODY_BYTES_MAX
  const document = isSmall ? { ...mapped, bytes: most } : withExactSize(mapped)
  // With problems, nothing has bounded the value.
  const isSettled = !hasExactNumbers || document.problems.length > 0
  const provenance = new Provenance(rules, payload, sent, mapped.leftOut)
  return {
    value: isSettled ? document.value : (settledNumbers(document.value) as JsonObject),
    problems: document.problems,
    bytes: Math.max(document.bytes, mapped.memory / MEMORY_FACTOR),
    work: mapped.work,
    exceeded: mapped.exceeded,
    sourceOf: (field) => provenance.sourceOfField(field),
    sourceOfPath: (target) => provenance.sourceOfPath(target),
    codeAt: rules.codeAt,
    unread: (named) => unreadIn(rules, payload, mapped.doubts, named),
  }
}

function unreadIn(
  rules: CompiledRules,
  payload: unknown,
  doubts: readonly Warning[],
  named: boolean | undefined,
): Unread {
  const { passedOver, fields } = unreadFields(rules, payload, named)
  return {
    passedOver: [...doubts, ...Array.from(passedOver, passedOverWarning)],
    fields: fields.map(unreadWarning),
  }
}

/** The records of one document in our format. */
export interface MappedRecords
  extends Pick<MappedDocument, 'bytes' | 'work' | 'exceeded' | 'unread'> {
  /** Each with its own problems; none if the document has any. */
  records: MappedDocument[]
  /** Why no record can be told from the others, or all together are too large. */
  problems: Problem[]
}

/** The records of a document, before any of them is mapped. */
export interface DocumentParts extends Pick<MappedDocument, 'work' | 'exceeded'> {
  /** Null where it cannot be told which there are: mapping the document says why. */
  count: number | null
  /** The document with the records from `from` to before `to` alone. */
  only(from: number, to: number): unknown
}

/** Finds the records of the body of a POST. */
export function findParts(
  resource: Resource,
  saved: SavedRules,
  sent: PartnerDocument,
  limits: DocumentLimits = {},
): DocumentParts {
  const rules = compiledInbound(resource, saved, sent.listsSingles)
  const { records, listsSingles } = rules
  const finding = new MappingRun(sent.payload, optionsOf(rules, sent, limits))
  const found = records ? findRecords(finding, records, rules) : []
  const { problems, exceeded, taken } = finding
  const isKnown = problems.length === 0 && exceeded === null
  const reading = records && { records, listsSingles }
  return {
    count: isKnown ? found.length : null,
    work: taken.work,
    exceeded,
    only: (from, to) => reading && onlyRecords(sent.payload, found.slice(from, to), reading),
  }
}

/** Maps each record of the body of a POST. All of them together may take what one document may. */
export function mapRecords(
  resource: Resource,
  saved: SavedRules,
  sent: PartnerDocument,
  limits: DocumentLimits = {},
): MappedRecords {
  return mapAll(compiledInbound(resource, saved, sent.listsSingles), sent, limits)
}

function mapAll(
  rules: CompiledRules,
  sent: PartnerDocument,
  limits: DocumentLimits,
): MappedRecords {
  const options = optionsOf(rules, sent, limits)
  const finding = new MappingRun(sent.payload, options)
  const found = rules.records ? findRecords(finding, rules.records, rules) : []
  const records: MappedDocument[] = []
  const doubts: Warning[] = []
  let { problems, exceeded, taken } = finding
  let bytes = 0
  for (const one of problems.length === 0 && exceeded === null ? found : []) {
    const record = recordOf(rules, sent, one, { ...options, before: taken })
    bytes += record.bytes
    if (record.exceeded || bytes > BODY_BYTES_MAX) {
      problems = record.exceeded ? record.problems : [tooLarge(rules)]
      exceeded = record.exceeded
      break
    }
    taken = record.taken
    doubts.push(...record.unread().passedOver)
    records.push(record)
  }
  return {
    records: problems.length === 0 ? records : [],
    problems,
    bytes: Math.max(bytes, memoryOf(taken) / MEMORY_FACTOR),
    work: taken.work,
    exceeded,
    unread: (named) => unreadIn(rules, sent.payload, doubts.slice(0, PROBLEMS_MAX), named),
  }
}

function recordOf(
  rules: CompiledRules,
  { payload, hasExactNumbers = false, sent }: PartnerDocument,
  found: FoundRecord,
  options: RunOptions & { before: Taken },
): MappedDocument & { taken: Taken } {
  const { consumed, listsSingles } = rules
  const records = rules.records as RecordRules
  const view = new RecordView(records, payload, consumed, found, listsSingles)
  const mapped = found.problem
    ? { ...NOT_MAPPED, problems: [found.problem], taken: options.before }
    : applyRules(rules, view.payload, { ...options, record: view })
  const isWhole = mapped.problems.length === 0
  const bytes = isWhole ? valueBytes(mapped.value, BODY_BYTES_MAX) : 0
  const provenance = new Provenance(rules, view.payload, sent, mapped.leftOut, view)
  return {
    value: isWhole && hasExactNumbers ? (settledNumbers(mapped.value) as JsonObject) : mapped.value,
    problems: mapped.problems,
    bytes,
    work: mapped.taken.work,
    exceeded: mapped.exceeded,
    taken: mapped.taken,
    sourceOf: (field) => provenance.sourceOfField(field),
    sourceOfPath: (target) => provenance.sourceOfPath(target),
    codeAt: rules.codeAt,
    unread: () => ({ passedOver: mapped.doubts, fields: [] }),
  }
}

const NOT_MAPPED = { value: {}, exceeded: null, leftOut: undefined, doubts: [] }

function tooLarge({ records }: CompiledRules): Problem {
  const at = records?.rows ?? '$'
  return { reason: 'TOO_LARGE', rule: 'records.each', at, expected: BODY_BYTES_MAX, unit: 'bytes' }
}

/** For a request about one record: the document must have exactly one. */
function theOnlyOne(
  { rows }: RecordRules,
  { records, unread, ...all }: MappedRecords,
): MappedDocument {
  const [record] = records
  const found = records.length
  const several: Problem = {
    reason: 'SEVERAL_RECORDS',
    rule: 'records.each',
    at: rows,
    expected: 1,
    found,
  }
  const told = { several: { records, problems: all.problems } }
  if (record && found === 1) return { ...record, ...told, bytes: all.bytes, unread }
  return {
    ...all,
    ...told,
    value: {},
    problems: all.problems.length > 0 ? all.problems : [several],
    sourceOf: () => null,
    sourceOfPath: () => null,
    codeAt: null,
    unread,
  }
}

/** Whether the rules make several records of a document. */
export function hasRecords(saved: SavedRules | null): boolean {
  return saved?.records !== undefined
}

/** Whether the rules write numbers as text, so that the payload must keep their digits. */
export function needsDigits(resource: Resource, saved: SavedRules): boolean {
  return compiledInbound(resource, saved).needsDigits
}

/** Why a body can be no document of these rules, or of ours without rules; null if it can. */
export function bodyFault(
  resource: Resource,
  saved: SavedRules | null,
  payload: unknown,
): string | null {
  const isArray = Array.isArray(payload)
  const rules = saved && compiledInbound(resource, saved)
  if (rules?.readsArray) {
    const takesObject = rules.listsSingles || rules.readsRootMembers
    return isArray || (takesObject && isObject(payload))
      ? null
      : "The body must be an array, of JSON or the rows of a CSV: the mapping's paths begin with $[."
  }
  if (isObject(payload)) return null
  const advice = isArray ? ` ${saved ? ADVICE_MAPPED : adviceFor(resource)}` : ''
  return `The body must be a JSON object.${advice}`
}

const ADVICE_MAPPED = 'A mapping may read an array: its paths then begin with $[].'

function adviceFor(resource: Resource): string {
  if (resource === 'inventory') return 'Send the array as its member "inventory".'
  return 'Send each record in a request of its own.'
}

function compiledInbound(
  resource: Resource,
  saved: SavedRules,
  listsSingles = false,
): CompiledRules {
  const known = listsSingles ? compiled.listing : compiled.plain
  return known.getOrInsertComputed(saved, () => {
    return compileRules(listsSingles ? { ...saved, single_as_list: true } : saved, resource)
  })
}

/** Measures the document; adds a TOO_LARGE problem if it is larger than a body may be. */
function withExactSize({ value, problems }: Mapped) {
  let bytes = 0
  for (const [name, member] of Object.entries(value)) {
    bytes += valueBytes(member, BODY_BYTES_MAX - bytes)
    if (bytes <= BODY_BYTES_MAX) continue
    const at = shortened(printPath([name]))
    const problem: Problem = { reason: 'TOO_LARGE', at, expected: BODY_BYTES_MAX, unit: 'bytes' }
    return { value, problems: [problem], bytes }
  }
  return { value, problems, bytes }
}

function passedOverWarning([first, count]: [string, number]): Warning {
  const what = count === 1 ? 'it' : `${count} elements from here on`
  const message = `The mapping reads this array by index: ${what} had no effect.`
  return { field: shortened(first), message }
}

function unreadWarning(field: string): Warning {
  return withoutEffect(field, 'The mapping does not read it')
}
