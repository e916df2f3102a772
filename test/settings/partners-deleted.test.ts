import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { admin, db } from '../fixtures/opened.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { findKey, inSeconds, issueKey, KEYS, utc } from '../fixtures/settings.ts'
import { oneValue } from '../fixtures/sql.ts'
import { type Answer, client, createKey, unique } from '../fixtures/tenant.ts'
import {
  deletePartner,
  fieldsWarned,
  findPartner,
  idsOf,
  listPages,
  makeDeleted,
  makePartner,
  PARTNERS,
  PAST,
  rowOf,
  warmUp,
} from './partners.ts'

const linkedTo = (name: string, what: string) =>
  `"${name}" is linked to ${what}: first revoke each, or give it another partner_id.`

describe('DELETE /partners/{id}/', () => {
  it('answers the record once, then 404', async () => {
    const record = await makePartner({ default_identifier_field: 'sku' })
    const answer = await admin.delete(`${PARTNERS}${record.id}/`)
    const data = { ...record, updated_at: utc }
    expect([answer.status, answer.body]).toEqual([200, { success: true, data }])
    const before = await rowOf(record.id)
    expectRefusal(await admin.delete(`${PARTNERS}${record.id}/`), 404, 'NOT_FOUND')
    expect(await rowOf(record.id)).toEqual(before)
  })

  it('is 404 for an unknown id', async () => {
    expectRefusal(await admin.delete(`${PARTNERS}${crypto.randomUUID()}/`), 404, 'NOT_FOUND')
  })

  it('names what has no effect in a body', async () => {
    const { id } = await makePartner()
    const answer = await admin.delete(`${PARTNERS}${id}/`, { reason: 'x', force: true })
    expect(answer.status).toBe(200)
    expect(fieldsWarned(answer)).toEqual(['reason', 'force'])
  })

  it('is 409 IN_USE while a live key is linked, and changes nothing', async () => {
    const { id, name } = await makePartner()
    await issueKey(admin, { partner_id: id, expires_at: inSeconds(60) })
    const before = await rowOf(id)
    const refusal = await admin.delete(`${PARTNERS}${id}/`)
    expectRefusal(refusal, 409, 'IN_USE', expect.stringContaining(linkedTo(name, '1 live API key')))
    expect(await rowOf(id)).toEqual(before)
    expect((await findPartner(id)).name).toBe(name)
  })

  it('counts what is linked, by kind, and says how to go on', async () => {
    const { id, name } = await makePartner()
    for (let n = 0; n < 2; n++) await issueKey(admin, { partner_id: id })
    const rules = { resource: 'orders', verification: { kind: 'address' } }
    const webhook = { name: unique('webhook'), partner_id: id, rules }
    expect((await admin.post('/api/settings/v1/webhooks/', webhook)).status).toBe(201)
    const { message } = (await admin.delete(`${PARTNERS}${id}/`)).body.error
    expect(message).toContain(linkedTo(name, '2 live API keys and 1 live webhook'))
    expect(message).toContain('The page of the partner lists them')
  })

  it.each(
    sample(
      [
        ['revoked', (id: string) => admin.delete(`${KEYS}${id}/`)],
        ['unlinked', (id: string) => admin.put(`${KEYS}${id}/`, { partner_id: null })],
        [
          'linked to another partner',
          async (id: string) =>
            admin.put(`${KEYS}${id}/`, { partner_id: (await makePartner()).id as string }),
        ],
        [
          'expired',
          async (id: string) => {
            const answer = await admin.put(`${KEYS}${id}/`, { expires_at: inSeconds(1) })
            await scheduler.wait(1100)
            return answer
          },
        ],
      ],
      2,
    ),
  )('works once the only key is %s', async (_, end) => {
    const partner = await makePartner()
    const key = await issueKey(admin, { partner_id: partner.id })
    expectRefusal(await admin.delete(`${PARTNERS}${partner.id}/`), 409, 'IN_USE')
    expect((await end(key.id)).status).toBe(200)
    await deletePartner(partner.id)
  })

  it('is 409 IN_USE as long as one of several keys is live', async () => {
    const { id } = await makePartner()
    const keys = [
      await issueKey(admin, { partner_id: id }),
      await issueKey(admin, { partner_id: id }),
    ]
    for (const key of keys) {
      expectRefusal(await admin.delete(`${PARTNERS}${id}/`), 409, 'IN_USE')
      await admin.delete(`${KEYS}${key.id}/`)
    }
    await deletePartner(id)
  })

  it('is 409 IN_USE while a rotated key overlaps with the new one, and for the new one', async () => {
    const { id } = await makePartner()
    const old = await issueKey(admin, { partner_id: id })
    const path = `${KEYS}${old.id}/rotate/`
    const { body } = await admin.post(path, { overlap_seconds: 60 })
    await admin.delete(`${KEYS}${body.data.id}/`)
    expectRefusal(await admin.delete(`${PARTNERS}${id}/`), 409, 'IN_USE')
    await admin.delete(`${KEYS}${old.id}/`)
    await deletePartner(id)
  })

  it('leaves its ended keys linked and ended: no later expires_at revives them', async () => {
    const { id } = await makePartner()
    const { id: key, value } = await createKey(['integrations.*'], { expires_at: PAST })
    await admin.put(`${KEYS}${key}/`, { partner_id: id })
    await deletePartner(id)
    const answer = await admin.put(`${KEYS}${key}/`, { expires_at: inSeconds(60) })
    expectRefusal(answer, 400, 'SERVICE_ERROR')
    const { fields, message } = answer.body.error
    expect(fields).toEqual({ expires_at: [message] })
    expectRefusal(await client(value).get('/orders/'), 401, 'KEY_EXPIRED')
    expect(await findKey(admin, key)).toMatchObject({ partner_id: id, status: 'expired' })
  })

  it('never calls the partner "undefined" when an ended key of it is to live longer', async () => {
    const { id } = await makePartner()
    const { id: key } = await createKey(['integrations.*'], { expires_at: PAST })
    await admin.put(`${KEYS}${key}/`, { partner_id: id })
    await deletePartner(id)
    const { body } = await admin.put(`${KEYS}${key}/`, { expires_at: inSeconds(60) })
    expect(body.error.message).not.toContain('undefined')
  })

  it('lets an ended key live again without the partner', async () => {
    const { id } = await makePartner()
    const { id: key, value } = await createKey(['integrations.*'], { expires_at: PAST })
    await admin.put(`${KEYS}${key}/`, { partner_id: id })
    await deletePartner(id)
    const change = { expires_at: inSeconds(60), partner_id: null }
    expect((await admin.put(`${KEYS}${key}/`, change)).status).toBe(200)
    expect((await client(value).get('/orders/')).status).toBe(200)
  })

  it.each(
    sample<[string, (partner_id: string) => Promise<() => Promise<Answer>>]>(
      [
        [
          'a new key',
          async (partner_id) => () => admin.post(KEYS, { name: unique('raced'), partner_id }),
        ],
        [
          'a link of a key',
          async (partner_id) => {
            const { id } = await issueKey(admin)
            return () => admin.put(`${KEYS}${id}/`, { partner_id })
          },
        ],
        [
          'a later end of an expired key',
          async (partner_id) => {
            const { id } = await createKey(['integrations.*'], { expires_at: PAST })
            await admin.put(`${KEYS}${id}/`, { partner_id })
            return () => admin.put(`${KEYS}${id}/`, { expires_at: inSeconds(60) })
          },
        ],
      ],
      1,
    ),
  )('never leaves a live key of a deleted partner when it meets %s', async (_, prepare) => {
    for (let round = 0; round < 8; round++) {
      const { id } = await makePartner()
      const link = await prepare(id)
      await warmUp()
      const remove = () => admin.delete(`${PARTNERS}${id}/`)
      const [first, second] = round % 2 === 0 ? [remove, link] : [link, remove]
      const answers = await Promise.all([first(), second()])
      const [removed, linked] = round % 2 === 0 ? answers : answers.toReversed()
      const outcomes = [
        [200, 400],
        [409, 200],
        [409, 201],
      ]
      expect(outcomes).toContainEqual([removed?.status, linked?.status])
    }
    const stray = await oneValue(
      `select count(*) as n from api_keys join partners on partners.id = partner_id
         where deleted_at is not null and revoked_at is null
           and (expires_at is null or expires_at > ?)`,
      new Date().toISOString(),
    )
    expect(stray).toBe(0)
  })

  it('makes its id unknown everywhere', async () => {
    const { id } = await makeDeleted()
    const path = `${PARTNERS}${id}/`
    const mapping = { inbound: { fields: { notes: 'memo' } } }
    for (const answer of [
      await admin.get(path),
      await admin.put(path, { name: unique('x') }),
      await admin.put(path, {}),
      await admin.get(`${path}mappings/`),
      await admin.get(`${path}mappings/orders/`),
      await admin.put(`${path}mappings/orders/`, mapping),
      await admin.delete(`${path}mappings/orders/`),
      await admin.post(`${path}mappings/orders/preview/`, { payload: {} }),
      await admin.post(`${path}mappings/orders/preview/`, { payload: {}, mapping }),
    ]) {
      expectRefusal(answer, 404, 'NOT_FOUND', `No partner has the id "${id}".`)
    }
  })

  it('hides its mappings, which nothing can then change', async () => {
    const { id } = await makePartner()
    await saveMapping(admin, id, 'orders', { inbound: { fields: { notes: 'memo' } } })
    const kept = () =>
      db.prepare('select * from field_mappings where partner_id = ?').bind(id).all()
    const before = (await kept()).results
    await deletePartner(id)
    for (const resource of ['orders', 'products']) {
      const path = `${PARTNERS}${id}/mappings/${resource}/`
      expectRefusal(await admin.get(path), 404, 'NOT_FOUND')
      expectRefusal(await admin.delete(path), 404, 'NOT_FOUND')
      expectRefusal(await admin.put(path, {}), 404, 'NOT_FOUND')
    }
    expect((await kept()).results).toEqual(before)
  })

  it('keeps keys from being linked to it: 400 naming partner_id', async () => {
    const { id: partner_id } = await makeDeleted()
    const { id } = await issueKey(admin)
    expectInvalid(await admin.post(KEYS, { name: 'x', partner_id }), 'partner_id')
    expectInvalid(await admin.put(`${KEYS}${id}/`, { partner_id }), 'partner_id')
    expect((await findKey(admin, id)).partner_id).toBeNull()
  })

  it('leaves its orders as they are, and in use', async () => {
    const { id, key, api } = await openPartner()
    const sku = unique('S')
    await api.post('/products/', { sku })
    const items = [{ sku_code: sku, quantity: 1 }]
    const order = { order_number: unique('O'), external_order_id: unique('EXT'), items }
    const created = (await api.post('/orders/', order)).body.data
    await admin.delete(`${KEYS}${key.id}/`)
    await deletePartner(id)

    const path = `/orders/${order.order_number}/`
    expect((await admin.get(path)).body.data).toEqual(created)
    expect((await admin.put(path, { status: 'shipped' })).body.data.status).toBe('shipped')
    const another = { ...order, order_number: unique('O') }
    expect((await admin.post('/orders/', another)).status).toBe(201)
    const listed = (await admin.get('/orders/?limit=200')).body.data
    expect(idsOf(listed)).toContain(created.id)
  })
})

describe("another tenant's partner", () => {
  it('is 404, cannot be linked, and stays as it is', async () => {
    const { id, name, admin: other } = await openPartner({ tenant: 'other' })
    const before = (await other.get(`${PARTNERS}${id}/`)).body.data
    expect(before.name).toBe(name)
    expectRefusal(await admin.get(`${PARTNERS}${id}/`), 404, 'NOT_FOUND')
    expectRefusal(await admin.put(`${PARTNERS}${id}/`, { name: 'mine' }), 404, 'NOT_FOUND')
    expectRefusal(await admin.delete(`${PARTNERS}${id}/`), 404, 'NOT_FOUND')
    expectInvalid(await admin.post(KEYS, { name: 'x', partner_id: id }), 'partner_id')
    expect(idsOf((await listPages(admin, 200)).flat())).not.toContain(id)
    expect((await other.get(`${PARTNERS}${id}/`)).body.data).toEqual(before)
  })

  it('may have the same name as ours', async () => {
    const { name } = await openPartner({ tenant: 'other' })
    expect((await makePartner({ name })).name).toBe(name)
  })
})
