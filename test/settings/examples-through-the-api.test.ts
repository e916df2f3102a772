import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { AUDIT } from '../fixtures/settings.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { dataOf } from '../fixtures/warehouse.ts'
import {
  exampleOf,
  haveLocation,
  haveProducts,
  linesOf,
  makeLines,
  makeOrder,
  mappedOf,
  openExample,
  stored,
} from './examples.ts'
import { fieldsWarned } from './mappings.ts'

// The examples as a partner lives them: a mapping that is saved, a document
// that is sent, a record that is read back.

describe('POST /orders/ of a partner', () => {
  it('renames fields and lets the rest through (example 1)', async () => {
    const example = exampleOf(1)
    const { api } = await openExample(example)
    const items = await makeLines()
    const answer = await api.post('/orders/', { ...example.payload, items })
    const order = dataOf(answer, 201)
    const { foo, ...expected } = mappedOf(example)
    expect(await stored(`/orders/${expected.order_number}/`)).toEqual(order)
    expect(order).toMatchObject(expected)
    expect(linesOf(order)).toEqual([{ ...items[0] }])
    expect(fieldsWarned(answer)).toEqual(['foo'])
  })

  it('reads dot-paths and quoted names (example 2)', async () => {
    const example = exampleOf(2)
    const { api } = await openExample(example)
    const order = dataOf(
      await api.post('/orders/', { ...example.payload, items: await makeLines() }),
      201,
    )
    expect(order.customer_info).toEqual(mappedOf(example).customer_info)
    expect(await stored('/orders/A-2/')).toEqual(order)
  })

  it('reads the first and the last element (example 3)', async () => {
    const example = exampleOf(3)
    const { api } = await openExample(example)
    const header = { order_number: unique('O'), items: await makeLines() }
    const order = dataOf(await api.post('/orders/', { ...example.payload, ...header }), 201)
    expect(order).toMatchObject(mappedOf(example))
    expect(await stored(`/orders/${order.order_number}/`)).toEqual(order)
  })

  it('makes lines of an array (example 4)', async () => {
    const example = exampleOf(4)
    await haveProducts('S1', 'S2')
    const { api } = await openExample(example)
    const order_number = unique('O')
    dataOf(await api.post('/orders/', { ...example.payload, order_number }), 201)
    expect(linesOf(await stored(`/orders/${order_number}/`))).toEqual([
      { sku_code: 'S1', quantity: 2, notes: 'x' },
      { sku_code: 'S2', quantity: 1 },
    ])
  })

  it('fills every line with what is fixed or said once (example 5)', async () => {
    const example = exampleOf(5)
    await haveProducts('S1', 'S2')
    const { api } = await openExample(example)
    const order_number = unique('O')
    dataOf(await api.post('/orders/', { ...example.payload, order_number }), 201)
    const order = await stored(`/orders/${order_number}/`)
    expect(linesOf(order)).toEqual(mappedOf(example).items)
    expect(order.metadata).toEqual({ source: 'acme-erp' })
    expect(order.notes).toBeNull()
  })

  it('keeps the places of missing elements (example 6)', async () => {
    const example = exampleOf(6)
    await haveProducts('S1')
    const { api } = await openExample(example, { 'items[].quantity': { value: 1 } })
    const order_number = unique('O')
    const lines = [{ sku: 'S1' }]
    dataOf(await api.post('/orders/', { ...example.payload, order_number, lines }), 201)
    const order = await stored(`/orders/${order_number}/`)
    expect(order.metadata).toEqual(mappedOf(example).metadata)
    expect(linesOf(order)).toEqual([{ sku_code: 'S1', quantity: 1 }])
  })

  it("refuses the empty array that an empty array becomes, by the partner's path (example 6)", async () => {
    const example = exampleOf(6)
    const { api } = await openExample(example)
    const order_number = unique('O')
    const { status, body } = await api.post('/orders/', { ...example.payload, order_number })
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.error.fields).toEqual({ items: ['Must have at least 1 entry.'] })
    expect(body.error.source).toEqual({ items: 'lines' })
  })

  it('writes null and leaves out what is missing (example 7)', async () => {
    const example = exampleOf(7)
    const { api } = await openExample(example)
    const order_number = unique('O')
    const more = { order_number, items: await makeLines() }
    dataOf(await api.post('/orders/', { ...example.payload, ...more }), 201)
    expect(await stored(`/orders/${order_number}/`)).toMatchObject({
      customer_name: null,
      notes: null,
      due_date: null,
    })
  })

  it('lets a child override its parent (example 10)', async () => {
    const example = exampleOf(10)
    const { api } = await openExample(example)
    const order_number = unique('O')
    const more = { order_number, items: await makeLines() }
    dataOf(await api.post('/orders/', { ...example.payload, ...more }), 201)
    const order = await stored(`/orders/${order_number}/`)
    expect(order.customer_info).toEqual(mappedOf(example).customer_info)
  })

  it('makes lines of numbered fields (example 12)', async () => {
    const example = exampleOf(12)
    await haveProducts('S1', 'S2')
    const { api } = await openExample(example)
    const [one, two] = [unique('O'), unique('O')]
    dataOf(await api.post('/orders/', { ...example.payload, order_number: one }), 201)
    expect(linesOf(await stored(`/orders/${one}/`))).toEqual([{ sku_code: 'S1', quantity: 1 }])
    const both = { order_number: two, sku1: 'S1', qty1: 1, sku2: 'S2', qty2: 2 }
    dataOf(await api.post('/orders/', both), 201)
    expect(linesOf(await stored(`/orders/${two}/`)).map(({ quantity }: Json) => quantity)).toEqual([
      1, 2,
    ])
  })

  it("never converts a type, and says so by the partner's path", async () => {
    const example = exampleOf(4)
    const { api } = await openExample(example)
    const lines = [
      { article: { code: 'S1' }, qty: '2' },
      { article: {}, qty: 1 },
    ]
    const { status, body } = await api.post('/orders/', { order_number: unique('O'), lines })
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.error.source).toEqual({
      'items[0].quantity': 'lines[0].qty',
      'items[1].sku_code': 'lines[1].article.code',
    })
    expect(body.error.fields['items[0].quantity']).toEqual(['Must be an integer, not a string.'])
  })

  it("names an unknown SKU by the partner's path", async () => {
    const example = exampleOf(4)
    await haveProducts('S1')
    const { api } = await openExample(example)
    const unknown = unique('unknown')
    const lines = [
      { article: { code: 'S1' }, qty: 1 },
      { article: { code: unknown }, qty: 1 },
    ]
    const order_number = unique('O')
    const { status, body } = await api.post('/orders/', { order_number, lines })
    expect([status, body.error.code]).toEqual([400, 'SERVICE_ERROR'])
    expect(body.error.fields).toEqual({
      'items[1].sku_code': [`No product has the SKU "${unknown}".`],
    })
    expect(body.error.source).toEqual({ 'items[1].sku_code': 'lines[1].article.code' })
    expect((await admin.get(`/orders/${order_number}/`)).status).toBe(404)
  })
})

