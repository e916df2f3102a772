import { type Context, Hono } from 'hono'
import QuickLRU from 'quick-lru'
import { version } from '../package.json'
import { bindingOf } from './db/binding.ts'
import { connect } from './db/connect.ts'
import { appliedMigrations, MIGRATIONS } from './db/migrations.ts'
import type { AppEnv } from './env.ts'
import { ok } from './envelope.ts'
import { ApiError } from './errors.ts'
import { isTenant } from './identity/key.ts'
import { tenantOfHost } from './middleware/host.ts'

const TENANTS_MAX = 10_000
const COMPLETE_FOR_MS = 10_000
const RETRY_AFTER_SECONDS = 10

interface Applied {
  /** The newest. */
  migration: string
  /** How many: together they tell whether a checkout's migrations are all there. */
  migrations: number
}

// By tenant, of a database that lacks no migration. Anybody may ask, as often as they like: what was
// found a moment ago is told again.
const complete = new QuickLRU<string, Applied>({ maxSize: TENANTS_MAX, maxAge: COMPLETE_FOR_MS })

export const healthz = new Hono<AppEnv>()

healthz.get('/', async (c) => {
  const tenant = tenantOfHost(c)
  if (tenant === null) return ok(c, { version })
  const applied = complete.get(tenant) ?? (await appliedTo(c, tenant))
  return ok(c, { version, tenant, ...applied })
})

/** Of the tenant's database. 404 where there is none, 503 where it lacks one that we know. */
async function appliedTo(c: Context<AppEnv>, tenant: string): Promise<Applied> {
  const binding = isTenant(tenant) ? bindingOf(c.env, tenant) : null
  if (!binding) throw new ApiError('NOT_FOUND', 'No tenant is served at this host.')
  const applied = await appliedMigrations(connect(binding, c.get('exchange').meter))
  const missing = MIGRATIONS.find((name) => !applied.includes(name))
  if (missing) {
    const message = `The database lacks the migration ${missing}.`
    throw new ApiError('UNAVAILABLE', message, { retryAfter: RETRY_AFTER_SECONDS })
  }
  const found = { migration: applied.at(-1) ?? '', migrations: applied.length }
  complete.set(tenant, found)
  return found
}
