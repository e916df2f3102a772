import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { utc } from '../fixtures/settings.ts'
import { oneValue } from '../fixtures/sql.ts'
import { openAdmin, openTenant, unique } from '../fixtures/tenant.ts'
import {
  BAD_NAMES,
  fieldsWarned,
  findPartner,
  IDENTIFIER_FIELDS,
  makeDeleted,
  makePartner,
  NO_IDENTIFIER_FIELDS,
  PARTNERS,
  PAST,
  rowOf,
  warmUp,
} from './partners.ts'

describe('PUT /partners/{id}/', () => {
  it('changes what is sent, leaves the rest, and answers the record', async () => {
    const record = await makePartner()
    let expected = record
    for (const change of [
      { name: unique('renamed') },
      { default_identifier_field: 'external_order_id' },
      { name: unique('again'), default_identifier_field: 'customer_name' },
      { default_identifier_field: null },
    ]) {
      expected = { ...expected, ...change, updated_at: utc }
      const answer = await admin.put(`${PARTNERS}${record.id}/`, change)
      expect([answer.status, answer.body]).toEqual([200, { success: true, data: expected }])
      expect(await findPartner(record.id)).toEqual(answer.body.data)
    }
  })

  it('moves updated_at and never created_at', async () => {
    const { id, created_at } = await makePartner()
    await scheduler.wait(5)
    const { body } = await admin.put(`${PARTNERS}${id}/`, { name: unique('x') })
    expect(body.data.created_at).toBe(created_at)
    expect(body.data.updated_at > created_at).toBe(true)
  })

  it('without a field changes nothing', async () => {
    const { id } = await makePartner({ default_identifier_field: 'sku' })
    const before = await rowOf(id)
    await scheduler.wait(5)
    for (const body of [{}, undefined]) {
      expect((await admin.put(`${PARTNERS}${id}/`, body)).status).toBe(200)
      expect(await rowOf(id)).toEqual(before)
    }
  })

  it('names what it does not change', async () => {
    const record = await makePartner()
    const readOnly = { id: 'x', created_at: PAST, updated_at: PAST, deleted_at: PAST, mappings: {} }
    const answer = await admin.put(`${PARTNERS}${record.id}/`, readOnly)
    expect(answer.body.data).toEqual(record)
    expect(fieldsWarned(answer)).toEqual(Object.keys(readOnly))
    expect(await findPartner(record.id)).toEqual(record)
  })

  it.each(BAD_NAMES)('refuses a name that is %s and changes nothing', async (_, name) => {
    const { id } = await makePartner({ default_identifier_field: 'sku' })
    const before = await rowOf(id)
    const change = { name, default_identifier_field: null }
    expectInvalid(await admin.put(`${PARTNERS}${id}/`, change), 'name')
    expect(await rowOf(id)).toEqual(before)
  })

  it.each(IDENTIFIER_FIELDS)('takes default_identifier_field %s', async (field) => {
    const { id } = await makePartner()
    const { body } = await admin.put(`${PARTNERS}${id}/`, { default_identifier_field: field })
    expect(body.data.default_identifier_field).toBe(field)
  })

  it.each(NO_IDENTIFIER_FIELDS)('refuses default_identifier_field %j', async (field) => {
    const { id } = await makePartner({ default_identifier_field: 'sku' })
    const before = await rowOf(id)
    const change = { name: unique('x'), default_identifier_field: field }
    expectInvalid(await admin.put(`${PARTNERS}${id}/`, change), 'default_identifier_field')
    expect(await rowOf(id)).toEqual(before)
  })

  it('is 409 DUPLICATE for a name that another partner has, and changes nothing', async () => {
    const { name } = await makePartner()
    const { id } = await makePartner()
    const before = await rowOf(id)
    const answer = await admin.put(`${PARTNERS}${id}/`, { name, default_identifier_field: 'sku' })
    expectRefusal(answer, 409, 'DUPLICATE', `A partner with the name "${name}" already exists.`)
    expect(Object.keys(answer.body.error.fields)).toEqual(['name'])
    expect(await rowOf(id)).toEqual(before)
  })

  it('takes its own name and the name of a deleted partner', async () => {
    const { id, name } = await makePartner()
    expect((await admin.put(`${PARTNERS}${id}/`, { name })).status).toBe(200)
    const deleted = await makeDeleted()
    const { status, body } = await admin.put(`${PARTNERS}${id}/`, { name: deleted.name })
    expect([status, body.data.name]).toEqual([200, deleted.name])
  })

  it('lets exactly one of two concurrent requests have the name', async () => {
    for (let round = 0; round < 5; round++) {
      const name = unique('race')
      const { id } = await makePartner()
      await warmUp()
      const answers = await Promise.all([
        admin.put(`${PARTNERS}${id}/`, { name }),
        admin.post(PARTNERS, { name }),
      ])
      const won = answers.filter(({ status }) => status < 300)
      const lost = answers.filter(({ status }) => status === 409)
      expect([won.length, lost.length]).toEqual([1, 1])
    }
  })

  it('holds from the very next request of a key of the partner', async () => {
    const { id, api } = await openPartner()
    const [external, sku] = [unique('EXT'), unique('S')]
    await api.post('/products/', { sku })
    const items = [{ sku_code: sku, quantity: 1 }]
    const order = { order_number: unique('O'), external_order_id: external, items }
    expect((await api.post('/orders/', order)).status).toBe(201)
    expectRefusal(await api.get(`/orders/${external}/`), 404, 'NOT_FOUND')

    await admin.put(`${PARTNERS}${id}/`, { default_identifier_field: 'external_order_id' })
    expect((await api.get(`/orders/${external}/`)).body.data.order_number).toBe(order.order_number)
    expect((await api.get(`/products/${sku}/`)).body.data.sku).toBe(sku)

    await admin.put(`${PARTNERS}${id}/`, { default_identifier_field: null })
    expectRefusal(await api.get(`/orders/${external}/`), 404, 'NOT_FOUND')
  })

  it('is 404 for an unknown id', async () => {
    const path = `${PARTNERS}${crypto.randomUUID()}/`
    const { name } = await makePartner()
    for (const body of [{}, { name: unique('x') }, { name }, { default_identifier_field: null }]) {
      expectRefusal(await admin.put(path, body), 404, 'NOT_FOUND')
    }
  })
})

