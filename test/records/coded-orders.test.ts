import { describe, expect, it } from 'vitest'
import { byDepth } from '../fixtures/depth.ts'
import { countedBindings } from '../fixtures/metering.ts'
import { admin, db } from '../fixtures/opened.ts'
import { openCoded, openPartner, saveMapping } from '../fixtures/partner.ts'
import { type Api, type Json, unique } from '../fixtures/tenant.ts'
import { createProduct, ID } from '../fixtures/warehouse.ts'

// Orders whose lines name products by the partner's own numbers.

const CODE = { from: 'lines[].id', as: 'string', code: 'products' }
const mappingWith = (sku_code: unknown) => ({
  inbound: {
    unmapped: 'drop',
    fields: {
      order_number: 'number',
      customer_name: 'buyer',
      status: 'state',
      'items[].sku_code': sku_code,
      'items[].quantity': 'lines[].qty',
    },
  },
})

/** A partner whose orders have its own numbers, with these codes. */
async function openShop(codes: Record<string, [string, number?]>, sku_code: unknown = CODE) {
  const { at, ...partner } = await openCoded(codes, { orders: mappingWith(sku_code) })
  return { ...partner, at: `${at}products/` }
}

const orderOf = (...lines: [id: unknown, qty: number][]) => ({
  number: unique('O'),
  lines: lines.map(([id, qty]) => ({ id, qty })),
})
const linesOf = ({ items }: Json) =>
  items.map(({ sku, quantity }: Json) => [sku.sku, quantity] as const)

