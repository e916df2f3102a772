import type { Context } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import { partIn } from '../engine/exchange/acting.ts'
import { retriedIn } from '../engine/exchange/retried.ts'
import type { Caller } from '../engine/identity/caller.ts'
import { hideKeys } from '../engine/identity/key.ts'
import { SENT_ALONE, SENT_VALUE_LENGTH_MAX, type SentWith } from '../engine/json/sent-with.ts'
import type { WebhookRules } from '../engine/webhooks/rules.ts'

export type CallerWebhook = NonNullable<Caller['webhook']>

/** The webhook to whose address the request was sent: only such keys are found there. */
export function webhookOf(c: Context<AppEnv>): CallerWebhook {
  const { webhook } = c.get('caller')
  if (!webhook) throw new Error('The key of a webhook has no rules.')
  return webhook
}

/** What is known of the delivery because another request has brought it: its sender was checked then. */
export function broughtBefore(c: Context<AppEnv>) {
  return partIn(c) ?? retriedIn(c)
}

/** When the sender has delivered it. */
export function arrivedAt(c: Context<AppEnv>): string {
  return broughtBefore(c)?.created_at ?? c.get('db').subject.created_at
}

/** The headers and parameters that the rules list, as they came with the delivery. A key in a value is hidden. */
export function sentWith(
  c: Context<AppEnv>,
  rules: Pick<WebhookRules, 'headers' | 'query'>,
): SentWith {
  const known = broughtBefore(c)
  if (known) return known.sent_with ?? SENT_ALONE
  const { headers } = c.req.raw
  const { searchParams } = c.get('exchange').url
  return {
    headers: valuesOf(
      rules.headers.map((name) => name.toLowerCase()),
      (name) => headers.get(name),
    ),
    query: valuesOf(rules.query, (name) => searchParams.get(name)),
  }
}

/** A value that is too long counts as missing: a part of it would be another value. */
function valuesOf(names: string[], read: (name: string) => string | null): Record<string, string> {
  const entries = names.flatMap((name) => {
    const value = read(name)
    if (value === null || value.length > SENT_VALUE_LENGTH_MAX) return []
    return [[name, hideKeys(value).toWellFormed()] as const]
  })
  return Object.fromEntries(entries)
}
