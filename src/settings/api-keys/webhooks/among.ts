import { and, sql } from 'drizzle-orm'
import { qb } from '../../../engine/db/prepared.ts'
import { apiKeys } from '../../../engine/db/tables.ts'
import type { TenantDatabase } from '../../../engine/db/transact.ts'
import { WEBHOOK } from './kind.ts'

/** Those of the ids that are of webhooks. */
export async function webhooksAmong(
  db: TenantDatabase,
  ids: readonly string[],
): Promise<Set<string>> {
  const [rows] = await db.read([
    qb
      .select({ id: apiKeys.id })
      .from(apiKeys)
      .where(
        and(
          sql`${apiKeys.id} in (select value from json_each(${JSON.stringify(ids)}))`,
          WEBHOOK.isOne,
        ),
      ),
  ])
  return new Set(rows.map(({ id }) => id))
}
