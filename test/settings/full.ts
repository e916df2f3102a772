import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { saveMapping } from '../partner.ts'
import { openAdmin, unique } from '../tenant.ts'

// A workspace that has as many keys, partners or identifier fields as fit.

const PARTNERS = '/api/settings/v1/partners/'
const THEN = '2026-01-01T00:00:00.000Z'

export async function liveKeys(): Promise<number> {
  return await count(`api_keys where revoked_at is null
    and (expires_at is null or expires_at > strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))`)
}

export async function livePartners(): Promise<number> {
  return await count('partners where deleted_at is null')
}

/** Makes live keys until there are so many. */
export async function fillKeys(total: number): Promise<void> {
  await insertMany(
    `insert into api_keys (id, hash, hint, name, scopes, created_at)
     select value, value, 'hint', 'filling', '["integrations.*"]', ?1 from json_each(?2)`,
    total - (await liveKeys()),
  )
  expect(await liveKeys()).toBe(total)
}

/** Makes so many keys that have expired. */
export async function fillExpiredKeys(total: number): Promise<void> {
  await insertMany(
    `insert into api_keys (id, hash, hint, name, scopes, expires_at, created_at)
     select value, value, 'hint', 'filling', '["integrations.*"]', ?1, ?1 from json_each(?2)`,
    total,
  )
}

/** Makes partners until there are so many. */
export async function fillPartners(total: number): Promise<void> {
  await insertMany(
    `insert into partners (id, name, created_at, updated_at)
     select value, value, ?1, ?1 from json_each(?2)`,
    total - (await livePartners()),
  )
  expect(await livePartners()).toBe(total)
}

/** Makes partners, each with a field of its own that identifies its orders, until there are so many fields. */
export async function fillFields(total: number): Promise<string[]> {
  const admin = await openAdmin()
  const indexes = "sqlite_master where type = 'index' and name glob '*[a-z]_by_*'"
  const ids: string[] = []
  for (let n = await count(indexes); n < total; n++) {
    const { id } = (await admin.post(PARTNERS, { name: unique('partner') })).body.data
    await saveMapping(admin, id, 'orders', { identifier_field: `metadata.k${n}` })
    ids.push(id)
  }
  expect(await count(indexes)).toBe(total)
  return ids
}

/** Ends what fillKeys and fillPartners have made. */
export async function unfill(): Promise<void> {
  await env.DB_DEMO.batch([
    env.DB_DEMO.prepare("delete from api_keys where name = 'filling'"),
    env.DB_DEMO.prepare("update partners set deleted_at = 'then' where name = id"),
  ])
}

async function count(rows: string): Promise<number> {
  return Number(await env.DB_DEMO.prepare(`select count(*) as n from ${rows}`).first('n'))
}

async function insertMany(statement: string, missing: number): Promise<void> {
  const ids = Array.from({ length: missing }, () => crypto.randomUUID())
  await env.DB_DEMO.prepare(statement).bind(THEN, JSON.stringify(ids)).run()
}
