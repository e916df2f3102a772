import type { Context } from 'hono'
import { readForMapping } from '../engine/body/map-inbound.ts'
import { readBytes } from '../engine/body/payload.ts'
import type { AppEnv } from '../engine/env.ts'
import { hideKeys } from '../engine/identity/key.ts'
import { type Understood, understand } from '../engine/webhooks/understand.ts'
import { apply } from './apply.ts'
import type { DeliveryResult } from './delivery.ts'
import { requireSignature } from './signature.ts'
import type { CallerWebhook } from './webhook.ts'

/** Checks who sends, understands what is meant, and does it. Throws what the sender has to be told instead. */
export async function receive(c: Context<AppEnv>, webhook: CallerWebhook): Promise<DeliveryResult> {
  const { rules } = webhook
  await requireSignature(c, webhook, await readBytes(c))
  const body = await readForMapping(c, rules.resource)
  const understood = withoutKeys(understand(rules, c.req.raw.headers, body.value))
  const { subject } = c.get('db')
  subject.sender_event = understood.event
  subject.sender_id = understood.sender_id
  const payload = { ...body, value: understood.record }
  const result = await apply(c, { rules, understood, payload })
  noteOutcome(c, result)
  return result
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
function noteOutcome(c: Context<AppEnv>, { outcome, reason }: DeliveryResult): void {
  const current = c.get('exchange')
  c.get('db').subject.outcome = outcome
  if (reason === undefined) return
  current.record_id = c.get('caller').key.id
  current.explanation = { message: reason, details: null, error_fields: null }
}
