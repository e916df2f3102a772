import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'

/**
 * What the request's host names as a tenant, whether there is one or not: `<tenant>.<BASE_DOMAIN>`.
 * Null at any other host, and where BASE_DOMAIN is not set.
 */
export function tenantOfHost(c: Context<AppEnv>): string | null {
  const { BASE_DOMAIN } = c.env
  const { hostname } = c.get('exchange').url
  const domain = `.${BASE_DOMAIN}`.toLowerCase()
  return BASE_DOMAIN && hostname.endsWith(domain) ? hostname.slice(0, -domain.length) : null
}

/** Whether the tenant is served at the request's host: its own, or any where BASE_DOMAIN is not set. */
export function isHostOf(c: Context<AppEnv>, tenant: string): boolean {
  return !c.env.BASE_DOMAIN || tenantOfHost(c) === tenant
}
