import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'

/** A delivery that the Worker makes itself to try a webhook. It is checked as any other, and is a dry run. */
export interface WebhookTrial {
  tenant: string
  webhook_id: string
}

/** Its path, in place of the address: nothing stores the address. */
export const TRIAL_URL = 'https://deliveries.internal/webhooks/v1/test/'

// By Request object, which no sender can make: a header could be forged.
const requests = new WeakMap<Request, WebhookTrial>()

export function trialIn(c: Context<AppEnv>): WebhookTrial | undefined {
  return requests.get(c.req.raw)
}

/** The request that tries the webhook. Only this very object does. */
export function trialOf(trial: WebhookTrial, headers: Headers, body: Uint8Array): Request {
  const request = new Request(TRIAL_URL, { method: 'POST', headers, body })
  requests.set(request, trial)
  return request
}
