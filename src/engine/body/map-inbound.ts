import type { Context } from 'hono'
import type { AppEnv, Payload } from '../env.ts'
import { ApiError } from '../errors.ts'
import { actingIn } from '../exchange/acting.ts'
import { bytesAllowed, isCovered, takeLargeWork } from '../exchange/memory.ts'
import { nameRecord } from '../exchange/row.ts'
import { BODY_BYTES_MAX } from '../json/fields.ts'
import type { JsonObject } from '../json/json-object.ts'
import type { SentWith } from '../json/sent-with.ts'
import type { Warning } from '../json/warnings.ts'
import { type Pace, SHORT_STEPS_MAX, STEPS_MAX } from '../limits/pace.ts'
import {
  type AddressableResource,
  IDENTIFIERS,
  isAddressable,
  type Resource,
} from '../mapping/identifier.ts'
import {
  bodyFault,
  type DocumentLimits,
  type DocumentParts,
  findParts,
  hasRecords,
  type MapDocument,
  type MappedDocument,
  mapDocument,
  mapRecords,
  needsDigits,
} from '../mapping/inbound.ts'
import { mappingError } from '../mapping/problem.ts'
import { namedByCode } from './named-by-code.ts'
import { type PlaceInBody, problemInBody, sourceInBody, warningInBody } from './part.ts'
import { readPayload } from './payload.ts'
import { refuseRedacted } from './refuse-redacted.ts'

/** To test an element, or to look at 16 characters, takes some 100 ns. */
export const STEPS_OF_WORK = 4
/** For each byte of a document, which is mapped and checked. */
const STEPS_OF_BYTE = 2
const SHORT_WORK_MAX = SHORT_STEPS_MAX / STEPS_OF_WORK
/** A document to map: the whole body, or a part of it. */
export interface DocumentToMap {
  payload: Payload
  /** It changes a record, so it may leave out what the record has. */
  isPart: boolean
  /** Where the payload stands in the body; without it, it is the body. */
  place?: PlaceInBody | undefined
  /** What came beside the body, of which the mapping may read. */
  sent?: SentWith | undefined
}

/**
 * The request's JSON, with what its digits and its size need where a mapping reads it. A document that `isKept` in parts
 * keeps all digits.
 */
export async function readForMapping(
  c: Context<AppEnv>,
  resource: Resource,
  isKept = false,
): Promise<Payload> {
  const saved = c.get('caller').partner?.mappings[resource]?.inbound ?? null
  const isInParts = isKept && hasRecords(saved)
  const keepsDigits = saved !== null && (isInParts || needsDigits(resource, saved))
  return await readPayload(c, { isMapped: saved !== null, keepsDigits, formats: saved })
}

/**
 * The payload, mapped into our fields by the mapping of the caller's partner; unchanged without one.
 * 422 MAPPING_ERROR, or 413 if the mapped document is larger than a body may be. After this, errors and
 * warnings also name the payload's own paths.
 */
export async function mapInbound(
  c: Context<AppEnv>,
  resource: Resource,
  { payload: { value: payload, ...rest }, isPart, place, sent: beside }: DocumentToMap,
): Promise<JsonObject> {
  const mapping = c.get('caller').partner?.mappings[resource]
  const saved = mapping?.inbound ?? null
  const acting = actingIn(c)
  // The mapping may have changed since the document was chosen.
  if (acting) refuseRedacted(acting, saved)
  const fault = bodyFault(resource, saved, payload)
  if (fault) throw new ApiError('VALIDATION_ERROR', fault, { reason: 'NOT_AN_OBJECT' })
  if (!saved) {
    if (place) c.set('sourceOf', place)
    return named(c, resource, payload as JsonObject)
  }
  const placed = place ?? rest.placeOf ?? AS_IT_IS
  const identifier_field = mapping?.identifier_field
  const method = isPart ? 'PUT' : 'POST'
  const sent = { method, payload, identifier_field, sent: beside, ...rest }
  const document = await mapWithin(c)(resource, saved, sent)
  named(c, resource, document.value)
  const [problem, ...more] = document.problems.map((one) => problemInBody(one, placed))
  if (problem) throw mappingError([problem, ...more])
  await takeWorkFor(c, document.bytes)
  c.set('sourceOf', sourceInBody(document.sourceOf, placed))
  const value = await nameByCode(c, resource, document)
  const { pace } = c.get('db')
  const { passedOver, fields } = await unreadInTurn(document, pace, saved.unmapped !== 'drop')
  const told = (warnings: Warning[]) => warnings.map((one) => warningInBody(one, placed))
  c.set('passedOver', told(passedOver))
  c.set('warnings', told(fields))
  return value
}

/** The mapped record of a document with several: the body of the request that is made for it alone. */
export async function mappedRecord(
  c: Context<AppEnv>,
  resource: Resource,
  document: MappedDocument,
): Promise<JsonObject> {
  named(c, resource, document.value)
  const [problem, ...more] = document.problems
  if (problem) throw mappingError([problem, ...more])
  c.set('sourceOf', document.sourceOf)
  return await nameByCode(c, resource, document)
}

