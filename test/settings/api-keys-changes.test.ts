import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { addPartner, findKey, inSeconds, issueKey, KEYS, utc, uuid } from '../fixtures/settings.ts'
import { allRows, execute } from '../fixtures/sql.ts'
import { client, createKey, type Json, unique } from '../fixtures/tenant.ts'
import { dataOf } from '../fixtures/warehouse.ts'
import { PAST, rowOf } from './api-keys.ts'

describe('PUT /api-keys/{id}/', () => {
  it('changes what is sent, leaves the rest, and answers the record', async () => {
    const partner = await addPartner()
    const { key, ...record } = await issueKey(admin)
    let expected = record
    for (const change of [
      { name: unique('renamed') },
      { scopes: ['integrations.orders.read'] },
      { partner_id: partner.id },
      { expires_at: inSeconds(3600) },
      { expires_at: null },
      { partner_id: null },
      { name: 'all', scopes: ['settings.*'], partner_id: partner.id, expires_at: inSeconds(60) },
    ]) {
      expected = { ...expected, ...change }
      const answer = await admin.put(`${KEYS}${record.id}/`, change)
      expect([answer.status, answer.body]).toEqual([200, { success: true, data: expected }])
      expect(await findKey(admin, record.id)).toEqual(expected)
    }
  })

  it('takes effect with the very next request of the key', async () => {
    const { id, key } = await issueKey(admin)
    const api = client(key)
    expect((await api.get('/orders/')).status).toBe(200)
    await admin.put(`${KEYS}${id}/`, { scopes: ['integrations.products.*'] })
    expectRefusal(await api.get('/orders/'), 403, 'SCOPE_MISSING')
    expect((await api.get('/products/')).status).toBe(200)
  })

  it('revives an expired key with a later expires_at', async () => {
    const { id, value } = await createKey(['integrations.*'], { expires_at: PAST })
    expectRefusal(await client(value).get('/orders/'), 401, 'KEY_EXPIRED')
    const { body } = await admin.put(`${KEYS}${id}/`, { expires_at: inSeconds(3600) })
    expect(body.data.status).toBe('active')
    expect((await client(value).get('/orders/')).status).toBe(200)
  })

  it('never revives a revoked key', async () => {
    const { id, value } = await createKey(['integrations.*'], { revoked_at: PAST })
    const change = { revoked_at: null, status: 'active', expires_at: inSeconds(3600) }
    const { body } = await admin.put(`${KEYS}${id}/`, change)
    expect(body.data).toMatchObject({ revoked_at: PAST, status: 'revoked' })
    expectRefusal(await client(value).get('/orders/'), 401, 'KEY_INVALID')
  })

  it('keeps a scope that is named twice once', async () => {
    const { id } = await issueKey(admin)
    const scopes = ['settings.read', 'settings.read']
    const { body } = await admin.put(`${KEYS}${id}/`, { scopes })
    expect(body.data.scopes).toEqual(['settings.read'])
  })

  it('without a field changes nothing', async () => {
    const { id } = await issueKey(admin)
    const before = await rowOf(id)
    expect((await admin.put(`${KEYS}${id}/`, {})).status).toBe(200)
    expect(await rowOf(id)).toEqual(before)
  })

  it('names what it does not change', async () => {
    const { key, ...record } = await issueKey(admin)
    const readOnly = {
      id: 'x',
      hint: 'x',
      key: 'x',
      rotated_from: 'x',
      created_at: PAST,
      hash: 'x',
    }
    const { body } = await admin.put(`${KEYS}${record.id}/`, readOnly)
    expect(body.data).toEqual(record)
    expect(body.warnings.map(({ field }: Json) => field)).toEqual(Object.keys(readOnly))
  })

  it.each([
    ['name', '', 'name'],
    ['name', null, 'name'],
    ['name', 'x'.repeat(256), 'name'],
    ['scopes', [], 'scopes'],
    ['scopes', null, 'scopes'],
    ['scopes', ['*'], 'scopes[0]'],
    ['scopes', ['integrations.*.read'], 'scopes[0]'],
    ['expires_at', PAST, 'expires_at'],
    ['expires_at', 'never', 'expires_at'],
    ['partner_id', 'unknown', 'partner_id'],
    ['partner_id', 7, 'partner_id'],
  ])('refuses %s as %j and changes nothing', async (name, value, field) => {
    const { id } = await issueKey(admin)
    const before = await rowOf(id)
    const other = name === 'name' ? { partner_id: null } : { name: 'changed' }
    expectInvalid(await admin.put(`${KEYS}${id}/`, { ...other, [name]: value }), field)
    expect(await rowOf(id)).toEqual(before)
  })

  it('refuses a deleted partner and changes nothing', async () => {
    const { id } = await issueKey(admin)
    const partner_id = (await addPartner(PAST)).id
    expectInvalid(await admin.put(`${KEYS}${id}/`, { partner_id }), 'partner_id')
    expect((await rowOf(id))?.partner_id).toBeNull()
  })

  it('is 404 for an unknown id', async () => {
    const path = `${KEYS}${crypto.randomUUID()}/`
    for (const body of [{}, { name: 'x' }, { scopes: ['settings.*'] }]) {
      expectRefusal(await admin.put(path, body), 404, 'NOT_FOUND')
    }
  })
})

