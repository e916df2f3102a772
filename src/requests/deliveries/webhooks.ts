import { desc, eq, gt, sql } from 'drizzle-orm'
import { waitingTotals } from '../../engine/db/delivery-tables.ts'
import { prepared, qb } from '../../engine/db/prepared.ts'
import { apiKeys, partners } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { LIMIT_MAX } from '../../engine/json/pagination.ts'

const selectWaitingWebhooks = prepared(() =>
  qb
    .select({
      id: sql<string>`${apiKeys.id}`.as('webhook_id'),
      name: sql<string>`${apiKeys.name}`.as('webhook_name'),
      partner_id: sql<string>`${partners.id}`.as('its_partner_id'),
      partner_name: sql<string>`${partners.name}`.as('its_partner_name'),
    })
    .from(waitingTotals)
    .innerJoin(apiKeys, eq(apiKeys.id, waitingTotals.subject))
    .innerJoin(partners, eq(partners.id, apiKeys.partner_id))
    .where(gt(waitingTotals.records, 0))
    .orderBy(desc(waitingTotals.records), apiKeys.name, apiKeys.seq)
    .limit(LIMIT_MAX),
)

/** How many records of deliveries wait, by the id of the webhook. Those of which none waits are missing. */
export async function waitingOf(
  db: TenantDatabase,
  webhook_ids: readonly string[],
): Promise<Map<string, number>> {
  const { subject, records } = waitingTotals
  const [rows] = await db.read([
    qb
      .select({ subject, records })
      .from(waitingTotals)
      .where(
        sql`${subject} in (select value from json_each(${JSON.stringify(webhook_ids)})) and ${records} > 0`,
      ),
  ])
  return new Map(rows.map((row) => [row.subject, row.records]))
}

export type WaitingWebhook = Awaited<ReturnType<typeof listWaitingWebhooks>>[number]

/** The webhooks of which deliveries wait, with their partners; those with the most first, and by name. */
export async function listWaitingWebhooks(db: TenantDatabase) {
  const [rows] = await db.read([selectWaitingWebhooks])
  return rows
}
