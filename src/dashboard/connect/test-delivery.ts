import type { Context } from 'hono'
import { tryWebhook } from '../../deliveries/trial.ts'
import type { AppEnv } from '../../engine/env.ts'
import { needsSecret } from '../../engine/webhooks/secret.ts'
import { webhookKeys } from '../../engine/webhooks/secret-keys.ts'
import { usableSecrets } from '../../engine/webhooks/usable-secrets.ts'
import { findKeyRow } from '../../settings/api-keys/queries.ts'
import { WEBHOOK } from '../../settings/api-keys/webhooks/kind.ts'
import { findStarter } from '../../settings/mapping-starters/starters.ts'
import { findPreset } from '../../settings/webhook-presets/presets.ts'
import type { TestResult } from './tried.tsx'

const NO_DOCUMENT = 'There is no example document of this system.'
const NO_SECRET = 'The webhook has no secret yet: enter it first, then send the test again.'
const NO_KEY = 'Only the other system can sign, with its private key: there is no test.'

/** Delivers the example document of the system to the webhook that the path names, as that system would. */
export async function testDelivery(c: Context<AppEnv>): Promise<TestResult> {
  const preset = await findPreset(c.env, c.req.param('preset') ?? '')
  const row = await findKeyRow(WEBHOOK, c.get('db'), c.req.param('id') ?? '')
  c.get('exchange').record_id = row.id
  const { webhook: rules, webhook_secrets } = row
  if (!rules || preset.test_document === null) return { why: NO_DOCUMENT }
  const { document } = await findStarter(c.env, preset.test_document)
  const { tenant } = c.get('caller')
  const { verification } = rules
  const stored = webhook_secrets ?? []
  const [secret] = await usableSecrets(webhookKeys(c.env), tenant, verification, stored)
  if (needsSecret(verification) && secret === undefined) return { why: NO_SECRET }
  const tried = await tryWebhook(c, { id: row.id, rules }, document, secret ?? '')
  return tried ? { tried } : { why: NO_KEY }
}