describe('DELETE /api-keys/{id}/', () => {
  it('revokes, and answers the record', async () => {
    const { key, ...record } = await issueKey(admin)
    const answer = await admin.delete(`${KEYS}${record.id}/`)
    const revoked = { ...record, revoked_at: utc, status: 'revoked' }
    expect([answer.status, answer.body]).toEqual([200, { success: true, data: revoked }])
    expect(await findKey(admin, record.id)).toEqual(answer.body.data)
  })

  it('ends the key with its very next request', async () => {
    const { id, key } = await issueKey(admin)
    expect((await client(key).get('/orders/')).status).toBe(200)
    await admin.delete(`${KEYS}${id}/`)
    expectRefusal(await client(key).get('/orders/'), 401, 'KEY_INVALID', 'Invalid API key.')
  })

  it('answers the same when it is repeated', async () => {
    const { id } = await issueKey(admin)
    const first = await admin.delete(`${KEYS}${id}/`)
    await scheduler.wait(5)
    const second = await admin.delete(`${KEYS}${id}/`)
    expect([second.status, second.body]).toEqual([200, first.body])
  })

  it('revokes an expired key', async () => {
    const { id } = await createKey(['integrations.*'], { expires_at: PAST })
    const { body } = await admin.delete(`${KEYS}${id}/`)
    expect(body.data).toMatchObject({ revoked_at: utc, status: 'revoked' })
  })

  it('is 404 for an unknown id', async () => {
    expectRefusal(await admin.delete(`${KEYS}${crypto.randomUUID()}/`), 404, 'NOT_FOUND')
  })
})

const rotate = (id: string, body?: Json) => admin.post(`${KEYS}${id}/rotate/`, body)
const allKeys = async () => await allRows('select * from api_keys')
const statusOf = async (key: string) => (await client(key).get('/orders/')).status

