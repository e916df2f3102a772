import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { api } from '../fixtures/opened-api.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import {
  aMoment,
  bodyWith,
  createOrder,
  createProduct,
  dataOf,
  expectData,
  expectError,
  ID,
  oneLine,
  path,
  TIME,
  warnedFields,
} from '../fixtures/warehouse.ts'
import { HEADER, orderWith, readOrder } from './orders.ts'
import { testPages } from './paging.ts'
import { datetimes, identifiers, notNull, objects, orNull, testField, texts } from './samples.ts'

const EMPTY_HEADER = {
  customer_name: null,
  customer_info: null,
  notes: null,
  due_date: null,
  metadata: null,
}

describe('POST /orders/', () => {
  it('creates a pending order with all its fields', async () => {
    const order_number = unique('ORDER')
    const external_order_id = unique('EXT')
    const { sku: first } = await createProduct(api)
    const { sku: second } = await createProduct(api)
    const answer = await api.post('/orders/', {
      order_number,
      external_order_id,
      ...HEADER,
      order_date: '2026-03-01T10:30:00+01:00',
      items: [
        { sku_code: first, quantity: 2, notes: 'Gift wrap' },
        { sku_code: second, quantity: 1 },
      ],
    })
    expectData(answer, 201, {
      id: ID,
      order_number,
      external_order_id,
      ...HEADER,
      order_date: '2026-03-01T09:30:00.000Z',
      status: 'pending',
      items: [
        {
          id: ID,
          sku: { sku: first },
          quantity: 2,
          notes: 'Gift wrap',
          verified_quantity: 0,
          verification_status: 'pending',
        },
        {
          id: ID,
          sku: { sku: second },
          quantity: 1,
          notes: null,
          verified_quantity: 0,
          verification_status: 'pending',
        },
      ],
      created_at: TIME,
      updated_at: TIME,
      cancelled_at: null,
      cancel_reason: null,
    })
    expect(await readOrder(answer.body.data)).toStrictEqual(answer.body.data)
  })

  it('needs no more than order_number and one item', async () => {
    const order_number = unique('ORDER')
    const { sku } = await createProduct(api)
    const items = [{ sku_code: sku, quantity: 1 }]
    const answer = await api.post('/orders/', { order_number, items })
    expectData(answer, 201, {
      id: ID,
      order_number,
      external_order_id: null,
      ...EMPTY_HEADER,
      order_date: null,
      status: 'pending',
      items: [
        {
          id: ID,
          sku: { sku },
          quantity: 1,
          notes: null,
          verified_quantity: 0,
          verification_status: 'pending',
        },
      ],
      created_at: TIME,
      updated_at: TIME,
      cancelled_at: null,
      cancel_reason: null,
    })
  })

  it('takes the time of the request for created_at', async () => {
    const before = new Date().toISOString()
    const { created_at, updated_at } = await createOrder(api)
    expect(created_at >= before && created_at <= new Date().toISOString()).toBe(true)
    expect(updated_at).toBe(created_at)
  })

  it('gives every order and every item an id of its own', async () => {
    const { sku: sku_code } = await createProduct(api)
    const items = [
      { sku_code, quantity: 1 },
      { sku_code, quantity: 2 },
    ]
    const orders = [await createOrder(api, { items }), await createOrder(api, { items })]
    const ids = orders.flatMap((order) => [order.id, ...order.items.map((item: Json) => item.id)])
    expect(new Set(ids).size).toBe(6)
  })

  it('keeps two lines of one SKU apart, in their order', async () => {
    const { sku: sku_code } = await createProduct(api)
    const items = [3, 1, 2].map((quantity) => ({ sku_code, quantity }))
    const order = await createOrder(api, { items })
    expect(order.items.map((item: Json) => item.quantity)).toEqual([3, 1, 2])
  })

  it('names every bad field at once', async () => {
    const bad = {
      order_number: '',
      external_order_id: 5,
      customer_name: [],
      customer_info: 'x',
      notes: 1,
      order_date: 'x',
      due_date: 'x',
      metadata: [],
      items: [],
    }
    expectInvalid(await api.post('/orders/', bad), ...Object.keys(bad))
  })

  it('takes several orders of one external_order_id', async () => {
    const external_order_id = unique('EXT')
    const first = await createOrder(api, { external_order_id })
    const second = await createOrder(api, { external_order_id })
    expect(first.id).not.toBe(second.id)
  })

  it('names unknown and read-only fields in warnings, those of items too', async () => {
    const [line] = await oneLine(api)
    const answer = await api.post('/orders/', {
      order_number: unique('ORDER'),
      id: 'mine',
      created_at: '2020-01-01',
      colour: 'red',
      metadata: { anything: 'goes' },
      items: [line, { ...line, verified_quantity: 1, lot: 'A' }],
    })
    expect(dataOf(answer, 201)).toMatchObject({ id: ID, items: [{}, { verified_quantity: 0 }] })
    const fields = warnedFields(answer).toSorted()
    expect(fields).toEqual([
      'colour',
      'created_at',
      'id',
      expect.stringMatching(/^items\[\d*\]\.lot$/),
      expect.stringMatching(/^items\[\d*\]\.verified_quantity$/),
    ])
  })

  const post = (field: string) => async (json: string) => {
    const order = { order_number: unique('ORDER'), items: await oneLine(api) }
    return await api.post('/orders/', bodyWith(order, field, json))
  }
  testField('order_number', notNull(identifiers()), post('order_number'))
  testField('external_order_id', orNull(identifiers()), post('external_order_id'))
  testField('customer_name', orNull(texts(255)), post('customer_name'))
  testField('customer_info', orNull(objects()), post('customer_info'))
  testField('notes', orNull(texts(10_000)), post('notes'))
  testField('order_date', orNull(datetimes()), post('order_date'))
  testField('due_date', orNull(datetimes()), post('due_date'))
  testField('metadata', orNull(objects()), post('metadata'))
})

