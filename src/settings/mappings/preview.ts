import { STATUS } from '../../engine/answers/error-body.ts'
import { unreadInTurn } from '../../engine/body/map-inbound.ts'
import { namedByCode } from '../../engine/body/named-by-code.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { ApiError, type ErrorCode, type FieldErrors } from '../../engine/errors.ts'
import { shownName } from '../../engine/exchange/row.ts'
import type { Scope } from '../../engine/identity/scopes.ts'
import { BODY_BYTES_MAX, fitsAsJson, jsonBytes } from '../../engine/json/fields.ts'
import { isObject, type JsonObject } from '../../engine/json/json-object.ts'
import { type Path, printPath } from '../../engine/json/path.ts'
import type { SentWith } from '../../engine/json/sent-with.ts'
import { type SourceOf, sourced } from '../../engine/json/source.ts'
import { unusedFields, type Warning } from '../../engine/json/warnings.ts'
import type { Pace } from '../../engine/limits/pace.ts'
import { IDENTIFIERS, isAddressable, type Resource } from '../../engine/mapping/identifier.ts'
import { bodyFault, type MapDocument, type MappedDocument } from '../../engine/mapping/inbound.ts'
import { mappingError, type Problem } from '../../engine/mapping/problem.ts'
import type { SavedRules } from '../../engine/mapping/saved-rule.ts'
import type { Reading } from '../../engine/mapping/schema.ts'
import { BODIES, bodyErrors } from '../../records/bodies.ts'
import { resolvedRows } from '../../records/inventory/codes.ts'
import { findRowErrors } from '../../records/inventory/rehearsal.ts'
import { rowErrorsByField } from '../../records/inventory/rows.ts'
import { UpsertInventory } from '../../records/inventory/schema.ts'
import { refusalOfBody } from '../../records/refusals.ts'
import { hintsOf } from './hints.ts'
import { type StandsFor, standingFor } from './preview-codes.ts'

const LISTED_MAX = 1000
/** Each is looked up with some statements. */
const RECORDS_SHOWN_MAX = 50
const IDENTITY: SavedRules = { unmapped: 'keep', fields: {} }
const ERRORS_CUT = onlyFirst('errors', 'errors')
const MAPPED_LEFT_OUT: Warning = {
  field: 'mapped',
  message: `Left out: with the names of its fields it has more than ${BODY_BYTES_MAX} bytes as JSON.`,
}

/** A document of a partner, to be tried. */
export interface PreviewedDocument extends Reading {
  resource: Resource
  method: string
  /** As the partner sends it: an object, or an array. */
  payload: unknown
  /** A single value is a list of one. */
  listsSingles?: boolean
  /** What comes with it. */
  sent?: SentWith | undefined
}

/** What the request would answer. `code` is null for a success. */
export interface WouldAnswer {
  status: number
  code: ErrorCode | null
}

/** An error of the mapped document, by our field; `source` is the payload's path. */
interface PreviewError {
  field: string
  messages: string[]
  source: string | null
}

/**
 * Maps and checks the document; reads and writes nothing. `mapped` is null if the mapping fails, for the
 * reasons in `problems`, or if it is larger than a body may be. `errors` are those of the check after the mapping.
 * `provenance` gives the payload's path of each value, null for a fixed one; `unread` names what no rule reads. `bytes` is the size of what is shown.
 */
export async function preview(trial: PreviewedDocument, map: MapDocument, pace: Pace) {
  const { resource, method, identifier_field, inbound, payload, listsSingles, sent: beside } = trial
  const fault = bodyFault(resource, inbound, payload)
  if (fault) return refusedBody(fault)
  const bytes = jsonBytes(payload)
  const read = { payload, bytes, hasExactNumbers: true, listsSingles }
  const sent = { method, identifier_field, ...read, sent: beside }
  const document = await map(resource, inbound ?? IDENTITY, sent)
  if (document.several && method === 'POST') return await previewSeveral(trial, document, pace)
  return await previewOne(trial, document, pace, (mapped) =>
    inbound ? hintsOf(inbound, { resource, method, payload, mapped }) : [],
  )
}

