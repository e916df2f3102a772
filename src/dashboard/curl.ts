import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import { covers, type Scope } from '../scopes.ts'

const READS: [Scope, path: string][] = [
  ['integrations.orders.read', 'integrations/v1/orders/'],
  ['integrations.products.read', 'integrations/v1/products/'],
  ['integrations.locations.read', 'integrations/v1/locations/'],
  ['integrations.inventory.read', 'integrations/v1/inventory/'],
  ['settings.read', 'settings/v1/workspace/'],
]

/** A line to paste that reads something with the key; null where these scopes read nothing. */
export function curlOf(c: Context<AppEnv>, key: string, scopes: readonly string[]): string | null {
  const [, path] = READS.find(([scope]) => covers(scopes, scope)) ?? []
  return path ? `curl '${c.get('exchange').url.origin}/api/${path}' -H 'X-API-Key: ${key}'` : null
}
