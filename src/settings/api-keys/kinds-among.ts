import { and, sql } from 'drizzle-orm'
import { qb } from '../../engine/db/prepared.ts'
import { apiKeys } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { API_KEY } from './kind.ts'

/** The ids that belong to webhooks and people, with what they are. */
export async function otherKindsAmong(
  db: TenantDatabase,
  ids: readonly string[],
): Promise<Map<string, 'webhook' | 'person'>> {
  const { id, email } = apiKeys
  const [rows] = await db.read([
    qb
      .select({ id, is: sql<'webhook' | 'person'>`iif(${email} is null, 'webhook', 'person')` })
      .from(apiKeys)
      .where(
        and(
          sql`${id} in (select value from json_each(${JSON.stringify(ids)}))`,
          sql`not (${API_KEY.isOne})`,
        ),
      ),
  ])
  return new Map(rows.map((row) => [row.id, row.is]))
}
