import { beforeAll, describe, expect, it } from 'vitest'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import {
  type Api,
  addPartner,
  findKey,
  inSeconds,
  issueKey,
  KEYS,
  utc,
  uuid,
} from '../fixtures/settings.ts'
import { client, createKey, type Json, openAdmin, openTenant } from '../fixtures/tenant.ts'

const PAST = '2026-01-01T00:00:00.000Z'

let db: D1Database
let admin: Api

beforeAll(async () => {
  db = await openTenant()
  admin = await openAdmin()
})

const rotate = (id: string, body?: Json) => admin.post(`${KEYS}${id}/rotate/`, body)
const allKeys = async () => (await db.prepare('select * from api_keys').all()).results
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
    const pin = db.prepare('update api_keys set "release" = ? where id = ?')
    await pin.bind('0.9', old.id).run()
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
    const answer = await rotate(old.id, { overlap_seconds })
    expect(answer.status).toBe(201)
    const { expires_at, revoked_at } = await findKey(admin, old.id)
    const end = Date.parse(answer.body.data.created_at) + overlap_seconds * 1000
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
