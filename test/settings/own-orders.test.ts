import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { addPartner, findKey, issueKey, KEYS } from '../fixtures/settings.ts'
import { type Answer, type Api, client, openAdmin, unique } from '../fixtures/tenant.ts'

// own_orders_only in the settings of a key: it needs a partner, and a key that has it grants nothing.

let admin: Api

beforeAll(async () => {
  admin = await openAdmin()
})

const put = (id: string, fields: object) => admin.put(`${KEYS}${id}/`, fields)

function expectNotTogether(answer: Answer) {
  const message =
    'A key without a partner has no own orders: name a partner, or send own_orders_only false.'
  expectRefusal(answer, 400, 'SERVICE_ERROR', message)
  const { fields } = answer.body.error
  expect(fields).toEqual({ own_orders_only: [message], partner_id: [message] })
}

describe('POST /api-keys/ with own_orders_only', () => {
  it('is false unless it is sent, and shown by every answer', async () => {
    const { id: partner_id } = await addPartner()
    expect((await issueKey(admin, { partner_id })).own_orders_only).toBe(false)
    const { id, own_orders_only } = await issueKey(admin, { partner_id, own_orders_only: true })
    expect(own_orders_only).toBe(true)
    expect((await findKey(admin, id)).own_orders_only).toBe(true)
    const { body } = await admin.get(`${KEYS}?limit=2`)
    expect(body.data.map((key: { own_orders_only: boolean }) => key.own_orders_only)).toEqual([
      true,
      false,
    ])
  })

  it.each([[{}], [{ partner_id: null }]])('is refused at both fields with %j', async (more) => {
    const name = unique('key')
    expectNotTogether(await admin.post(KEYS, { name, own_orders_only: true, ...more }))
    const count = env.DB_DEMO.prepare('select count(*) as n from api_keys where name = ?')
    expect(await count.bind(name).first('n')).toBe(0)
  })

  it.each([null, 'true', 1, {}])('is refused if it is %j', async (own_orders_only) => {
    const { id: partner_id } = await addPartner()
    const answer = await admin.post(KEYS, { name: 'x', partner_id, own_orders_only })
    expectInvalid(answer, 'own_orders_only')
  })
})

describe('PUT /api-keys/{id}/ with own_orders_only', () => {
  it('limits a key of a partner, and ends that', async () => {
    const { id } = await issueKey(admin, { partner_id: (await addPartner()).id })
    for (const own_orders_only of [true, true, false]) {
      expect((await put(id, { own_orders_only })).body.data.own_orders_only).toBe(own_orders_only)
    }
  })

  it('leaves it as it is without the field, also when another partner is named', async () => {
    const { id } = await issueKey(admin, {
      partner_id: (await addPartner()).id,
      own_orders_only: true,
    })
    await put(id, { name: unique('key'), rate_limit: 60 })
    const other = await addPartner()
    const { body } = await put(id, { partner_id: other.id })
    expect(body.data).toMatchObject({ partner_id: other.id, own_orders_only: true })
  })

  it('is refused at both fields for a key without a partner, or that loses its partner', async () => {
    const plain = await issueKey(admin)
    const limited = await issueKey(admin, {
      partner_id: (await addPartner()).id,
      own_orders_only: true,
    })
    expectNotTogether(await put(plain.id, { own_orders_only: true }))
    expectNotTogether(await put(limited.id, { partner_id: null }))
    expectNotTogether(await put(limited.id, { partner_id: null, own_orders_only: true }))
    expect(await findKey(admin, plain.id)).toMatchObject({ own_orders_only: false })
    const { partner_id, own_orders_only } = limited
    expect(await findKey(admin, limited.id)).toMatchObject({ partner_id, own_orders_only })
  })

  it('takes both together, in one request', async () => {
    const { id } = await issueKey(admin)
    const { id: partner_id } = await addPartner()
    expect((await put(id, { partner_id, own_orders_only: true })).status).toBe(200)
    expect((await put(id, { partner_id: null, own_orders_only: false })).status).toBe(200)
  })
})

describe('the database', () => {
  it('has no limited key without a partner, whoever writes it', async () => {
    const { id } = await issueKey(admin)
    const limit = env.DB_DEMO.prepare('update api_keys set own_orders_only = 1 where id = ?')
    await expect(limit.bind(id).run()).rejects.toThrow('api_keys_own_orders_need_partner')
  })
})

describe('a limited key that may write keys', () => {
  const scopes = ['settings.keys.*', 'integrations.*']

  it.each<[string, (api: Api, own: string, other: string) => Promise<Answer>]>([
    ['make a key', (api) => api.post(KEYS, { name: 'x', scopes: ['integrations.orders.read'] })],
    ['free itself', (api, own) => api.put(`${KEYS}${own}/`, { own_orders_only: false })],
    ['change its partner', (api, own, other) => api.put(`${KEYS}${own}/`, { partner_id: other })],
    ['rotate itself', (api, own) => api.post(`${KEYS}${own}/rotate/`, {})],
  ])('cannot %s', async (_, ask) => {
    const { api, key } = await openPartner({ own_orders_only: true, scopes })
    const { id: other } = await addPartner()
    const before = await findKey(admin, key.id)
    expectRefusal(
      await ask(api, key.id, other),
      403,
      'SCOPE_MISSING',
      'This API key sees the orders of its partner only: it can rename, pause and revoke keys, but not create, change or rotate them.',
    )
    const { last_used_at, ...after } = await findKey(admin, key.id)
    expect({ ...after, last_used_at: before.last_used_at }).toEqual(before)
  })

  it('cannot rotate a key without the limit, or change it', async () => {
    const { api } = await openPartner({ own_orders_only: true, scopes })
    const { id } = await issueKey(admin)
    expectRefusal(await api.post(`${KEYS}${id}/rotate/`, {}), 403, 'SCOPE_MISSING')
    expectRefusal(await api.put(`${KEYS}${id}/`, { rate_limit: 5 }), 403, 'SCOPE_MISSING')
  })

  it('renames and revokes keys', async () => {
    const { api, key } = await openPartner({ own_orders_only: true, scopes })
    expect((await api.put(`${KEYS}${key.id}/`, { name: unique('key') })).status).toBe(200)
    expect((await api.delete(`${KEYS}${key.id}/`)).status).toBe(200)
    expect((await client(key.key).get('/orders/')).status).toBe(401)
  })
})
