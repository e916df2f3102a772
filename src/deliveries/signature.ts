import type { Context } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import { ApiError } from '../engine/errors.ts'
import { needsSecret } from '../engine/webhooks/secret.ts'
import { webhookKeys } from '../engine/webhooks/secret-keys.ts'
import { usableSecrets } from '../engine/webhooks/usable-secrets.ts'
import { verify } from '../engine/webhooks/verify.ts'
import type { CallerWebhook } from './arrival.ts'

const REFUSALS = {
  missing: ['The signature is missing.', 'SIGNATURE_MISSING'],
  mismatch: ['The signature does not match.', 'SIGNATURE_MISMATCH'],
  too_old: ['The timestamp is too old.', 'TIMESTAMP_TOO_OLD'],
} as const

/**
 * Checks who sends. 401 SIGNATURE_INVALID, which says no more than the sender knows; 503 UNAVAILABLE if none of the
 * secrets can be decrypted and fits the rules, so that the sender tries again.
 */
export async function requireSignature(
  c: Context<AppEnv>,
  webhook: CallerWebhook,
  body: Uint8Array,
): Promise<void> {
  const { verification } = webhook.rules
  const { tenant } = c.get('caller')
  const keys = webhookKeys(c.env)
  const secrets = await usableSecrets(keys, tenant, verification, webhook.secrets)
  if (needsSecret(verification) && secrets.length === 0) throw withoutSecret(webhook.secrets.length)
  const delivery = { headers: c.req.raw.headers, body, url: c.get('exchange').url }
  const refusal = await verify(verification, delivery, secrets, Date.now())
  if (refusal === null) return
  const [message, reason] = REFUSALS[refusal]
  throw new ApiError('SIGNATURE_INVALID', message, { reason })
}

function withoutSecret(entered: number): ApiError {
  const lack =
    entered === 0 ? 'no secret yet: enter it' : 'no secret that can be read: enter its secret again'
  return new ApiError('UNAVAILABLE', `The webhook has ${lack}. Nothing was changed.`, {
    reason: 'SECRET_UNREADABLE',
    retryAfter: 300,
  })
}
