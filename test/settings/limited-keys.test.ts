import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { badOrder, documentOf, idOf, openKept } from '../fixtures/kept-documents.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { AUDIT, addPartner, findKey, issueKey, KEYS } from '../fixtures/settings.ts'
import { execute, oneValue } from '../fixtures/sql.ts'
import { type Answer, type Api, client, type Json, unique } from '../fixtures/tenant.ts'

// own_orders_only in the settings of a key: it needs a partner, and a key that has it grants nothing.

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
    expect(await oneValue('select count(*) as n from api_keys where name = ?', name)).toBe(0)
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
    await expect(
      execute('update api_keys set own_orders_only = 1 where id = ?', id),
    ).rejects.toThrow('api_keys_own_orders_need_partner')
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

// A key that is linked to a partner grants only to keys of its partner: other keys may do what its link takes from it.

const SCOPES = ['settings.*', 'integrations.*']
const nameOnly = { name: 'x', scopes: ['integrations.orders.read'] }

/** A linked key that may write keys, another key of its partner, and keys of another partner and of none. */
async function openLinked() {
  const { id: partner_id, api, key } = await openPartner({ scopes: SCOPES })
  const { id: otherPartner } = await addPartner()
  const sibling = (await issueKey(admin, { partner_id })).id
  const foreign = (await issueKey(admin, { partner_id: otherPartner })).id
  const free = (await issueKey(admin)).id
  return { partner_id, otherPartner, api, own: key.id, sibling, foreign, free }
}

type Linked = Awaited<ReturnType<typeof openLinked>>

const putAs = ({ api }: Linked, id: string, fields: Json) => api.put(`${KEYS}${id}/`, fields)
const rotate = ({ api }: Linked, id: string) => api.post(`${KEYS}${id}/rotate/`, {})

describe('a linked key that may write keys', () => {
  it.each(
    sample<[what: string, ask: (linked: Linked) => Promise<Answer>]>(
      [
        ['create a key without a partner', ({ api }) => api.post(KEYS, nameOnly)],
        ['create one in a dry run', ({ api }) => api.post(`${KEYS}?dry_run=true`, nameOnly)],
        [
          'create a key of another partner',
          ({ api, otherPartner }) => api.post(KEYS, { ...nameOnly, partner_id: otherPartner }),
        ],
        ['unlink itself', (linked) => putAs(linked, linked.own, { partner_id: null })],
        [
          'link itself to another partner',
          (linked) => putAs(linked, linked.own, { partner_id: linked.otherPartner }),
        ],
        ['unlink another key', (linked) => putAs(linked, linked.sibling, { partner_id: null })],
        [
          'change a key without a partner',
          (linked) => putAs(linked, linked.free, { scopes: SCOPES }),
        ],
        [
          'change a key of another partner',
          (linked) => putAs(linked, linked.foreign, { rate_limit: null }),
        ],
        ['rotate a key without a partner', (linked) => rotate(linked, linked.free)],
        ['rotate a key of another partner', (linked) => rotate(linked, linked.foreign)],
      ],
      4,
    ),
  )('cannot %s', async (_, ask) => {
    const linked = await openLinked()
    const before = await keysOf(linked)
    expectRefusal(
      await ask(linked),
      403,
      'SCOPE_MISSING',
      `This API key is linked to a partner: it can create, change and rotate only keys with the partner_id "${linked.partner_id}". For other keys, use a key without a partner.`,
    )
    expect(await keysOf(linked)).toEqual(before)
  })

  it('creates, changes and rotates keys of its partner', async () => {
    const linked = await openLinked()
    const { api, partner_id, sibling, own } = linked
    const created = await api.post(KEYS, { ...nameOnly, partner_id })
    expect([created.status, created.body.data.partner_id]).toEqual([201, partner_id])
    expect((await putAs(linked, sibling, { rate_limit: 5, partner_id })).status).toBe(200)
    expect((await putAs(linked, own, { rate_limit: 50 })).status).toBe(200)
    const rotated = await rotate(linked, own)
    expect([rotated.status, rotated.body.data.partner_id]).toEqual([201, partner_id])
  })

  it('links another key to its partner: what counts is what the key may do afterwards', async () => {
    const linked = await openLinked()
    const { partner_id, free } = linked
    expect((await putAs(linked, free, { partner_id })).body.data.partner_id).toBe(partner_id)
  })

  it('renames and revokes any key', async () => {
    const linked = await openLinked()
    expect((await putAs(linked, linked.free, { name: unique('key') })).status).toBe(200)
    expect((await linked.api.delete(`${KEYS}${linked.foreign}/`)).status).toBe(200)
  })
})

describe('P12: GET …/audit-log/{request_id}/document/', () => {
  it('is 403 for a linked key and for every key that it makes', async () => {
    const partner = await openKept({ of: 'all', days: 1 })
    const sent = await partner.api.post('/orders/', badOrder())
    expect((await documentOf(partner.admin, sent)).status).toBe(200)
    const { key } = await issueKey(admin, { partner_id: partner.id, scopes: SCOPES })
    const made = await issueKey(client(key), { partner_id: partner.id, scopes: SCOPES })
    for (const value of [key, made.key]) {
      expectRefusal(
        await client(value).get(`${AUDIT}${idOf(sent)}/document/`),
        403,
        'SCOPE_MISSING',
        'A key that is linked to a partner cannot read documents, delete them, or send them in the place of a partner: use a key without a partner.',
      )
    }
  })
})

/** Without the time of their last use. */
async function keysOf({ own, sibling, foreign, free }: Linked): Promise<Json[]> {
  const keys = await Promise.all([own, sibling, foreign, free].map((id) => findKey(admin, id)))
  return keys.map(({ last_used_at, ...key }) => key)
}
