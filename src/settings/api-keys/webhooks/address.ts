import { and, eq } from 'drizzle-orm'
import { qb } from '../../../engine/db/prepared.ts'
import { apiKeys } from '../../../engine/db/tables.ts'
import type { TenantDatabase } from '../../../engine/db/transact.ts'
import { parseKey } from '../../../engine/identity/key.ts'
import { tokenIn } from '../../../engine/identity/webhook-address.ts'

/** The key in the address if it is that of this webhook; else null. */
export async function tokenOfWebhook(
  db: TenantDatabase,
  id: string,
  address: string,
): Promise<string | null> {
  const token = URL.canParse(address) ? tokenIn(new URL(address)) : undefined
  const key = token === undefined ? null : await parseKey(token, 'xh')
  if (!token || !key) return null
  const isThis = and(eq(apiKeys.id, id), eq(apiKeys.hash, key.hash))
  const [rows] = await db.read([qb.select({ id: apiKeys.id }).from(apiKeys).where(isThis)])
  return rows.length > 0 ? token : null
}
