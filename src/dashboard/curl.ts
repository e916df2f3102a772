import type { Context } from 'hono'
import type { AppEnv } from '../engine/env.ts'
import { covers, type Scope } from '../engine/identity/scopes.ts'

const READS: [Scope, path: string][] = [
  ['integrations.orders.read', 'integrations/v1/orders/'],
  ['integrations.products.read', 'integrations/v1/products/'],
  ['integrations.locations.read', 'integrations/v1/locations/'],
  ['integrations.inventory.read', 'integrations/v1/inventory/'],
  ['settings.workspace.read', 'settings/v1/workspace/'],
  ['settings.keys.read', 'settings/v1/api-keys/'],
  ['settings.partners.read', 'settings/v1/partners/'],
  ['settings.audit.read', 'settings/v1/audit-log/'],
]

/** Stands for the reader's own key. */
const ANY_KEY = '…'

/** A curl command that reads a list with the key; null if the scopes cover no read. */
export function curlOf(c: Context<AppEnv>, key: string, scopes: readonly string[]): string | null {
  const [, path] = READS.find(([scope]) => covers(scopes, scope)) ?? []
  return path ? curlReading(c, path, key) : null
}

/** A curl command that reads this path below `/api/`. */
export function curlReading(c: Context<AppEnv>, path: string, key = ANY_KEY): string {
  return `curl '${c.get('exchange').url.origin}/api/${path}' -H 'X-API-Key: ${key}'`
}

/** A curl command that posts this body to the path below `/api/`. The body must have no single quote. */
export function curlPosting(c: Context<AppEnv>, path: string, body: object): string {
  return `${curlReading(c, path)} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`
}

/** A part of a path within the single quotes of a shell. */
export function encodedPart(text: string): string {
  return encodeURIComponent(text).replaceAll("'", '%27')
}
