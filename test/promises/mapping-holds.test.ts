import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { client, createKey, unique } from '../fixtures/tenant.ts'
import { createLocation, createOrder, dataOf, path } from '../fixtures/warehouse.ts'
import {
  api,
  at,
  auditRowsOf,
  contentOf,
  document,
  elsewhere,
  from,
  inbound,
  LINES,
  type Mapping,
  orderRows,
  type Partner,
  type Request,
  saveBySql,
  sku,
  warm,
} from './mappings.ts'
import { type GoTo, goElsewhere, stay } from './places.ts'

// P3 and P5 (docs/ARCHITECTURE.md) for mappings. Whatever was compiled and cached a moment ago, the
// next request uses the mapping that is saved, and its errors name the fields of that mapping.

type Save = (partner: Partner, resource: string, mapping: Mapping) => Promise<unknown>

/** How a mapping is saved, and from where the next request is answered. */
const SAVES: [string, Save, GoTo][] = [
  [
    'through the isolate that is asked next',
    (partner, resource, mapping) => saveMapping(partner.admin, partner.id, resource, mapping),
    stay,
  ],
  [
    'through another isolate than is asked next',
    async (partner, resource, mapping) => {
      const { value } = await createKey(['settings.*'])
      const admin = client(value, elsewhere)
      return await saveMapping(admin, partner.id, resource, mapping)
    },
    stay,
  ],
  ['in the database, while a cold isolate finds a stale KV', saveBySql, goElsewhere],
]

interface Fix {
  what: string
  resource: string
  wrong: Mapping
  right: Mapping
  request: () => Promise<Request>
  refusal: [number, string]
  status: number
}

const postOrder = (fields: object) => async (): Promise<Request> => [
  'POST',
  '/orders/',
  { number: unique('O'), lines: [{ code: sku, qty: 1, text: unique('none') }], ...fields },
]

async function twoOrders(): Promise<string> {
  const name = unique('NAME')
  await createOrder(api, { customer_name: name })
  await createOrder(api, { customer_name: name, external_order_id: name })
  return name
}

