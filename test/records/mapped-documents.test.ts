import { describe, expect, it } from 'vitest'
import { openPartner } from '../fixtures/partner.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import {
  createLocation,
  createOrder,
  createProduct,
  dataOf,
  openApi,
  path,
} from '../fixtures/warehouse.ts'

const LINES = { 'items[].sku_code': 'lines[].sku', 'items[].quantity': 'lines[].qty' }

describe("POST /orders/ with another partner's order number", () => {
  const ADVICE =
    'It did not come from you: put a prefix before your numbers, with a mapping such as {"join": [{"value": "SHOP2-"}, "number"], "with": ""}.'

  it('says that it is not an earlier attempt, and how to tell the two apart', async () => {
    const inbound = { unmapped: 'drop', fields: { order_number: 'number', ...LINES } }
    const first = await openPartner({ mappings: { orders: { inbound } } })
    const second = await openPartner({ mappings: { orders: { inbound } } })
    const { sku } = await createProduct(first.admin)
    const number = unique('O')
    const document = { number, lines: [{ sku, qty: 1 }] }
    dataOf(await first.api.post('/orders/', document), 201)

    const exists = `An order with the number "${number}" already exists.`
    const again = await first.api.post('/orders/', document)
    expect([again.status, again.body.error.fields]).toEqual([400, { order_number: [exists] }])

    const other = await second.api.post('/orders/', document)
    const fields = { order_number: [`${exists} ${ADVICE}`] }
    expect([other.status, other.body.error.fields]).toEqual([400, fields])
    expect(other.body.detail).toBe(`number: ${exists} ${ADVICE}`)

    const prefixed = { join: [{ value: 'SHOP2-' }, 'number'], with: '' }
    const third = await openPartner({
      mappings: {
        orders: { inbound: { ...inbound, fields: { ...inbound.fields, order_number: prefixed } } },
      },
    })
    const { order_number } = dataOf(await third.api.post('/orders/', document), 201)
    expect(order_number).toBe(`SHOP2-${number}`)
  })

  it('says so to a key without a partner as well, and of its own order does not', async () => {
    const api = await openApi()
    const { order_number, items } = await createOrder(api)
    const lines = [{ sku_code: items[0].sku.sku, quantity: 1 }]
    const own = await api.post('/orders/', { order_number, items: lines })
    expect(own.body.detail).toBe(
      `order_number: An order with the number "${order_number}" already exists.`,
    )
    const partner = await openPartner()
    const foreign = await partner.api.post('/orders/', { order_number, items: lines })
    expect(foreign.body.detail).toContain(ADVICE)
  })
})

describe('a mapping that reads arrays by index', () => {
  /** The warnings about elements that it passes over, with their numbers. */
  async function passedOver(fields: object, document: object) {
    const rules = { order_number: 'number', ...LINES, ...fields }
    const inbound = { unmapped: 'reject', fields: rules }
    const { api, admin } = await openPartner({ mappings: { orders: { inbound } } })
    const { sku } = await createProduct(admin)
    const lines = [1, 2].map((qty) => ({ sku, qty, notes: ['a', 'b', 'c'] }))
    const { body } = await api.post('/orders/', { number: unique('O'), lines, ...document })
    expect(body.error).toBeUndefined()
    return body.warnings.map(({ field, message }: Json) => [field, message.match(/\d+/)?.[0]])
  }

  it('counts what it passes over in all elements of an outer array', async () => {
    const warnings = await passedOver({ 'items[].notes': 'lines[].notes[0]' }, {})
    expect(warnings).toEqual([['lines[].notes[1]', '4']])
  })

  it('names it first, however many fields it does not read', async () => {
    const names = Array.from({ length: 1100 }, (_, index) => [`unread${index}`, 1])
    const document = { head: Object.fromEntries([...names, ['memo', 'x']]), refs: [1, 2, 3] }
    const fields = { notes: 'head.memo', 'metadata.ref': 'refs[-1]' }
    const warnings = await passedOver({ ...fields, 'items[].notes': 'lines[].notes[0]' }, document)
    expect(warnings.slice(0, 2)).toEqual([
      ['lines[].notes[1]', '4'],
      ['refs[0]', '2'],
    ])
  })
})

