import type { Context } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import { ApiError } from '../engine/errors.ts'
import { openSecret } from '../engine/webhooks/sealed-secret.ts'
import { needsSecret, secretFault, secretsInForce } from '../engine/webhooks/secret.ts'
import { webhookKeys } from '../engine/webhooks/secret-keys.ts'
import { verify } from '../engine/webhooks/verify.ts'
import type { CallerWebhook } from './webhook.ts'

// Decrypting takes longer than the check. A caller is replaced when its secrets change.
const opened = new WeakMap<CallerWebhook, Map<string, string>>()

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
  const secrets = await secretsOf(c, webhook)
  const { verification } = webhook.rules
  if (needsSecret(verification) && secrets.length === 0) throw secretUnreadable()
  const delivery = { headers: c.req.raw.headers, body, url: c.get('exchange').url }
  const refusal = await verify(verification, delivery, secrets, Date.now())
  if (refusal === null) return
  const [message, reason] = REFUSALS[refusal]
  throw new ApiError('SIGNATURE_INVALID', message, { reason })
}

async function secretsOf(c: Context<AppEnv>, webhook: CallerWebhook): Promise<string[]> {
  const known = opened.get(webhook) ?? new Map<string, string>()
  opened.set(webhook, known)
  const { tenant } = c.get('caller')
  const secrets: string[] = []
  for (const { sealed, sealed_for } of secretsInForce(webhook.secrets)) {
    const place = { tenant, webhook_id: sealed_for }
    const secret = known.get(sealed) ?? (await openSecret(webhookKeys(c.env), place, sealed))
    if (secret === null || secretFault(webhook.rules.verification, secret)) continue
    known.set(sealed, secret)
    secrets.push(secret)
  }
  return secrets
}

function secretUnreadable(): ApiError {
  return new ApiError(
    'UNAVAILABLE',
    'The webhook has no secret that can be read: enter its secret again. Nothing was changed.',
    { reason: 'SECRET_UNREADABLE', retryAfter: 300 },
  )
}
