import type { Context } from 'hono'
import { primarySource } from '../db/bookmarks.ts'
import { connect } from '../db/connect.ts'
import type { AttemptReason } from '../db/key-attempts.ts'
import { TenantDatabase } from '../db/transact.ts'
import type { AppEnv, Exchange, KnownCaller } from '../env.ts'
import { ApiError, keyInvalid } from '../errors.ts'
import { bindingOf } from '../identity/binding.ts'
import type { Caller } from '../identity/caller.ts'
import { hintOf, hintOfMalformed, isTenant, type KeyPrefix, parseKey } from '../identity/key.ts'
import { type CallerSources, type FoundCaller, findActingCaller } from '../identity/look-up.ts'
import { Pace } from '../limits/pace.ts'
import type { Acting } from './acting.ts'
import { isHostOf, tenantOfHost } from './host.ts'
import { findCaller } from './look-up-limit.ts'
import { amongRefused, takeLargeWork } from './memory.ts'

/** Calls `identify` with a key's value; 401 if it is not a well-formed key with this prefix. */
export async function identifyByKey(
  c: Context<AppEnv>,
  value: string,
  prefix: KeyPrefix = 'xd',
): Promise<void> {
  const key = await parseKey(value, prefix)
  const note = (reason: AttemptReason) => noteAttempt(c, value, key?.tenant ?? null, reason)
  if (!key) {
    note('malformed')
    throw keyInvalid()
  }
  await identify(c, key.tenant, (sources) => findCaller(c, sources, key), note)
}

/** Of a request that the Worker makes for a caller whom it knows. */
export async function identifyActing(
  c: Context<AppEnv>,
  { caller, actedFor }: Acting,
): Promise<void> {
  await identify(c, caller.tenant, async (sources) =>
    actedFor
      ? await findActingCaller(sources, caller, actedFor)
      : { caller, origin: 'isolate' as const },
  )
}

/**
 * Finds the caller in the tenant's database and sets `caller` and `db`. 401 if the tenant or the
 * caller does not exist, or if the key is revoked or expired; before that, calls `note` with the reason.
 */
export async function identify(
  c: Context<AppEnv>,
  tenant: string,
  find: (sources: CallerSources) => Promise<FoundCaller>,
  note: (reason: AttemptReason) => void = () => {},
): Promise<void> {
  const binding = bindingOf(c.env, tenant)
  if (!binding || !isHostOf(c, tenant)) {
    note(binding ? 'wrong_host' : 'unknown')
    throw keyInvalid()
  }
  const exchange = c.get('exchange')
  const sources: CallerSources = {
    kv: c.env.KEYS,
    db: connect(binding, exchange.meter),
    waitUntil: (promise) => c.executionCtx.waitUntil(promise),
  }
  const { caller, origin } = await find(sources)
  if (!caller) {
    note('unknown')
    throw keyInvalid()
  }
  exchange.caller = knownCaller(c, exchange, { caller, origin, sources }, binding)
  await refuseEndedKey(c, exchange.caller, note)
  c.set('caller', caller)
  c.set('db', exchange.caller.db)
}

function knownCaller(
  c: Context<AppEnv>,
  exchange: Exchange,
  known: Omit<KnownCaller, 'db'>,
  binding: D1Database,
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
    session_id: caller.session?.id ?? null,
    method: c.req.method,
    path: exchange.path,
    replay_of: exchange.replay_of,
    dry_run: exchange.dry_run,
    outcome: null,
    sender_event: null,
    sender_id: null,
  }
  exchange.kept.pace ??= new Pace({ tenant: caller.tenant, key: caller.key.id })
  const limits = {
    takeMemory: (bytes: number) => takeLargeWork(c, bytes),
    pace: exchange.kept.pace,
  }
  if (!caller.has_near_reads) {
    return { ...known, db: new TenantDatabase(sources.db, subject, limits) }
  }
  const source = primarySource(binding, caller.tenant, (bookmark) => {
    db.bookmark = bookmark
  })
  const db = new TenantDatabase(connect(source, exchange.meter), subject, limits)
  return { ...known, db }
}

/** D1 confirms the refusal first. At most 50 requests of the key wait for that at a time. */
async function refuseEndedKey(
  c: Context<AppEnv>,
  { caller, db }: KnownCaller,
  note: (reason: AttemptReason) => void,
): Promise<void> {
  const end = endingOf(caller)
  if (!end) return
  await amongRefused(c, caller, () => db.confirm())
  note(end)
  // A revoked key gets the same response as one that never existed.
  throw end === 'revoked' ? keyInvalid() : new ApiError('KEY_EXPIRED', 'API key has expired.')
}

/** How the key has ended; null while it may be used. */
export function endingOf({ key }: Caller): 'revoked' | 'expired' | null {
  if (key.revoked_at) return 'revoked'
  return key.expires_at && Date.parse(key.expires_at) <= Date.now() ? 'expired' : null
}

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
