import { describe, expect, it } from 'vitest'
import { byDepth } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct, openApi } from '../fixtures/warehouse.ts'
import { fieldsWarned } from './mappings.ts'
import { at, dataOf, draft, LISTED, preview } from './previews.ts'

describe('the errors of a preview', () => {
  const LINES = {
    order_number: 'header.number',
    customer_name: 'buyer',
    'items[].sku_code': 'lines[].article.code',
    'items[].quantity': 'lines[].qty',
  }

  it("are those of validation, by our field, with the payload's own path", async () => {
    const payload = {
      header: {},
      buyer: 7,
      due_date: 'soon',
      lines: [
        { article: { code: 'S' }, qty: 1 },
        { article: { code: '' }, qty: '2' },
        { article: {}, qty: 1.5 },
      ],
    }
    const { mapped, problems, errors } = await draft(LINES, payload)
    expect(problems).toEqual([])
    expect(mapped.items[1]).toEqual({ sku_code: '', quantity: '2' })
    const found = errors.toSorted((a: Json, b: Json) => (a.field < b.field ? -1 : 1))
    expect(found).toEqual([
      { field: 'customer_name', messages: ['Must be a string, not a number.'], source: 'buyer' },
      { field: 'due_date', messages: [expect.stringContaining('ISO 8601')], source: 'due_date' },
      {
        field: 'items[1].quantity',
        messages: ['Must be an integer, not a string.'],
        source: 'lines[1].qty',
      },
      {
        field: 'items[1].sku_code',
        messages: ['Must have at least 1 character.'],
        source: 'lines[1].article.code',
      },
      {
        field: 'items[2].quantity',
        messages: ['Must be an integer, not a fraction.'],
        source: 'lines[2].qty',
      },
      {
        field: 'items[2].sku_code',
        messages: ['This field is required.'],
        source: 'lines[2].article.code',
      },
      { field: 'order_number', messages: ['This field is required.'], source: 'header.number' },
    ])
  })

  it('say of a quantity of 0 that it must be at least 1', async () => {
    const { errors } = await draft(LINES, {
      header: { number: 'A' },
      lines: [{ article: { code: 'S' }, qty: 0 }],
    })
    expect(errors).toEqual([
      { field: 'items[0].quantity', messages: ['Must be at least 1.'], source: 'lines[0].qty' },
    ])
  })

  it('are named by the array where it is missing or empty', async () => {
    const missing = await draft(LINES, { header: { number: 'A' } })
    expect(missing.errors).toEqual([
      { field: 'items', messages: ['This field is required.'], source: 'lines' },
    ])
    const empty = await draft(LINES, { header: { number: 'A' }, lines: [] })
    expect(empty.errors).toEqual([
      { field: 'items', messages: ['Must have at least 1 entry.'], source: 'lines' },
    ])
  })

  it('have source null where nothing of the payload could fill the field', async () => {
    const payload = { header: { number: 'A' }, items: 'x' }
    const { errors } = await draft({ order_number: 'items' }, payload)
    expect(errors).toEqual([
      { field: 'items', messages: ['This field is required.'], source: null },
    ])
  })

  it('are those of the method: a PUT needs no field', async () => {
    const payload = { buyer: 'Kim' }
    const fields = { customer_name: 'buyer', order_number: 'header.number' }
    expect((await draft(fields, payload, { method: 'PUT' })).errors).toEqual([])
    const created = await draft(fields, payload, { method: 'POST' })
    expect(created.errors.map(({ field }: Json) => field)).toEqual(['order_number', 'items'])
    expect((await draft(fields, payload)).errors).toEqual(created.errors)
  })

  it('name the rows of an upload, one by one', async () => {
    const fields = {
      'inventory[].location_code': 'stock[].bin',
      'inventory[].sku_code': 'stock[].item',
      'inventory[].quantity': { from: 'stock[].on_hand', required: true },
    }
    const api = await openApi()
    const [{ code: bin }, { sku: item }] = [await createLocation(api), await createProduct(api)]
    const stock = [
      { bin, item, on_hand: 1 },
      { bin, item },
      { bin: null, item, on_hand: '4' },
    ]
    const { problems, errors } = await draft(fields, { stock }, {}, 'inventory')
    expect(problems).toEqual([])
    expect(errors).toEqual([
      {
        field: 'inventory[1].quantity',
        messages: ['Is missing, and the mapping requires it.'],
        source: 'stock[1].on_hand',
      },
      {
        field: 'inventory[2].location_code',
        messages: ['Must be a string, not null.'],
        source: 'stock[2].bin',
      },
      {
        field: 'inventory[2].quantity',
        messages: ['Must be an integer, not a string.'],
        source: 'stock[2].on_hand',
      },
    ])
  })

  it(`are cut at ${LISTED}, with a warning`, async () => {
    const linesOf = async (count: number) => {
      const items = Array.from({ length: count }, () => ({ notes: 'x' }))
      return await preview({ payload: { order_number: 'A', items } })
    }
    const full = await linesOf(LISTED / 2)
    expect(dataOf(full).errors).toHaveLength(LISTED)
    expect(fieldsWarned(full)).toEqual([])
    const over = await linesOf(LISTED / 2 + 1)
    expect(dataOf(over).errors).toEqual(dataOf(full).errors)
    expect(fieldsWarned(over)).toEqual(['errors'])
  })

  it(`are cut at ${LISTED} for an upload of any size, with a warning`, async () => {
    const api = await openApi()
    const location_code = (await createLocation(api)).code
    const sku_code = (await createProduct(api)).sku
    for (const rows of [LISTED + 1, byDepth(5000, 150_000)]) {
      const inventory = Array.from({ length: rows }, () => ({ location_code, sku_code }))
      const answer = await preview({ payload: { inventory } }, 'inventory')
      expect(dataOf(answer).errors).toHaveLength(LISTED)
      expect(dataOf(answer).errors.at(-1).field).toBe(`inventory[${LISTED - 1}].quantity`)
      expect(fieldsWarned(answer)).toEqual(['errors', 'provenance'])
    }
  })

  it.each([LISTED / 2 + 1, LISTED + 1])(
    `are cut at ${LISTED} for an upload of %i rows whose codes nobody has, with a warning`,
    async (rows) => {
      const row = { location_code: unique('NOWHERE'), sku_code: unique('NOTHING'), quantity: 1 }
      const inventory = Array.from({ length: rows }, () => row)
      const answer = await preview({ payload: { inventory } }, 'inventory')
      expect(dataOf(answer).errors).toHaveLength(LISTED)
      expect(fieldsWarned(answer)).toContain('errors')
    },
  )

  it.each<[string, Json]>([
    [
      'wrong kinds',
      { header: { number: 7 }, buyer: [], lines: [{ article: { code: 1 }, qty: 'x' }] },
    ],
    ['missing fields', { lines: [{ article: {} }] }],
    ['no lines', {}],
    ['a document in our own words', { order_number: 'A', items: [], customer_name: 'Kim' }],
    [
      'unread fields',
      { header: { number: '', x: 1 }, lines: [{ article: { code: 'S' }, qty: 1.5, y: 1 }] },
    ],
  ])("are what the partner's own request is answered: %s", async (_, payload) => {
    const mappings = { orders: { inbound: { fields: LINES } } }
    const { id, api } = await openPartner({ mappings })
    const { errors } = dataOf(await admin.post(at(id), { payload }))
    const { status, body } = await api.post('/orders/', payload)
    expect(status).toBe(400)
    const told = Object.entries(body.error.fields).map(([field, messages]) => ({
      field,
      messages,
      source: body.error.source[field] ?? null,
    }))
    expect(errors).toEqual(told)
  })

  it("are the problems that the partner's own request is answered", async () => {
    const mappings = { orders: { inbound: { unmapped: 'reject', fields: LINES } } }
    const { id, api } = await openPartner({ mappings })
    const payload = { header: 'A', lines: [{ article: 1 }, { article: { code: 'S' } }], other: 1 }
    const { problems } = dataOf(await admin.post(at(id), { payload }))
    const { status, body } = await api.post('/orders/', payload)
    expect([status, body.error.problems]).toEqual([422, problems])
    expect(problems).toHaveLength(3)
  })
})
