import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'

const PAST = '2026-01-01T00:00:00.000Z'
const FUTURE = '2999-01-01T00:00:00.000Z'

interface Key {
  scopes: string[]
  expires_at?: string
  revoked_at?: string
}

const KEYS: Record<string, Key> = {
  live: { scopes: ['settings.*'] },
  'live for a while': { scopes: ['settings.*', 'integrations.orders.read'], expires_at: FUTURE },
  'of both already': { scopes: ['integrations.*', 'settings.*'] },
  revoked: { scopes: ['settings.*'], revoked_at: PAST },
  expired: { scopes: ['settings.*'], expires_at: PAST },
  'of single scopes': { scopes: ['settings.read', 'settings.write'] },
  'of single scopes, which had them': { scopes: ['settings.write', 'integrations.*'] },
  'revoked, of single scopes': { scopes: ['settings.write'], revoked_at: PAST },
  'that only reads': { scopes: ['settings.read'] },
  'of integrations': { scopes: ['integrations.orders.*'] },
}

async function scopesByName() {
  const { results } = await env.DB_DEMO.prepare('select name, scopes from api_keys').all<{
    name: string
    scopes: string
  }>()
  return Object.fromEntries(results.map(({ name, scopes }) => [name, JSON.parse(scopes)]))
}

describe('migration 0004', () => {
  it('gives live keys that could write settings what they could grant until then, and no other key', async () => {
    const db = env.DB_DEMO
    await applyD1Migrations(db, env.MIGRATIONS.slice(0, 3))
    const insert = db.prepare(
      `insert into api_keys (id, hash, hint, name, scopes, expires_at, revoked_at, created_at)
       values (?1, ?1, ?1, ?1, ?2, ?3, ?4, ?5)`,
    )
    await db.batch([
      db
        .prepare(
          `insert into workspace (id, tenant, name, created_at, updated_at)
           values (1, 'demo', 'Test', ?1, ?1)`,
        )
        .bind(PAST),
      ...Object.entries(KEYS).map(([name, { scopes, expires_at, revoked_at }]) =>
        insert.bind(name, JSON.stringify(scopes), expires_at ?? null, revoked_at ?? null, PAST),
      ),
    ])
    const version = () => db.prepare('select settings_version from workspace').first()
    const before = { scopes: await scopesByName(), version: await version() }

    await applyD1Migrations(db, env.MIGRATIONS)

    expect(await scopesByName()).toEqual({
      ...before.scopes,
      live: ['settings.*', 'integrations.*'],
      'live for a while': ['settings.*', 'integrations.orders.read', 'integrations.*'],
      'of single scopes': ['settings.read', 'settings.write', 'integrations.*'],
    })
    // A snapshot from before the migration is refused.
    expect(await version()).not.toEqual(before.version)
  })
})
