import type { Context } from 'hono'
import { type TriedDelivery, tryWebhook } from '../../deliveries/trial.ts'
import type { AppEnv } from '../../engine/env.ts'
import { needsSecret } from '../../engine/webhooks/secret.ts'
import { webhookKeys } from '../../engine/webhooks/secret-keys.ts'
import { usableSecrets } from '../../engine/webhooks/usable-secrets.ts'
import { findKeyRow } from '../../settings/api-keys/queries.ts'
import { WEBHOOK } from '../../settings/api-keys/webhooks/kind.ts'
import { findStarter } from '../../settings/mapping-starters/starters.ts'
import { findPreset } from '../../settings/webhook-presets/presets.ts'
import { requestPath } from '../paths.ts'
import { type Fault, faultsOf } from '../requests/faults.ts'

/** What came of a test, or why there was none. */
export type TestResult = { tried: TriedDelivery } | { why: string }

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

const WOULD: Record<string, string> = {
  created: 'It would be created',
  updated: 'It would be updated',
  unchanged: 'It is here already, and would stay as it is',
  cancelled: 'It would be cancelled',
  deactivated: 'It would become inactive',
  uploaded: 'The stock would be set',
  skipped: 'It would be skipped',
  stale: 'It would be left out: a newer document was applied before',
  waiting: 'It would wait here until this is mended',
}

export function TestOutcome({ result }: { result: TestResult | null }) {
  if (!result) return null
  if ('why' in result) {
    return (
      <p class="form-error" role="status">
        {result.why}
      </p>
    )
  }
  const { request_id, data, error } = result.tried
  const found = data?.error ?? error
  const faults = found ? faultsOf(found) : []
  return (
    <div role="status" class={found ? 'form-error' : 'notice'}>
      <p>
        {data
          ? outcomeText(data, faults.length > 0)
          : `It would be refused. ${error?.message ?? ''}`}{' '}
        Nothing was written. {request_id && <a href={requestPath(request_id)}>Show this test</a>}
      </p>
      {faults.length > 0 && <FaultsFound faults={faults} />}
      {found?.reason === 'UNKNOWN_SKU' && (
        <p>
          The products of the example are invented. A real order is created at once if its own SKUs
          are here; until then it waits, and nothing is lost.
        </p>
      )}
    </div>
  )
}

function FaultsFound({ faults }: { faults: Fault[] }) {
  return (
    <ul>
      {faults.map(({ at, messages }) => (
        <li>
          {at && <code>{at}</code>} {messages.join(' ')}
        </li>
      ))}
    </ul>
  )
}

/** The reason stands below, where it has places. */
function outcomeText(
  { outcome, record, reason }: NonNullable<TriedDelivery['data']>,
  hasPlaces: boolean,
): string {
  const named = record === null ? '' : `: ${record}`
  const why = reason === undefined || hasPlaces ? '' : ` (${reason.replace(/\.$/, '')})`
  return `${WOULD[outcome] ?? outcome}${named}${why}.`
}
