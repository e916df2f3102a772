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
    by: "order number, external order id, a partner's own number, customer name, or later words of number and name",
  },
  { name: 'Products', scope: 'integrations.products.read', by: searchedBy(Product) },
  { name: 'Locations', scope: 'integrations.locations.read', by: searchedBy(Location) },
  { name: 'Requests', scope: 'settings.audit.read', by: 'their whole id' },
]

export const CASES = 'Write numbers and codes in their exact case, and names in any.'
export const CASES_WITH_WORDS =
  'Write numbers and codes in their exact case, and names and words in any. A later word is found by its beginning, such as Lund of “Ada Lund”, and 30418 of KERAMIK-30418.'

export const OWN_ORDERS_ONLY =
  "Your key sees only its partner's orders, and cannot search them: use the filters of the list."

/** What a search says that has found nothing. `hasWords`: it has looked at the words of orders too. */
export function nothingFound(text: string, hasWords: boolean): string {
  return hasWords
    ? `Nothing is, begins with, or has a word that begins with “${text}”.`
    : `Nothing is, or begins with, “${text}”.`
}

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