const FIXES: Fix[] = [
  {
    what: 'a POST that the mapping could not read',
    resource: 'orders',
    wrong: inbound({ order_number: 'number.text', ...LINES }),
    right: inbound({ order_number: 'number', ...LINES }),
    request: postOrder({}),
    refusal: [422, 'MAPPING_ERROR'],
    status: 201,
  },
  {
    what: 'a POST that lacked what the mapping requires',
    resource: 'orders',
    wrong: inbound({ order_number: { from: 'nr', required: true }, ...LINES }),
    right: inbound({ order_number: { from: 'number', required: true }, ...LINES }),
    request: postOrder({}),
    refusal: [422, 'MAPPING_ERROR'],
    status: 201,
  },
  {
    what: 'a POST with a field that the mapping refused',
    resource: 'orders',
    wrong: { inbound: { unmapped: 'reject', fields: { order_number: 'number', ...LINES } } },
    right: inbound({ order_number: 'number', ...LINES }),
    request: postOrder({ more: 1 }),
    refusal: [422, 'MAPPING_ERROR'],
    status: 201,
  },
  {
    what: 'a POST that was invalid once mapped',
    resource: 'orders',
    wrong: inbound({ order_number: 'nr', ...LINES }),
    right: inbound({ order_number: 'number', ...LINES }),
    request: postOrder({}),
    refusal: [400, 'VALIDATION_ERROR'],
    status: 201,
  },
  {
    what: 'a POST whose lines named no product once mapped',
    resource: 'orders',
    wrong: inbound({ order_number: 'number', ...LINES, 'items[].sku_code': 'lines[].text' }),
    right: inbound({ order_number: 'number', ...LINES }),
    request: postOrder({}),
    refusal: [400, 'SERVICE_ERROR'],
    status: 201,
  },
  {
    what: 'an upload that was invalid once mapped',
    resource: 'inventory',
    wrong: inbound({ 'inventory[].location_code': 'rows[].bin' }),
    right: inbound({ 'inventory[].location_code': 'stock[].bin' }),
    // A code that is written in one way alone: near ones are another round trip.
    request: async () => ['POST', '/inventory/', { stock: [{ bin: '7' }] }],
    refusal: [400, 'VALIDATION_ERROR'],
    status: 200,
  },
  {
    what: 'a POST of a duplicate once mapped',
    resource: 'products',
    wrong: inbound({ sku: 'old' }),
    right: inbound({ sku: 'new' }),
    request: async () => ['POST', '/products/', { old: sku, new: unique('S') }],
    refusal: [409, 'DUPLICATE'],
    status: 201,
  },
  {
    what: 'a PUT that was invalid once mapped',
    resource: 'locations',
    wrong: inbound({ zone: 'place' }),
    right: inbound({ zone: 'place.zone' }),
    request: async () => [
      'PUT',
      path('locations', (await createLocation(api)).code),
      { place: { zone: 'z' } },
    ],
    refusal: [400, 'VALIDATION_ERROR'],
    status: 200,
  },
  ...['GET', 'PUT', 'DELETE'].flatMap((method): Fix[] => [
    {
      what: `a ${method} that found nothing by the override`,
      resource: 'orders',
      wrong: { identifier_field: 'external_order_id' },
      right: { identifier_field: 'metadata.ref' },
      request: async () => {
        const ref = unique('REF')
        await createOrder(api, { metadata: { ref } })
        return at(method, ref)
      },
      refusal: [404, 'NOT_FOUND'],
      status: 200,
    },
    {
      what: `a ${method} that found nothing by an indexed column`,
      resource: 'orders',
      wrong: {},
      right: { identifier_field: 'external_order_id' },
      request: async () => {
        const external_order_id = unique('EXT')
        await createOrder(api, { external_order_id })
        return at(method, external_order_id)
      },
      refusal: [404, 'NOT_FOUND'],
      status: 200,
    },
    {
      what: `a ${method} that found several by the override`,
      resource: 'orders',
      wrong: { identifier_field: 'customer_name' },
      right: { identifier_field: 'external_order_id' },
      request: async () => at(method, await twoOrders()),
      refusal: [400, 'SERVICE_ERROR'],
      status: 200,
    },
  ]),
]

