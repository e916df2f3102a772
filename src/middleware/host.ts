import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'

/**
 * The tenant in the request's host, `<tenant>.<BASE_DOMAIN>`, whether it exists or not. Null for any
 * other host, and without BASE_DOMAIN.
 */
export function tenantOfHost(c: Context<AppEnv>): string | null {
  const { BASE_DOMAIN } = c.env
  const { hostname } = c.get('exchange').url
  const domain = `.${BASE_DOMAIN}`.toLowerCase()
  return BASE_DOMAIN && hostname.endsWith(domain) ? hostname.slice(0, -domain.length) : null
}

/** Whether the request's host serves the tenant: without BASE_DOMAIN every host does. */
export function isHostOf(c: Context<AppEnv>, tenant: string): boolean {
  return !c.env.BASE_DOMAIN || tenantOfHost(c) === tenant
}
