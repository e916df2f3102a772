import { eq, sql } from 'drizzle-orm'
import type { Context } from 'hono'
import { waitingTotals } from '../../../engine/db/delivery-tables.ts'
import { qb } from '../../../engine/db/prepared.ts'
import { SettingsChanged, type TenantDatabase } from '../../../engine/db/transact.ts'
import type { AppEnv } from '../../../engine/env.ts'
import { ApiError } from '../../../engine/errors.ts'
import type { WebhookRules } from '../../../engine/webhooks/rules.ts'
import { secretsInForce } from '../../../engine/webhooks/secret.ts'
import type { KeyKind } from '../kind.ts'
import type { KeyRow } from '../row.ts'
import { lacksSecret } from './usable.ts'

/** A key that stands in the address to which a partner's system delivers. */
export const WEBHOOK = {
  one: 'webhook',
  prefix: 'xh',
  isOne: sql`webhook is not null`,
  mayEnd: {
    holds: sql`not exists (select 1 from waiting_deliveries where waiting_deliveries.api_key_id = api_keys.id)`,
    otherwise: deliveriesWait,
  },
  otherPartner: 'send the partner_id of another one',
} as const satisfies Omit<KeyKind, 'shown'>

/** 409 IN_USE with how many deliveries wait; SettingsChanged if none do by now. */
async function deliveriesWait(db: TenantDatabase, id: string): Promise<Error> {
  const { records, subject } = waitingTotals
  const [[found]] = await db.read([
    qb.select({ records }).from(waitingTotals).where(eq(subject, id)),
  ])
  if (!found?.records) return new SettingsChanged()
  const wait =
    found.records === 1
      ? '1 delivery to this webhook waits'
      : `${found.records.toLocaleString('en')} deliveries to this webhook wait`
  return new ApiError(
    'IN_USE',
    `${wait}: first apply or dismiss what waits, on the page Deliveries or with /api/settings/v1/deliveries/?webhook_id=${id}. Rotated, the webhook gets a new address, and what waits stays with it.`,
  )
}

/** The same, as this request shows it: whether a secret can be used, the secrets of the Worker decide. */
export function webhooksOf(c: Context<AppEnv>) {
  return { ...WEBHOOK, shown: (row: KeyRow) => shownWebhook(c, row) }
}

async function shownWebhook(c: Context<AppEnv>, row: KeyRow) {
  const { webhook, webhook_secrets, email, scopes, release, own_orders_only, reads, ...key } = row
  const secrets = secretsInForce(webhook_secrets ?? [])
  const { id, name, hint, partner_id, ...rest } = key
  return {
    id,
    name,
    hint,
    partner_id: partner_id as string,
    rules: webhook as WebhookRules,
    secrets: secrets.map(({ set_at, ends_at }) => ({ set_at, ends_at })),
    needs_secret: await lacksSecret(c, row),
    ...rest,
  }
}

/** The columns that follow from rules. A webhook may do all that its documents can ask for, with its partner's orders alone. */
export function columnsOf(rules: WebhookRules) {
  return { webhook: rules, scopes: [`integrations.${rules.resource}.*`], own_orders_only: true }
}

export type ShownWebhook = Awaited<ReturnType<typeof shownWebhook>>