describe('PUT /orders/{identifier}/ of a partner', () => {
  it('renames fields and names those that it cannot change (example 1)', async () => {
    const example = exampleOf(1)
    const { order_number, items } = await makeOrder({ customer_name: 'old', notes: 'old' })
    const { api } = await openExample(example)
    const refused = await api.put(`/orders/${order_number}/`, example.payload)
    expect([refused.status, refused.body.error.source]).toEqual([400, { order_number: 'orderNo' }])
    const own = { ...example.payload, orderNo: order_number }
    const answer = await api.put(`/orders/${order_number}/`, own)
    dataOf(answer, 200)
    const order = await stored(`/orders/${order_number}/`)
    expect(order).toMatchObject({ order_number, customer_name: 'Kim', notes: 'hi', items })
    expect(fieldsWarned(answer)).toEqual(['foo'])
  })

  it('reads dot-paths and quoted names (example 2)', async () => {
    const example = exampleOf(2)
    const { order_number } = await makeOrder({ customer_info: { old: 1 } })
    const { api } = await openExample(example)
    const own = { ...example.payload, header: { number: order_number } }
    dataOf(await api.put(`/orders/${order_number}/`, own), 200)
    const order = await stored(`/orders/${order_number}/`)
    expect(order.customer_info).toEqual(mappedOf(example).customer_info)
  })

  it('leaves metadata alone where only a fixed value is for it (example 5)', async () => {
    const example = exampleOf(5)
    const { order_number, items } = await makeOrder({ metadata: { own: 1 } })
    const { api } = await openExample(example)
    dataOf(await api.put(`/orders/${order_number}/`, { customer_name: 'Kim' }), 200)
    const order = await stored(`/orders/${order_number}/`)
    expect(order).toMatchObject({ customer_name: 'Kim', metadata: { own: 1 }, items })
  })

  it('keeps the places of missing elements (example 6)', async () => {
    const example = exampleOf(6)
    const { order_number, items } = await makeOrder()
    const { api } = await openExample(example)
    const answer = await api.put(`/orders/${order_number}/`, example.payload)
    dataOf(answer, 200)
    const order = await stored(`/orders/${order_number}/`)
    expect(order.metadata).toEqual(mappedOf(example).metadata)
    expect(order.items).toEqual(items)
    expect(fieldsWarned(answer)).toEqual(['items'])
  })

  it('clears what is null and leaves what is missing (example 7)', async () => {
    const example = exampleOf(7)
    const due_date = '2026-03-01T00:00:00.000Z'
    const { order_number } = await makeOrder({ customer_name: 'Kim', notes: 'kept', due_date })
    const { api } = await openExample(example)
    dataOf(await api.put(`/orders/${order_number}/`, example.payload), 200)
    expect(await stored(`/orders/${order_number}/`)).toMatchObject({
      customer_name: null,
      notes: 'kept',
      due_date,
    })
  })

  it('lets a child override its parent (example 10)', async () => {
    const example = exampleOf(10)
    const { order_number } = await makeOrder()
    const { api } = await openExample(example)
    dataOf(await api.put(`/orders/${order_number}/`, example.payload), 200)
    const order = await stored(`/orders/${order_number}/`)
    expect(order.customer_info).toEqual(mappedOf(example).customer_info)
  })
})

