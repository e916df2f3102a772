import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { waitingOf } from '../../requests/deliveries/waiting-totals.ts'
import type { ShownWebhook } from '../../settings/api-keys/webhooks/kind.ts'
import { type NamedPartner, namePartners } from '../../settings/partners/queries.ts'
import { may } from '../access.ts'
import { sinceOf } from '../api-keys/state.tsx'
import { DataTable } from '../parts/data-table.tsx'
import { count } from '../parts/numbers.ts'
import { type CsvColumns, pauseCell } from '../parts/page-csv.tsx'
import { RowLink } from '../parts/row-link.tsx'
import { Time } from '../parts/time.tsx'
import { auditLogPath, webhookPath } from '../paths.ts'
import { KnownPartnerName } from '../records/names.tsx'
import { stateText, WaitingLink, WebhookState } from './state.tsx'

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

interface LineProps {
  line: WebhookLine
}

export function WebhookTable({ c, webhooks, ...beside }: WebhookTableProps) {
  return (
    <DataTable
      rows={webhookLines(webhooks, beside)}
      columns={[
        ['Name', (line) => <Name line={line} />],
        // Its id stands for a name that the session may not see.
        [
          'Partner',
          (line) => <KnownPartnerName id={line.partner_id} known={line.partner} />,
          'free',
        ],
        ['Resource', (line) => <Resource line={line} />],
        ['State', (line) => <WebhookState webhook={line} partnerPause={line.partner?.pause} />],
        ['Last used', ({ last_used_at }) => <Time at={last_used_at} none="not in the log" />],
        [
          'Waiting',
          ({ id, name, waiting }) => (
            <WaitingLink c={c} webhook_id={id} waiting={waiting} of={name} />
          ),
        ],
      ]}
      actions={({ id, name }) =>
        may(c, 'settings.audit.read') && (
          <RowLink href={auditLogPath({ api_key_id: id })} text="Requests" of={name} />
        )
      }
    />
  )
}

function Name({ line: { id, name, hint } }: LineProps) {
  return (
    <>
      <a href={webhookPath(id)}>{name}</a>
      <br />
      <small>
        <code>{hint}</code>
      </small>
    </>
  )
}

function Resource({ line: { rules, rate_limit } }: LineProps) {
  return (
    <>
      {rules.resource}
      {rate_limit !== null && <small class="line">{count(rate_limit)} per minute</small>}
    </>
  )
}
