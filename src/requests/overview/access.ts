import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { covers, type Scope } from '../../engine/identity/scopes.ts'
import { mayReadDocuments } from '../../middleware/document-access.ts'

export type HomeSight = ReturnType<typeof homeSightOf>

/** What the caller may learn on the overview, beside what the log says. */
export function homeSightOf(c: Context<AppEnv>) {
  const { key, orders_of } = c.get('caller')
  const may = (scope: Scope) => covers(key.scopes, scope)
  const [keys, partners] = [may('settings.keys.read'), may('settings.partners.read')]
  return {
    deliveries: mayReadDocuments(c),
    keys,
    partners,
    /** What check-ups say of requests, mappings and keys. */
    checkUps: keys && partners && may('settings.audit.read'),
    orders: may('integrations.orders.read'),
    stock: may('integrations.inventory.read'),
    /** The partner whose orders alone exist for the caller. */
    orders_of,
  }
}
