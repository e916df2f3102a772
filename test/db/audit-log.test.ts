import { describe, expect, it } from 'vitest'
import { createdAtOf, lastIdAt, newRequestId } from '../../src/engine/db/request-id.ts'
import { violationOf } from '../../src/engine/db/violations.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'

const insert = (id: string, key: string) =>
  db
    .prepare(
      `insert into audit_log (request_id, created_at, settings_version, record_id, api_key_id, api_key_name, method, path, status,
         duration_ms) values (?, '2026-01-01T00:00:00.000Z', 1, 'record', ?, 'a key', 'POST', '/', 200, 5)`,
    )
    .bind(id, key)
    .run()

const refusal = (id: string, key: string) =>
  insert(id, key).then(
    () => null,
    (error: unknown) => violationOf(error)?.constraint,
  )

const db = await openTenant()

describe('audit_log', () => {
  it('refuses an id that tells no time, whoever has it', async () => {
    const id = crypto.randomUUID()
    expect(await refusal(id, unique('key'))).toBeNull()
    expect(await refusal(id, unique('key'))).toBe('audit_log.request_id')
  })

  it('refuses an id that tells a time where the same key has it, and takes it from another', async () => {
    const id = `${crypto.randomUUID().slice(0, 14)}7000-8000-000000000000`
    const key = unique('key')
    expect(await refusal(id, key)).toBeNull()
    expect(await refusal(id, key)).toBe('audit_log.caller')
    expect(await refusal(id, unique('key'))).toBeNull()
  })

  it('gives a statement that names no request the place of the newest', async () => {
    const id = crypto.randomUUID()
    await insert(crypto.randomUUID(), unique('key'))
    await db
      .prepare("insert into products (id, sku, created_at, updated_at) values (?, ?, '', '')")
      .bind(id, unique('SKU'))
      .run()
    const found = await db
      .prepare(
        'select changed_in, (select max(seq) from audit_log) as newest from products where id = ?',
      )
      .bind(id)
      .first()
    expect(found?.changed_in).toBe(found?.newest)
  })
})

const TIMES = [0, 1, Date.UTC(2026, 10, 23, 22, 0, 0, 7), 2 ** 48 - 1].filter(
  (time) => time <= 8.64e15,
)

it('makes UUIDs of version 7 that tell their time', () => {
  for (const time of TIMES) {
    const id = newRequestId(time)
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(createdAtOf(id)).toBe(new Date(time).toISOString())
  }
})

it('makes no id twice, and orders ids by their times, and within a millisecond as it made them', () => {
  const now = Date.now()
  const ids = Array.from({ length: 1000 }, () => newRequestId(now))
  expect(new Set(ids).size).toBe(1000)
  expect(ids.toSorted()).toEqual(ids)
  for (const id of ids) expect(id < lastIdAt(now)).toBe(true)
  expect(newRequestId(now + 1) > lastIdAt(now)).toBe(true)
})

it('takes no time from other ids', () => {
  for (const id of [crypto.randomUUID(), 'r1', '', `${newRequestId(1)}0`]) {
    expect(createdAtOf(id)).toBeNull()
  }
})
