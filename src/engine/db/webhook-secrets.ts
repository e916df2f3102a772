import { and, isNull, sql } from 'drizzle-orm'
import { qb } from './prepared.ts'
import { apiKeys, type StoredSecret } from './tables.ts'

/** The secrets of a webhook, as they are stored: to the letter, so that a change in between is noticed. */
export interface SecretsAsStored {
  id: string
  stored: string
}

/** Some secrets that are to be stored instead of others. */
export interface Resealed extends SecretsAsStored {
  secrets: StoredSecret[]
}

/** At most so many webhooks that have not ended, of whose secrets keys with these ids have sealed one. */
export function selectSealedBy(ids: string[], limit: number) {
  const isOne = sql`secret.value ->> 'sealed' glob '1.*.' || id.value || '.*'`
  return qb
    .select({ id: apiKeys.id, stored: sql<string>`webhook_secrets` })
    .from(apiKeys)
    .where(
      and(
        sql`webhook is not null`,
        isNull(apiKeys.revoked_at),
        sql`exists (select 1 from json_each(webhook_secrets) as secret, json_each(${JSON.stringify(ids)}) as id where ${isOne})`,
      ),
    )
    .orderBy(apiKeys.seq)
    .limit(limit)
}

/**
 * Replaces what is still stored as it was read: a secret that was set in between stays. The moments of the secrets are the
 * same, so it is no change of settings: no version rises, and the history has no entry. Snapshots are read anew.
 */
export function storeResealed(resealed: Resealed[]) {
  const all = JSON.stringify(
    resealed.map(({ id, stored, secrets }) => ({ id, stored, sealed: JSON.stringify(secrets) })),
  )
  const own = sql`select value ->> 'sealed' from json_each(${all}) where value ->> 'id' = api_keys.id and value ->> 'stored' = webhook_secrets`
  return qb
    .update(apiKeys)
    .set({ webhook_secrets: sql`(${own})` })
    .where(sql`id in (select value ->> 'id' from json_each(${all})) and exists (${own})`)
    .returning({ id: apiKeys.id })
}