describe('GET /orders/', () => {
  testPages({
    path: '/orders/',
    other: '/products/',
    add: async (to) => (await createOrder(to)).order_number,
    addToOther: (to) => createProduct(to),
    change: (to, order_number) => to.put(path('orders', order_number), { status: 'shipped' }),
    nameOf: (row) => row.order_number,
  })

  it('shows id, order_number, status, customer_name and created_at of each order', async () => {
    const { id, order_number, created_at } = await createOrder(api, HEADER)
    const answer = await api.get('/orders/?limit=1')
    expectData(
      answer,
      200,
      [{ id, order_number, status: 'pending', customer_name: HEADER.customer_name, created_at }],
      { pagination: { limit: 1, next_cursor: answer.body.pagination.next_cursor } },
    )
  })

  it('shows cancelled and shipped orders as well', async () => {
    const shipped = await orderWith('shipped')
    const cancelled = await orderWith('cancelled')
    const rows = dataOf(await api.get('/orders/?limit=2'), 200)
    expect(rows.map((row: Json) => [row.order_number, row.status])).toEqual([
      [cancelled.order_number, 'cancelled'],
      [shipped.order_number, 'shipped'],
    ])
  })
})

describe('GET /orders/{identifier}/', () => {
  it('answers the full order', async () => {
    const order = await createOrder(api, { ...HEADER, external_order_id: unique('EXT') })
    expectData(await api.get(path('orders', order.order_number)), 200, order)
  })

  it('does not find an order by id or external_order_id with a pass-through key', async () => {
    const external_order_id = unique('EXT')
    const { id } = await createOrder(api, { external_order_id })
    expectError(await api.get(path('orders', id)), 404, 'NOT_FOUND')
    expectError(await api.get(path('orders', external_order_id)), 404, 'NOT_FOUND')
  })
})

