import { sql } from 'drizzle-orm'
import type { StoredSecret } from '../../../engine/db/tables.ts'
import type { WebhookRules } from '../../../engine/webhooks/rules.ts'
import type { KeyKind } from '../kind.ts'
import type { KeyRow } from '../row.ts'

/** A key that stands in the address to which a partner's system delivers. */
export const WEBHOOK = {
  one: 'webhook',
  prefix: 'xh',
  isOne: sql`webhook is not null`,
  shown: shownWebhook,
} as const satisfies KeyKind

function shownWebhook(row: KeyRow) {
  const { webhook, webhook_secrets, scopes, release, own_orders_only, reads, ...key } = row
  const { id, name, hint, partner_id, ...rest } = key
  const rules = webhook as WebhookRules
  const secrets = secretsInForce(webhook_secrets ?? [])
  return {
    id,
    name,
    hint,
    partner_id: partner_id as string,
    rules,
    secrets: secrets.map(({ set_at, ends_at }) => ({ set_at, ends_at })),
    needs_secret: needsSecret(rules) && secrets.length === 0,
    ...rest,
  }
}

/** Whether a sender proves itself by a secret that both sides know. */
export function needsSecret({ verification: { kind } }: WebhookRules): boolean {
  return kind !== 'address' && kind !== 'public_key'
}

/** Those that have not ended. */
export function secretsInForce<Secret extends Pick<StoredSecret, 'ends_at'>>(secrets: Secret[]) {
  return secrets.filter(({ ends_at }) => ends_at === null || Date.parse(ends_at) > Date.now())
}

/** The columns that follow from rules. A webhook may do all that its documents can ask for, with its partner's orders alone. */
export function columnsOf(rules: WebhookRules) {
  return { webhook: rules, scopes: [`integrations.${rules.resource}.*`], own_orders_only: true }
}
