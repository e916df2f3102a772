import { beforeEach, describe, expect, it } from 'vitest'
import { idOf, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import type { PartnerOptions } from '../fixtures/partner.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { type Answer, type Api, openAdmin, openTenant, unique } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'

let admin: Api

beforeEach(async () => {
  await openTenant()
  admin = await openAdmin()
})

const kept = (options: PartnerOptions = {}) => openKept({ of: 'errors', days: 7 }, options)

const again = (answer: Answer, body: object = { as: 'change' }) =>
  admin.post(`${SETTINGS}/audit-log/${idOf(answer)}/send-again/`, body)

const productNow = async (sku: string) => (await admin.get(`/products/${sku}/`)).body.data

const ORDERS = {
  identifier_field: 'external_order_id',
  inbound: {
    fields: {
      order_number: 'no',
      external_order_id: 'id',
      customer_name: 'name',
      'items[].sku_code': 'lines[].sku',
      'items[].quantity': 'lines[].qty',
    },
  },
}

describe('POST /audit-log/{request_id}/send-again/ as a change', () => {
  it('changes the record that is there, and creates no second one', async () => {
    const { api } = await kept()
    const sku = unique('S')
    const { id } = (await api.post('/products/', { sku, quantity: 1 })).body.data
    const refused = await api.post('/products/', { sku, quantity: 9 })
    expect(refused.status).toBe(409)
    const { body } = await again(refused)
    expect(body.data).toMatchObject({ status: 200, replay_of: idOf(refused) })
    expect(await productNow(sku)).toMatchObject({ id, quantity: 9 })
    const row = (await admin.get(`${SETTINGS}/audit-log/${body.data.request_id}/`)).body.data
    expect(row).toMatchObject({ method: 'PUT', replay_of: idOf(refused), record_name: sku })
  })

  it('finds an order whatever its partner calls it, and keeps its lines', async () => {
    const { api } = await kept({ mappings: { orders: ORDERS } })
    const { sku } = await createProduct(admin)
    const order = (name: string, qty: number) => ({
      no: number,
      id: unique('E'),
      name,
      lines: [{ sku, qty }],
    })
    const number = unique('O')
    const { items } = (await api.post('/orders/', order('Ada', 2))).body.data
    const refused = await api.post('/orders/', order('Eve', 3))
    expect(refused.status).toBe(400)
    expect((await again(refused)).body.data.status).toBe(200)
    const { data } = (await admin.get(`/orders/${number}/`)).body
    expect(data).toMatchObject({ customer_name: 'Eve', items })
  })

  it('does not undo a later change of the record, unless it is told to', async () => {
    const { api } = await kept()
    const sku = unique('S')
    await api.post('/products/', { sku, quantity: 1 })
    const refused = await api.post('/products/', { sku, quantity: 9 })
    await api.put(`/products/${sku}/`, { quantity: 5 })
    // That of another product is none.
    await api.post('/products/', { sku: unique('S') })
    const sent = await again(refused)
    expectRefusal(sent, 400, 'SERVICE_ERROR')
    expect(sent.body.error.reason).toBe('SUPERSEDED')
    expect(await productNow(sku)).toMatchObject({ quantity: 5 })
    expect((await again(refused, { as: 'change', force: true })).body.data.status).toBe(200)
    expect(await productNow(sku)).toMatchObject({ quantity: 9 })
  })

  it.each([
    [
      'a record that is not there',
      async () => (await kept()).api.post('/products/', { sku: unique('S'), quantity: 'x' }),
    ],
    ['stock', async () => (await kept()).api.post('/inventory/', { inventory: 'x' })],
    [
      'an order of another partner',
      async () => {
        const { sku } = await createProduct(admin)
        const order = { order_number: unique('O'), items: [{ sku_code: sku, quantity: 1 }] }
        await (await kept()).api.post('/orders/', order)
        return await (await kept()).api.post('/orders/', { ...order, notes: 'mine' })
      },
    ],
  ])('is 400 for %s', async (_, refuse) => {
    const refused = await refuse()
    expect(refused.status).toBeGreaterThanOrEqual(400)
    const sent = await again(refused)
    expectRefusal(sent, 400, 'SERVICE_ERROR')
    expect(sent.body.error.reason).toBe('CANNOT_SEND_AGAIN')
  })
})