describe.each(sample(SAVES, 1))('a mapping that has been saved %s', (_, save, goTo) => {
  it.each(sample(FIXES, 4).map((fix) => [fix.what, fix] as const))(
    'answers %s once that is put right, within one request',
    async (_, { resource, wrong, right, request, refusal, status }) => {
      const partner = await openPartner({ mappings: { [resource]: wrong } })
      const again = await request()
      const known = await warm(partner)
      const refused = await partner.api.call(...again)
      expect([refused.status, refused.body.error?.code]).toEqual(refusal)

      await save(partner, resource, right)
      const options = await goTo(known)
      const [method, target, body] = again
      const answer = await partner.api.call(method, target, body, options)

      expect([answer.status, answer.body.error]).toEqual([status, undefined])
      expect(await auditRowsOf(answer)).toEqual([
        { status, error_code: null, partner_id: partner.id },
      ])
      // The refusal of the stale mapping, the look-up of the caller, the request itself.
      expect(answer.headers.get('Server-Timing')).toMatch(/round trips 3,/)
    },
  )

  it('holds for a partner that had no mapping', async () => {
    const partner = await openPartner()
    const known = await warm(partner)
    await save(partner, 'orders', from('new'))
    const body = document()
    const options = await goTo(known)
    dataOf(await partner.api.post('/orders/', body, options), 201)
    expect(await orderRows(body.number)).toMatchObject([contentOf('new', body.number)])
  })

  it('stores an order as the new mapping reads it', async () => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    const known = await warm(partner)
    const before = document()
    dataOf(await partner.api.post('/orders/', before), 201)
    await save(partner, 'orders', from('new'))
    const after = document()
    const options = await goTo(known)
    dataOf(await partner.api.post('/orders/', after, options), 201)
    const partner_id = partner.id
    expect(await orderRows(before.number)).toEqual([
      { ...contentOf('old', before.number), partner_id },
    ])
    expect(await orderRows(after.number)).toEqual([
      { ...contentOf('new', after.number), partner_id },
    ])
  })

  it('refuses, by the new mapping and in its words, what the old one would take', async () => {
    const partner = await openPartner({ mappings: { orders: from('old') } })
    const known = await warm(partner)
    const renamed = { ...LINES, 'items[].quantity': 'lines[].count' }
    await save(partner, 'orders', inbound({ order_number: 'number', ...renamed }))
    const { number, ...rest } = document()
    const options = await goTo(known)
    const answer = await partner.api.post('/orders/', { number, ...rest }, options)
    expect([answer.status, answer.body.error.source]).toEqual([
      400,
      { 'items[0].quantity': 'lines[0].count' },
    ])
    expect(await orderRows(number)).toEqual([])
    expect(await auditRowsOf(answer)).toEqual([
      { status: 400, error_code: 'VALIDATION_ERROR', partner_id: partner.id },
    ])
  })

  it('changes the order that the new identifier_field names, and no other', async () => {
    const name = unique('REF')
    const old = await createOrder(api, { external_order_id: name })
    const named = await createOrder(api, { metadata: { ref: name } })
    const mappings = { orders: { identifier_field: 'external_order_id' } }
    const partner = await openPartner({ mappings })
    const known = await warm(partner)
    await save(partner, 'orders', { identifier_field: 'metadata.ref' })
    const options = await goTo(known)
    const answer = await partner.api.delete(path('orders', name), undefined, options)
    expect(dataOf(answer, 200).id).toBe(named.id)
    expect((await api.get(path('orders', old.order_number))).body.data.status).toBe('pending')
  })

  it('shows records as the new outbound mapping says', async () => {
    const { order_number } = await createOrder(api)
    const shown = (name: string): Mapping => ({
      outbound: { unmapped: 'drop', fields: { [name]: 'order_number' } },
    })
    const partner = await openPartner({ mappings: { orders: shown('one') } })
    const known = await warm(partner)
    const first = await partner.api.get(path('orders', order_number))
    await save(partner, 'orders', shown('two'))
    const options = await goTo(known)
    const second = await partner.api.get(path('orders', order_number), options)
    const list = await partner.api.get('/orders/?limit=1', options)
    expect([first.body.data, second.body.data]).toEqual([
      { one: order_number },
      { two: order_number },
    ])
    expect(Object.keys(list.body.data[0])).toEqual(['two'])
  })

  it('takes the rows of an upload as the new mapping reads them', async () => {
    const [old, renamed] = [await createLocation(api), await createLocation(api)]
    const rows = (bin: string) =>
      inbound({
        'inventory[].location_code': `stock[].${bin}`,
        'inventory[].sku_code': 'stock[].item',
        'inventory[].quantity': 'stock[].qty',
      })
    const partner = await openPartner({ mappings: { inventory: rows('old') } })
    const known = await warm(partner)
    await save(partner, 'inventory', rows('new'))
    const stock = [{ old: old.code, new: renamed.code, item: sku, qty: 5 }]
    const options = await goTo(known)
    const answer = await partner.api.post('/inventory/', { stock }, options)
    expect(dataOf(answer, 200)).toMatchObject({ created: 1, failed: 0 })
    const stockAt = async (code: string) => (await api.get(path('inventory', code))).body.data
    expect([await stockAt(old.code), await stockAt(renamed.code)]).toEqual([
      [],
      [{ location_code: renamed.code, sku_code: sku, quantity: 5 }],
    ])
  })
})