describe('default_identifier_field', () => {
  // In the other tenant, where no other test has had a field indexed.
  const make = async (fields: object): Promise<string> => {
    const { body } = await (await openAdmin('other')).post(PARTNERS, {
      name: unique('partner'),
      ...fields,
    })
    return body.data.id
  }
  const planOf = async (table: string, field: string) => {
    const plan = `explain query plan select id from ${table} where ${field} = 'x'`
    return JSON.stringify((await (await openTenant('other')).prepare(plan).all()).results)
  }

  it('is indexed when a partner is made with it', async () => {
    expect(await planOf('locations', 'aisle')).toContain('SCAN locations')
    await make({ default_identifier_field: 'aisle' })
    expect(await planOf('locations', 'aisle')).toMatch(/SEARCH locations USING INDEX/)
  })

  it('is indexed when a partner is given it, in every resource that has it', async () => {
    for (const field of ['customer_name', 'cost']) {
      const id = await make({})
      await (await openAdmin('other')).put(`${PARTNERS}${id}/`, { default_identifier_field: field })
    }
    expect(await planOf('orders', 'customer_name')).toMatch(/SEARCH orders USING INDEX/)
    expect(await planOf('products', 'cost')).toMatch(/SEARCH products USING INDEX/)
  })
})

describe('settings_version', () => {
  const version = () => oneValue<number>('select settings_version from workspace')

  it.each([
    ['goes up when a partner is made', 201, 1, () => admin.post(PARTNERS, { name: unique('x') })],
    [
      'goes up when a partner is renamed',
      200,
      1,
      (id: string) => admin.put(`${PARTNERS}${id}/`, { name: unique('x') }),
    ],
    [
      'goes up when a partner gets a default_identifier_field',
      200,
      1,
      (id: string) => admin.put(`${PARTNERS}${id}/`, { default_identifier_field: 'sku' }),
    ],
    [
      'goes up when a partner is deleted',
      200,
      1,
      (id: string) => admin.delete(`${PARTNERS}${id}/`),
    ],
    ['stays when partners are listed', 200, 0, () => admin.get(PARTNERS)],
    ['stays when a partner is read', 200, 0, (id: string) => admin.get(`${PARTNERS}${id}/`)],
    [
      'stays when a change names no field',
      200,
      0,
      (id: string) => admin.put(`${PARTNERS}${id}/`, {}),
    ],
    [
      'stays when a change is refused',
      400,
      0,
      (id: string) => admin.put(`${PARTNERS}${id}/`, { name: '' }),
    ],
    ['stays when an unknown partner is deleted', 404, 0, () => admin.delete(`${PARTNERS}x/`)],
  ])('%s', async (_, status, raise, request) => {
    const { id } = await makePartner()
    const before = (await version()) ?? 0
    expect((await request(id)).status).toBe(status)
    expect(((await version()) ?? 0) - before).toBe(raise)
  })
})
