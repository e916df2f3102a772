import { beforeAll } from 'vitest'
import type { Api } from '../fixtures/settings.ts'
import { openAdmin, openTenant } from '../fixtures/tenant.ts'

export const PAST = '2026-01-01T00:00:00.000Z'

export let db: D1Database

export let admin: Api

beforeAll(async () => {
  db = await openTenant()
  admin = await openAdmin()
})

export const rowOf = (id: string) =>
  db.prepare('select * from api_keys where id = ?').bind(id).first()
