import { describe, expect, it } from 'vitest'
import { openPartner } from '../fixtures/partner.ts'
import { unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct, dataOf, openApi, path } from '../fixtures/warehouse.ts'

const NO_OBJECT = 'The body must be a JSON object.'
const MAPPED = `${NO_OBJECT} A mapping may read an array: its paths then begin with $[].`

async function openShop(resource: string, fields: object) {
  return await openPartner({ mappings: { [resource]: { inbound: { fields } } } })
}

describe('a body that is an array', () => {
  it('is refused without a mapping, with advice that needs none', async () => {
    const { api } = await openPartner()
    const single = `${NO_OBJECT} Send each record in a request of its own.`
    const bodies = [[], [{ order_number: 'A' }], [[1]]]
    const sent = [
      ...bodies.map((body) => api.post('/orders/', body)),
      (await openApi()).post('/orders/', [{ order_number: 'A' }]),
      api.put(path('orders', 'A'), []),
    ]
    for (const { status, body } of await Promise.all(sent)) {
      expect([status, body.error]).toEqual([
        400,
        { code: 'VALIDATION_ERROR', reason: 'NOT_AN_OBJECT', message: single },
      ])
    }
    const rows = `${NO_OBJECT} Send the array as its member "inventory".`
    expect((await api.post('/inventory/', [])).body.detail).toBe(rows)
  })

  it('is refused with a mapping of objects, with what a mapping may do', async () => {
    const { api } = await openShop('orders', { order_number: 'number' })
    const { status, body } = await api.post('/orders/', [{ number: 'A' }])
    expect([status, body.detail]).toEqual([400, MAPPED])
  })

  it('is no advice for other values', async () => {
    const { api } = await openPartner()
    const { body } = await api.post('/orders/', '7')
    expect(body.detail).toBe(NO_OBJECT)
  })
})

describe('POST /orders/ with an array', () => {
  const FIELDS = {
    order_number: '$[?@.number].number',
    'items[]': { each: '$[?@.sku]' },
    'items[].sku_code': '$[].sku',
    'items[].quantity': { from: '$[].qty', as: 'integer' },
  }

  it('creates an order of its elements', async () => {
    const { api, admin } = await openShop('orders', FIELDS)
    const { sku } = await createProduct(admin)
    const number = unique('O')
    const sent = [{ number }, { sku, qty: '2' }, { freight: 4 }, { sku, qty: '3' }]
    dataOf(await api.post('/orders/', sent), 201)
    const { items } = dataOf(await admin.get(path('orders', number)), 200)
    expect(items).toMatchObject([
      { sku: { sku }, quantity: 2 },
      { sku: { sku }, quantity: 3 },
    ])
  })

  it("names the array's own places in errors", async () => {
    const { api } = await openShop('orders', FIELDS)
    const sent = [{ number: unique('O') }, { sku: 'S' }, { sku: ' ', qty: 1 }]
    const { status, body } = await api.post('/orders/', sent)
    expect(status).toBe(400)
    expect(body.error.source).toEqual({
      'items[0].quantity': '$[1].qty',
      'items[1].sku_code': '$[2].sku',
    })
  })

  it('refuses to take one of several orders by its index, and makes none of them', async () => {
    const fields = {
      order_number: '$[0].number',
      'items[].sku_code': '$[0].lines[].sku',
      'items[].quantity': '$[0].lines[].qty',
    }
    const { api, admin } = await openShop('orders', fields)
    const { sku } = await createProduct(admin)
    const order = { number: unique('O'), lines: [{ sku, qty: 1 }] }
    const { status, body } = await api.post('/orders/', [order, order, order])
    expect([status, body.error.code]).toEqual([422, 'MAPPING_ERROR'])
    expect((await admin.get(path('orders', order.number))).status).toBe(404)
    dataOf(await api.post('/orders/', [order]), 201)
  })

  it('refuses a document that is no array', async () => {
    const { api } = await openShop('orders', FIELDS)
    const { status, body } = await api.post('/orders/', { number: 'A' })
    const message =
      "The body must be an array, of JSON or the rows of a CSV: the mapping's paths begin with $[."
    expect([status, body.error]).toEqual([
      400,
      { code: 'VALIDATION_ERROR', reason: 'NOT_AN_OBJECT', message },
    ])
  })
})

describe('POST /inventory/ with nested arrays in an array', () => {
  it('makes a row of each inner element, and names its place in a row error', async () => {
    const { api, admin } = await openShop('inventory', {
      'inventory[]': { each: '$[].stock[]' },
      'inventory[].location_code': '$[].code',
      'inventory[].sku_code': '$[].stock[].item',
      'inventory[].quantity': { from: '$[].stock[].qty', as: 'integer' },
    })
    const { sku } = await createProduct(admin)
    const [one, other] = [await createLocation(admin), await createLocation(admin)]
    const sent = [
      { code: one.code, stock: [{ item: sku, qty: '4' }] },
      { code: unique('EMPTY') },
      {
        code: other.code,
        stock: [
          { item: sku, qty: '5.000' },
          { item: sku, qty: 'many' },
        ],
      },
    ]
    const data = dataOf(await api.post('/inventory/', sent), 200)
    expect(data).toMatchObject({ total: 3, created: 2, failed: 1 })
    expect(data.errors).toEqual([
      {
        row: 2,
        location_id: other.code,
        product_id: sku,
        errors: { quantity: ['The mapping expects an integer here, not "many".'] },
        source: { quantity: '$[2].stock[1].qty' },
      },
    ])
    const stored = dataOf(await admin.get(`${path('inventory', sku)}?by=sku`), 200)
    expect(stored).toMatchObject([
      { location_code: other.code, quantity: 5 },
      { location_code: one.code, quantity: 4 },
    ])
  })
})
