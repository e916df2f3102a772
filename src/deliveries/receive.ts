import type { Context } from 'hono'
import { readForMapping } from '../engine/body/map-inbound.ts'
import { readUnpacked } from '../engine/body/payload.ts'
import { CONSTRAINT } from '../engine/db/constraints.ts'
import { Violation } from '../engine/db/violations.ts'
import type { AppEnv } from '../engine/env.ts'
import { holdDelivery } from '../engine/exchange/documents.ts'
import { type Retried, retriedIn } from '../engine/exchange/retried.ts'
import { hideKeys } from '../engine/identity/key.ts'
import type { WebhookRules } from '../engine/webhooks/rules.ts'
import { type Understood, understand } from '../engine/webhooks/understand.ts'
import { refuseClosed } from '../middleware/require-integration.ts'
import { apply } from './apply.ts'
import { broughtBefore, type CallerWebhook, sentWith } from './arrival.ts'
import { type DeliveryResult, withoutChange } from './delivery.ts'
import { applyEach } from './each-record.ts'
import { keep } from './keep.ts'
import { applyRow } from './rows.ts'
import { requireSignature } from './signature.ts'

/**
 * Checks who sends, understands what is meant, and does it or keeps it. Throws what the sender has to be told instead:
 * it is not the sender, or has to send again.
 */
export async function receive(c: Context<AppEnv>, webhook: CallerWebhook): Promise<DeliveryResult> {
  const before = broughtBefore(c)
  if (!before) await requireSignature(c, webhook, await readUnpacked(c))
  const { rules } = webhook
  const retried = retriedIn(c)
  if (retried && retried.position !== null) return await receiveRow(c, rules, retried)
  const body = await readForMapping(c, rules.resource, true)
  const known = before && { event: before.sender_event, sender_id: before.sender_id }
  const understood = withoutKeys(understand(rules, c.req.raw.headers, body.value, known))
  const { subject } = c.get('db')
  subject.sender_event = understood.event
  subject.sender_id = understood.sender_id
  const payload = { ...body, value: understood.record }
  const sent = sentWith(c, rules)
  holdDelivery(c, { resource: rules.resource, document: rules.document, ...sent })
  const delivery = { rules, understood, payload, sent }
  return await appliedOrKept(c, rules, async () => {
    return (await applyEach(c, delivery, body.value)) ?? (await apply(c, delivery))
  })
}

async function appliedOrKept(
  c: Context<AppEnv>,
  rules: WebhookRules,
  act: () => Promise<DeliveryResult>,
): Promise<DeliveryResult> {
  try {
    refuseClosed(c.get('caller'))
    return noted(c, await act())
  } catch (error) {
    if (!hasEnded(error)) return await keep(c, rules, error)
    return noted(c, withoutChange('skipped', 'The delivery does not wait any more.'))
  }
}

/** Somebody has dismissed or applied it since the try began. Nothing was changed. */
function hasEnded(error: unknown): boolean {
  return error instanceof Violation && error.constraint === CONSTRAINT.deliveryWaits
}

/** A row of an upload that waits is in our own words: no rules and no mapping read it. */
async function receiveRow(
  c: Context<AppEnv>,
  rules: WebhookRules,
  retried: Retried,
): Promise<DeliveryResult> {
  const { subject } = c.get('db')
  subject.sender_event = retried.sender_event
  subject.sender_id = retried.sender_id
  return await appliedOrKept(c, rules, () => applyRow(c, retried))
}

/** A sender may send its address, or another key, in place of any text that is stored or answered. */
function withoutKeys(understood: Understood): Understood {
  const { event, sender_id, reason } = understood
  const hidden = (text: string | null) => text && hideKeys(text)
  return {
    ...understood,
    event: hidden(event),
    sender_id: hidden(sender_id),
    reason: hidden(reason),
  }
}

/** For the row of what was not written: a skipped delivery is about no record, so its row names the webhook. */
function noted(c: Context<AppEnv>, result: DeliveryResult): DeliveryResult {
  const { outcome, reason } = result
  const current = c.get('exchange')
  c.get('db').subject.outcome = outcome
  if (reason !== undefined) {
    current.record_id = c.get('caller').key.id
    current.explanation = { message: reason, details: null, error_fields: null }
  }
  return result
}
