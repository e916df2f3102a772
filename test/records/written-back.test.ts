import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { api } from '../fixtures/opened-api.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import {
  aMoment,
  createLocation,
  createOrder,
  createProduct,
  dataOf,
  expectError,
  path,
  warnedFields,
} from '../fixtures/warehouse.ts'
import { sideBySide } from '../releases/callers.ts'
import { HEADER, readOrder } from './orders.ts'

// What a PUT cannot change: the same value is silent, so that a record can be written back as it was read.

const KINDS = [
  { resource: 'orders', name: 'order_number', create: createOrder, change: { notes: 'x' } },
  { resource: 'products', name: 'sku', create: createProduct, change: { quantity: 7 } },
  { resource: 'locations', name: 'code', create: createLocation, change: { zone: 'x' } },
]

describe.each(sample(KINDS, 2))('PUT /$resource/', ({ resource, name, create, change }) => {
  it('takes a record as it was read, and says nothing', async () => {
    const at = path(resource, (await create(api))[name])
    const read = dataOf(await api.get(at), 200)
    for (const body of [read, { ...read, ...change }]) {
      const answer = await api.put(at, body)
      expect(dataOf(answer, 200)).toMatchObject({ id: read.id, [name]: read[name] })
      expect(answer.body.warnings).toBeUndefined()
    }
    expect(dataOf(await api.get(at), 200)).toMatchObject(change)
  })

  it.each(['id', name])('refuses another %s, and changes nothing', async (field) => {
    const record = await create(api)
    const at = path(resource, record[name])
    const before = dataOf(await api.get(at), 200)
    const other = await create(api)
    await aMoment()
    for (const value of [unique('X'), '', 5, null, {}, other[field], ` ${record[field]}`]) {
      const answer = await api.put(at, { ...change, [field]: value })
      expectInvalid(answer, field)
      if (typeof value === 'string') expect(answer.body.detail).toContain('annot be changed')
    }
    expect(dataOf(await api.get(at), 200)).toStrictEqual(before)
  })

  it('names both where both differ, also in a dry run', async () => {
    const at = path(resource, (await create(api))[name])
    const body = { id: 'x', [name]: unique('X'), ...change }
    const answer = await api.put(at, body)
    expectInvalid(answer, 'id', name)
    const rehearsed = await api.put(`${at}?dry_run=true`, body)
    const { error } = answer.body
    expect(rehearsed).toMatchObject({ status: 400, body: { dry_run: true, error } })
  })

  it('is 404 first, then 412, then 400', async () => {
    const other = { [name]: unique('X') }
    expectError(await api.put(path(resource, unique('NONE')), other), 404, 'NOT_FOUND')
    const at = path(resource, (await create(api))[name])
    const headers = { 'If-Match': '"9.00000000.0"' }
    expectError(await api.put(at, other, { headers }), 412, 'PRECONDITION_FAILED')
    const { headers: told } = await api.get(at)
    const known = { 'If-Match': told.get('ETag') ?? '' }
    expectInvalid(await api.put(at, other, { headers: known }), name)
    const same = { [name]: decodeURIComponent(at.split('/')[2] ?? ''), ...change }
    expect((await api.put(at, same, { headers: known })).status).toBe(200)
  })

  it('warns in release 1.0, as it always did', async () => {
    const { pinned } = await sideBySide({ default_identifier_field: name })
    const record = await create(api)
    const answer = await pinned.put(path(resource, record[name]), { [name]: 'X', id: 'x' })
    expect(answer.status).toBe(200)
    expect(warnedFields(answer).toSorted()).toEqual(['id', name].toSorted())
  })
})

