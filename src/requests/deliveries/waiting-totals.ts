import { sql } from 'drizzle-orm'
import { waitingTotals } from '../../engine/db/delivery-tables.ts'
import { qb } from '../../engine/db/prepared.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'

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
