import type { Context } from 'hono'
import { connect } from '../db/connect.ts'
import type { AttemptReason } from '../db/key-attempts.ts'
import type { AppEnv } from '../env.ts'
import { bindingOf } from '../identity/binding.ts'
import { hintOf, hintOfMalformed, isTenant } from '../identity/key.ts'
import { tenantOfHost } from './host.ts'

/**
 * Notes that the request's key is refused. `exchange` counts it after the answer, for the tenant that a
 * well-formed key names, if its database is bound here; else for the tenant of the host; else not at all.
 */
export function noteAttempt(
  c: Context<AppEnv>,
  value: string,
  tenantOfKey: string | null,
  reason: AttemptReason,
): void {
  const bound = boundTenant(c.env, tenantOfKey) ?? boundTenant(c.env, tenantOfHost(c))
  // The form of the sign-in may be sent without a key.
  if (!bound || !value.trim()) return
  const { tenant, binding } = bound
  const exchange = c.get('exchange')
  exchange.attempt = {
    tenant,
    connection: connect(binding, exchange.meter),
    hint:
      tenantOfKey === null
        ? hintOfMalformed(value, tenant, value.includes('xh_') ? 'xh' : 'xd')
        : hintOf(value),
    reason,
    at: new Date(exchange.started_at).toISOString(),
  }
}

function boundTenant(env: object, tenant: string | null) {
  const binding = tenant !== null && isTenant(tenant) ? bindingOf(env, tenant) : null
  return binding && tenant !== null ? { tenant, binding } : null
}