/** Statements look up the item codes of lines and rows. Those of the record itself are looked up here. */
async function nameByCode(
  c: Context<AppEnv>,
  resource: Resource,
  { value, codeAt }: MappedDocument,
): Promise<JsonObject> {
  c.set('codeAt', codeAt)
  const { partner } = c.get('caller')
  const known = await namedByCode(c.get('db'), resource, value, { codeAt, partner })
  return known === value ? value : named(c, resource, known)
}

/** The records of a document, mapped; undefined where a document is one record. Throws as mapInbound. */
export async function mapInboundRecords(
  c: Context<AppEnv>,
  resource: AddressableResource,
): Promise<MappedDocument[] | undefined> {
  const mapping = c.get('caller').partner?.mappings[resource]
  const saved = mapping?.inbound ?? null
  if (!saved || !hasRecords(saved)) return undefined
  const acting = actingIn(c)
  if (acting) refuseRedacted(acting, saved)
  const { value: payload, ...rest } = await readForMapping(c, resource)
  const fault = bodyFault(resource, saved, payload)
  if (fault) throw new ApiError('VALIDATION_ERROR', fault, { reason: 'NOT_AN_OBJECT' })
  const { identifier_field } = mapping ?? {}
  const sent = { method: 'POST', payload, identifier_field, ...rest }
  const document = await withinMemory(c, sent.bytes, (limits) =>
    mapRecords(resource, saved, sent, limits),
  )
  const placed = rest.placeOf ?? AS_IT_IS
  const [problem, ...more] = document.problems.map((one) => problemInBody(one, placed))
  if (problem) throw mappingError([problem, ...more])
  await takeWorkFor(c, document.bytes)
  const { passedOver, fields } = await unreadInTurn(document, c.get('db').pace, false)
  c.set('passedOver', passedOver)
  c.set('warnings', fields)
  return document.records.map((record) => placedRecord(record, placed))
}

const AS_IT_IS: PlaceInBody = (path) => path

/** A record whose errors name places as the sender calls them. */
function placedRecord(record: MappedDocument, placeOf: PlaceInBody): MappedDocument {
  return {
    ...record,
    problems: record.problems.map((problem) => problemInBody(problem, placeOf)),
    sourceOf: sourceInBody(record.sourceOf, placeOf),
  }
}

/** The records of a delivered document; null where it is one record, or cannot be read by the mapping. */
export async function partsOfDelivered(
  c: Context<AppEnv>,
  resource: AddressableResource,
  payload: Payload,
): Promise<DocumentParts | null> {
  const saved = c.get('caller').partner?.mappings[resource]?.inbound ?? null
  if (!saved || !hasRecords(saved) || bodyFault(resource, saved, payload.value)) return null
  const sent = { ...payload, method: 'POST', payload: payload.value }
  return await withinMemory(c, payload.bytes, (limits) => findParts(resource, saved, sent, limits))
}

/** What no rule reads. To find it takes as much work as mapping. */
export async function unreadInTurn(
  document: Pick<MappedDocument, 'work' | 'unread'>,
  pace: Pace,
  named?: boolean,
) {
  return await pace.inTurn(document.work * STEPS_OF_WORK, () => document.unread(named))
}

/**
 * Maps documents within the memory of the request, and a long one in turn with the long work of others. Nobody can tell
 * beforehand: a document that turns out to take more work, or that its mapping makes larger, is mapped anew once the
 * request has the turn for that.
 */
export function mapWithin(c: Context<AppEnv>): MapDocument {
  return async (resource, saved, sent) =>
    await withinMemory(c, sent.bytes, (limits) => mapDocument(resource, saved, sent, limits))
}

/** As mapWithin. `bytes` is the size of the document. */
async function withinMemory<Result extends Pick<MappedDocument, 'work' | 'exceeded'>>(
  c: Context<AppEnv>,
  bytes: number,
  mapped: (limits: DocumentLimits) => Result,
): Promise<Result> {
  const { pace } = c.get('db')
  const map = async (steps: number, limits: DocumentLimits) => {
    const document = await pace.inTurn(steps, () => mapped(limits))
    pace.spend(document.work * STEPS_OF_WORK)
    return document
  }
  const steps = bytes * STEPS_OF_BYTE
  const bytesMax = bytesAllowed(c)
  const isShort = steps <= SHORT_STEPS_MAX
  const limits = { bytesMax, ...(isShort && { workMax: SHORT_WORK_MAX }) }
  let document = await map(steps, limits)
  if (isShort && document.exceeded === 'steps') document = await map(STEPS_MAX, { bytesMax })
  if (document.exceeded !== 'memory') return document
  await takeLargeWork(c, BODY_BYTES_MAX)
  return await map(STEPS_MAX, {})
}

/** Gives the audit row the name that the document has for a new record, even if it is refused. */
function named(c: Context<AppEnv>, resource: Resource, document: JsonObject): JsonObject {
  const isNew = c.req.param('identifier') === undefined
  if (isNew && isAddressable(resource)) nameRecord(c, document[IDENTIFIERS[resource].fallback])
  return document
}

/**
 * Waits for a share of large work, unless the request's memory covers its payload and a mapped document of
 * `mappedBytes`.
 */
export async function takeWorkFor(c: Context<AppEnv>, mappedBytes: number): Promise<void> {
  const payload = await readPayload(c)
  const bytes = Math.max(payload.bytes, mappedBytes)
  if (c.get('exchange').kept.largeWork || !isCovered(c, bytes)) await takeLargeWork(c, bytes)
}
