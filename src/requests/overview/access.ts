import type { Context } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { covers, type Scope } from '../../engine/identity/scopes.ts'
import { mayReadDocuments } from '../../middleware/document-access.ts'

/** What the caller may learn on the overview, beside what the log says. */
export interface HomeSight {
  deliveries: boolean
  keys: boolean
  partners: boolean
  /** What check-ups say of requests, mappings and keys. */
  checkUps: boolean
  orders: boolean
  stock: boolean
  /** The partner whose orders alone exist for the caller. */
  orders_of: string | null
}

export function homeSightOf(c: Context<AppEnv>): HomeSight {
  const { key, orders_of } = c.get('caller')
  const may = (scope: Scope) => covers(key.scopes, scope)
  const [keys, partners] = [may('settings.keys.read'), may('settings.partners.read')]
  return {
    deliveries: mayReadDocuments(c),
    keys,
    partners,
    checkUps: keys && partners && may('settings.audit.read'),
    orders: may('integrations.orders.read'),
    stock: may('integrations.inventory.read'),
    orders_of,
  }
}
