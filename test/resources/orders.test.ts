import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Json, unique } from '../tenant.ts'
import { testPages } from './paging.ts'
import {
  datetimes,
  identifiers,
  integers,
  notNull,
  objects,
  orNull,
  testField,
  texts,
} from './samples.ts'
import {
  type Api,
  aMoment,
  bodyWith,
  createOrder,
  createProduct,
  dataOf,
  expectError,
  ID,
  NO_OBJECTS,
  ODD_NAMES,
  ODD_WHOLES,
  oneLine,
  openApi,
  path,
  TEXT,
  TIME,
  warnedFields,
  without,
} from './warehouse.ts'

let api: Api
beforeAll(async () => {
  api = await openApi()
})

const OPEN = ['draft', 'pending', 'in_progress', 'partially_verified', 'verified']
const FINAL = ['shipped', 'cancelled']
const STATUSES = [...OPEN, ...FINAL]

const HEADER = {
  customer_name: 'Ada Lovelace',
  customer_info: { phone: '+44 1', address: { city: 'London', lines: ['1 St James'] } },
  notes: 'Leave at the door.',
  due_date: '2026-03-05T12:00:00.000Z',
  metadata: { channel: 'web', tags: ['a', 'b'] },
}

const EMPTY_HEADER = {
  customer_name: null,
  customer_info: null,
  notes: null,
  due_date: null,
  metadata: null,
}

/** An order that has come to this status by PUT. */
async function orderWith(status: string, fields: object = {}): Promise<Json> {
  const { order_number } = await createOrder(api, fields)
  return dataOf(await api.put(path('orders', order_number), { status }), 200)
}

async function readOrder(order: Json): Promise<Json> {
  return dataOf(await api.get(path('orders', order.order_number)), 200)
}

