import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { waitingOf } from '../../requests/deliveries/webhooks.ts'
import type { ShownWebhook } from '../../settings/api-keys/webhooks/kind.ts'
import { type NamedPartner, namePartners } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'
import { count } from '../parts/numbers.ts'
import { type CsvColumns, pauseCell } from '../parts/page-csv.tsx'
import { Records } from '../parts/records.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath, webhookPath } from '../paths.ts'
import { KnownPartnerName } from '../records/names.tsx'
import { sinceOf, stateText, WebhookState } from './state.tsx'
import { WaitingLink } from './waiting-link.tsx'

export type ListedWebhook = Omit<ShownWebhook, 'version'>

/** What a list of webhooks shows of others. */
interface Beside {
  /** By id. */
  partners: Map<string, NamedPartner>
  /** How many deliveries wait, by the id of the webhook. */
  waiting: Map<string, number>
}

/** For the table of these webhooks. */
export async function besideWebhooks(
  c: Context<AppEnv>,
  webhooks: readonly ListedWebhook[],
): Promise<Beside> {
  const db = c.get('db')
  const [partners, waiting] = await Promise.all([
    may(c, 'settings.partners.read')
      ? namePartners(
          db,
          webhooks.map(({ partner_id }) => partner_id),
        )
      : new Map<string, NamedPartner>(),
    waitingOf(
      db,
      webhooks.map(({ id }) => id),
    ),
  ])
  return { partners, waiting }
}

interface WebhookLine extends ListedWebhook {
  partner: NamedPartner | undefined
  waiting: number
}

export const WEBHOOKS_CSV: CsvColumns<WebhookLine> = [
  'id',
  'name',
  'hint',
  ['partner', ({ partner }) => partner?.name],
  'partner_id',
  ['resource', ({ rules }) => rules.resource],
  'rate_limit',
  ['status', stateText],
  ['since', sinceOf],
  ['paused_until', pauseCell],
  'last_used_at',
  'waiting',
]

/** What the table shows of each webhook, as a line of a file. */
export function webhookLines(
  webhooks: readonly ListedWebhook[],
  { partners, waiting }: Beside,
): WebhookLine[] {
  return webhooks.map((webhook) => ({
    ...webhook,
    partner: partners.get(webhook.partner_id),
    waiting: waiting.get(webhook.id) ?? 0,
  }))
}

interface WebhookTableProps extends Beside {
  c: Context<AppEnv>
  webhooks: readonly ListedWebhook[]
}

export function WebhookTable({ c, webhooks, partners, waiting }: WebhookTableProps) {
  return (
    <Records columns={['Name', 'Partner', 'Resource', 'State', 'Last used', 'Waiting']} hasActions>
      {webhooks.map((webhook) => (
        <WebhookRow
          c={c}
          webhook={webhook}
          partner={partners.get(webhook.partner_id)}
          waiting={waiting.get(webhook.id) ?? 0}
        />
      ))}
    </Records>
  )
}

interface WebhookRowProps {
  c: Context<AppEnv>
  webhook: ListedWebhook
  partner: NamedPartner | undefined
  waiting: number
}

function WebhookRow({ c, webhook, partner, waiting }: WebhookRowProps) {
  const { id, name, hint, partner_id, rules, last_used_at, rate_limit } = webhook
  return (
    <tr>
      <th scope="row">
        <a href={webhookPath(id)}>{name}</a>
        <br />
        <small>
          <code>{hint}</code>
        </small>
      </th>
      <td data-label="Partner" class="free">
        {/* Its id stands for a name that the session may not see. */}
        <KnownPartnerName id={partner_id} known={partner} />
      </td>
      <td data-label="Resource">
        {rules.resource}
        {rate_limit !== null && <small class="line">{count(rate_limit)} per minute</small>}
      </td>
      <td data-label="State">
        <WebhookState webhook={webhook} partnerPause={partner?.pause ?? null} />
      </td>
      <td data-label="Last used">
        <Time at={last_used_at} none="not in the log" />
      </td>
      <td data-label="Waiting">
        <WaitingLink c={c} webhook_id={id} waiting={waiting} of={name} />
      </td>
      <td class="row-actions">
        {may(c, 'settings.audit.read') && (
          <RowLink href={auditLogPath({ api_key_id: id })} text="Requests" of={name} />
        )}
      </td>
    </tr>
  )
}
