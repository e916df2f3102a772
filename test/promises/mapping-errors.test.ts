import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { createLocation, createOrder, dataOf, path } from '../fixtures/warehouse.ts'
import { api, inbound, type Request, sku } from './mappings.ts'

const ACME = {
  orders: inbound({
    order_number: 'header.number',
    customer_name: 'header.buyer.name',
    status: 'header.state',
    'items[].sku_code': 'lines[].article.code',
    'items[].quantity': 'lines[].qty',
  }),
  products: inbound({ sku: 'article.code', quantity: 'article.qoh' }),
  locations: inbound({ code: 'bin.code', zone: 'bin.zone' }),
  inventory: inbound({
    'inventory[].location_code': 'stock[].bin',
    'inventory[].sku_code': 'stock[].item',
    'inventory[].quantity': 'stock[].on_hand',
    source: 'meta.source',
  }),
}

const line = (code: string, qty: unknown) => ({ article: { code }, qty })

async function pathOfShipped(): Promise<string> {
  const where = path('orders', (await createOrder(api)).order_number)
  dataOf(await api.put(where, { status: 'shipped' }), 200)
  return where
}

interface Faulty {
  what: string
  /** The document in the partner's words and the same in ours. */
  partners: () => Promise<Request>
  ours: () => Promise<Request>
  error: [number, string]
  source: Record<string, string>
}

const FAULTY: Faulty[] = [
  {
    what: 'values of a wrong type',
    partners: async () => [
      'POST',
      '/orders/',
      {
        header: { number: unique('O'), buyer: { name: 5 } },
        lines: [line(sku, 1), line(sku, 'two'), line(sku, 0)],
      },
    ],
    ours: async () => [
      'POST',
      '/orders/',
      {
        order_number: unique('O'),
        customer_name: 5,
        items: [
          { sku_code: sku, quantity: 1 },
          { sku_code: sku, quantity: 'two' },
          { sku_code: sku, quantity: 0 },
        ],
      },
    ],
    error: [400, 'VALIDATION_ERROR'],
    source: {
      customer_name: 'header.buyer.name',
      'items[1].quantity': 'lines[1].qty',
      'items[2].quantity': 'lines[2].qty',
    },
  },
  {
    what: 'values that are missing',
    partners: async () => ['POST', '/orders/', { header: {}, lines: [{ article: {} }] }],
    ours: async () => ['POST', '/orders/', { items: [{}] }],
    error: [400, 'VALIDATION_ERROR'],
    source: {
      order_number: 'header.number',
      'items[0].sku_code': 'lines[0].article.code',
      'items[0].quantity': 'lines[0].qty',
    },
  },
  {
    what: 'a list that is missing',
    partners: async () => ['POST', '/orders/', { header: { number: unique('O') } }],
    ours: async () => ['POST', '/orders/', { order_number: unique('O') }],
    error: [400, 'VALIDATION_ERROR'],
    source: { items: 'lines' },
  },
  {
    what: 'lines that name no product',
    partners: async () => [
      'POST',
      '/orders/',
      { header: { number: unique('O') }, lines: [line(sku, 1), line('none', 1)] },
    ],
    ours: async () => [
      'POST',
      '/orders/',
      {
        order_number: unique('O'),
        items: [
          { sku_code: sku, quantity: 1 },
          { sku_code: 'none', quantity: 1 },
        ],
      },
    ],
    error: [400, 'SERVICE_ERROR'],
    source: { 'items[1].sku_code': 'lines[1].article.code' },
  },
  {
    what: 'a number that an order has',
    partners: async () => {
      const { order_number } = await createOrder(api)
      return ['POST', '/orders/', { header: { number: order_number }, lines: [line(sku, 1)] }]
    },
    ours: async () => {
      const { order_number } = await createOrder(api)
      return ['POST', '/orders/', { order_number, items: [{ sku_code: sku, quantity: 1 }] }]
    },
    error: [400, 'VALIDATION_ERROR'],
    source: { order_number: 'header.number' },
  },
  {
    what: 'a PUT of an order',
    partners: async () => [
      'PUT',
      path('orders', (await createOrder(api)).order_number),
      { header: { buyer: { name: [] } } },
    ],
    ours: async () => [
      'PUT',
      path('orders', (await createOrder(api)).order_number),
      { customer_name: [] },
    ],
    error: [400, 'VALIDATION_ERROR'],
    source: { customer_name: 'header.buyer.name' },
  },
  {
    what: 'a PUT that reopens a shipped order',
    partners: async () => ['PUT', await pathOfShipped(), { header: { state: 'pending' } }],
    ours: async () => ['PUT', await pathOfShipped(), { status: 'pending' }],
    error: [400, 'SERVICE_ERROR'],
    source: { status: 'header.state' },
  },
  {
    what: 'a SKU that a product has',
    partners: async () => ['POST', '/products/', { article: { code: sku } }],
    ours: async () => ['POST', '/products/', { sku }],
    error: [409, 'DUPLICATE'],
    source: { sku: 'article.code' },
  },
  {
    what: 'a PUT of a product',
    partners: async () => ['PUT', path('products', sku), { article: { qoh: '3' } }],
    ours: async () => ['PUT', path('products', sku), { quantity: '3' }],
    error: [400, 'VALIDATION_ERROR'],
    source: { quantity: 'article.qoh' },
  },
  {
    what: 'a location without its code',
    partners: async () => ['POST', '/locations/', { bin: { zone: 7 } }],
    ours: async () => ['POST', '/locations/', { zone: 7 }],
    error: [400, 'VALIDATION_ERROR'],
    source: { code: 'bin.code', zone: 'bin.zone' },
  },
  {
    what: 'a code that a location has',
    partners: async () => ['POST', '/locations/', { bin: await createLocation(api) }],
    ours: async () => ['POST', '/locations/', await createLocation(api)],
    error: [409, 'DUPLICATE'],
    source: { code: 'bin.code' },
  },
  {
    what: 'an upload of no known source',
    partners: async () => ['POST', '/inventory/', { stock: [{}], meta: { source: 'x' } }],
    ours: async () => ['POST', '/inventory/', { inventory: [{}], source: 'x' }],
    error: [400, 'VALIDATION_ERROR'],
    source: { source: 'meta.source' },
  },
  {
    what: 'an upload without rows',
    partners: async () => ['POST', '/inventory/', { stock: [] }],
    ours: async () => ['POST', '/inventory/', { inventory: [] }],
    error: [400, 'VALIDATION_ERROR'],
    source: { inventory: 'stock' },
  },
]

