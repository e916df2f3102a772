import { type SQL, sql } from 'drizzle-orm'
import { qb } from '../../engine/db/prepared.ts'
import { apiKeys } from '../../engine/db/tables.ts'
import { SettingsChanged, type TenantDatabase } from '../../engine/db/transact.ts'
import { ApiError } from '../../engine/errors.ts'

/** SQL that is true for a row of api_keys that is live and linked to the partner. */
export function isLinked(partner_id: string): SQL {
  return sql`(partner_id = ${partner_id} and revoked_at is null
    and (expires_at is null or expires_at > ${new Date().toISOString()}))`
}

/**
 * 409 IN_USE with how many live keys and webhooks are linked to the partner; SettingsChanged if there are none by now. It
 * does not name them: whoever may delete partners may not always see keys.
 */
export async function linkedError(
  db: TenantDatabase,
  { id, name }: { id: string; name: string },
): Promise<Error> {
  const [[found]] = await db.read([
    qb
      .select({
        keys: sql<number>`count(*) filter (where webhook is null)`.as('keys'),
        webhooks: sql<number>`count(*) filter (where webhook is not null)`.as('webhooks'),
      })
      .from(apiKeys)
      .where(isLinked(id)),
  ])
  const { keys, webhooks } = found ?? { keys: 0, webhooks: 0 }
  const linked = [...counted(keys, 'API key'), ...counted(webhooks, 'webhook')].join(' and ')
  if (linked === '') return new SettingsChanged()
  const message = `"${name}" is linked to ${linked}: first revoke each, or give it another partner_id. The page of the partner lists them, and so do the lists of API keys and webhooks by partner_id.`
  return new ApiError('IN_USE', message)
}

/** `2 live webhooks`; nothing of none. */
function counted(number: number, one: string): string[] {
  if (number === 0) return []
  return [`${number.toLocaleString('en')} live ${number === 1 ? one : `${one}s`}`]
}