/** `hints` look through the whole payload, so a record of several has none. */
async function previewOne(
  { resource, method }: Pick<PreviewedDocument, 'resource' | 'method'>,
  document: MappedDocument,
  pace: Pace,
  hints: (mapped: JsonObject) => Warning[] = () => [],
) {
  const { value, problems, sourceOf } = document
  const [problem, ...more] = problems
  if (problem) {
    const { code } = mappingError([problem, ...more])
    return {
      result: refused(problems, [], failing(code)),
      warnings: [] as Warning[],
      bytes: 0,
      document,
    }
  }
  const found = await bodyErrors(resource, method, value, pace)
  const errors = listedErrors(found.errors, sourceOf)
  const { provenance, cut } = provenanceOf(document)
  const isRefused = errors.some(({ field }) => !isOfRow(resource, field))
  const would_answer: WouldAnswer = isRefused
    ? failing('VALIDATION_ERROR')
    : accepting(resource, method)
  const { passedOver, fields } = await unreadInTurn(document, pace)
  const isShown = fitsAsJson(value, BODY_BYTES_MAX)
  return {
    bytes: isShown ? Math.max(document.bytes, jsonBytes(value)) : document.bytes,
    document,
    result: {
      mapped: isShown ? value : null,
      problems,
      errors: errors.slice(0, LISTED_MAX),
      provenance,
      would_answer,
      unread: fields.map(({ field }) => field),
      records: null as PreviewedRecord[] | null,
    },
    warnings: [
      ...(isShown ? [] : [MAPPED_LEFT_OUT]),
      ...passedOver,
      ...(Math.max(errors.length, found.failed) > LISTED_MAX ? [ERRORS_CUT] : []),
      ...cut,
      ...hints(value),
      ...fields,
      ...unusedWarnings(resource, method, document),
    ],
  }
}

/** What would become of one record of a document with several. */
export interface PreviewedRecord {
  index: number
  record: string | null
  mapped: JsonObject | null
  problems: Problem[]
  errors: PreviewError[]
  provenance: Record<string, string | null>
  would_answer: WouldAnswer
}

/** The document is answered with 200 and the result of each of its records. */
async function previewSeveral(trial: PreviewedDocument, document: MappedDocument, pace: Pace) {
  const { records, problems } = document.several ?? { records: [], problems: [] }
  const [problem, ...more] = problems
  const wouldAnswer = problem ? failing(mappingError([problem, ...more]).code) : OK
  const shown: PreviewedRecord[] = []
  let bytes = 0
  for (const [index, one] of records.slice(0, RECORDS_SHOWN_MAX).entries()) {
    const { result, bytes: own } = await previewOne(trial, one, pace)
    const { unread, records: _, ...told } = result
    shown.push({ index, record: nameOf(trial.resource, one.value), ...told })
    bytes += own
  }
  const { passedOver, fields } = await unreadInTurn(document, pace)
  const cut = onlyFirst('records', 'records', RECORDS_SHOWN_MAX)
  return {
    bytes,
    document,
    result: {
      ...refused(problems, [], wouldAnswer),
      unread: fields.map(({ field }) => field),
      records: shown as PreviewedRecord[] | null,
    },
    warnings: [...(records.length > shown.length ? [cut] : []), ...passedOver, ...fields],
  }
}

const OK: WouldAnswer = { status: 200, code: null }

function nameOf(resource: Resource, value: JsonObject): string | null {
  return isAddressable(resource) ? shownName(value[IDENTIFIERS[resource].fallback]) : null
}

function refused(problems: Problem[], errors: PreviewError[], would_answer: WouldAnswer) {
  return {
    mapped: null as JsonObject | null,
    problems,
    errors,
    provenance: {} as Record<string, string | null>,
    would_answer,
    unread: [] as string[],
    records: null as PreviewedRecord[] | null,
  }
}

function refusedBody(fault: string) {
  const would_answer = failing('VALIDATION_ERROR')
  const errors: PreviewError[] = [{ field: 'body', messages: [fault], source: null }]
  return {
    result: refused([], errors, would_answer),
    warnings: [] as Warning[],
    bytes: 0,
    document: null,
  }
}

type Mapped = Awaited<ReturnType<typeof preview>>

export type Previewed = Mapped & {
  /** `item_codes`: what the item codes of the partner stand for, by our field. */
  result: Mapped['result'] & { item_codes?: Record<string, StandsFor> }
  /** The scope without which references were not looked up. */
  lacked?: Scope
}

/**
 * As `preview`, and looks the document's references up: SKUs, locations, and numbers that exist. For a
 * document of this partner.
 */
export async function previewWithReferences(
  db: TenantDatabase,
  trial: PreviewedDocument,
  asked: { partnerId: string; scopes: readonly string[] },
  map: MapDocument,
): Promise<Previewed> {
  const previewed = await preview(trial, map, db.pace)
  if (!isLookedUp(trial, previewed)) return previewed
  const { records } = previewed.result
  const by = { orders_of: null, partner: { id: asked.partnerId }, scopes: asked.scopes }
  if (records) return await withLookedUp(db, trial, previewed, by)
  return await withCodes(db, await withReferences(db, trial, previewed, by), asked.partnerId)
}

/** Says of item codes what they stand for. */
async function withCodes(
  db: TenantDatabase,
  previewed: Previewed,
  partnerId: string,
): Promise<Previewed> {
  const { document, result } = previewed
  const fields = Object.keys(result.provenance)
  const item_codes = document && (await standingFor(db, partnerId, document, fields))
  return item_codes ? { ...previewed, result: { ...result, item_codes } } : previewed
}