describe('the error of', () => {
  it.each(
    sample(
      FAULTY.map((faulty) => [faulty.what, faulty] as const),
      5,
    ),
  )("%s names the partner's own paths beside ours", async (_, { partners, error, source }) => {
    const partner = await openPartner({ mappings: ACME })
    const answer = await partner.api.call(...(await partners()))
    expect([answer.status, answer.body.error.code]).toEqual(error)
    expect(answer.body.error.source).toEqual(source)
    expect(Object.keys(answer.body.error.fields).toSorted()).toEqual(Object.keys(source).toSorted())
  })

  it.each(
    sample(
      FAULTY.map((faulty) => [faulty.what, faulty] as const),
      5,
    ),
  )(
    '%s names no source to a pass-through key, nor to a partner without that mapping',
    async (_, { ours, error, source }) => {
      const request = await ours()
      const resource = request[1].split('/')[1] as keyof typeof ACME
      const { [resource]: __, ...mappings } = ACME
      const partner = await openPartner({ mappings })
      for (const caller of [api, partner.api]) {
        const answer = await caller.call(...request)
        expect([answer.status, answer.body.error.code]).toEqual(error)
        expect(Object.keys(answer.body.error.fields).toSorted()).toEqual(
          Object.keys(source).toSorted(),
        )
        expect(answer.body.error).not.toHaveProperty('source')
      }
    },
  )

  it('a fixed value of the mapping names no source of it', async () => {
    const fields = { 'items[].sku_code': { value: 'none' }, 'items[].quantity': 'lines[].qty' }
    const orders = inbound({ order_number: 'header.number', ...fields })
    const partner = await openPartner({ mappings: { orders } })
    const body = { header: { number: unique('O') }, lines: [{ qty: 1 }] }
    const { error } = (await partner.api.post('/orders/', body)).body
    expect(Object.keys(error.fields)).toEqual(['items[0].sku_code'])
    expect(error).not.toHaveProperty('source')
  })

  it("each row of an upload names the partner's own paths", async () => {
    const { code } = await createLocation(api)
    const partner = await openPartner({ mappings: ACME })
    const stock = [
      { bin: code, item: sku, on_hand: 1 },
      { bin: code, item: sku, on_hand: -1 },
      { bin: 'none', item: 'none', on_hand: 1 },
      { item: sku },
      { bin: 'none', item: sku, on_hand: '1' },
    ]
    const data = dataOf(await partner.api.post('/inventory/', { stock }), 200)
    expect([data.created, data.failed]).toEqual([1, 4])
    expect(data.errors.map(({ row, source }: Json) => [row, source])).toEqual([
      [1, { quantity: 'stock[1].on_hand' }],
      [2, { location_code: 'stock[2].bin', sku_code: 'stock[2].item' }],
      [3, { location_code: 'stock[3].bin', quantity: 'stock[3].on_hand' }],
      [4, { location_code: 'stock[4].bin', quantity: 'stock[4].on_hand' }],
    ])
  })

  it('each row of an upload names no source to a pass-through key', async () => {
    const inventory = [{ location_code: 'none', sku_code: sku, quantity: 1 }, {}]
    const { errors } = dataOf(await api.post('/inventory/', { inventory }), 200)
    expect(errors).toHaveLength(2)
    for (const error of errors) expect(error).not.toHaveProperty('source')
  })
})