describe('an outbound mapping', () => {
  const FIELDS = {
    id: { from: 'external_order_id', as: 'integer' },
    placed: { from: 'order_date', as: 'datetime', format: 'epoch_seconds' },
    due: { from: 'due_date', as: 'datetime', format: 'epoch_milliseconds' },
    title: { join: [{ value: 'Order' }, 'order_number', 'customer_name'] },
    state: { from: 'status', values: { pending: 'new', '*': 'other' } },
    memo: { from: ['notes', 'metadata.note'], default: '-' },
    'lines[]': { each: 'items[?@.quantity > 1]' },
    'lines[].sku': 'items[].sku.sku',
    first: 'items[?@.quantity == 1].sku.sku',
    skus: { join: ['items[].sku.sku'], with: ',' },
  }

  it('converts, joins and filters the records in answers', async () => {
    const { api, admin } = await openPartner({
      mappings: { orders: { outbound: { fields: FIELDS } } },
    })
    const skus = [await createProduct(admin), await createProduct(admin)].map(({ sku }) => sku)
    const [one, other] = skus
    const order_number = unique('O')
    const sent = {
      order_number,
      external_order_id: '4711',
      customer_name: 'Kim',
      order_date: '2026-03-14T09:30:30.500Z',
      items: [
        { sku_code: one, quantity: 1 },
        { sku_code: other, quantity: 3 },
      ],
    }
    const shown = {
      id: 4711,
      placed: Date.parse('2026-03-14T09:30:30Z') / 1000,
      title: `Order ${order_number} Kim`,
      state: 'new',
      memo: '-',
      lines: [{ sku: other }],
      first: one,
      skus: skus.join(),
    }
    expect(dataOf(await api.post('/orders/', sent), 201)).toStrictEqual(shown)
    expect(dataOf(await api.get(path('orders', order_number)), 200)).toStrictEqual(shown)
    const changed = { due_date: '2026-03-15', status: 'in_progress' }
    expect(dataOf(await api.put(path('orders', order_number), changed), 200)).toStrictEqual({
      ...shown,
      due: Date.parse('2026-03-15'),
      state: 'other',
    })
  })

  it('leaves out what cannot be converted or is ambiguous, and still answers 201', async () => {
    const fields = {
      no: 'order_number',
      id: { from: 'external_order_id', as: 'integer' },
      state: { from: 'status', values: { shipped: 'done' } },
      one: 'items[?@.quantity == 2].sku.sku',
    }
    const { api, admin } = await openPartner({ mappings: { orders: { outbound: { fields } } } })
    const { sku } = await createProduct(admin)
    const lines = [
      { sku_code: sku, quantity: 2 },
      { sku_code: sku, quantity: 2 },
    ]
    const sent = { order_number: unique('O'), external_order_id: 'not a number', items: lines }
    const data = dataOf(await api.post('/orders/', sent), 201)
    expect(data).toStrictEqual({ no: sent.order_number })
  })

  it.each([
    ['required', { no: { from: 'order_number', required: true } }, 'no'],
    ['a field that the record does not have', { no: { join: ['order_no'] } }, 'no'],
    ['a filter on such a field', { a: "items[?@.colour == 'red'].notes" }, 'a'],
    ['a path of an array', { no: '$[0].order_number' }, 'no'],
  ])('is refused with %s', async (_, fields, rule) => {
    const { id, admin } = await openPartner()
    const at = `/api/settings/v1/partners/${id}/mappings/orders/`
    const { status, body } = await admin.put(at, { outbound: { fields } })
    expect([status, Object.keys(body.error.fields)]).toEqual([400, [`outbound.fields.${rule}`]])
  })
})

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
