import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { needsSecret } from '../../engine/webhooks/secret.ts'
import { waitingOf } from '../../requests/deliveries/webhooks.ts'
import { listKeyAttempts } from '../../requests/key-attempts/queries.ts'
import { type DeliveryCounts, summarizeDeliveries } from '../../requests/traffic/deliveries.ts'
import { findKey } from '../../settings/api-keys/queries.ts'
import { columnsOf, type ShownWebhook, webhooksOf } from '../../settings/api-keys/webhooks/kind.ts'
import { type NamedPartner, namePartners } from '../../settings/partners/queries.ts'
import { may, mayGrantKey } from '../access.ts'
import { RecentChanges, recentChanges } from '../changed/recent.tsx'
import { Heading } from '../parts/heading.tsx'
import { count } from '../parts/numbers.ts'
import { Time } from '../parts/time.tsx'
import { auditLogPath, PARTNERS_PATH, webhookPath } from '../paths.ts'
import { PausePanel } from '../pause/panel.tsx'
import { Fact, Facts } from '../records/facts.tsx'
import { MissingScope } from '../records/missing-scope.tsx'
import { showPage } from '../shell/page.tsx'
import { Activity, shownDays } from './activity.tsx'
import { WaitingLink, WebhookState } from './state.tsx'
import { RulesInWords } from './words.tsx'

/** For a question that asks whether the session's key may change the webhook. */
export function grantedOf({ rules, partner_id }: Pick<ShownWebhook, 'rules' | 'partner_id'>) {
  return { scopes: columnsOf(rules).scopes, partner_id }
}

const LOG_SCOPE = 'settings.audit.read'

export async function showWebhook(c: Context<AppEnv>, id: string) {
  const db = c.get('db')
  const webhook = await findKey(webhooksOf(c), db, id)
  const { partner_id, hint } = webhook
  const mayReadLog = may(c, LOG_SCOPE)
  const [partners, waiting, counts, ended, changes] = await Promise.all([
    may(c, 'settings.partners.read') ? namePartners(db, [partner_id]) : null,
    waitingOf(db, [id]),
    mayReadLog ? summarizeDeliveries(db, id, shownDays()) : null,
    mayReadLog ? listKeyAttempts(db, { hint }) : [],
    recentChanges(c, { record_id: id }),
  ])
  const partner = partners?.get(partner_id)
  const mayWrite = may(c, 'settings.keys.write')
  return showPage(
    c,
    webhook.name,
    <>
      <Heading text={webhook.name}>
        {mayWrite && <Links c={c} webhook={webhook} />}
        {mayReadLog && <a href={auditLogPath({ api_key_id: id })}>Requests</a>}
      </Heading>
      <Warnings c={c} webhook={webhook} counts={counts} attempts={ended} />
      <WebhookFacts
        c={c}
        webhook={webhook}
        partner={partner}
        waiting={waiting.get(id) ?? 0}
        counts={counts}
      />
      <RulesInWords rules={webhook.rules} />
      {counts ? <Activity c={c} webhook_id={id} counts={counts} /> : <NoLog />}
      <PausePanel
        record={webhook}
        at={`${webhookPath(id)}pause/`}
        whose="this webhook"
        keeps
        mayWrite={mayWrite}
      />
      <RecentChanges c={c} record_id={id} changes={changes} />
    </>,
  )
}

function NoLog() {
  return (
    <section>
      <h2>Deliveries</h2>
      <MissingScope scope={LOG_SCOPE} />
    </section>
  )
}

interface OfWebhook {
  c: Context<AppEnv>
  webhook: ShownWebhook
}

function Links({ c, webhook }: OfWebhook) {
  const { id, status, rules, secrets } = webhook
  const at = webhookPath(id)
  const mayGrant = mayGrantKey(c, grantedOf(webhook))
  const mayRotate = mayGrant && status === 'active'
  return (
    <>
      {status !== 'revoked' && <a href={`${at}edit/`}>Edit</a>}
      {mayRotate && needsSecret(rules.verification) && (
        <a href={`${at}secret/`}>{secrets.length > 0 ? 'Change the secret' : 'Enter the secret'}</a>
      )}
      {mayRotate && <a href={`${at}rotate/`}>Rotate the address</a>}
      {status !== 'revoked' && <a href={`${at}revoke/`}>Revoke</a>}
    </>
  )
}

type Attempts = Awaited<ReturnType<typeof listKeyAttempts>>

interface WarningsProps extends OfWebhook {
  counts: DeliveryCounts | null
  attempts: Attempts
}

