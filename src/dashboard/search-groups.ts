import type { Context } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import type { Scope } from '../engine/identity/scopes.ts'
import { Location } from '../engine/model/location.ts'
import { Product } from '../engine/model/product.ts'
import { searchedBy } from '../engine/model/record.ts'
import { may } from './access.ts'

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
  { name: 'Products', scope: 'integrations.products.read', by: searchedBy(Product) },
  { name: 'Locations', scope: 'integrations.locations.read', by: searchedBy(Location) },
  { name: 'Requests', scope: 'settings.audit.read', by: 'their whole id' },
]

export const OWN_ORDERS_ONLY =
  "Your key sees only its partner's orders, and cannot search them: use the filters of the list."

/** The groups that the session's key may search. */
export function groupsOf(c: Context<AppEnv>): Group[] {
  return GROUPS.filter(({ name, scope }) => may(c, scope) && !(name === 'Orders' && isLimited(c)))
}

/**
 * Whether the key sees the orders of its partner only. The indexes of a search hold those of all partners, so it may
 * search none.
 */
export function isLimited(c: Context<AppEnv>): boolean {
  return c.get('caller').orders_of !== null
}
