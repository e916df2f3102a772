import type { Context } from 'hono'
import type { StoredSecret } from '../../../engine/db/tables.ts'
import { SettingsChanged } from '../../../engine/db/transact.ts'
import type { AppEnv } from '../../../engine/env.ts'
import { ApiError, invalid } from '../../../engine/errors.ts'
import { keyFaults } from '../../../engine/webhooks/public-key.ts'
import type { WebhookRules } from '../../../engine/webhooks/rules.ts'
import { canSeal, sealAnew, sealSecret } from '../../../engine/webhooks/sealed-secret.ts'
import { secretFault, secretsInForce } from '../../../engine/webhooks/secret.ts'
import { webhookKeys } from '../../../engine/webhooks/secret-keys.ts'
import type { Versions } from '../../versions.ts'
import { findKeyRow, updateKey } from '../queries.ts'
import { webhooksOf } from './kind.ts'
import type { SetWebhookSecret } from './schema.ts'
import { opened } from './usable.ts'

/** The secret as it is stored. 503 UNAVAILABLE if the operator has not set the key that encrypts it. */
export async function sealedSecret(
  c: Context<AppEnv>,
  webhook_id: string,
  secret: string,
): Promise<StoredSecret> {
  const keys = webhookKeys(c.env)
  if (!canSeal(keys)) throw noSecretKey()
  const { tenant } = c.get('caller')
  const sealed = await sealSecret(keys, { tenant, webhook_id }, secret)
  return { sealed, sealed_for: webhook_id, set_at: new Date().toISOString(), ends_at: null }
}

/** 503 UNAVAILABLE. */
export function noSecretKey(): ApiError {
  return new ApiError(
    'UNAVAILABLE',
    'Secrets of webhooks cannot be stored: the operator has not set WEBHOOK_SECRET_KEY. Nothing was changed.',
    { reason: 'NOT_SET_UP', retryAfter: 3600 },
  )
}

/**
 * Sets the secret. The newest of those before stays valid until the overlap ends; the same secret again keeps the one
 * before it. 400 VALIDATION_ERROR for a secret that the check cannot use. SettingsChanged if another change came in
 * between, unless the request names versions.
 */
export async function setSecret(
  c: Context<AppEnv>,
  id: string,
  { secret, overlap_seconds }: SetWebhookSecret,
  versions: Versions,
) {
  const { db, caller } = c.var
  const kind = webhooksOf(c)
  const { webhook, webhook_secrets, version } = await findKeyRow(kind, db, id)
  const fault = webhook && secretFault(webhook.verification, secret)
  if (fault) throw invalid({ secret: [fault] })
  const before = await othersThan(c, secret, secretsInForce(webhook_secrets ?? []))
  const kept = await sealedAnew(c, keptFor(overlap_seconds, before))
  const columns = { webhook_secrets: [await sealedSecret(c, id, secret), ...kept] }
  const changed = updateKey(kind, db, caller, id, columns, versions ?? [version])
  return await changed.catch((error: unknown) => {
    throw versions === undefined && isOutdated(error) ? new SettingsChanged() : error
  })
}

/** Without the newest if it is this secret: a request that is repeated must not end the one before. */
async function othersThan(
  c: Context<AppEnv>,
  secret: string,
  stored: StoredSecret[],
): Promise<StoredSecret[]> {
  const [newest, ...others] = stored
  return newest && (await opened(c, newest)) === secret ? others : stored
}

/** With the newest key: the daily work has nothing left to do with them. */
async function sealedAnew(c: Context<AppEnv>, kept: StoredSecret[]): Promise<StoredSecret[]> {
  const keys = webhookKeys(c.env)
  const { tenant } = c.get('caller')
  return await Promise.all(
    kept.map(async (one) => {
      const place = { tenant, webhook_id: one.sealed_for }
      return { ...one, sealed: await sealAnew(keys, place, one.sealed) }
    }),
  )
}

function isOutdated(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'PRECONDITION_FAILED'
}

function keptFor(overlap_seconds: number, [newest]: StoredSecret[]): StoredSecret[] {
  if (overlap_seconds === 0 || !newest) return []
  const end = new Date(Date.now() + overlap_seconds * 1000).toISOString()
  const ends_at = newest.ends_at !== null && newest.ends_at < end ? newest.ends_at : end
  return [{ ...newest, ends_at }]
}

/** 400 VALIDATION_ERROR for public keys that cannot be used. */
export async function refuseBadKeys(rules: WebhookRules | undefined): Promise<void> {
  if (rules?.verification.kind !== 'public_key') return
  const { keys, algorithm } = rules.verification
  const faults = await keyFaults(keys, algorithm)
  const fields = Object.fromEntries(
    Object.entries(faults).map(([key, found]) => [`rules.verification.${key}`, found]),
  )
  if (Object.keys(fields).length > 0) throw invalid(fields)
}