describe('PUT /orders/ of a partner', () => {
  const items = {
    'items[].sku_code': 'lines[].article',
    'items[].quantity': 'lines[].count',
  }

  it('compares the mapped number, whatever field addresses the order', async () => {
    const fields = {
      order_number: { join: [{ value: 'W-' }, 'number'], with: '' },
      external_order_id: 'ref',
      notes: 'remark',
      ...items,
    }
    const mappings = { orders: { identifier_field: 'external_order_id', inbound: { fields } } }
    const partner = await openPartner({ mappings })
    const { sku: article } = await createProduct(api)
    const document = { number: unique('N'), ref: unique('R'), lines: [{ article, count: 2 }] }
    dataOf(await partner.api.post('/orders/', document), 201)
    const at = path('orders', document.ref)
    const same = await partner.api.put(at, { ...document, remark: 'ring twice' })
    expect(dataOf(same, 200).notes).toBe('ring twice')
    expect(same.body.warnings).toBeUndefined()
    const other = await partner.api.put(at, { ...document, number: 'N-other', remark: 'no' })
    expect([other.status, other.body.error]).toEqual([
      400,
      expect.objectContaining({
        code: 'VALIDATION_ERROR',
        message: `number: Cannot be changed: the order has "W-${document.number}".`,
        source: { order_number: 'number' },
      }),
    ])
    expect(dataOf(await partner.api.get(at), 200).notes).toBe('ring twice')
    const more = await partner.api.put(at, { ...document, lines: [{ article, count: 3 }] })
    expect(more.body.warnings).toEqual([
      expect.objectContaining({
        field: 'items',
        code: 'LINES_DIFFER',
        differences: [
          {
            field: 'items[0].quantity',
            source: 'lines[0].count',
            sku_code: article,
            stored: 2,
            sent: 3,
          },
        ],
      }),
    ])
  })
})

describe('PUT /orders/ with lines', () => {
  async function differencesOf(order: Json, items: unknown) {
    const answer = await api.put(path('orders', order.order_number), { items })
    expect(dataOf(answer, 200)).toStrictEqual(order)
    expect(answer.body.warnings?.length ?? 0).toBeLessThan(2)
    const [warning] = answer.body.warnings ?? []
    if (warning) expect([warning.field, warning.code]).toEqual(['items', 'LINES_DIFFER'])
    return warning?.differences ?? []
  }

  async function orderOfThree() {
    const [{ sku: a }, { sku: b }] = [await createProduct(api), await createProduct(api)]
    const items = [
      { sku_code: a, quantity: 2, notes: 'red' },
      { sku_code: b, quantity: 1 },
      { sku_code: a, quantity: 5 },
    ]
    return { a, b, items, order: await createOrder(api, { ...HEADER, items }) }
  }

  it('says nothing of lines that are equal, in either form and in another order', async () => {
    const { items, order } = await orderOfThree()
    expect(await differencesOf(order, items)).toEqual([])
    expect(await differencesOf(order, order.items)).toEqual([])
    const [first, second, third] = items
    expect(await differencesOf(order, [second, first, third])).toEqual([])
  })

  it('lists what differs, line by line of a SKU', async () => {
    const { a, b, items, order } = await orderOfThree()
    const [first, second] = items
    expect(await differencesOf(order, [{ ...first, quantity: 3, notes: null }, second])).toEqual([
      { field: 'items[0].quantity', sku_code: a, stored: 2, sent: 3 },
      { field: 'items[0].notes', sku_code: a, stored: 'red', sent: null },
      { field: 'items', sku_code: a, stored: 5, sent: null },
    ])
    const none = unique('NONE')
    const others = [...items, { sku_code: none, quantity: 4 }]
    expect(await differencesOf(order, others)).toEqual([
      { field: 'items[3]', sku_code: none, stored: null, sent: 4 },
    ])
    expect(await differencesOf(order, [])).toEqual(
      [
        [a, 2],
        [a, 5],
        [b, 1],
      ].map(([sku_code, stored]) => ({ field: 'items', sku_code, stored, sent: null })),
    )
  })

  it('lists 20 differences, and counts the rest', async () => {
    const { order } = await orderOfThree()
    const items = Array.from({ length: 5000 }, () => ({
      sku_code: 'none',
      quantity: 'x'.repeat(9),
    }))
    const answer = await api.put(path('orders', order.order_number), { items })
    const [warning] = answer.body.warnings
    expect(warning.differences).toHaveLength(20)
    expect(warning.message).toContain('5003 differences, of which the first 20 are listed')
  })

  it('shows no long text and no object of the body', async () => {
    const { a, order } = await orderOfThree()
    const line = { sku_code: a, quantity: { deep: ['y'.repeat(1000)] }, notes: 'n'.repeat(1000) }
    const [quantity, notes] = await differencesOf(order, [line])
    expect(quantity.sent).toBe('an object')
    expect(notes.sent.length).toBeLessThanOrEqual(300)
  })

  it('names what a line has beside the fields of a line', async () => {
    const { order } = await orderOfThree()
    const items = order.items.map((line: Json) => ({ ...line, colour: 'red' }))
    const answer = await api.put(path('orders', order.order_number), { items })
    expect(warnedFields(answer)).toEqual(['items[].colour'])
  })

  it('compares in a dry run as well', async () => {
    const { items, order } = await orderOfThree()
    const at = `${path('orders', order.order_number)}?dry_run=true`
    expect((await api.put(at, { items })).body.warnings).toBeUndefined()
    const { warnings } = (await api.put(at, { items: [] })).body
    expect(warnings[0].differences).toHaveLength(3)
  })
})

