import type { Context } from 'hono'
import type { AppEnv } from '../../../engine/env.ts'
import type { Versions } from '../../versions.ts'
import { createKey, updateKey } from '../queries.ts'
import { columnsOf, webhooksOf } from './kind.ts'
import type { CreateWebhook, UpdateWebhook } from './schema.ts'
import { refuseBadKeys, sealedSecret } from './secrets.ts'

/** The record with `key`, which stands in its address. As createKey, and 400 VALIDATION_ERROR for bad public keys. */
export async function createWebhook(
  c: Context<AppEnv>,
  { secret, rules, ...input }: CreateWebhook,
) {
  await refuseBadKeys(rules)
  const id = crypto.randomUUID()
  const webhook_secrets = secret ? [await sealedSecret(c, id, secret)] : []
  const columns = { ...input, ...columnsOf(rules), webhook_secrets }
  return await createKey(webhooksOf(c), c.get('db'), c.get('caller'), columns, id)
}

/** As updateKey, and 400 VALIDATION_ERROR for bad public keys. */
export async function updateWebhook(
  c: Context<AppEnv>,
  id: string,
  { rules, ...input }: UpdateWebhook,
  versions: Versions,
) {
  await refuseBadKeys(rules)
  const columns = { ...input, ...(rules && columnsOf(rules)) }
  return await updateKey(webhooksOf(c), c.get('db'), c.get('caller'), id, columns, versions)
}

/** Where the sender delivers. */
export function webhookAddress(c: Context<AppEnv>, key: string): string {
  return `${c.get('exchange').url.origin}/webhooks/v1/${key}/`
}
