import type { Context } from 'hono'
import type { AppEnv } from '../../env.ts'
import type { Scope } from '../../identity/scopes.ts'
import { may } from '../access.ts'

export interface Group {
  name: 'Orders' | 'Products' | 'Locations' | 'Requests'
  scope: Scope
  /** By what they are found. */
  by: string
}

export const GROUPS: readonly Group[] = [
  {
    name: 'Orders',
    scope: 'integrations.orders.read',
    by: "order number, external order id, a partner's identifier, or customer name",
  },
  { name: 'Products', scope: 'integrations.products.read', by: 'SKU' },
  { name: 'Locations', scope: 'integrations.locations.read', by: 'code, name, zone or aisle' },
  { name: 'Requests', scope: 'settings.audit.read', by: 'their whole id' },
]

/** The groups that the session's key may see. */
export function groupsOf(c: Context<AppEnv>): Group[] {
  return GROUPS.filter(({ scope }) => may(c, scope))
}
