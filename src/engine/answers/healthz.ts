import { type Context, Hono } from 'hono'
import { LRUCache } from 'lru-cache'
import { version } from '../../../package.json'
import { connect } from '../db/connect.ts'
import { appliedMigrations, MIGRATIONS } from '../db/migrations.ts'
import type { AppEnv } from '../env.ts'
import { ApiError, noTenant } from '../errors.ts'
import { tenantOfHost } from '../exchange/host.ts'
import { bindingOf } from '../identity/binding.ts'
import { isTenant } from '../identity/key.ts'
import { entriesFor } from '../limits/caches.ts'
import { ok } from './envelope.ts'

const TENANTS_MAX = 10_000
const COMPLETE_FOR_MS = 10_000
const RETRY_AFTER_SECONDS = 10

interface Applied {
  /** The name of the newest. */
  migration: string
  /** How many there are. A deployment compares both with its own. */
  migrations: number
}

// By tenant, if its database lacks no migration. Anybody may send this request as often as they like:
// the cache keeps the load off the database.
const complete = new LRUCache<string, Applied>(entriesFor(COMPLETE_FOR_MS, TENANTS_MAX))

export const healthz = new Hono<AppEnv>()

healthz.get('/', async (c) => {
  const tenant = tenantOfHost(c)
  if (tenant === null) return ok(c, { version })
  const applied = complete.get(tenant) ?? (await appliedTo(c, tenant))
  return ok(c, { version, tenant, ...applied })
})

/** The migrations of the tenant's database. 404 without such a tenant, 503 if one of ours is missing. */
async function appliedTo(c: Context<AppEnv>, tenant: string): Promise<Applied> {
  const binding = isTenant(tenant) ? bindingOf(c.env, tenant) : null
  if (!binding) throw noTenant()
  const applied = await appliedMigrations(connect(binding, c.get('exchange').meter))
  const missing = MIGRATIONS.find((name) => !applied.includes(name))
  if (missing) {
    const message = `The database lacks the migration ${missing}.`
    throw new ApiError('UNAVAILABLE', message, {
      retryAfter: RETRY_AFTER_SECONDS,
      reason: 'DATABASE_UNREACHABLE',
    })
  }
  const found = { migration: applied.at(-1) ?? '', migrations: applied.length }
  complete.set(tenant, found)
  return found
}
