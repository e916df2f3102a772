import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { bindingOf } from '../db/binding.ts'
import { connect } from '../db/connect.ts'
import { TenantDatabase } from '../db/transact.ts'
import type { AppEnv, Exchange, KnownCaller } from '../env.ts'
import { ApiError } from '../errors.ts'
import { type Caller, type CallerSources, findCaller } from '../identity/caller.ts'
import { parseKey } from '../identity/key.ts'
import { isHostOf } from './host.ts'

/**
 * From `X-API-Key` to `caller` and `db` (spec 5). What the key itself can tell is checked before
 * any I/O; the tenant in it chooses the database and nothing else does.
 */
export const authenticate = createMiddleware<AppEnv>(async (c, next) => {
  const value = c.req.header('X-API-Key')
  if (!value?.trim()) {
    throw new ApiError('KEY_MISSING', 'No API key: send it in the X-API-Key header.')
  }
  const key = await parseKey(value)
  if (!key) throw invalidKey()
  await identify(c, key.tenant, (sources) => findCaller(sources, key))
  await next()
})

/**
 * Makes the request that of a caller in the tenant's database: sets `caller` and `db`. 401 where
 * there is no such tenant or caller, or its key has ended.
 */
export async function identify(
  c: Context<AppEnv>,
  tenant: string,
  find: (sources: CallerSources) => ReturnType<typeof findCaller>,
): Promise<void> {
  const binding = isHostOf(c, tenant) ? bindingOf(c.env, tenant) : null
  if (!binding) throw invalidKey()
  const exchange = c.get('exchange')
  const sources: CallerSources = {
    kv: c.env.KEYS,
    db: connect(binding, exchange.meter),
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
  }
  const { caller, origin } = await find(sources)
  if (!caller) throw invalidKey()
  exchange.caller = knownCaller(c, exchange, { caller, origin, sources })
  refuseEndedKey(caller)
  c.set('caller', caller)
  c.set('db', exchange.caller.db)
}

function knownCaller(
  c: Context<AppEnv>,
  exchange: Exchange,
  known: Omit<KnownCaller, 'db'>,
): KnownCaller {
  const { caller, sources } = known
  const subject = {
    request_id: exchange.request_id,
    created_at: new Date(exchange.started_at).toISOString(),
    settings_version: caller.settings_version,
    api_key_id: caller.key.id,
    api_key_name: caller.key.name,
    partner_id: caller.partner?.id ?? null,
    partner_name: caller.partner?.name ?? null,
    method: c.req.method,
    path: exchange.path,
  }
  return { ...known, db: new TenantDatabase(sources.db, subject) }
}

/** A revoked key answers like one that never was. */
function refuseEndedKey({ key }: Caller): void {
  if (key.revoked_at) throw invalidKey()
  if (key.expires_at && Date.parse(key.expires_at) <= Date.now()) {
    throw new ApiError('KEY_EXPIRED', 'API key has expired.')
  }
}

function invalidKey(): ApiError {
  return new ApiError('KEY_INVALID', 'Invalid API key.')
}
