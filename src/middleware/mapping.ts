import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { BODY_BYTES_MAX } from '../document/fields.ts'
import type { JsonObject } from '../document/json-object.ts'
import type { AppEnv } from '../env.ts'
import { ApiError } from '../errors.ts'
import { IDENTIFIERS, isAddressable, type Resource } from '../mapping/identifier.ts'
import {
  bodyFault,
  type MapDocument,
  mapDocument,
  mapSmallDocument,
  needsDigits,
} from '../mapping/inbound.ts'
import { mapRecord, RECORD_BYTES_MAX, type Spent } from '../mapping/outbound.ts'
import { mappingError } from '../mapping/problem.ts'
import type { SavedRules } from '../mapping/saved-rule.ts'
import { actingIn } from './acting.ts'
import { nameRecord } from './exchange.ts'
import { bytesAllowed, isCovered, takeLargeWork } from './memory.ts'
import { readJson } from './payload.ts'
import { refuseRedacted } from './redacted.ts'

const LEFT_OUT = `Left out: with this field, the mapped record would exceed ${RECORD_BYTES_MAX} bytes and twice the size of our record, or the filters, joins and conversions of this response would take more steps than they may.`

/** To test an element, or to look at 16 characters, takes some 100 ns. */
const STEPS_OF_WORK = 4
/** For a record that is measured field by field. */
const CUT_WORK = 100_000

/**
 * The payload, mapped into our fields by the mapping of the caller's partner; unchanged without one.
 * 422 MAPPING_ERROR, or 413 if the mapped document is larger than a body may be. After this, errors and
 * warnings also name the payload's own paths.
 */
export async function mapInbound(c: Context<AppEnv>, resource: Resource): Promise<JsonObject> {
  const mapping = c.get('caller').partner?.mappings[resource]
  const saved = mapping?.inbound ?? null
  const acting = actingIn(c)
  // The mapping may have changed since the document was chosen.
  if (acting) refuseRedacted(acting, saved)
  const keepsDigits = saved !== null && needsDigits(resource, saved)
  const { value: payload, ...rest } = await readJson(c, { grows: saved !== null, keepsDigits })
  const fault = bodyFault(resource, saved, payload)
  if (fault) throw new ApiError('VALIDATION_ERROR', fault, { reason: 'NOT_AN_OBJECT' })
  if (!saved) return named(c, resource, payload as JsonObject)
  const identifier_field = mapping?.identifier_field
  const sent = { method: c.req.method, payload, identifier_field, ...rest }
  const document = await mapWithin(c)(resource, saved, sent)
  named(c, resource, document.value)
  const [problem, ...more] = document.problems
  if (problem) throw mappingError([problem, ...more])
  await takeWorkFor(c, document.bytes)
  c.set('sourceOf', document.sourceOf)
  const { passedOver, fields } = document.unread(saved.unmapped !== 'drop')
  c.set('passedOver', passedOver)
  c.set('warnings', fields)
  return document.value
}

/**
 * Maps documents within the memory of the request. A document that its mapping makes larger is mapped anew, once the
 * request has the turn among large documents.
 */
export function mapWithin(c: Context<AppEnv>): MapDocument {
  return async (resource, saved, sent) => {
    const small = mapSmallDocument(resource, saved, sent, bytesAllowed(c))
    if (small) return small
    await takeLargeWork(c, BODY_BYTES_MAX)
    return mapDocument(resource, saved, sent)
  }
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
  const payload = await readJson(c)
  const bytes = Math.max(payload.bytes, mappedBytes)
  if (c.get('exchange').kept.largeWork || !isCovered(c, bytes)) await takeLargeWork(c, bytes)
}

/** Maps the records of an answer by the outbound mapping of the caller's partner. */
export function mapOutbound(resource: Resource) {
  return createMiddleware<AppEnv>(async function mapOutbound(c, next) {
    const saved = c.get('caller').partner?.mappings[resource]?.outbound
    if (saved) {
      const spent = { work: 0 }
      c.set('outbound', (record) => mapOne(c, saved, record, spent))
      c.set('outboundRules', saved)
    }
    await next()
  })
}

/** For an answer with records of several resources: maps one as mapOutbound does; null if none is mapped. */
export function outboundBy<Name extends Resource>(c: Context<AppEnv>, resources: readonly Name[]) {
  const mappings = c.get('caller').partner?.mappings ?? {}
  if (!resources.some((name) => mappings[name]?.outbound)) return null
  const spent = { work: 0 }
  return (resource: Name, record: object): object => {
    const saved = mappings[resource]?.outbound
    return saved ? mapOne(c, saved, record, spent) : record
  }
}

function mapOne(c: Context<AppEnv>, saved: SavedRules, record: object, spent: Spent): object {
  const before = spent.work
  const { value, leftOut } = mapRecord(saved, record, spent)
  // Who makes the text of the answer rests.
  const work = leftOut.length > 0 ? CUT_WORK : Math.max(0, spent.work - before)
  c.get('db').pace.spend(work * STEPS_OF_WORK)
  const known = c.get('warnings')
  for (const field of leftOut) {
    if (known.some((warning) => warning.message === LEFT_OUT && warning.field === field)) continue
    known.push({ field, message: LEFT_OUT })
  }
  return value
}
