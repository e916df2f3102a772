import type { Context } from 'hono'
import type { AppEnv } from '../env.ts'
import { bindingOf } from '../identity/binding.ts'
import { tenantOfHostname } from '../identity/host.ts'
import { isTenant } from '../identity/key.ts'
import { partIn } from './acting.ts'
import { retriedIn } from './retried.ts'
import { trialIn } from './trial.ts'

/**
 * The tenant in the request's host, `<tenant>.<BASE_DOMAIN>`, whether it exists or not. Null for any
 * other host, and without BASE_DOMAIN.
 */
export function tenantOfHost(c: Context<AppEnv>): string | null {
  return tenantOfHostname(c.get('exchange').url.hostname, c.env.BASE_DOMAIN)
}

/** Whether the request's host serves the tenant: without BASE_DOMAIN every host does. */
export function isHostOf(c: Context<AppEnv>, tenant: string): boolean {
  // A delivery that the Worker makes itself has no host.
  const isOwn = [retriedIn(c), trialIn(c), partIn(c)].some((own) => own !== undefined)
  return !c.env.BASE_DOMAIN || isOwn || tenantOfHost(c) === tenant
}

/** Whether the request's host is that of a tenant which this Worker does not have. */
export function isHostOfNobody(c: Context<AppEnv>): boolean {
  const tenant = tenantOfHost(c)
  return tenant !== null && !(isTenant(tenant) && bindingOf(c.env, tenant))
}