describe('POST /orders/ with item codes', () => {
  it('stores what the codes stand for, and multiplies by their units', async () => {
    const [one, other] = [await createProduct(admin), await createProduct(admin)]
    const { api } = await openShop({ 4711: [one.sku, 12], K2: [other.sku], K3: [one.sku] })
    const { status, body } = await api.post('/orders/', orderOf([4711, 2], ['K2', 5], ['K3', 1]))
    expect([status, body.error]).toEqual([201, undefined])
    const lines = [
      [one.sku, 24],
      [other.sku, 5],
      [one.sku, 1],
    ]
    expect(linesOf(body.data)).toEqual(lines)
    const read = await admin.get(`/orders/${body.data.order_number}/`)
    expect(linesOf(read.body.data)).toEqual(lines)
  })

  it('refuses an unknown code, by the path of the partner, also if our SKU is the same', async () => {
    const { sku } = await createProduct(admin)
    const { api } = await openShop({ K1: [sku] })
    const { status, body } = await api.post('/orders/', orderOf(['K1', 1], [sku, 1], ['K9', 1]))
    expect(status).toBe(400)
    expect(body.error).toMatchObject({
      code: 'SERVICE_ERROR',
      reason: 'UNKNOWN_CODE',
      message: expect.stringContaining(
        `lines[1].id: The partner has no item codes: "${sku}", "K9".`,
      ),
      source: { 'items[1].sku_code': 'lines[1].id', 'items[2].sku_code': 'lines[2].id' },
    })
    expect(Object.keys(body.error.fields)).toEqual(['items[1].sku_code', 'items[2].sku_code'])
  })

  it('takes our own SKU with or_own, and the item code before it', async () => {
    const [one, other] = [await createProduct(admin), await createProduct(admin)]
    const { api } = await openShop(
      { [one.sku]: [other.sku, 3] },
      { ...CODE, code: { of: 'products', or_own: true } },
    )
    const { body } = await api.post('/orders/', orderOf([other.sku, 2], [one.sku, 2]))
    expect(linesOf(body.data)).toEqual([
      [other.sku, 2],
      [other.sku, 6],
    ])
    const unknown = await api.post('/orders/', orderOf(['neither', 1]))
    expect(unknown.body.error.reason).toBe('UNKNOWN_CODE')
    expect(unknown.body.error.message).toContain('and no product has this SKU')
  })

  it('refuses a code whose product there is not yet by the SKU', async () => {
    const sku = unique('S')
    const { api } = await openShop({ K1: [sku] })
    const { body } = await api.post('/orders/', orderOf(['K1', 1]))
    expect(body.error).toMatchObject({
      reason: 'UNKNOWN_SKU',
      message: `lines[0].id: No product has the SKU "${sku}".`,
      source: { 'items[0].sku_code': 'lines[0].id' },
    })
  })

  it('warns of an inactive product by its SKU', async () => {
    const { sku } = await createProduct(admin)
    const { api } = await openShop({ K1: [sku] })
    await admin.delete(`/products/${sku}/`)
    const { body } = await api.post('/orders/', orderOf(['K1', 1]))
    expect(body.warnings).toEqual([
      {
        field: 'items[0].sku_code',
        source: 'lines[0].id',
        message: `Product "${sku}" is inactive.`,
      },
    ])
  })

  it('refuses a quantity that its units make too large', async () => {
    const { sku } = await createProduct(admin)
    const { api } = await openShop({ K1: [sku, 1_000_000] })
    const answer = await api.post('/orders/', orderOf(['K1', 2000]))
    expect(answer.status).toBe(201)
    for (const query of ['', '?dry_run=true']) {
      const { status, body } = await api.post(`/orders/${query}`, orderOf(['K1', 2001]))
      expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
      expect(body.error.fields).toEqual({
        'items[0].quantity': [
          'Must be at most 2000000000, with the units of the item code: 2001 x 1000000.',
        ],
      })
    }
  })

  it('answers a dry run as the request, and stores nothing', async () => {
    const { sku } = await createProduct(admin)
    const { api } = await openShop({ K1: [sku, 6] })
    const order = orderOf(['K1', 2])
    const dry = await api.post('/orders/?dry_run=true', order)
    expect((await admin.get(`/orders/${order.number}/`)).status).toBe(404)
    const real = await api.post('/orders/', order)
    const shape = ({ data }: Json) => ({ ...data, id: ID, items: linesOf(data) })
    const { created_at, updated_at, ...rest } = shape(dry.body)
    expect(shape(real.body)).toMatchObject(rest)
    const unknown = await api.post('/orders/?dry_run=true', orderOf(['K9', 1]))
    expect(unknown.body.error.reason).toBe('UNKNOWN_CODE')
  })

  it('knows a code from the next request on, whoever has it cached', async () => {
    const [one, other] = [await createProduct(admin), await createProduct(admin)]
    const { api, at } = await openShop({ K1: [one.sku] })
    await api.post('/orders/', orderOf(['K1', 1]))
    await admin.put(`${at}K1/`, { sku_code: other.sku, units: 2 })
    const { body } = await api.post('/orders/', orderOf(['K1', 1]))
    expect(linesOf(body.data)).toEqual([[other.sku, 2]])
    await admin.delete(`${at}K1/`)
    expect((await api.post('/orders/', orderOf(['K1', 1]))).body.error.reason).toBe('UNKNOWN_CODE')
  })

  it('reads the codes of its own partner alone', async () => {
    const { sku } = await createProduct(admin)
    await openShop({ K1: [sku] })
    const { api } = await openShop({})
    expect((await api.post('/orders/', orderOf(['K1', 1]))).body.error.reason).toBe('UNKNOWN_CODE')
  })

  it('counts the bytes of its lines with the SKUs that they have', async () => {
    const { sku } = await createProduct(admin, { sku: unique('S').padEnd(250, '"') })
    const { api } = await openShop({ K: [sku] })
    const { body } = await api.post('/orders/', orderOf(['K', 1], ['K', 1]))
    const { items_bytes } = (await db
      .prepare('select items_bytes from orders where id = ?')
      .bind(body.data.id)
      .first()) as Json
    expect(items_bytes).toBeGreaterThanOrEqual(2 * JSON.stringify(sku).length)
  })

  it('is one round trip with 1,000 lines, of a table of many codes', {
    timeout: 120_000,
  }, async () => {
    const { sku } = await createProduct(admin)
    const { api, at } = await openShop({})
    const count = byDepth(2000, 10_000)
    const item_codes = Array.from({ length: count }, (_, n) => ({ code: `C${n}`, sku_code: sku }))
    await admin.put(at, { item_codes })
    await api.get('/orders/')
    const { bindings, calls } = countedBindings()
    const lines = Array.from({ length: 1000 }, (_, n): [string, number] => [`C${n * 2}`, 1])
    const { status, headers } = await api.post('/orders/', orderOf(...lines), { bindings })
    expect([status, calls.d1]).toEqual([201, 1])
    const rows = Number(/rows read (\d+)/.exec(headers.get('Server-Timing') ?? '')?.[1])
    expect(rows).toBeLessThan(30 * 1000)
  })
})

describe('PUT /orders/{order_number}/ with item codes', () => {
  it('compares lines by what their codes stand for', async () => {
    const { sku } = await createProduct(admin)
    const { api } = await openShop({ K1: [sku, 12] })
    const order = orderOf(['K1', 2])
    await api.post('/orders/', order)
    const same = await api.put(`/orders/${order.number}/`, { ...order, buyer: 'Ada' })
    expect([same.status, same.body.warnings]).toEqual([200, undefined])
    expect(same.body.data.customer_name).toBe('Ada')
    const lines = [{ id: 'K1', qty: 3 }]
    const other = await api.put(`/orders/${order.number}/`, { ...order, lines })
    expect(other.body.warnings).toMatchObject([
      {
        code: 'LINES_DIFFER',
        differences: [{ sku_code: sku, stored: 24, sent: 36, source: 'lines[0].qty' }],
      },
    ])
  })

  it('shows an unknown code as it was sent', async () => {
    const { sku } = await createProduct(admin)
    const { api } = await openShop({ K1: [sku] })
    const order = orderOf(['K1', 2])
    await api.post('/orders/', order)
    const lines = [{ id: 'K9', qty: 2 }]
    const { body } = await api.put(`/orders/${order.number}/`, { ...order, lines })
    expect(body.warnings[0].differences).toMatchObject([{ sku_code: 'K9', stored: null }, {}])
  })
})

