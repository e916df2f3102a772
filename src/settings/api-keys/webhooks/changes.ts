import type { Context } from 'hono'
import type { AppEnv } from '../../../engine/env.ts'
import { ACTIONS_OF, type WebhookRules } from '../../../engine/webhooks/rules.ts'
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
  warnOfEvents(c, rules)
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
  warnOfEvents(c, rules)
  const columns = { ...input, ...(rules && columnsOf(rules)) }
  return await updateKey(webhooksOf(c), c.get('db'), c.get('caller'), id, columns, versions)
}

/** Rules that read the event and then treat all events alike are seldom meant so: a deletion would create a record. */
function warnOfEvents(c: Context<AppEnv>, rules: WebhookRules | undefined): void {
  if (!rules || rules.event === null || Object.keys(rules.actions).length > 0) return
  const [action] = ACTIONS_OF[rules.resource]
  const message = `Names no event, so each delivery is applied as "${action}", whatever its event. To leave others out, name the events that count, and {"*": "skip"}.`
  c.set('warnings', [...c.get('warnings'), { field: 'rules.actions', message }])
}

/** Where the sender delivers. */
export function webhookAddress(c: Context<AppEnv>, key: string): string {
  return `${c.get('exchange').url.origin}/webhooks/v1/${key}/`
}
