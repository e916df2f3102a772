import type { Context } from 'hono'
import { answeredError } from '../engine/answers/envelope.ts'
import { toApiError } from '../engine/answers/errors.ts'
import { readUnpacked } from '../engine/body/payload.ts'
import { CONSTRAINT } from '../engine/db/constraints.ts'
import { selectOutcome } from '../engine/db/delivery.ts'
import type { Queries, Query } from '../engine/db/prepared.ts'
import { REHEARSED_APART } from '../engine/db/rehearsal.ts'
import { SettingsChanged, type Write } from '../engine/db/transact.ts'
import { refusedBy } from '../engine/db/violations.ts'
import { keepWaiting, waitOn, whyWaiting } from '../engine/db/waiting.ts'
import type { AppEnv } from '../engine/env.ts'
import { ApiError } from '../engine/errors.ts'
import { partIn } from '../engine/exchange/acting.ts'
import { retriedIn } from '../engine/exchange/retried.ts'
import { type TextBody, textOfBody } from '../engine/formats/format.ts'
import { byteLength, jsonBytes } from '../engine/json/fields.ts'
import { isSentAlone } from '../engine/json/sent-with.ts'
import { sourcesOf } from '../engine/json/source.ts'
import type { WebhookRules } from '../engine/webhooks/rules.ts'
import { arrivedAt, broughtBefore, sentWith } from './arrival.ts'
import type { DeliveryResult } from './delivery.ts'
import { needAfter, needOf, type Waits } from './need.ts'
import { wakeFirst } from './wake.ts'

// A row of D1 has at most 2,000,000 bytes.
export const KEPT_BODY_BYTES_MAX = 1_900_000

/**
 * Keeps a delivery that could not be applied, in the batch of its audit row: its sender hears 200, and it is applied once
 * what it needs is there. The row says why, with the status that a request with a key would have got. Throws the error of
 * what is not kept; 503 UNAVAILABLE if as many wait as may.
 */
export async function keep(
  c: Context<AppEnv>,
  rules: WebhookRules,
  error: unknown,
): Promise<DeliveryResult> {
  const refusal = refusalIn(c, error)
  const waits = refusal && (await waitsOf(c, refusal))
  if (!refusal || !waits) throw error
  const { record_name } = c.get('exchange')
  c.get('db').subject.outcome = 'waiting'
  if (c.get('db').rehearses) await noteRefusal(c, refusal)
  else await store(c, rules, refusal, waits)
  c.get('exchange').logged_status = answeredError(c, refusal).status
  const reason = withoutMapping(c, rules, refusal) + toldReason(refusal)
  return { outcome: 'waiting', record: record_name, warnings: [], ...whyOf(c, refusal), reason }
}

/** The row of a dry run says what the same request with a key would have got. With other settings that may be nothing. */
async function noteRefusal(c: Context<AppEnv>, refusal: ApiError): Promise<void> {
  if (retriedIn(c) && !c.get('db').confirmed) await c.get('db').confirm()
  const exchange = c.get('exchange')
  exchange.record_id = c.get('caller').key.id
  exchange.error = answeredError(c, refusal)
}

/**
 * What has refused the delivery; null if it is to be run again. Of one that is tried again that is any error: it would be due
 * at once for ever, before all others. Of one of several records it is any error, too: its sender does not repeat it alone.
 */
function refusalIn(c: Context<AppEnv>, error: unknown): ApiError | null {
  if (error instanceof ApiError) return error
  const isOwn = broughtBefore(c) !== undefined && !(error instanceof SettingsChanged)
  return isOwn ? toApiError(c, error) : null
}

async function store(
  c: Context<AppEnv>,
  rules: WebhookRules,
  error: ApiError,
  waits: Waits,
): Promise<void> {
  const { db, caller } = c.var
  const { record_name, replay_of } = c.get('exchange')
  const { identifier = null, changed_at = null } = db.delivered ?? {}
  const { code, status, explanation } = answeredError(c, error)
  const hint = withoutMapping(c, rules, error)
  const message = hint + toldReason(error, explanation.message ?? undefined)
  const found = { ...waits, identifier, changed_at, record_name, error_code: code, message }
  await wakeFirst(c)
  // Nothing is applied, so nothing is remembered of the record, and the waiting goes on.
  Object.assign(db, { delivered: null, retried: null })
  // In the log it has failed, so its document is kept as that of any refusal.
  db.document = { ...db.document, ifFailed: false }
  await writeKept(c, {
    // A record that came among others leads to the delivery that has brought it.
    record: (partIn(c) && replay_of) || caller.key.id,
    ...(record_name !== null && { name: record_name }),
    status,
    changes: [await keeping(c, rules, found), whyWaiting(code, explanation)],
  })
}