/** What keeps deliveries from being taken. */
function Warnings({ c, webhook, counts, attempts }: WarningsProps) {
  const { id, status, needs_secret, rules } = webhook
  if (status !== 'active') return <Ended attempts={attempts} />
  return (
    <>
      {needs_secret && (
        <p class="form-error" role="alert">
          This webhook needs its secret: until it is entered, each delivery gets 503, and its sender
          has to send it again.{' '}
          {may(c, 'settings.keys.write') && mayGrantKey(c, grantedOf(webhook)) && (
            <a href={`${webhookPath(id)}secret/`}>Enter the secret</a>
          )}
        </p>
      )}
      {counts && isUnproven(counts) && (
        <p class="form-error" role="alert">
          The newest delivery was refused with 401, because it did not prove who sends it.{' '}
          {needsSecret(rules.verification)
            ? 'Most often the secret is another one here than at the sender.'
            : 'Compare the rules with what the sender sends.'}
        </p>
      )}
      {attempts.some(({ reason }) => reason === 'plain_http') && (
        <p class="form-error" role="alert">
          The address was called over plain HTTP: others may know it. Rotate it.
        </p>
      )}
    </>
  )
}

/** Whether nothing proven has come since the last one that was not. */
function isUnproven({ last_at, last_unproven_at }: DeliveryCounts): boolean {
  return last_unproven_at !== null && (last_at === null || last_at < last_unproven_at)
}

/** Who still calls an address that has ended. */
function Ended({ attempts }: { attempts: Attempts }) {
  const [late] = attempts.filter(({ reason }) => reason === 'revoked' || reason === 'expired')
  return late === undefined ? null : (
    <p class="form-error" role="alert">
      The address has ended and is still called: {count(late.count)} times, at last{' '}
      <Time at={late.last_at} />.
    </p>
  )
}

interface WebhookFactsProps extends OfWebhook {
  partner: NamedPartner | undefined
  waiting: number
  counts: DeliveryCounts | null
}

function WebhookFacts({ c, webhook, partner, waiting, counts }: WebhookFactsProps) {
  const { id, name, hint, partner_id, rules, rate_limit, expires_at, last_used_at } = webhook
  return (
    <Facts>
      <Fact name="State">
        <WebhookState webhook={webhook} partnerPause={partner?.pause} />
      </Fact>
      <Fact name="Partner">
        {partner ? <a href={`${PARTNERS_PATH}${partner_id}/`}>{partner.name}</a> : partner_id}
      </Fact>
      <Fact name="Resource" text={rules.resource} />
      <Fact name="Address">
        <code>{hint}</code> It was shown once. If it is lost, rotate it.
      </Fact>
      {needsSecret(rules.verification) && (
        <Fact name="Secret">
          <SecretState secrets={webhook.secrets} />
        </Fact>
      )}
      {rate_limit !== null && <Fact name="Limit" text={`${count(rate_limit)} per minute`} />}
      <Fact name="Expires">
        <Time at={expires_at} none="never" />
      </Fact>
      <Fact name="Last used">
        <Time at={last_used_at} none="not in the log" seconds />
      </Fact>
      {counts && <CountedFacts webhook_id={id} counts={counts} />}
      <Fact name="Waiting">
        <WaitingLink c={c} webhook_id={id} waiting={waiting} of={name} />
      </Fact>
    </Facts>
  )
}

function SecretState({ secrets }: Pick<ShownWebhook, 'secrets'>) {
  if (secrets.length === 0) return <>none</>
  return (
    <>
      {secrets.map(({ set_at, ends_at }) => (
        <span class="line">
          set <Time at={set_at} />
          {ends_at !== null && (
            <>
              , ends <Time at={ends_at} />
            </>
          )}
        </span>
      ))}
    </>
  )
}

/** Of the days that the page shows. */
function CountedFacts({ webhook_id, counts }: { webhook_id: string; counts: DeliveryCounts }) {
  const { last_at, last_unproven_at, total } = counts
  return (
    <>
      <Fact name="Last delivery">
        <Time at={last_at} none="none in these days" seconds />
      </Fact>
      <Fact name="Wrong signatures">
        {total.unproven === 0 ? (
          'none in these days'
        ) : (
          <>
            <a href={auditLogPath({ api_key_id: webhook_id, error_code: 'SIGNATURE_INVALID' })}>
              {count(total.unproven)}
            </a>
            , at last <Time at={last_unproven_at} seconds />
          </>
        )}
      </Fact>
    </>
  )
}
