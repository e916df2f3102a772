import type { Context } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import { TRIAL_URL, trialOf } from '../engine/exchange/trial.ts'
import type { JsonObject } from '../engine/json/json-object.ts'
import { ANY_EVENT, type WebhookRules } from '../engine/webhooks/rules.ts'
import { proofHeaders } from '../engine/webhooks/sign.ts'
import { valuePath, withMember } from '../engine/webhooks/template.ts'

/** What would become of the delivery, as its sender would be told. */
export interface TriedDelivery {
  request_id: string | null
  status: number
  data?: { outcome: string; record: string | null; reason?: string; error?: JsonObject }
  error?: JsonObject & { message: string }
}

/**
 * Delivers the document to the webhook as its sender would, signed with this secret. The receiving code checks and
 * understands it, and writes nothing. Null if nobody but the sender can sign.
 */
export async function tryWebhook(
  c: Context<AppEnv>,
  { id, rules }: { id: string; rules: WebhookRules },
  document: unknown,
  secret: string,
): Promise<TriedDelivery | null> {
  const now = Date.now()
  const event = eventToTry(rules)
  const body = new TextEncoder().encode(JSON.stringify(bodyOf(rules, document, event, now)))
  const url = new URL(TRIAL_URL)
  const proof = await proofHeaders(rules.verification, { body, url }, secret, now)
  if (!proof) return null
  const headers = new Headers({ 'Content-Type': 'application/json', ...proof })
  const place = placeOfEvent(rules)
  if (event !== null && place && 'header' in place) headers.set(place.header, event)
  const { tenant } = c.get('caller')
  const response = await c.get('dispatch')(trialOf({ tenant, webhook_id: id }, headers, body))
  const { data, error } = (await response.json()) as Pick<TriedDelivery, 'data' | 'error'>
  return {
    request_id: response.headers.get('X-Request-Id'),
    status: response.status,
    ...(data && { data }),
    ...(error && { error }),
  }
}

/** The first event that the rules do something with; null if they name none. */
function eventToTry({ actions }: WebhookRules): string | null {
  const named = Object.entries(actions).filter(([name]) => name !== ANY_EVENT)
  return named.find(([, action]) => action !== 'skip')?.[0] ?? null
}

/** Of an event in several parts nobody knows how to cut it. */
function placeOfEvent({ event }: WebhookRules) {
  return Array.isArray(event) ? null : event
}

/** The document where the rules expect it, with the event and the time beside it. */
function bodyOf(
  rules: WebhookRules,
  document: unknown,
  event: string | null,
  now: number,
): unknown {
  const { verification } = rules
  const body = rules.document === null ? document : placed({}, rules.document, document)
  const place = placeOfEvent(rules)
  const named = event !== null && place && 'path' in place ? placed(body, place.path, event) : body
  const isTimed = 'timestamp' in verification && verification.timestamp?.path !== undefined
  const seconds = Math.floor(now / 1000)
  return isTimed ? placed(named, verification.timestamp?.path ?? '', seconds) : named
}

function placed(body: unknown, path: string, value: unknown): unknown {
  return withMember(body, valuePath(path), value)
}
