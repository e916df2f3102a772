import type { StoredSecret } from '../db/tables.ts'
import {
  type Resealed,
  type SecretsAsStored,
  selectSealedBy,
  storeResealed,
} from '../db/webhook-secrets.ts'
import { sealAnew } from '../webhooks/sealed-secret.ts'
import { derive, type WebhookKeys } from '../webhooks/secret-keys.ts'
import type { Job } from './job.ts'

/** A statement takes 2 MB: the secrets of so many webhooks have at most half of it, before and after. */
const WEBHOOKS_MAX = 50

/**
 * Seals anew with the newest key what older ones have sealed, so that these can be removed. What does not open stays as
 * it is. There is nothing to do while there is one key.
 */
export function webhookSecrets(keys: WebhookKeys): Job {
  return {
    name: 'secrets',
    event: 'webhook_secrets',
    counts: ['webhooks_sealed'],
    queries_max: 2,
    calls_max: 0,
    async work({ connection, tenant, add }) {
      const older = await Promise.all(keys.slice(1).map(derive))
      const ids = older.map(({ id }) => id)
      const [found] = await connection.batch([selectSealedBy(ids, WEBHOOKS_MAX)])
      const resealed = await Promise.all(found.map((one) => reseal(keys, tenant, one)))
      const changed = resealed.filter(({ stored, secrets }) => stored !== JSON.stringify(secrets))
      if (changed.length === 0) return false
      const [stored] = await connection.batch([storeResealed(changed)])
      add('webhooks_sealed', stored.length)
      return found.length === WEBHOOKS_MAX
    },
  }
}

async function reseal(
  keys: WebhookKeys,
  tenant: string,
  { id, stored }: SecretsAsStored,
): Promise<Resealed> {
  const secrets = JSON.parse(stored) as StoredSecret[]
  const anew = secrets.map(async (one) => {
    const place = { tenant, webhook_id: one.sealed_for }
    return { ...one, sealed: await sealAnew(keys, place, one.sealed) }
  })
  return { id, stored, secrets: await Promise.all(anew) }
}
