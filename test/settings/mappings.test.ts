import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { AUDIT, utc } from '../fixtures/settings.ts'
import { oneRow } from '../fixtures/sql.ts'
import { client, createKey, unique } from '../fixtures/tenant.ts'
import { at, expectRefusedRules, FULL, fieldsWarned, makePartner, savedOf } from './mappings.ts'

describe('PUT /partners/{id}/mappings/{resource}/', () => {
  it('answers exactly the record, as it was sent', async () => {
    const id = await makePartner()
    const answer = await admin.put(at(id, 'orders'), FULL)
    const data = { resource: 'orders', ...FULL, updated_at: utc }
    expect([answer.status, answer.body]).toEqual([200, { success: true, data }])
    expect(Object.keys(answer.body.data)).toEqual(Object.keys(data))
    expect((await admin.get(at(id, 'orders'))).body).toEqual(answer.body)
  })

  it('fills in what is left out', async () => {
    const id = await makePartner()
    const mapping = {
      inbound: { fields: { notes: 'memo' } },
      outbound: { fields: { memo: 'notes' } },
    }
    expect(await saveMapping(admin, id, 'orders', mapping)).toEqual({
      resource: 'orders',
      identifier_field: null,
      inbound: { unmapped: 'keep', fields: { notes: 'memo' } },
      outbound: { unmapped: 'drop', fields: { memo: 'notes' } },
      updated_at: utc,
    })
  })

  it.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['null for each member', { identifier_field: null, inbound: null, outbound: null }],
  ])('takes %s, which maps nothing', async (_, mapping) => {
    const id = await makePartner()
    const { status, body } = await admin.put(at(id, 'products'), mapping)
    expect([status, body.data]).toEqual([
      200,
      {
        resource: 'products',
        identifier_field: null,
        inbound: null,
        outbound: null,
        updated_at: utc,
      },
    ])
  })

  it('changes what it names, and nothing else', async () => {
    const id = await makePartner()
    const first = await saveMapping(admin, id, 'orders', FULL)
    const second = await saveMapping(admin, id, 'orders', { identifier_field: 'notes' })
    const { identifier_field, updated_at, ...rest } = first
    expect(second).toEqual({ ...rest, identifier_field: 'notes', updated_at: expect.any(String) })
    const inbound = { unmapped: 'keep', fields: { notes: 'memo' } }
    const third = await saveMapping(admin, id, 'orders', { inbound: { fields: { notes: 'memo' } } })
    expect(third).toMatchObject({ identifier_field: 'notes', inbound, outbound: FULL.outbound })
    expect(Object.keys(third.inbound.fields)).toEqual(['notes'])
    const last = { identifier_field: null, outbound: null }
    const fourth = await saveMapping(admin, id, 'orders', last)
    expect(fourth).toMatchObject({ ...last, inbound })
    expect((await admin.get(at(id, 'orders'))).body.data).toEqual(fourth)
    expect(await savedOf(id)).toHaveLength(1)
  })

  it('keeps each of two changes that are made at once', async () => {
    const id = await makePartner()
    await saveMapping(admin, id, 'orders', FULL)
    const inbound = { unmapped: 'drop', fields: { notes: 'memo' } }
    const identifier_field = 'metadata.ref'
    await Promise.all([
      saveMapping(admin, id, 'orders', { inbound }),
      saveMapping(admin, id, 'orders', { identifier_field }),
      saveMapping(admin, id, 'orders', { outbound: null }),
    ])
    const kept = (await admin.get(at(id, 'orders'))).body.data
    expect(kept).toMatchObject({ inbound, identifier_field, outbound: null })
  })

  it('changes nothing that it does not name, and makes an empty mapping where there is none', async () => {
    const id = await makePartner()
    const none = { identifier_field: null, inbound: null, outbound: null }
    expect(await saveMapping(admin, id, 'orders', {})).toMatchObject(none)
    const kept = await saveMapping(admin, id, 'orders', FULL)
    await scheduler.wait(5)
    expect(await saveMapping(admin, id, 'orders', {})).toEqual(kept)
  })

  it('moves updated_at', async () => {
    const id = await makePartner()
    const first = await saveMapping(admin, id, 'orders', FULL)
    await scheduler.wait(5)
    const second = await saveMapping(admin, id, 'orders', FULL)
    expect(second.updated_at > first.updated_at).toBe(true)
  })

  it("leaves the partner's other mappings and other partners' alone", async () => {
    const [id, other] = [await makePartner(), await makePartner()]
    const products = await saveMapping(admin, id, 'products', {
      inbound: { fields: { sku: 'nr' } },
    })
    const orders = await saveMapping(admin, other, 'orders', FULL)
    await saveMapping(admin, id, 'orders', {})
    expect((await admin.get(at(id, 'products'))).body.data).toEqual(products)
    expect((await admin.get(at(other, 'orders'))).body.data).toEqual(orders)
  })

  it('leaves what is saved alone when it refuses the new one', async () => {
    const id = await makePartner()
    await saveMapping(admin, id, 'orders', FULL)
    const before = await savedOf(id)
    const bad = {
      inbound: { fields: { notes: 'memo', nonsense: 'x' } },
      identifier_field: 'status',
    }
    expectRefusedRules(await admin.put(at(id, 'orders'), bad), 'inbound', 'nonsense')
    expect(await savedOf(id)).toEqual(before)
  })

  it('keeps the rules as they were written, in their order', async () => {
    const id = await makePartner()
    const fields = {
      zone: 'b',
      name: '$.a',
      "metadata['x y']": "$['odd key'].c",
      'metadata.list[]': 'rows[*].name',
      'metadata.__proto': 'd',
      aisle: { from: 'e', required: true },
    }
    const { inbound } = await saveMapping(admin, id, 'locations', { inbound: { fields } })
    expect(JSON.stringify(inbound.fields)).toBe(JSON.stringify(fields))
  })

  it("holds from the very next request of the partner's keys", async () => {
    const { id, api } = await openPartner()
    expectInvalid(await api.post('/products/', { nr: unique('S') }), 'sku')
    await saveMapping(admin, id, 'products', { inbound: { fields: { sku: 'nr' } } })
    const sku = unique('S')
    expect((await api.post('/products/', { nr: sku })).body.data.sku).toBe(sku)
    await saveMapping(admin, id, 'products', { inbound: { fields: { sku: 'ean' } } })
    expect((await api.post('/products/', { ean: unique('S') })).status).toBe(201)
    expectRefusal(
      await client((await createKey()).value).post('/products/', { ean: 'x' }),
      400,
      'VALIDATION_ERROR',
    )
  })

  it('refuses what it does not know, by its place', async () => {
    const id = await makePartner()
    const kept = await saveMapping(admin, id, 'orders', FULL)
    const fields = { notes: 'memo' }
    for (const [body, ...places] of [
      [{ fields }, 'fields'],
      [{ fields, unmapped: 'drop' }, 'fields', 'unmapped'],
      [{ inbound: { fields, colour: 1 }, partner_id: id }, 'inbound.colour', 'partner_id'],
      [{ outbound: { fields: {}, required: true } }, 'outbound.required'],
    ] as [object, ...string[]][]) {
      const answer = await admin.put(at(id, 'orders'), body)
      expectRefusal(answer, 400, 'VALIDATION_ERROR')
      expect(places).toEqual(expect.arrayContaining(Object.keys(answer.body.error.fields)))
    }
    expect((await admin.get(at(id, 'orders'))).body.data).toEqual(kept)
  })

  it('takes what it has shown', async () => {
    const id = await makePartner()
    const { updated_at, ...kept } = await saveMapping(admin, id, 'orders', FULL)
    const answer = await admin.put(at(id, 'orders'), { updated_at, ...kept })
    expect([answer.status, fieldsWarned(answer).toSorted()]).toEqual([
      200,
      ['resource', 'updated_at'],
    ])
    expect(answer.body.data).toMatchObject(kept)
  })

  it.each([
    ['inbound', 'text', 'inbound'],
    ['inbound', [], 'inbound'],
    ['inbound', 7, 'inbound'],
    ['inbound', {}, 'inbound.fields'],
    ['inbound', { fields: null }, 'inbound.fields'],
    ['inbound', { fields: [] }, 'inbound.fields'],
    ['inbound', { fields: ['notes'] }, 'inbound.fields'],
    ['inbound', { fields: 'notes' }, 'inbound.fields'],
    ['inbound', { fields: {}, unmapped: 'ignore' }, 'inbound.unmapped'],
    ['inbound', { fields: {}, unmapped: null }, 'inbound.unmapped'],
    ['inbound', { fields: {}, unmapped: 'KEEP' }, 'inbound.unmapped'],
    ['inbound', { fields: {}, unmapped: true }, 'inbound.unmapped'],
    ['outbound', 'text', 'outbound'],
    ['outbound', {}, 'outbound.fields'],
    ['outbound', { fields: [] }, 'outbound.fields'],
    ['outbound', { fields: {}, unmapped: 'reject' }, 'outbound.unmapped'],
    ['outbound', { fields: {}, unmapped: 'nothing' }, 'outbound.unmapped'],
    ['identifier_field', 7, 'identifier_field'],
    ['identifier_field', [], 'identifier_field'],
  ])('refuses %s that is %j by name', async (member, value, field) => {
    const id = await makePartner()
    expectInvalid(await admin.put(at(id, 'orders'), { [member]: value }), field)
    expect(await savedOf(id)).toEqual([])
  })

  it.each([
    ['no JSON', '{"inbound":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['text', '"inbound"'],
  ])('refuses a body that is %s', async (_, text) => {
    const id = await makePartner()
    expectRefusal(await admin.put(at(id, 'orders'), text), 400, 'VALIDATION_ERROR')
  })

  it('takes every mode of unmapped', async () => {
    const id = await makePartner()
    for (const unmapped of ['keep', 'drop', 'reject']) {
      const saved = await saveMapping(admin, id, 'orders', { inbound: { unmapped, fields: {} } })
      expect(saved.inbound).toEqual({ unmapped, fields: {} })
    }
    for (const unmapped of ['keep', 'drop']) {
      const saved = await saveMapping(admin, id, 'orders', { outbound: { unmapped, fields: {} } })
      expect(saved.outbound).toEqual({ unmapped, fields: {} })
    }
  })

  it('has a row in the audit log, about the partner', async () => {
    const id = await makePartner()
    const { headers } = await admin.put(at(id, 'orders'), FULL)
    const request_id = headers.get('X-Request-Id')
    const { body } = await admin.get(`${AUDIT}?request_id=${request_id}`)
    expect(body.data).toEqual([
      expect.objectContaining({
        method: 'PUT',
        path: at(id, 'orders'),
        status: 200,
        partner: null,
      }),
    ])
    const row = await oneRow('select record_id from audit_log where request_id = ?', request_id)
    expect(row).toEqual({ record_id: id })
  })
})