describe('PUT /orders/{identifier}/', () => {
  it('replaces all header fields and answers the full order', async () => {
    const order = await createOrder(api, { external_order_id: unique('EXT') })
    await aMoment()
    const update = { ...HEADER, status: 'in_progress' }
    const answer = await api.put(path('orders', order.order_number), update)
    expectData(answer, 200, { ...order, ...update, updated_at: TIME })
    expect(answer.body.data.updated_at > order.updated_at).toBe(true)
    expect(await readOrder(order)).toStrictEqual(answer.body.data)
  })

  it('leaves fields alone that are not given', async () => {
    const order = await createOrder(api, HEADER)
    const updated = dataOf(await api.put(path('orders', order.order_number), { notes: 'x' }), 200)
    expect(updated).toStrictEqual({ ...order, notes: 'x', updated_at: TIME })
  })

  it('replaces customer_info and metadata as a whole', async () => {
    const order = await createOrder(api, HEADER)
    const update = { customer_info: { phone: '1' }, metadata: {} }
    const updated = dataOf(await api.put(path('orders', order.order_number), update), 200)
    expect(updated).toStrictEqual({ ...order, ...update, updated_at: TIME })
  })

  it('clears the optional fields with null', async () => {
    const order = await createOrder(api, HEADER)
    const updated = dataOf(await api.put(path('orders', order.order_number), EMPTY_HEADER), 200)
    expect(updated).toStrictEqual({ ...order, ...EMPTY_HEADER, updated_at: TIME })
  })

  it('ignores other items and names them in warnings', async () => {
    const order = await createOrder(api)
    const items = [{ sku_code: unique('NO'), quantity: 5 }]
    const answer = await api.put(path('orders', order.order_number), { items, notes: 'x' })
    expect(dataOf(answer, 200)).toStrictEqual({ ...order, notes: 'x', updated_at: TIME })
    expect(answer.body.warnings.map(({ code }: Json) => code)).toEqual(['LINES_DIFFER'])
  })

  it('changes nothing for items alone, whatever they are', async () => {
    const order = await createOrder(api)
    await aMoment()
    for (const items of [[], null, 'x', [{ sku_code: 1 }]]) {
      const answer = await api.put(path('orders', order.order_number), { items })
      expect(dataOf(answer, 200)).toStrictEqual(order)
      expect(answer.body.warnings.map(({ field }: Json) => field)).toEqual(['items'])
    }
  })

  it('ignores unknown and read-only fields, and names them in warnings', async () => {
    const order = await createOrder(api)
    const ignored = {
      external_order_id: 'x',
      order_date: '2020-01-01',
      created_at: '2020-01-01',
      cancel_reason: 'x',
      colour: 'red',
    }
    const answer = await api.put(path('orders', order.order_number), { ...ignored, notes: 'x' })
    expect(dataOf(answer, 200)).toStrictEqual({ ...order, notes: 'x', updated_at: TIME })
    expect(warnedFields(answer).toSorted()).toEqual(Object.keys(ignored).toSorted())
  })

  it('changes nothing when one field is bad', async () => {
    const order = await createOrder(api)
    const update = { notes: 'x', status: 'shipped', due_date: 'soon' }
    expectInvalid(await api.put(path('orders', order.order_number), update), 'due_date')
    expect(await readOrder(order)).toStrictEqual(order)
  })

  const put = (field: string) => async (json: string) => {
    const { order_number } = await createOrder(api)
    return await api.put(path('orders', order_number), bodyWith({}, field, json))
  }
  testField('customer_name', orNull(texts(255)), put('customer_name'))
  testField('customer_info', orNull(objects()), put('customer_info'))
  testField('notes', orNull(texts(10_000)), put('notes'))
  testField('due_date', orNull(datetimes()), put('due_date'))
  testField('metadata', orNull(objects()), put('metadata'))

  it.each(
    sample(
      ['null', '""', '"done"', '"PENDING"', '" pending"', '5', 'true', '[]', '["pending"]'],
      4,
    ),
  )('answers 400 VALIDATION_ERROR for status %s', async (json) => {
    expectInvalid(await put('status')(json), 'status')
  })
})
