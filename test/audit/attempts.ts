import { env } from 'cloudflare:workers'
import { vi } from 'vitest'
import { mintKey } from '../../src/engine/identity/key.ts'
import { freshIsolate } from '../isolate.ts'
import { type CallOptions, client, type Json, openTenant, type Tenant } from '../tenant.ts'

export const ATTEMPTS = '/api/settings/v1/key-attempts/'

/** As in production, each tenant has a host of its own. */
export const BASE_DOMAIN = 'example.com'

export const hostOf = (tenant: string) => `https://${tenant}.${BASE_DOMAIN}`

/** No tenant has counted an attempt, and no isolate has one waiting: `options` is for every request. */
export async function noAttempts(bindings: object = env) {
  for (const tenant of ['demo', 'other'] as const) {
    await (await openTenant(tenant)).exec('delete from key_attempts')
  }
  return { ...(await freshIsolate()), bindings: { ...bindings, BASE_DOMAIN } }
}

export async function attemptsIn(tenant: Tenant = 'demo'): Promise<Json[]> {
  const db = await openTenant(tenant)
  const rows = await db.prepare('select * from key_attempts order by first_at, hint, reason').all()
  return rows.results.map(({ bundle_id, ...row }) => row)
}

/** The count of each hint. */
export async function countsIn(tenant: Tenant = 'demo'): Promise<Record<string, number>> {
  const rows = await attemptsIn(tenant)
  return Object.fromEntries(rows.map(({ hint, count }) => [hint, count]))
}

/** Asks with the key at the tenant's host. */
export const attempt = (key: string | null, options: CallOptions, tenant = 'demo') =>
  client(key, { origin: hostOf(tenant), ...options }).get('/orders/')

/** The clock stands, so many milliseconds later than it was. */
export function later(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
}

/** A key with a typo, of which a hint shows this end of four characters. */
export async function mistypedKey(end = 'typo', tenant = 'demo'): Promise<string> {
  const { value } = await mintKey(tenant)
  return value.slice(0, -4) + end
}

/** As many such keys, each with a hint of its own. */
export const mistypedKeys = (count: number, first = 1000) =>
  Promise.all(Array.from({ length: count }, (_, index) => mistypedKey(String(first + index))))

/** So many hints in the table of demo: `hint 1`, `hint 2` and so on. */
export async function fillAttempts(hints: number): Promise<void> {
  await env.DB_DEMO.prepare(
    `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)
     insert into key_attempts select 'hint ' || i, 'malformed', 1, ?2, ?2, 'none' from n`,
  )
    .bind(hints, new Date().toISOString())
    .run()
}