describe('POST /api-keys/{id}/rotate/', () => {
  it('answers a new key with all that the settings of the old one say', async () => {
    const partner_id = (await addPartner()).id
    const scopes = ['integrations.orders.*', 'settings.read']
    const held = {
      partner_id,
      release: '1.0',
      rate_limit: 600,
      own_orders_only: true,
      reads: 'near',
    }
    const old = await issueKey(admin, { scopes, ...held })
    const answer = await rotate(old.id, {})
    expect(answer.status).toBe(201)
    expect(answer.body).toEqual({
      success: true,
      data: {
        id: uuid,
        name: old.name,
        hint: `xd_demo_…${answer.body.data.key.slice(-4)}`,
        scopes,
        ...held,
        expires_at: null,
        revoked_at: null,
        rotated_from: old.id,
        created_at: utc,
        last_used_at: null,
        pause: null,
        status: 'active',
        key: expect.stringMatching(/^xd_demo_[0-9A-Za-z]{49}$/),
      },
    })
    expect(answer.body.data.id).not.toBe(old.id)
    expect(answer.body.data.key).not.toBe(old.key)
  })

  it('refuses a key whose release has ended', async () => {
    const old = await issueKey(admin)
    await execute('update api_keys set "release" = ? where id = ?', '0.9', old.id)
    const before = (await allKeys()).length
    const message = 'The key is pinned to release 0.9, which has ended: create a new one instead.'
    expectRefusal(await rotate(old.id, {}), 400, 'SERVICE_ERROR', message)
    expect((await allKeys()).length).toBe(before)
    expect(await statusOf(old.key)).toBe(410)
  })

  it('shows the new value this once', async () => {
    const { id, key } = (await rotate((await issueKey(admin)).id)).body.data
    const secret = key.slice('xd_demo_'.length).slice(0, 10)
    for (const path of [`${KEYS}${id}/`, `${KEYS}?limit=200`]) {
      const { text } = await admin.get(path)
      expect(text).toContain(id)
      expect(text).not.toContain(secret)
    }
    expect(JSON.stringify(await allKeys())).not.toContain(secret)
  })

  it.each([
    ['without a body', undefined],
    ['with an empty one', {}],
    ['with an overlap of 0', { overlap_seconds: 0 }],
  ])('%s ends the old key at once', async (_, body) => {
    const old = await issueKey(admin)
    expect(await statusOf(old.key)).toBe(200)
    const { key } = (await rotate(old.id, body)).body.data
    expectRefusal(await client(old.key).get('/orders/'), 401, 'KEY_INVALID', 'Invalid API key.')
    expect(await statusOf(key)).toBe(200)
    expect(await findKey(admin, old.id)).toMatchObject({ revoked_at: utc, status: 'revoked' })
  })

  it('with an overlap lets both keys work until it is over', async () => {
    const old = await issueKey(admin)
    const { key } = (await rotate(old.id, { overlap_seconds: 1 })).body.data
    expect([await statusOf(old.key), await statusOf(key)]).toEqual([200, 200])
    expect((await findKey(admin, old.id)).status).toBe('active')
    await scheduler.wait(1100)
    expectRefusal(await client(old.key).get('/orders/'), 401, 'KEY_EXPIRED')
    expect(await statusOf(key)).toBe(200)
    expect((await findKey(admin, old.id)).status).toBe('expired')
  })

  it.each([1, 3600, 604_800])('ends the old key %i seconds later', async (overlap_seconds) => {
    const old = await issueKey(admin)
    const data = dataOf(await rotate(old.id, { overlap_seconds }), 201)
    const { expires_at, revoked_at } = await findKey(admin, old.id)
    const end = Date.parse(data.created_at) + overlap_seconds * 1000
    expect([expires_at, revoked_at]).toEqual([new Date(end).toISOString(), null])
  })

  it('never lets the old key outlive its own expiry', async () => {
    const expires_at = inSeconds(60)
    const old = await issueKey(admin, { expires_at })
    await rotate(old.id, { overlap_seconds: 3600 })
    expect((await findKey(admin, old.id)).expires_at).toBe(expires_at)
  })

  it.each([604_801, -1, 1.5, '60', null, true, Number.MAX_SAFE_INTEGER])(
    'refuses an overlap of %j and changes nothing',
    async (overlap_seconds) => {
      const old = await issueKey(admin)
      const before = await allKeys()
      expectInvalid(await rotate(old.id, { overlap_seconds }), 'overlap_seconds')
      expect(await allKeys()).toEqual(before)
    },
  )

  it.each([
    ['revoked', { revoked_at: PAST }],
    ['expired', { expires_at: PAST }],
    ['both', { revoked_at: PAST, expires_at: PAST }],
  ])('refuses a key that has ended: %s', async (_, ended) => {
    const old = await createKey(['integrations.*'], ended)
    const before = await allKeys()
    expectRefusal(await rotate(old.id, { overlap_seconds: 60 }), 400, 'SERVICE_ERROR')
    expect(await allKeys()).toEqual(before)
  })

  it('refuses a key that was rotated away already', async () => {
    const old = await issueKey(admin)
    await rotate(old.id)
    expectRefusal(await rotate(old.id), 400, 'SERVICE_ERROR')
  })

  it('gives one new key when it is asked several times at once', async () => {
    const old = await issueKey(admin)
    const answers = await Promise.all([1, 2, 3, 4].map(() => rotate(old.id)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    for (const answer of answers) expect([201, 400, 503]).toContain(answer.status)
    const heirs = (await allKeys()).filter(({ rotated_from }) => rotated_from === old.id)
    expect(heirs).toHaveLength(1)
    expectRefusal(await rotate(old.id), 400, 'SERVICE_ERROR')
  })

  it('is 404 for an unknown id, and makes no key', async () => {
    const before = await allKeys()
    expectRefusal(await rotate(crypto.randomUUID()), 404, 'NOT_FOUND')
    expectRefusal(await rotate(crypto.randomUUID(), { overlap_seconds: 60 }), 404, 'NOT_FOUND')
    expect(await allKeys()).toEqual(before)
  })

  it('can be rotated on, each key naming the one before', async () => {
    const first = await issueKey(admin)
    const second = (await rotate(first.id)).body.data
    const third = (await rotate(second.id)).body.data
    expect([second.rotated_from, third.rotated_from]).toEqual([first.id, second.id])
    expect(await statusOf(third.key)).toBe(200)
  })

  it('works for the key that asks', async () => {
    const own = await issueKey(admin, { scopes: ['settings.*'] })
    const { body } = await client(own.key).post(`${KEYS}${own.id}/rotate/`)
    expectRefusal(await client(own.key).get(KEYS), 401, 'KEY_INVALID')
    expect((await client(body.data.key).get(KEYS)).status).toBe(200)
  })

  it('names the fields that have no effect', async () => {
    const { id, name } = await issueKey(admin)
    const { body } = await rotate(id, { name: 'another', overlap_seconds: 0 })
    expect([body.data.name, body.warnings.map(({ field }: Json) => field)]).toEqual([
      name,
      ['name'],
    ])
  })
})
