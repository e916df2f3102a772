import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { type client, type Json, unique } from '../tenant.ts'

export type Api = ReturnType<typeof client>

export const KEYS = '/api/settings/v1/api-keys/'
export const WORKSPACE = '/api/settings/v1/workspace/'
export const AUDIT = '/api/settings/v1/audit-log/'

export const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
export const utc = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)

/** A key made over HTTP: its record and its value. */
export async function issueKey(admin: Api, fields: Json = {}): Promise<Json> {
  const { status, body } = await admin.post(KEYS, { name: unique('key'), ...fields })
  expect(status).toBe(201)
  return body.data
}

export async function findKey(admin: Api, id: string): Promise<Json> {
  return (await admin.get(`${KEYS}${id}/`)).body.data
}

/** A partner as its own endpoint would leave it. */
export async function addPartner(deleted_at: string | null = null) {
  const [id, name, now] = [crypto.randomUUID(), unique('Partner'), new Date().toISOString()]
  await env.DB_DEMO.prepare(
    'insert into partners (id, name, created_at, updated_at, deleted_at) values (?, ?, ?, ?, ?)',
  )
    .bind(id, name, now, now, deleted_at)
    .run()
  return { id, name }
}

export function inSeconds(seconds: number): string {
  return new Date(Date.now() + seconds * 1000).toISOString()
}