/** Writes what waits, in the batch of its audit row. 503 UNAVAILABLE if as many wait as may. */
export async function writeKept(
  c: Context<AppEnv>,
  write: Pick<Write<Queries>, 'record' | 'name' | 'status' | 'changes'>,
): Promise<void> {
  await c
    .get('db')
    .write({ ...write, answer: [selectOutcome], rehearsal: REHEARSED_APART })
    .catch(refusedBy({ [CONSTRAINT.waitingHasRoom]: () => full(c) }))
}

async function waitsOf(c: Context<AppEnv>, error: ApiError): Promise<Waits | null> {
  const retried = retriedIn(c)
  if (retried) return needAfter(error, retried.tries)
  if (byteLength((await sentBody(c)).text) > KEPT_BODY_BYTES_MAX) return null
  return partIn(c) ? needAfter(error, 0) : needOf(error)
}

type WhyKept = Omit<Parameters<typeof waitOn>[0], 'delivery_id'>

async function keeping(c: Context<AppEnv>, rules: WebhookRules, found: WhyKept): Promise<Query> {
  const retried = retriedIn(c)
  if (retried) return waitOn({ ...found, delivery_id: retried.delivery_id })
  const delivery_id = c.get('db').subject.request_id
  return keepBody(c, rules, { ...found, delivery_id }, await sentBody(c))
}

async function sentBody(c: Context<AppEnv>): Promise<TextBody> {
  return textOfBody(await readUnpacked(c), c.req.header('Content-Type') ?? null)
}

/** Keeps a document that came with the delivery. */
export function keepBody(
  c: Context<AppEnv>,
  rules: WebhookRules,
  found: WhyKept & { delivery_id: string },
  { text, content_type }: TextBody,
): Query {
  const { key, partner } = c.get('caller')
  const { sender_event, sender_id } = c.get('db').subject
  const sent = sentWith(c, rules)
  const sent_with = isSentAlone(sent) ? null : sent
  return keepWaiting({
    ...found,
    api_key_id: key.id,
    partner_id: partner?.id ?? '',
    resource: rules.resource,
    sender_event,
    sender_id,
    sent_with,
    content_type: content_type?.slice(0, 200) ?? null,
    created_at: arrivedAt(c),
    bytes: byteLength(text) + (sent_with ? jsonBytes(sent_with) : 0),
    body: text,
  })
}

/** The message of an error tells whoever has a key to send the request again. What waits is applied by itself. */
function toldReason({ code, message, details }: ApiError, explained = message): string {
  if (code === 'WORKSPACE_DISABLED') {
    return 'The integration is switched off. The delivery waits, and is applied when it is switched on.'
  }
  return details.reason === 'PAUSED'
    ? 'There is a pause. The delivery waits, and is applied when the pause has ended.'
    : explained
}

/** Without a mapping hardly any document of another system is one that the API takes. Then that is what is wrong first. */
function withoutMapping(
  c: Context<AppEnv>,
  { resource }: WebhookRules,
  { code }: ApiError,
): string {
  const mapping = c.get('caller').partner?.mappings[resource]?.inbound
  return mapping || code !== 'VALIDATION_ERROR'
    ? ''
    : `There is no mapping of ${resource} yet: make one, or let the document be as the API takes it. `
}

/** As in the error that the same request with a key would get. */
function whyOf(c: Context<AppEnv>, { code, details }: ApiError) {
  const { reason, fields, problems } = details
  return {
    error: {
      code,
      ...(reason && { reason }),
      ...(fields && { fields, ...sourcesOf(Object.keys(fields), c.get('sourceOf')) }),
      ...(problems && { problems }),
    },
  }
}

function full(c: Context<AppEnv>): ApiError {
  const { request_id } = c.get('exchange')
  const { tenant } = c.get('caller')
  console.error(JSON.stringify({ event: 'deliveries_full', request_id, tenant }))
  return new ApiError(
    'UNAVAILABLE',
    'As many deliveries wait as may. Nothing was changed: repair what they wait for, and send it again.',
    { reason: 'DELIVERIES_FULL', retryAfter: 300 },
  )
}