describe('POST /inventory/ of a partner', () => {
  it('makes rows of its own stock list and drops the rest (example 11)', async () => {
    const example = exampleOf(11)
    await haveProducts('S1')
    await haveLocation('A1')
    const { api } = await openExample(example)
    const answer = await api.post('/inventory/', example.payload)
    expect(dataOf(answer, 200)).toMatchObject({ total: 1, failed: 0, errors: [] })
    expect(fieldsWarned(answer)).toEqual([])
    expect(await stored('/inventory/A1/')).toEqual(mappedOf(example).inventory)
    const log = await admin.get(`${AUDIT}?request_id=${answer.headers.get('X-Request-Id')}`)
    expect(log.body.data[0].source).toBe('erp_sync')
  })

  it("reports bad rows by the partner's path and writes the others (example 11)", async () => {
    const example = exampleOf(11)
    const [bin, item] = [unique('L'), unique('S')]
    await haveProducts(item)
    await haveLocation(bin)
    const { api } = await openExample(example)
    const stock = [
      { bin, item, on_hand: 4 },
      { bin, item },
      { bin, item: null, on_hand: '4' },
      { bin: unique('nowhere'), item, on_hand: 1 },
    ]
    const { total, failed, errors } = dataOf(await api.post('/inventory/', { stock }), 200)
    expect([total, failed]).toEqual([4, 3])
    expect(errors.map(({ row, source }: Json) => [row, source])).toEqual([
      [1, { quantity: 'stock[1].on_hand' }],
      [2, { sku_code: 'stock[2].item', quantity: 'stock[2].on_hand' }],
      [3, { location_code: 'stock[3].bin' }],
    ])
    expect(await stored(`/inventory/${bin}/`)).toEqual([
      { location_code: bin, sku_code: item, quantity: 4 },
    ])
  })
})

describe('POST and PUT /products/ of a partner', () => {
  it('write the fixed value when a product is made (example 13)', async () => {
    const { api } = await openExample(exampleOf(13))
    const sku = unique('S')
    dataOf(await api.post('/products/', { sku, qoh: 3 }), 201)
    expect(await stored(`/products/${sku}/`)).toMatchObject({
      quantity: 3,
      custom_fields: { channel: 'acme' },
    })
  })

  it('leave custom_fields alone when only the quantity is sent (example 13)', async () => {
    const example = exampleOf(13)
    const custom_fields = { ean: '7', channel: 'other' }
    const { sku } = dataOf(await admin.post('/products/', { sku: unique('S'), custom_fields }), 201)
    const { api } = await openExample(example)
    dataOf(await api.put(`/products/${sku}/`, example.payload), 200)
    expect(await stored(`/products/${sku}/`)).toMatchObject({ ...mappedOf(example), custom_fields })
  })

  it('write the fixed value where a PUT writes custom_fields anyway (example 13)', async () => {
    const { sku } = dataOf(await admin.post('/products/', { sku: unique('S') }), 201)
    const { api } = await openExample(exampleOf(13), { 'custom_fields.ean': 'ean' })
    dataOf(await api.put(`/products/${sku}/`, { ean: '7' }), 200)
    expect((await stored(`/products/${sku}/`)).custom_fields).toEqual({ channel: 'acme', ean: '7' })
  })
})

describe('POST and PUT /locations/ of a partner', () => {
  it('swap two fields when a location is made (example 14)', async () => {
    const example = exampleOf(14)
    const { api } = await openExample(example)
    const code = unique('L')
    dataOf(await api.post('/locations/', { ...example.payload, code }), 201)
    expect(await stored(`/locations/${code}/`)).toMatchObject(mappedOf(example))
  })

  it('swap two fields when a location is changed (example 14)', async () => {
    const example = exampleOf(14)
    const { code } = dataOf(await admin.post('/locations/', { code: unique('L'), aisle: '7' }), 201)
    const { api } = await openExample(example)
    dataOf(await api.put(`/locations/${code}/`, example.payload), 200)
    expect(await stored(`/locations/${code}/`)).toMatchObject({ ...mappedOf(example), aisle: '7' })
  })
})
