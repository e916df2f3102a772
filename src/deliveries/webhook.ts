import type { Context } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import type { Caller } from '../engine/identity/caller.ts'

export type CallerWebhook = NonNullable<Caller['webhook']>

/** The webhook to whose address the request was sent: only such keys are found there. */
export function webhookOf(c: Context<AppEnv>): CallerWebhook {
  const { webhook } = c.get('caller')
  if (!webhook) throw new Error('The key of a webhook has no rules.')
  return webhook
}
