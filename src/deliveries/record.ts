import type { Context } from 'hono'
import { mapInbound } from '../engine/body/map-inbound.ts'
import { placeInBody } from '../engine/body/part.ts'
import type { AppEnv } from '../engine/env.ts'
import { invalid } from '../engine/errors.ts'
import type { Address } from '../engine/identifiers/address.ts'
import { decimalDigits } from '../engine/json/decimal.ts'
import { ExactNumber } from '../engine/json/exact-number.ts'
import type { JsonObject } from '../engine/json/json-object.ts'
import { REQUIRED } from '../engine/json/messages.ts'
import { readPath } from '../engine/json/path.ts'
import { type AddressableResource, identifierField } from '../engine/mapping/identifier.ts'
import type { WebhookRules } from '../engine/webhooks/rules.ts'
import { memberAt } from '../engine/webhooks/template.ts'
import type { Understood } from '../engine/webhooks/understand.ts'
import { arrivedAt } from './arrival.ts'
import type { ToApply } from './delivery.ts'
import type { DocumentAt } from './ways.ts'

// It is remembered also of records that are not there.
const IDENTIFIER_LENGTH_MAX = 1000
const TOO_LONG = `Must have at most ${IDENTIFIER_LENGTH_MAX} characters: the settings identify records by it.`

/** Where in the body the record stands; undefined where the body is the record. */
export function placeOf({ document }: WebhookRules) {
  return document === null ? undefined : placeInBody(document)
}

/** Maps the record as the body of a request would be. If it `isPart`, what is absent stays. */
export async function mapDelivered(
  c: Context<AppEnv>,
  resource: AddressableResource,
  { rules, payload, sent, understood }: ToApply,
  isPart: boolean,
): Promise<DocumentAt> {
  // A second attempt maps anew, and tells of itself alone.
  c.set('warnings', [])
  const document = await mapInbound(c, resource, { payload, sent, isPart, place: placeOf(rules) })
  const address = addressOf(c, resource, document)
  const { partner, db } = { ...c.get('caller'), db: c.get('db') }
  const changed_at = newnessOf(c, rules, understood)
  const { identifier } = address
  db.delivered = partner && { partner_id: partner.id, resource, identifier, changed_at }
  return { document, address }
}

/**
 * Of two with the same time the one that arrived later is newer. Without `changed_at`, the order of arrival decides; letters of
 * its own, since only values of one form are compared. A deletion often has the id alone: it is newer than what arrived
 * before it, and than what was changed before that.
 */
function newnessOf(
  c: Context<AppEnv>,
  rules: WebhookRules,
  { action, change }: Understood,
): string {
  const arrived = arrivedAt(c)
  if (typeof change === 'string') return `${change} ${arrived}`
  return `${rules.changed_at === null || action === 'upsert' ? 'a' : 'd'}${arrived}`
}

/** 400 VALIDATION_ERROR if the document does not say which record it means. */
function addressOf(
  c: Context<AppEnv>,
  resource: AddressableResource,
  document: JsonObject,
): Address {
  const { partner, orders_of } = c.get('caller')
  const field = identifierField(resource, partner)
  const value = memberAt(document, readPath(field))
  const isNumber = typeof value === 'number' || value instanceof ExactNumber
  const identifier = isNumber ? decimalDigits(value) : value
  if (typeof identifier !== 'string' || identifier === '') throw invalid({ [field]: [REQUIRED] })
  if (identifier.length > IDENTIFIER_LENGTH_MAX) throw invalid({ [field]: [TOO_LONG] })
  return { resource, field, identifier, orders_of: resource === 'orders' ? orders_of : null }
}
