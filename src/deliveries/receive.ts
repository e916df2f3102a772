import type { Context } from 'hono'
import { readForMapping } from '../engine/body/map-inbound.ts'
import { readBytes } from '../engine/body/payload.ts'
import type { AppEnv } from '../engine/env.ts'
import { understand } from '../engine/webhooks/understand.ts'
import { apply } from './apply.ts'
import type { DeliveryResult } from './delivery.ts'
import { requireSignature } from './signature.ts'
import type { CallerWebhook } from './webhook.ts'

/** Checks who sends, understands what is meant, and does it. Throws what the sender has to be told instead. */
export async function receive(c: Context<AppEnv>, webhook: CallerWebhook): Promise<DeliveryResult> {
  const { rules } = webhook
  await requireSignature(c, webhook, await readBytes(c))
  const body = await readForMapping(c, rules.resource)
  const understood = understand(rules, c.req.raw.headers, body.value)
  const { subject } = c.get('db')
  subject.sender_event = understood.event
  subject.sender_id = understood.sender_id
  const payload = { ...body, value: understood.record }
  const result = await apply(c, { rules, understood, payload })
  noteOutcome(c, result)
  return result
}

/** For the row of what was not written: a skipped delivery is about no record, so its row names the webhook. */
function noteOutcome(c: Context<AppEnv>, { outcome, reason }: DeliveryResult): void {
  const current = c.get('exchange')
  c.get('db').subject.outcome = outcome
  if (reason === undefined) return
  current.record_id = c.get('caller').key.id
  current.explanation = { message: reason, details: null, error_fields: null }
}
