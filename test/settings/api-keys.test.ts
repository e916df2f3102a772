import { env } from 'cloudflare:workers'
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SCOPES } from '../../src/engine/identity/scopes.ts'
import { admin } from '../fixtures/opened.ts'
import { everyPage } from '../fixtures/pages-read.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import {
  AUDIT,
  addPartner,
  findKey,
  inSeconds,
  issueKey,
  KEYS,
  utc,
  uuid,
} from '../fixtures/settings.ts'
import { allRows, oneValue } from '../fixtures/sql.ts'
import { client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import { PAST, rowOf } from './api-keys.ts'

const keyCount = () => oneValue('select count(*) from api_keys')

const idsOf = (list: Json[]) => list.map(({ id }) => id)

/** Everything that is kept anywhere: the database's tables and what KV holds. */
async function everythingKept(): Promise<string> {
  const tables = ['workspace', 'api_keys', 'partners', 'audit_log']
  const rows = await Promise.all(tables.map((table) => allRows(`select * from ${table}`)))
  const { keys } = await env.KEYS.list()
  const values = await Promise.all(keys.map(({ name }) => env.KEYS.get(name)))
  return JSON.stringify([rows, keys, values])
}

/** Another key's list of every page. */
async function listAll(limit: number): Promise<Json[]> {
  const pages: Json[] = []
  for await (const { body } of everyPage(admin, `${KEYS}?limit=${limit}`)) {
    expect(body.pagination.limit).toBe(limit)
    pages.push(body.data)
  }
  return pages
}

describe('POST /api-keys/', () => {
  it('answers the record, with the defaults, and the value', async () => {
    const name = unique('key')
    const answer = await admin.post(KEYS, { name })
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      success: true,
      data: {
        id: uuid,
        name,
        hint: `xd_demo_…${answer.body.data.key.slice(-4)}`,
        scopes: ['integrations.*'],
        partner_id: null,
        release: 'current',
        rate_limit: null,
        own_orders_only: false,
        reads: 'primary',
        expires_at: null,
        revoked_at: null,
        rotated_from: null,
        created_at: utc,
        last_used_at: null,
        pause: null,
        status: 'active',
        key: expect.stringMatching(/^xd_demo_[0-9A-Za-z]{49}$/),
      },
    })
  })

  it('takes every field', async () => {
    const partner = await addPartner()
    const fields = {
      name: unique('key'),
      scopes: ['integrations.orders.read', 'settings.*'],
      partner_id: partner.id,
      release: '1.0',
      rate_limit: 60,
      own_orders_only: true,
      reads: 'near',
      expires_at: inSeconds(3600),
    }
    const { key, ...record } = await issueKey(admin, fields)
    expect(record).toMatchObject({ ...fields, status: 'active' })
    expect(await findKey(admin, record.id)).toEqual(record)
  })

  it('makes a key that works at once, with its scopes and no others', async () => {
    const { key } = await issueKey(admin, { scopes: ['integrations.products.read'] })
    expect((await client(key).get('/products/')).status).toBe(200)
    expectRefusal(await client(key).get('/orders/'), 403, 'SCOPE_MISSING')
  })

  it('shows the value this once and never again', async () => {
    const { id, key } = await issueKey(admin)
    await client(key).get('/orders/')
    const secret = key.slice('xd_demo_'.length)
    const path = `${KEYS}${id}/`
    for (const answer of [
      await admin.get(path),
      await admin.get(`${KEYS}?limit=200`),
      await admin.put(path, { name: 'x' }),
      await admin.get(`${AUDIT}?api_key_id=${id}`),
      await admin.delete(path),
    ]) {
      expect(answer.text).toContain(id)
      expect(answer.text).not.toContain(secret.slice(0, 10))
      expect(answer.text).not.toContain(secret.slice(-10))
      expect(answer.text).not.toContain('"hash"')
    }
  })

  it('keeps only the hash of the value', async () => {
    const { id, key } = await issueKey(admin)
    await client(key).get('/orders/')
    const hash = createHash('sha256').update(key).digest('hex')
    expect((await rowOf(id))?.hash).toBe(hash)
    const kept = await everythingKept()
    expect(kept).toContain(hash)
    expect(kept).not.toContain(key.slice('xd_demo_'.length).slice(0, 10))
    expect(kept).not.toContain(key.slice(-10))
  })

  it('lets two keys share a name, and never gives the same value', async () => {
    const name = unique('twin')
    const twins = [await issueKey(admin, { name }), await issueKey(admin, { name })]
    expect(new Set(twins.map(({ id }) => id)).size).toBe(2)
    expect(new Set(twins.map(({ key }) => key)).size).toBe(2)
  })

  it('takes every scope there is and every wildcard above one', async () => {
    const wildcards = ['integrations.*', 'settings.*']
    for (const resource of ['orders', 'products', 'locations', 'inventory'])
      wildcards.push(`integrations.${resource}.*`)
    const scopes = [...SCOPES, ...wildcards]
    expect((await issueKey(admin, { scopes })).scopes).toEqual(scopes)
  })

  it('keeps a scope that is named twice once', async () => {
    const twice = ['settings.read', 'integrations.*', 'settings.read', 'integrations.*']
    const { id, scopes } = await issueKey(admin, { scopes: twice })
    expect(scopes).toEqual(['settings.read', 'integrations.*'])
    expect((await rowOf(id))?.scopes).toBe('["settings.read","integrations.*"]')
  })

  it.each([
    '*',
    '.*',
    '*.*',
    '',
    'integrations',
    'integrations.',
    'integrations.orders',
    'integrations.*.read',
    'integrations.*.*',
    'integrations.orders.drop',
    'integrations.orders.read.*',
    'integrations.inventory.delete',
    'integrations.inventories.read',
    'integrations.returns.*',
    'settings.delete',
    'settings.api-keys.read',
    'set.*',
    'INTEGRATIONS.*',
    ' integrations.*',
    'constructor.*',
  ])('refuses the scope "%s" by name', async (scope) => {
    const before = await keyCount()
    const answer = await admin.post(KEYS, { name: 'x', scopes: ['settings.read', scope] })
    expectInvalid(answer, 'scopes[1]')
    expect(answer.body.error.fields['scopes[1]'].join()).toContain(`"${scope}"`)
    expect(await keyCount()).toBe(before)
  })

  it('names every scope that it refuses', async () => {
    const answer = await admin.post(KEYS, { name: 'x', scopes: ['a', 'settings.*', 'b'] })
    expectInvalid(answer, 'scopes[0]', 'scopes[2]')
  })

  it.each([
    ['no list', 'integrations.*', 'scopes'],
    ['an empty list', [], 'scopes'],
    ['a list of numbers', [1], 'scopes[0]'],
    ['a list with null', ['settings.*', null], 'scopes[1]'],
  ])('refuses scopes that are %s', async (_, scopes, field) => {
    expectInvalid(await admin.post(KEYS, { name: 'x', scopes }), field)
  })

  it.each([
    ['missing', undefined],
    ['null', null],
    ['empty', ''],
    ['a number', 7],
    ['longer than 255 characters', 'x'.repeat(256)],
    ['not well-formed', 'a\udc00'],
  ])('refuses a name that is %s', async (_, name) => {
    const before = await keyCount()
    expectInvalid(await admin.post(KEYS, { name }), 'name')
    expect(await keyCount()).toBe(before)
  })

  it('takes a name of 255 characters', async () => {
    const name = 'é'.repeat(255)
    expect((await issueKey(admin, { name })).name).toBe(name)
  })

  it('keeps expires_at in UTC with milliseconds', async () => {
    const { expires_at } = await issueKey(admin, { expires_at: '2999-03-01T09:30:00+02:00' })
    expect(expires_at).toBe('2999-03-01T07:30:00.000Z')
  })

  it.each([
    ['2999-03-01 09:30:00+02', '2999-03-01T07:30:00.000Z'],
    ['2999-03-01 09:30', '2999-03-01T09:30:00.000Z'],
    ['2999-03-01+02:00', '2999-02-28T22:00:00.000Z'],
  ])('takes expires_at as %s', async (expires_at, utc) => {
    expect((await issueKey(admin, { expires_at })).expires_at).toBe(utc)
  })

  it.each([
    ['in the past', PAST],
    ['this very moment', new Date().toISOString()],
    ['no datetime', 'tomorrow'],
    ['a number', 4_000_000_000],
  ])('refuses expires_at that is %s', async (_, expires_at) => {
    const before = await keyCount()
    expectInvalid(await admin.post(KEYS, { name: 'x', expires_at }), 'expires_at')
    expect(await keyCount()).toBe(before)
  })

  it.each([
    ['unknown', '0.9'],
    ['a number', 1],
    ['empty', ''],
    ['null', null],
  ])('refuses a release that is %s', async (_, release) => {
    expectInvalid(await admin.post(KEYS, { name: 'x', release }), 'release')
  })

  it('says that a release is a string, not a number', async () => {
    const { body } = await admin.post(KEYS, '{"name":"x","release":1.0}')
    expect(body.error.fields).toEqual({ release: ['Must be a string, not a number.'] })
  })

  it.each([
    ['zero', 0],
    ['negative', -1],
    ['a fraction', 1.5],
    ['text', '60'],
    ['beyond what can be counted', 30_001],
  ])('refuses a rate_limit that is %s', async (_, rate_limit) => {
    expectInvalid(await admin.post(KEYS, { name: 'x', rate_limit }), 'rate_limit')
  })

  it.each([
    ['unknown', () => crypto.randomUUID()],
    ['empty', () => ''],
    ['a number', () => 7],
    ['that of a deleted partner', async () => (await addPartner(PAST)).id],
  ])('refuses a partner_id that is %s', async (_, partnerId) => {
    const before = await keyCount()
    const partner_id = await partnerId()
    expectInvalid(await admin.post(KEYS, { name: 'x', partner_id }), 'partner_id')
    expect(await keyCount()).toBe(before)
  })

  it('names every bad field at once', async () => {
    const answer = await admin.post(KEYS, { scopes: ['*'], expires_at: PAST, partner_id: 7 })
    expect(Object.keys(answer.body.error.fields).toSorted()).toEqual([
      'expires_at',
      'name',
      'partner_id',
      'scopes[0]',
    ])
  })

  it('names the fields that have no effect', async () => {
    const { body } = await admin.post(KEYS, { name: 'x', id: 'mine', key: 'mine', colour: 'red' })
    expect(idsOf([body.data])).not.toEqual(['mine'])
    expect(body.warnings.map(({ field }: Json) => field)).toEqual(['id', 'key', 'colour'])
  })

  it.each([
    ['no JSON', '{"name":'],
    ['a list', '[]'],
    ['null', 'null'],
  ])('refuses %s', async (_, text) => {
    expectRefusal(await admin.post(KEYS, text), 400, 'VALIDATION_ERROR')
  })
})

