import type { Context } from 'hono'
import type { StoredSecret } from '../../../engine/db/tables.ts'
import type { AppEnv } from '../../../engine/env.ts'
import { openSecret } from '../../../engine/webhooks/sealed-secret.ts'
import { needsSecret, secretFault, secretsInForce } from '../../../engine/webhooks/secret.ts'
import { webhookKeys } from '../../../engine/webhooks/secret-keys.ts'
import type { KeyRow } from '../row.ts'

/** Whether the check needs a secret, and none is in force that can be decrypted and fits the rules. */
export async function lacksSecret(c: Context<AppEnv>, row: KeyRow): Promise<boolean> {
  const { webhook, webhook_secrets } = row
  if (!webhook || !needsSecret(webhook.verification)) return false
  for (const stored of secretsInForce(webhook_secrets ?? [])) {
    const secret = await opened(c, stored)
    if (secret !== null && secretFault(webhook.verification, secret) === null) return false
  }
  return true
}

/** Null if it cannot be decrypted. */
export function opened(
  c: Context<AppEnv>,
  { sealed, sealed_for }: StoredSecret,
): Promise<string | null> {
  const { tenant } = c.get('caller')
  return openSecret(webhookKeys(c.env), { tenant, webhook_id: sealed_for }, sealed)
}