describe('POST /orders/', () => {
  it('creates a pending order with all its fields', async () => {
    const order_number = unique('ORDER')
    const external_order_id = unique('EXT')
    const { sku: first } = await createProduct(api)
    const { sku: second } = await createProduct(api)
    const { status, body } = await api.post('/orders/', {
      order_number,
      external_order_id,
      ...HEADER,
      order_date: '2026-03-01T10:30:00+01:00',
      items: [
        { sku_code: first, quantity: 2, notes: 'Gift wrap' },
        { sku_code: second, quantity: 1 },
      ],
    })
    expect({ status, body }).toStrictEqual({
      status: 201,
      body: {
        success: true,
        data: {
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
        },
      },
    })
    expect(await readOrder(body.data)).toStrictEqual(body.data)
  })

  it('needs no more than order_number and one item', async () => {
    const order_number = unique('ORDER')
    const { sku } = await createProduct(api)
    const items = [{ sku_code: sku, quantity: 1 }]
    const { status, body } = await api.post('/orders/', { order_number, items })
    expect({ status, body }).toStrictEqual({
      status: 201,
      body: {
        success: true,
        data: {
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
        },
      },
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

  it.each(['order_number', 'items'])(
    'answers 400 VALIDATION_ERROR for missing %s',
    async (field) => {
      const order = { order_number: unique('ORDER'), items: await oneLine(api) }
      const answer = await api.post('/orders/', without(order, field))
      expectError(answer, 400, 'VALIDATION_ERROR', [field])
    },
  )

  it('answers 400 VALIDATION_ERROR for no body', async () => {
    const answer = await api.post('/orders/')
    expectError(answer, 400, 'VALIDATION_ERROR', ['order_number', 'items'])
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
    const answer = await api.post('/orders/', bad)
    expectError(answer, 400, 'VALIDATION_ERROR', Object.keys(bad))
  })

  it.each(NO_OBJECTS)('answers 400 VALIDATION_ERROR for the body %s', async (body) => {
    expectError(await api.post('/orders/', body), 400, 'VALIDATION_ERROR')
  })

  it('answers 415 for a body that is not sent as JSON', async () => {
    const headers = { 'Content-Type': 'text/plain' }
    expectError(await api.post('/orders/', '{}', { headers }), 415, 'UNSUPPORTED_MEDIA_TYPE')
  })

  it('takes several orders of one external_order_id', async () => {
    const external_order_id = unique('EXT')
    const first = await createOrder(api, { external_order_id })
    const second = await createOrder(api, { external_order_id })
    expect(first.id).not.toBe(second.id)
  })

  it('ignores status with a warning: a new order is pending', async () => {
    const order = { order_number: unique('ORDER'), items: await oneLine(api), status: 'shipped' }
    const answer = await api.post('/orders/', order)
    expect(dataOf(answer, 201).status).toBe('pending')
    expect(warnedFields(answer)).toEqual(['status'])
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

  it('names a field __proto__ in warnings', async () => {
    const order = { order_number: unique('ORDER'), items: await oneLine(api) }
    const answer = await api.post('/orders/', bodyWith(order, '__proto__', '{"notes":"x"}'))
    expect(dataOf(answer, 201).notes).toBeNull()
    expect(warnedFields(answer)).toEqual(['__proto__'])
  })

  it.each(ODD_NAMES)('creates an order named …%s and finds it again', async (odd) => {
    await findAgain(unique('ORDER') + odd)
  })

  it.each(ODD_WHOLES)('creates an order named %s and finds it again', findAgain)

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

/** Every endpoint of one order addresses it by its percent-encoded number. */
async function findAgain(order_number: string) {
  const order = await createOrder(api, { order_number })
  const at = path('orders', order_number)
  expect(dataOf(await api.get(at), 200)).toStrictEqual(order)
  const updated = dataOf(await api.put(at, { notes: 'x' }), 200)
  expect(updated).toStrictEqual({ ...order, notes: 'x', updated_at: TIME })
  expect(dataOf(await api.delete(at), 200)).toMatchObject({ id: order.id, status: 'cancelled' })
}

describe('POST /orders/ items', () => {
  it.each(['null', '{}', '"x"', '5', 'true', '[]'])(
    'answers 400 VALIDATION_ERROR for items %s',
    async (json) => {
      const order = { order_number: unique('ORDER') }
      const answer = await api.post('/orders/', bodyWith(order, 'items', json))
      expectError(answer, 400, 'VALIDATION_ERROR', ['items'])
    },
  )

  it.each(['null', '5', '"SKU"', '[]', 'true'])(
    'answers 400 VALIDATION_ERROR for the item %s',
    async (json) => {
      const [line] = await oneLine(api)
      const items = `[${JSON.stringify(line)},${json}]`
      const order = { order_number: unique('ORDER') }
      const answer = await api.post('/orders/', bodyWith(order, 'items', items))
      expectError(answer, 400, 'VALIDATION_ERROR', ['items[1]'])
    },
  )

  it.each(['sku_code', 'quantity'])(
    'answers 400 VALIDATION_ERROR for missing %s',
    async (field) => {
      const [line] = await oneLine(api)
      const items = [line, without(line!, field)]
      const answer = await api.post('/orders/', { order_number: unique('ORDER'), items })
      expectError(answer, 400, 'VALIDATION_ERROR', [`items[1].${field}`])
    },
  )

  it.each(['null', '""', '5', 'true', '[]', '{}', '"\\ud83d"'])(
    'answers 400 VALIDATION_ERROR for sku_code %s',
    async (json) => {
      expectError(await post('sku_code')(json), 400, 'VALIDATION_ERROR', ['items[0].sku_code'])
    },
  )

  it('names the bad fields of every item', async () => {
    const [line] = await oneLine(api)
    const items = [{ sku_code: 1, quantity: 0 }, line, { ...line, quantity: '1', notes: 5 }]
    const answer = await api.post('/orders/', { order_number: unique('ORDER'), items })
    expectError(answer, 400, 'VALIDATION_ERROR', [
      'items[0].sku_code',
      'items[0].quantity',
      'items[2].quantity',
      'items[2].notes',
    ])
  })

  it('answers 400 SERVICE_ERROR for an unknown sku_code and creates nothing', async () => {
    const order_number = unique('ORDER')
    const [line] = await oneLine(api)
    const unknown = [unique('NO'), unique('NO')]
    const items = [line, { ...line, sku_code: unknown[0] }, line, { ...line, sku_code: unknown[1] }]
    const answer = await api.post('/orders/', { order_number, items })
    expectError(answer, 400, 'SERVICE_ERROR', ['items[1].sku_code', 'items[3].sku_code'])
    expect(answer.body.error.fields['items[1].sku_code'][0]).toContain(unknown[0])
    expect(answer.body.error.fields['items[3].sku_code'][0]).toContain(unknown[1])
    expectError(await api.get(path('orders', order_number)), 404, 'NOT_FOUND')
    dataOf(await api.post('/orders/', { order_number, items: [line] }), 201)
  })

  it('compares sku_code exactly', async () => {
    const { sku } = await createProduct(api, { sku: unique('sku') })
    const items = [{ sku_code: sku.toUpperCase(), quantity: 1 }]
    const answer = await api.post('/orders/', { order_number: unique('ORDER'), items })
    expectError(answer, 400, 'SERVICE_ERROR', ['items[0].sku_code'])
  })

  it.each(['007', '7', '7.0', 'null', 'true', '😀', 'é'])(
    'takes a line of the SKU %s',
    async (sku) => {
      await createProduct(api, { sku })
      const order = await createOrder(api, { items: [{ sku_code: sku, quantity: 1 }] })
      expect(order.items[0].sku).toStrictEqual({ sku })
    },
  )

  it('takes an inactive product in a line, with a warning', async () => {
    const { sku } = await createProduct(api, { is_active: false })
    const [line] = await oneLine(api)
    const items = [line, { sku_code: sku, quantity: 1 }]
    const answer = await api.post('/orders/', { order_number: unique('ORDER'), items })
    expect(dataOf(answer, 201).items).toHaveLength(2)
    expect(warnedFields(answer)).toEqual(['items[1].sku_code'])
    expect(answer.body.warnings[0].message).toContain(sku)
  })

  it('takes 1,000 items with long notes and keeps their order', async () => {
    const { sku: sku_code } = await createProduct(api)
    const items = Array.from({ length: 1000 }, (_, at) => ({
      sku_code,
      quantity: at + 1,
      notes: `${at} ${'語'.repeat(3000)}`,
    }))
    const order = await createOrder(api, { items })
    const lines = (await readOrder(order)).items
    expect(lines.map((line: Json) => line.quantity)).toEqual(items.map((item) => item.quantity))
    expect(lines.every((line: Json, at: number) => line.notes === items[at]?.notes)).toBe(true)
  })

  it('answers 400 VALIDATION_ERROR for 1,001 items', async () => {
    const { sku: sku_code } = await createProduct(api)
    const items = Array.from({ length: 1001 }, () => ({ sku_code, quantity: 1 }))
    const answer = await api.post('/orders/', { order_number: unique('ORDER'), items })
    expectError(answer, 400, 'VALIDATION_ERROR', ['items'])
  })

  const post = (field: string) => async (json: string) => {
    const [line] = await oneLine(api)
    const items = `[${bodyWith(line!, field, json)}]`
    return await api.post('/orders/', bodyWith({ order_number: unique('ORDER') }, 'items', items))
  }
  testField(
    'items[0].quantity',
    notNull(integers(1)),
    post('quantity'),
    (order) => order.items[0].quantity,
  )
  testField('items[0].notes', orNull(texts(10_000)), post('notes'), (order) => order.items[0].notes)
})

describe('POST /orders/ repeated', () => {
  it('answers 400 VALIDATION_ERROR for an order_number that exists', async () => {
    const order = await createOrder(api)
    const again = { order_number: order.order_number, items: await oneLine(api), notes: 'new' }
    const answer = await api.post('/orders/', again)
    expectError(answer, 400, 'VALIDATION_ERROR', ['order_number'])
    expect(answer.body.detail).toMatch(/already exists/)
    expect(await readOrder(order)).toStrictEqual(order)
  })

  it('answers the same to a retry with the very same body', async () => {
    const body = { order_number: unique('ORDER'), items: await oneLine(api), ...HEADER }
    const order = dataOf(await api.post('/orders/', body), 201)
    expectError(await api.post('/orders/', body), 400, 'VALIDATION_ERROR', ['order_number'])
    expect(await readOrder(order)).toStrictEqual(order)
  })

  it('answers 400 VALIDATION_ERROR for the number of a cancelled order', async () => {
    const { order_number } = await orderWith('cancelled')
    const answer = await api.post('/orders/', { order_number, items: await oneLine(api) })
    expectError(answer, 400, 'VALIDATION_ERROR', ['order_number'])
  })

  it('tells order numbers apart by case', async () => {
    const order_number = unique('order')
    const lower = await createOrder(api, { order_number })
    const upper = await createOrder(api, { order_number: order_number.toUpperCase() })
    expect(lower.id).not.toBe(upper.id)
  })

  it('answers one 201 and nineteen 400 to twenty requests for one number at once', async () => {
    const order_number = unique('ORDER')
    const items = await oneLine(api)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        api.post('/orders/', { order_number, items, notes: `${n}` }),
      ),
    )
    const [winner, ...others] = answers.toSorted((a, b) => a.status - b.status)
    const order = dataOf(winner!, 201)
    for (const other of others) expectError(other, 400, 'VALIDATION_ERROR', ['order_number'])
    expect(await readOrder(order)).toStrictEqual(order)
  })
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
    const { status, body } = await api.get('/orders/?limit=1')
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        success: true,
        data: [
          { id, order_number, status: 'pending', customer_name: HEADER.customer_name, created_at },
        ],
        pagination: { limit: 1, next_cursor: body.pagination.next_cursor },
      },
    })
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
    const { status, body } = await api.get(path('orders', order.order_number))
    expect({ status, body }).toStrictEqual({ status: 200, body: { success: true, data: order } })
  })

  it('answers 404 NOT_FOUND when nothing matches', async () => {
    expectError(await api.get(path('orders', unique('ORDER'))), 404, 'NOT_FOUND')
  })

  it('does not find an order by id or external_order_id with a pass-through key', async () => {
    const external_order_id = unique('EXT')
    const { id } = await createOrder(api, { external_order_id })
    expectError(await api.get(path('orders', id)), 404, 'NOT_FOUND')
    expectError(await api.get(path('orders', external_order_id)), 404, 'NOT_FOUND')
  })

  it('does not find an order by another case, or with white space around', async () => {
    const order_number = unique('order')
    await createOrder(api, { order_number })
    for (const other of [
      order_number.toUpperCase(),
      ` ${order_number}`,
      `${order_number} `,
      `${order_number}\u0000`,
      `${order_number}%`,
    ]) {
      expectError(await api.get(path('orders', other)), 404, 'NOT_FOUND')
    }
  })

  it.each(['%', '%FF', '%E0%A4%A', '%00'])('answers 404 to a name ending in %s', async (end) => {
    expectError(await api.get(`/orders/${unique('ORDER')}${end}/`), 404, 'NOT_FOUND')
  })
})

describe('PUT /orders/{identifier}/', () => {
  it('replaces all header fields and answers the full order', async () => {
    const order = await createOrder(api, { external_order_id: unique('EXT') })
    await aMoment()
    const update = { ...HEADER, status: 'in_progress' }
    const { status, body } = await api.put(path('orders', order.order_number), update)
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: { success: true, data: { ...order, ...update, updated_at: TIME } },
    })
    expect(body.data.updated_at > order.updated_at).toBe(true)
    expect(await readOrder(order)).toStrictEqual(body.data)
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

  it('changes nothing for an empty object, nor for no body', async () => {
    const order = await createOrder(api, HEADER)
    const at = path('orders', order.order_number)
    await aMoment()
    expect(dataOf(await api.put(at, {}), 200)).toStrictEqual(order)
    expect(dataOf(await api.put(at), 200)).toStrictEqual(order)
    expect(dataOf(await api.put(at, ''), 200)).toStrictEqual(order)
  })

  it('is safe to repeat', async () => {
    const { order_number } = await createOrder(api)
    const update = { ...HEADER, status: 'verified' }
    const first = dataOf(await api.put(path('orders', order_number), update), 200)
    const second = dataOf(await api.put(path('orders', order_number), update), 200)
    expect(second).toStrictEqual({ ...first, updated_at: TIME })
  })

  it('ignores items and names them in warnings', async () => {
    const order = await createOrder(api)
    const items = [{ sku_code: unique('NO'), quantity: 5 }]
    const answer = await api.put(path('orders', order.order_number), { items, notes: 'x' })
    expect(dataOf(answer, 200)).toStrictEqual({ ...order, notes: 'x', updated_at: TIME })
    expect(warnedFields(answer)).toEqual(['items'])
  })

  it('changes nothing for items alone, whatever they are', async () => {
    const order = await createOrder(api)
    await aMoment()
    for (const items of [[], null, 'x', [{ sku_code: 1 }]]) {
      const answer = await api.put(path('orders', order.order_number), { items })
      expect(dataOf(answer, 200)).toStrictEqual(order)
      expect(warnedFields(answer)).toEqual(['items'])
    }
  })

  it('ignores unknown and read-only fields, and names them in warnings', async () => {
    const order = await createOrder(api)
    const ignored = {
      id: 'x',
      order_number: unique('ORDER'),
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
    const answer = await api.put(path('orders', order.order_number), update)
    expectError(answer, 400, 'VALIDATION_ERROR', ['due_date'])
    expect(await readOrder(order)).toStrictEqual(order)
  })

  it('answers 404 NOT_FOUND when nothing matches, and creates nothing', async () => {
    const at = path('orders', unique('ORDER'))
    expectError(await api.put(at, { notes: 'x' }), 404, 'NOT_FOUND')
    expectError(await api.put(at, { status: 'cancelled' }), 404, 'NOT_FOUND')
    expectError(await api.put(at, {}), 404, 'NOT_FOUND')
    expectError(await api.get(at), 404, 'NOT_FOUND')
  })

  it.each(NO_OBJECTS)('answers 400 VALIDATION_ERROR for the body %s', async (body) => {
    const { order_number } = await createOrder(api)
    expectError(await api.put(path('orders', order_number), body), 400, 'VALIDATION_ERROR')
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

  it.each(['null', '""', '"done"', '"PENDING"', '" pending"', '5', 'true', '[]', '["pending"]'])(
    'answers 400 VALIDATION_ERROR for status %s',
    async (json) => {
      expectError(await put('status')(json), 400, 'VALIDATION_ERROR', ['status'])
    },
  )
})

describe('PUT /orders/{identifier}/ status', () => {
  const moves = OPEN.flatMap((from) => STATUSES.map((to) => [from, to] as const))

  it.each(moves)('moves an order from %s to %s', async (from, to) => {
    const order = await orderWith(from)
    const moved = dataOf(await api.put(path('orders', order.order_number), { status: to }), 200)
    expect(moved.status).toBe(to)
    expect((await readOrder(order)).status).toBe(to)
  })

  const refused = FINAL.flatMap((from) =>
    STATUSES.filter((to) => to !== from).map((to) => [from, to] as const),
  )

  it.each(refused)('answers 400 SERVICE_ERROR to a move from %s to %s', async (from, to) => {
    const order = await orderWith(from)
    const update = { status: to, notes: 'not kept' }
    const answer = await api.put(path('orders', order.order_number), update)
    expectError(answer, 400, 'SERVICE_ERROR')
    expect(await readOrder(order)).toStrictEqual(order)
  })

  it.each(FINAL)('is a no-op from %s to the same status', async (status) => {
    const order = await orderWith(status)
    await aMoment()
    const again = dataOf(await api.put(path('orders', order.order_number), { status }), 200)
    expect(again).toStrictEqual(order)
  })

  it.each(FINAL)('still changes other fields of an order that is %s', async (status) => {
    const order = await orderWith(status)
    const update = { status, notes: 'x' }
    const updated = dataOf(await api.put(path('orders', order.order_number), update), 200)
    expect(updated).toStrictEqual({ ...order, notes: 'x', updated_at: TIME })
  })

  it('marks every line verified when the order becomes verified', async () => {
    const { sku: sku_code } = await createProduct(api)
    const items = [3, 7].map((quantity) => ({ sku_code, quantity }))
    const order = await orderWith('verified', { items })
    expect(order.status).toBe('verified')
    expect(order.items).toMatchObject([
      { quantity: 3, verified_quantity: 3, verification_status: 'verified' },
      { quantity: 7, verified_quantity: 7, verification_status: 'verified' },
    ])
    expect(await readOrder(order)).toStrictEqual(order)
  })

  it.each(STATUSES.filter((status) => status !== 'verified'))(
    'leaves lines pending when the order becomes %s',
    async (status) => {
      const order = await orderWith(status)
      expect(order.items).toMatchObject([{ verified_quantity: 0, verification_status: 'pending' }])
    },
  )

  it('verifies the lines of no other order', async () => {
    const other = await createOrder(api)
    await orderWith('verified')
    expect(await readOrder(other)).toStrictEqual(other)
  })

  it('cancels as DELETE does', async () => {
    const byPut = await orderWith('cancelled')
    expect(byPut).toMatchObject({ status: 'cancelled', cancelled_at: TIME, cancel_reason: null })
    const { order_number } = await createOrder(api)
    const byDelete = dataOf(await api.delete(path('orders', order_number)), 200)
    expect(Object.keys(byPut)).toEqual(Object.keys(byDelete))
    expect(byDelete).toMatchObject({ status: 'cancelled', cancelled_at: TIME, cancel_reason: null })
  })

  it('keeps reason and time of a cancellation when it is repeated', async () => {
    const { order_number } = await createOrder(api)
    const order = dataOf(await api.delete(path('orders', order_number), { reason: 'first' }), 200)
    await aMoment()
    const update = { status: 'cancelled', notes: 'x' }
    const again = dataOf(await api.put(path('orders', order_number), update), 200)
    expect(again).toStrictEqual({ ...order, notes: 'x', updated_at: TIME })
  })

  it('leaves an order that is shipped and cancelled at once in one of both', async () => {
    const { order_number } = await createOrder(api)
    const at = path('orders', order_number)
    const ship = () => api.put(at, { status: 'shipped' })
    const cancel = () => api.delete(at)
    const sent = Array.from({ length: 10 }, () => [ship(), cancel()] as const)
    const shipped = await Promise.all(sent.map(([answer]) => answer))
    const cancelled = await Promise.all(sent.map(([, answer]) => answer))
    const { status, cancelled_at } = dataOf(await api.get(at), 200)
    expect(FINAL).toContain(status)
    expect(cancelled_at === null).toBe(status === 'shipped')
    const [winners, losers] = status === 'shipped' ? [shipped, cancelled] : [cancelled, shipped]
    for (const answer of winners) expect(dataOf(answer, 200).status).toBe(status)
    for (const answer of losers) expectError(answer, 400, 'SERVICE_ERROR')
  })
})

describe('DELETE /orders/{identifier}/', () => {
  it('cancels the order, keeps the reason and answers the full order', async () => {
    const order = await createOrder(api, HEADER)
    const answer = await api.delete(path('orders', order.order_number), { reason: 'Out of stock' })
    expect({ status: answer.status, body: answer.body }).toStrictEqual({
      status: 200,
      body: {
        success: true,
        data: {
          ...order,
          status: 'cancelled',
          updated_at: TIME,
          cancelled_at: TIME,
          cancel_reason: 'Out of stock',
        },
      },
    })
    expect(await readOrder(order)).toStrictEqual(answer.body.data)
  })

  it.each(OPEN)('cancels an order that is %s', async (status) => {
    const { order_number } = await orderWith(status)
    expect(dataOf(await api.delete(path('orders', order_number)), 200)).toMatchObject({
      status: 'cancelled',
      cancelled_at: TIME,
    })
  })

  it.each([undefined, '', {}, { reason: null }])(
    'takes the body %j, with no reason',
    async (body) => {
      const { order_number } = await createOrder(api)
      const answer = await api.delete(path('orders', order_number), body)
      expect(dataOf(answer, 200)).toMatchObject({ status: 'cancelled', cancel_reason: null })
      expect(answer.body.warnings).toBeUndefined()
    },
  )

  it('answers the same when it is repeated, and keeps the first reason', async () => {
    const { order_number } = await createOrder(api)
    const first = await api.delete(path('orders', order_number), { reason: 'first' })
    for (const body of [{ reason: 'second' }, {}, undefined]) {
      await aMoment()
      const again = await api.delete(path('orders', order_number), body)
      expect(dataOf(again, 200)).toStrictEqual(dataOf(first, 200))
    }
  })

  it('adds no reason to a cancellation that had none', async () => {
    const { order_number } = await createOrder(api)
    const first = dataOf(await api.delete(path('orders', order_number)), 200)
    await aMoment()
    const again = dataOf(await api.delete(path('orders', order_number), { reason: 'late' }), 200)
    expect(again).toStrictEqual(first)
  })

  it('answers one and the same to twenty cancellations at once', async () => {
    const order = await createOrder(api)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        api.delete(path('orders', order.order_number), { reason: `${n}` }),
      ),
    )
    const kept = await readOrder(order)
    for (const answer of answers) expect(dataOf(answer, 200)).toStrictEqual(kept)
  })

  it('answers 400 SERVICE_ERROR for a shipped order and leaves it alone', async () => {
    const order = await orderWith('shipped')
    const answer = await api.delete(path('orders', order.order_number), { reason: 'late' })
    expectError(answer, 400, 'SERVICE_ERROR')
    expect(await readOrder(order)).toStrictEqual(order)
  })

  it('answers 404 NOT_FOUND when nothing matches', async () => {
    const at = path('orders', unique('ORDER'))
    expectError(await api.delete(at), 404, 'NOT_FOUND')
    expectError(await api.delete(at, { reason: 'x' }), 404, 'NOT_FOUND')
  })

  it('names unknown fields in warnings', async () => {
    const { order_number } = await createOrder(api)
    const answer = await api.delete(path('orders', order_number), { reason: 'x', colour: 'red' })
    expect(dataOf(answer, 200).cancel_reason).toBe('x')
    expect(warnedFields(answer)).toEqual(['colour'])
  })

  it('does not cancel for a bad reason', async () => {
    const order = await createOrder(api)
    const answer = await api.delete(path('orders', order.order_number), { reason: 5 })
    expectError(answer, 400, 'VALIDATION_ERROR', ['reason'])
    expect(await readOrder(order)).toStrictEqual(order)
  })

  it.each(NO_OBJECTS)('answers 400 VALIDATION_ERROR for the body %s', async (body) => {
    const { order_number } = await createOrder(api)
    expectError(await api.delete(path('orders', order_number), body), 400, 'VALIDATION_ERROR')
  })

  async function cancelFor(json: string): Promise<Answer> {
    const { order_number } = await createOrder(api)
    return await api.delete(path('orders', order_number), bodyWith({}, 'reason', json))
  }
  testField('reason', orNull(texts(1000)), cancelFor, (order) => order.cancel_reason)
})

describe('/orders/ paths', () => {
  it.each([
    ['PUT', '/orders/', 'GET, POST'],
    ['DELETE', '/orders/', 'GET, POST'],
    ['POST', '/orders/X/', 'DELETE, GET, PUT'],
    ['PATCH', '/orders/X/', 'DELETE, GET, PUT'],
  ])('answers 405 METHOD_NOT_ALLOWED to %s %s', async (method, at, allowed) => {
    const answer = await api.call(method, at, {})
    expectError(answer, 405, 'METHOD_NOT_ALLOWED')
    const allow = answer.headers.get('Allow')?.split(', ') ?? []
    expect(allow).toEqual(expect.arrayContaining(allowed.split(', ')))
    expect(allow).not.toContain(method)
  })

  it('redirects a path without its trailing slash with 308', async () => {
    const answer = await api.post('/orders', {})
    expect(answer.status).toBe(308)
    expect(answer.headers.get('Location')).toEqual(TEXT)
    expect(answer.headers.get('Location')).toMatch(/\/orders\/$/)
  })
})