describe('GET /api-keys/', () => {
  it('lists records newest first, ended ones included', async () => {
    const active = await issueKey(admin)
    const revoked = await createKey(['settings.*'], { revoked_at: PAST })
    const expired = await createKey(['settings.*'], { expires_at: PAST })
    const both = await createKey(['settings.*'], { revoked_at: PAST, expires_at: PAST })
    const { body } = await admin.get(`${KEYS}?limit=4`)
    expect(body.data.map(({ id, status }: Json) => [id, status])).toEqual([
      [both.id, 'revoked'],
      [expired.id, 'expired'],
      [revoked.id, 'revoked'],
      [active.id, 'active'],
    ])
    expect(body.pagination).toEqual({ limit: 4, next_cursor: expect.any(String) })
  })

  it('lists the same record that GET of one answers', async () => {
    const { key, ...record } = await issueKey(admin)
    expect((await admin.get(`${KEYS}?limit=1`)).body.data).toEqual([record])
    expect(await findKey(admin, record.id)).toEqual(record)
  })

  it('is paged without skipping or repeating, and ends with null', async () => {
    const made: Json[] = []
    for (let turn = 0; turn < 5; turn++) made.push(await issueKey(admin))
    const pages = await listAll(2)
    const ids = idsOf(pages.flat())
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toHaveLength((await keyCount()) as number)
    expect(ids.slice(0, 5)).toEqual(idsOf(made).toReversed())
    expect(pages.slice(0, -1).every(({ length }: Json[]) => length === 2)).toBe(true)
  })

  it('keeps its place when keys are made meanwhile', async () => {
    const older = [await issueKey(admin), await issueKey(admin)]
    const newer = await issueKey(admin)
    const first = (await admin.get(`${KEYS}?limit=1`)).body
    await issueKey(admin)
    const cursor = first.pagination.next_cursor
    const second = (await admin.get(`${KEYS}?limit=2&cursor=${cursor}`)).body
    expect(idsOf([...first.data, ...second.data])).toEqual(idsOf([newer, ...older.toReversed()]))
  })
})

describe('GET /api-keys/{id}/', () => {
  it('answers the record', async () => {
    const { key, ...record } = await issueKey(admin)
    const answer = await admin.get(`${KEYS}${record.id}/`)
    expect([answer.status, answer.body]).toEqual([200, { success: true, data: record }])
  })

  it('shows when the key was last used, refusals included', async () => {
    const { id, key } = await issueKey(admin, { scopes: ['integrations.orders.read'] })
    expect((await findKey(admin, id)).last_used_at).toBeNull()
    for (const path of ['/orders/', '/products/']) {
      const { headers } = await client(key).get(path)
      const log = await admin.get(`${AUDIT}?request_id=${headers.get('X-Request-Id')}`)
      expect((await findKey(admin, id)).last_used_at).toBe(log.body.data[0].created_at)
    }
  })

  it('is 404 for an unknown id, and for a hash or a value in its place', async () => {
    const { id, key } = await issueKey(admin)
    const places = [crypto.randomUUID(), String((await rowOf(id))?.hash), key, '1', '%00']
    for (const place of places) {
      expectRefusal(await admin.get(`${KEYS}${place}/`), 404, 'NOT_FOUND')
    }
  })
})
