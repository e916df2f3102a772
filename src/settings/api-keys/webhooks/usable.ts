import type { Context } from 'hono'
import type { StoredSecret } from '../../../engine/db/tables.ts'
import type { AppEnv } from '../../../engine/env.ts'
import { openSecret } from '../../../engine/webhooks/sealed-secret.ts'
import { needsSecret } from '../../../engine/webhooks/secret.ts'
import { webhookKeys } from '../../../engine/webhooks/secret-keys.ts'
import { usableSecrets } from '../../../engine/webhooks/usable-secrets.ts'
import type { KeyRow } from '../row.ts'

/** Whether the check needs a secret, and none can be used. */
export async function lacksSecret(c: Context<AppEnv>, row: KeyRow): Promise<boolean> {
  const { webhook, webhook_secrets } = row
  if (!webhook || !needsSecret(webhook.verification)) return false
  const { tenant } = c.get('caller')
  const stored = webhook_secrets ?? []
  const usable = await usableSecrets(webhookKeys(c.env), tenant, webhook.verification, stored)
  return usable.length === 0
}

/** Null if it cannot be decrypted. */
export function opened(
  c: Context<AppEnv>,
  { sealed, sealed_for }: StoredSecret,
): Promise<string | null> {
  const { tenant } = c.get('caller')
  return openSecret(webhookKeys(c.env), { tenant, webhook_id: sealed_for }, sealed)
}