describe('an order without item codes', () => {
  it('reads no more rows and makes no more statements than before', async () => {
    const { sku } = await createProduct(admin)
    const plain = await openPartner({
      mappings: { orders: mappingWith({ from: 'lines[].id', as: 'string' }) },
    })
    const coded = await openShop({ K1: [sku] })
    const costOf = async (api: Api, id: string) => {
      await api.post('/orders/', orderOf([id, 1]))
      const { bindings, calls, rows } = countedBindings()
      expect((await api.post('/orders/', orderOf([id, 1]), { bindings })).status).toBe(201)
      return { d1: calls.d1, ...rows }
    }
    const [without, withCodes] = [await costOf(plain.api, sku), await costOf(coded.api, 'K1')]
    expect([without.d1, withCodes.d1]).toEqual([1, 1])
    expect(without.read).toBeLessThanOrEqual(withCodes.read)
    expect(withCodes.read - without.read).toBeLessThan(12)
    expect(withCodes.written).toBe(without.written)
  })
})

describe('a mapping with item codes', () => {
  it.each([
    [
      'orders',
      { notes: { from: 'a', code: 'products' } },
      'notes',
      '"code" is for items[].sku_code.',
    ],
    [
      'orders',
      { 'items[].sku_code': { from: 'l[].a', code: 'locations' } },
      'items[].sku_code',
      'This field has a code of products: write "code": "products".',
    ],
    [
      'orders',
      { 'items[].sku_code': { from: 'l[].a', code: 'skus' } },
      'items[].sku_code',
      '"code" must be one of products, locations, or have one as "of".',
    ],
    [
      'orders',
      { 'items[].sku_code': { from: 'l[].a', code: { of: 'products', own: true } } },
      'items[].sku_code',
      '"code" must not have "own": only of and or_own.',
    ],
    [
      'orders',
      { 'items[].sku_code': { from: 'l[].a', code: { of: 'products', or_own: 1 } } },
      'items[].sku_code',
      '"or_own" must be true or false.',
    ],
  ])('is refused in %s: %j', async (resource, fields, rule, message) => {
    const { id } = await openPartner()
    const place = `/api/settings/v1/partners/${id}/mappings/${resource}/`
    const { status, body } = await admin.put(place, { inbound: { fields } })
    expect([status, body.error?.fields]).toEqual([400, { [`inbound.fields.${rule}`]: [message] }])
  })

  it('is refused outbound', async () => {
    const { id } = await openPartner()
    const outbound = { fields: { a: { from: 'order_number', code: 'products' } } }
    const place = `/api/settings/v1/partners/${id}/mappings/orders/`
    const { body } = await admin.put(place, { outbound })
    expect(body.error.fields['outbound.fields.a'][0]).toContain('it gives our own codes')
  })

  it('looks up lines written by index, each by its own rule', async () => {
    const [one, other] = [await createProduct(admin), await createProduct(admin)]
    const { api, id } = await openShop({ K1: [one.sku, 2] })
    await saveMapping(admin, id, 'orders', {
      inbound: {
        unmapped: 'drop',
        fields: {
          order_number: 'number',
          'items[0].sku_code': { from: 'first', code: 'products' },
          'items[0].quantity': 'qty',
          'items[1].sku_code': 'second',
          'items[1].quantity': 'qty',
        },
      },
    })
    const document = { number: unique('O'), first: 'K1', second: other.sku, qty: 3 }
    const { body } = await api.post('/orders/', document)
    expect(linesOf(body.data)).toEqual([
      [one.sku, 6],
      [other.sku, 3],
    ])
  })
})

describe('POST …/mappings/orders/preview/ with item codes', () => {
  it('tells an unknown code, and accepts one that is known', async () => {
    const { sku } = await createProduct(admin)
    const { id } = await openShop({ K1: [sku] })
    const place = `/api/settings/v1/partners/${id}/mappings/orders/preview/`
    const known = await admin.post(place, { payload: orderOf(['K1', 1]) })
    expect(known.body.data.would_answer).toEqual({ status: 201, code: null })
    const { body } = await admin.post(place, { payload: orderOf(['K9', 1]) })
    expect(body.data.would_answer).toEqual({ status: 400, code: 'SERVICE_ERROR' })
    expect(body.data.errors).toMatchObject([{ field: 'items[0].sku_code', source: 'lines[0].id' }])
  })
})