describe('POST /orders/ with a status', () => {
  const REFUSED = ['cancelled', 'shipped', 'CANCELLED', 'Canceled', ' shipped ']

  it.each(REFUSED)('refuses %j, and creates nothing', async (status) => {
    const { pinned, current } = await sideBySide()
    const { sku: sku_code } = await createProduct(api)
    for (const caller of [pinned, current]) {
      const order_number = unique('O')
      const order = { order_number, items: [{ sku_code, quantity: 1 }], status }
      expectInvalid(await caller.post('/orders/', order), 'status')
      expect((await api.get(path('orders', order_number))).status).toBe(404)
    }
  })

  it('names it beside other wrong fields', async () => {
    const answer = await api.post('/orders/', { status: 'shipped', items: [] })
    expectInvalid(answer, 'order_number', 'items', 'status')
  })

  it('is silent of pending, and warns of what else has no effect', async () => {
    expect((await readOrder(await createOrder(api, { status: 'pending' }))).status).toBe('pending')
    const { sku: sku_code } = await createProduct(api)
    const warned = async (status: unknown) => {
      const order = { order_number: unique('O'), items: [{ sku_code, quantity: 1 }], status }
      const answer = await api.post('/orders/', order)
      expect(dataOf(answer, 201).status).toBe('pending')
      return warnedFields(answer)
    }
    expect(await warned('pending')).toEqual([])
    for (const status of ['draft', 'verified', 'processing', 5, null]) {
      expect(await warned(status)).toEqual(['status'])
    }
  })

  it('refuses what a mapping makes of a document, and the preview says so', async () => {
    const fields = {
      order_number: 'number',
      'items[].sku_code': 'lines[].article',
      'items[].quantity': 'lines[].count',
      status: { from: 'state', values: { gone: 'cancelled', open: 'pending' } },
    }
    const partner = await openPartner({ mappings: { orders: { inbound: { fields } } } })
    const { sku: article } = await createProduct(api)
    const document = { number: unique('N'), state: 'gone', lines: [{ article, count: 1 }] }
    const answer = await partner.api.post('/orders/', document)
    expect([answer.status, answer.body.error.fields]).toEqual([
      400,
      { status: [expect.any(String)] },
    ])
    expect(answer.body.error.message).toMatch(/^state: /)
    const where = `/api/settings/v1/partners/${partner.id}/mappings/orders/preview/`
    const preview = await partner.admin.post(where, { payload: document })
    const { errors } = dataOf(preview, 200)
    expect(errors.map(({ field }: Json) => field)).toEqual(['status'])
    expect((await partner.api.post('/orders/', { ...document, state: 'open' })).status).toBe(201)
  })
})
