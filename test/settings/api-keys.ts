import { beforeAll } from 'vitest'
import { client, createKey, openTenant } from '../tenant.ts'
import type { Api } from './settings.ts'

export const PAST = '2026-01-01T00:00:00.000Z'

export let db: D1Database

export let admin: Api

beforeAll(async () => {
  db = await openTenant()
  admin = client((await createKey(['settings.*', 'integrations.*'])).value)
})

export const rowOf = (id: string) =>
  db.prepare('select * from api_keys where id = ?').bind(id).first()