async function withReferences(
  db: TenantDatabase,
  trial: PreviewedDocument,
  previewed: Previewed,
  by: MappedBy & { partner: { id: string } },
): Promise<Previewed> {
  const { resource } = trial
  const { would_answer } = previewed.result
  const mapped = previewed.document?.value
  if (resource === 'inventory') {
    const codes = { ...by, codeAt: previewed.document?.codeAt ?? null }
    const sent = await resolvedRows(db, UpsertInventory.parse(mapped).inventory, codes)
    const rows = await findRowErrors(db, sent, by.scopes)
    return withErrors(previewed, rowErrorsByField(rows), would_answer)
  }
  const refusal = await refusalOfMapped(db, trial, previewed.document, by)
  return refusal
    ? withErrors(previewed, refusal.details.fields ?? {}, failing(refusal.code))
    : previewed
}

async function withLookedUp(
  db: TenantDatabase,
  trial: PreviewedDocument,
  previewed: Previewed,
  by: MappedBy,
): Promise<Previewed> {
  const documents = previewed.document?.several?.records ?? []
  const records: PreviewedRecord[] = []
  for (const record of previewed.result.records ?? []) {
    const document = documents[record.index]
    const isValid = record.would_answer.code === null
    const refusal = isValid ? await refusalOfMapped(db, trial, document, by) : null
    const errors = refusal
      ? listedErrors(refusal.details.fields ?? {}, document?.sourceOf)
      : record.errors
    const would_answer = refusal ? failing(refusal.code) : record.would_answer
    records.push({ ...record, errors: errors.slice(0, LISTED_MAX), would_answer })
  }
  return { ...previewed, result: { ...previewed.result, records } }
}

type MappedBy = Omit<Parameters<typeof refusalOfBody>[3], 'codeAt'>

async function refusalOfMapped(
  db: TenantDatabase,
  { resource, method }: PreviewedDocument,
  document: MappedDocument | null | undefined,
  by: MappedBy,
): Promise<ApiError | null> {
  const codes = { ...by, codeAt: document?.codeAt ?? null }
  try {
    const named = await namedByCode(db, resource, document?.value ?? {}, codes)
    const body = BODIES[resource][method]?.parse(named) ?? {}
    return await refusalOfBody(db, resource, body, codes)
  } catch (error) {
    if (error instanceof ApiError && error.details.reason === 'UNKNOWN_CODE') return error
    throw error
  }
}

/** Whether only the database may still refuse the document. */
export function isLookedUp({ method }: PreviewedDocument, { result }: Previewed): boolean {
  return method === 'POST' && result.would_answer.code === null
}

function withErrors(
  previewed: Previewed,
  found: FieldErrors,
  would_answer: WouldAnswer,
): Previewed {
  const all = listedErrors(found, previewed.document?.sourceOf)
  const errors = all.slice(0, LISTED_MAX)
  const isKnown = errors.length === all.length || previewed.warnings.includes(ERRORS_CUT)
  const warnings = isKnown ? previewed.warnings : [ERRORS_CUT, ...previewed.warnings]
  const result = { ...previewed.result, errors, would_answer }
  return { ...previewed, result, warnings } as Previewed
}

function listedErrors(errors: FieldErrors, sourceOf: SourceOf | undefined): PreviewError[] {
  return Object.entries(errors).map(([field, messages]) => ({
    field,
    messages,
    source: sourceOf?.(field) ?? null,
  }))
}

/** Rows of an upload stand for themselves: the others are stored. */
function isOfRow(resource: Resource, field: string): boolean {
  return resource === 'inventory' && field.startsWith('inventory[')
}

function failing(code: ErrorCode): WouldAnswer {
  return { status: STATUS[code], code }
}

function accepting(resource: Resource, method: string): WouldAnswer {
  return { status: method === 'POST' && resource !== 'inventory' ? 201 : 200, code: null }
}

function onlyFirst(field: string, what: string, most = LISTED_MAX): Warning {
  return { field, message: `Only the first ${most} ${what} are listed.` }
}

function unusedWarnings(resource: Resource, method: string, { value, sourceOf }: MappedDocument) {
  const schema = BODIES[resource][method]
  const unused = schema ? unusedFields(schema, value) : []
  return unused.map((warning) => sourced(warning, sourceOf))
}

function provenanceOf({ value, sourceOfPath }: MappedDocument) {
  const paths = leavesOf(value, [])
    .take(LISTED_MAX + 1)
    .toArray()
  const listed = paths.slice(0, LISTED_MAX)
  const entries = listed.map((path) => [printPath(path), sourceOfPath(path)] as const)
  const cut = paths.length > listed.length ? [onlyFirst('provenance', 'values')] : []
  return { provenance: Object.fromEntries(entries), cut }
}

/** The paths of all values that contain no others. */
function* leavesOf(value: unknown, path: Path): Generator<Path, undefined> {
  const members = Array.isArray(value)
    ? value.entries()
    : isObject(value) && Object.entries(value).values()
  let isLeaf = true
  for (const [step, member] of members || []) {
    isLeaf = false
    yield* leavesOf(member, [...path, step])
  }
  if (isLeaf && path.length > 0) yield path
}
