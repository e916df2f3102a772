import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { EXAMPLES, type Example } from '../fixtures/mapping-examples.ts'
import { admin } from '../fixtures/opened.ts'
import { AUDIT } from '../fixtures/settings.ts'
import { oneRow } from '../fixtures/sql.ts'
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

// As examples-through-the-api.test.ts, for each, filters, joins, conversions, values, lists and defaults.

/** Sends the example as a new order, with what it leaves out; gives the stored order. */
async function ordered(example: Example, more: Json = {}): Promise<Json> {
  await haveProducts('S1', 'S2')
  const { api } = await openExample(example)
  const answer = await api.post('/orders/', { ...example.payload, ...more })
  const order = dataOf(answer, 201)
  return await stored(`/orders/${order.order_number}/`)
}

describe('POST /orders/ of a partner', () => {
  it('makes lines of the elements that a filter takes (example 16)', async () => {
    const example = exampleOf(16)
    const order = await ordered(example, { order_number: unique('O') })
    expect(linesOf(order)).toEqual(mappedOf(example).items)
  })

  it('takes one element by a value (example 18)', async () => {
    const example = exampleOf(18)
    const more = { order_number: unique('O'), items: await makeLines() }
    expect((await ordered(example, more)).metadata).toEqual(mappedOf(example).metadata)
  })

  it('joins texts (example 19)', async () => {
    const example = exampleOf(19)
    const { items, ...fields } = mappedOf(example)
    const order = await ordered(example)
    expect(order).toMatchObject(fields)
    expect(linesOf(order)).toEqual(items)
  })

  it('converts values (example 20)', async () => {
    const example = exampleOf(20)
    const { items, ...fields } = mappedOf(example)
    const order = await ordered(example, { order_number: unique('O') })
    expect(order).toMatchObject(fields)
    expect(linesOf(order)).toEqual(items)
  })

  it("names a value that it cannot store by the partner's path (example 20)", async () => {
    const example = exampleOf(20)
    const { api } = await openExample(example)
    const lines = [{ sku: 'S1', qty: '-2' }]
    const { status, body } = await api.post('/orders/', {
      ...example.payload,
      order_number: unique('O'),
      lines,
    })
    expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(body.error.source).toEqual({ 'items[0].quantity': 'lines[0].qty' })
  })

  it('takes a part of a text (example 24)', async () => {
    const example = exampleOf(24)
    const order = await ordered(example, { id: `gid://shop/Order/${unique('O')}` })
    expect(order.order_number).not.toContain('/')
    expect(order.metadata).toEqual(mappedOf(example).metadata)
    expect(linesOf(order)).toEqual(mappedOf(example).items)
  })

  it('takes cancelled goods off, and leaves out lines without any left (example 25)', async () => {
    const example = exampleOf(25)
    const order = await ordered(example, { id: unique('O') })
    expect(linesOf(order)).toEqual(mappedOf(example).items)
  })

  it('refuses an order of which nothing is left (example 25)', async () => {
    const example = exampleOf(25)
    const { api } = await openExample(example)
    const lines = example.payload.lines.slice(0, 1)
    const { status, body } = await api.post('/orders/', { id: unique('O'), lines })
    expect([status, Object.keys(body.error.fields)]).toEqual([400, ['items']])
  })

  it('takes a single value as a list, and joins pairs (example 26)', async () => {
    const example = exampleOf(26)
    const number = unique('O')
    const line = example.payload.order.line
    const order = await ordered(example, { order: { id: number, line } })
    expect([order.order_number, linesOf(order)]).toEqual([number, mappedOf(example).items])
  })

  it('takes the members of an object (example 27)', async () => {
    const example = exampleOf(27)
    const number = unique('O')
    const { lines } = example.payload.order
    const order = await ordered(example, { order: { no: number, lines } })
    expect([order.order_number, linesOf(order)]).toEqual([number, mappedOf(example).items])
  })

  it('takes the parts of a text as lines (example 28)', async () => {
    const example = exampleOf(28)
    const order = await ordered(example, { no: unique('O') })
    expect(linesOf(order)).toEqual(mappedOf(example).items)
  })

  it('reads a time by a pattern, in its zone, and warns of one that is there twice (example 29)', async () => {
    await haveProducts('S1')
    const example = exampleOf(29)
    const { api } = await openExample(example)
    const send = async (placed: string) =>
      await api.post('/orders/', { ...example.payload, no: unique('O'), placed })
    const { body } = await send(example.payload.placed)
    expect([body.data.order_date, body.warnings]).toEqual([mappedOf(example).order_date, undefined])
    const twice = (await send('29.10.2017 02:30')).body
    expect(twice.data.order_date).toBe('2017-10-29T00:30:00.000Z')
    expect(twice.warnings).toMatchObject([
      { field: 'placed', message: expect.stringContaining('has this time twice') },
    ])
  })

  it('takes the first that has a value, or the default (example 22)', async () => {
    const example = exampleOf(22)
    const more = { order_number: unique('O'), items: await makeLines() }
    expect(await ordered(example, more)).toMatchObject(mappedOf(example))
  })
})

describe('PUT /orders/{identifier}/ of a partner', () => {
  it('joins, converts and looks up what is sent (examples 19 to 21)', async () => {
    for (const [number, names] of [
      [19, ['customer_name']],
      [20, ['due_date']],
      [21, ['status']],
    ] as const) {
      const example = exampleOf(number)
      const id = unique('N')
      const { order_number } = await makeOrder({ order_number: `SHOP2-${id}` })
      const { api } = await openExample(example)
      const own = number === 19 ? { ...example.payload, id } : example.payload
      dataOf(await api.put(`/orders/${order_number}/`, own), 200)
      const order = await stored(`/orders/${order_number}/`)
      for (const name of names) expect(order[name]).toBe(mappedOf(example)[name])
    }
  })

  it('takes a part of a text that is sent (example 24)', async () => {
    const example = exampleOf(24)
    const { order_number } = await makeOrder()
    const { api } = await openExample(example)
    const sent = { id: `gid://shop/Order/${order_number}`, state: 'held' }
    dataOf(await api.put(`/orders/${order_number}/`, sent), 200)
    expect((await stored(`/orders/${order_number}/`)).metadata).toEqual({ state: 'held' })
  })

  it('writes a default only into a field that is sent (example 22)', async () => {
    const example = exampleOf(22)
    const customer_info = { country: 'SE', city: 'Lund' }
    const { order_number } = await makeOrder({ customer_info })
    const { api } = await openExample(example)
    dataOf(await api.put(`/orders/${order_number}/`, { buyer: { name: 'Kim' } }), 200)
    expect(await stored(`/orders/${order_number}/`)).toMatchObject({
      customer_name: 'Kim',
      customer_info,
    })
    dataOf(await api.put(`/orders/${order_number}/`, example.payload), 200)
    expect(await stored(`/orders/${order_number}/`)).toMatchObject(mappedOf(example))
  })
})

describe('POST /inventory/ of a partner', () => {
  it('makes rows of nested arrays (example 17)', async () => {
    const example = exampleOf(17)
    await haveProducts('S1')
    await haveLocation('A1')
    const { api } = await openExample(example)
    const answer = await api.post('/inventory/', example.payload)
    expect(dataOf(answer, 200)).toMatchObject({ total: 1, failed: 0, errors: [] })
    expect(await stored('/inventory/A1/')).toEqual(mappedOf(example).inventory)
  })
})

const FAILING = EXAMPLES.flatMap((example) => {
  const { expected, number, about } = example
  return 'problem' in expected ? [[number, about, example, expected.problem] as const] : []
})

describe('a document that cannot be mapped', () => {
  async function counts(): Promise<Json> {
    const tables = ['orders', 'order_items', 'products', 'locations', 'inventory']
    const selects = tables.map((table) => `(select count(*) from ${table}) as ${table}`)
    return await oneRow(`select ${selects.join(', ')}`)
  }

  it('is one of examples 8, 9, 10, 12, 18, 20 and 21', () => {
    expect(FAILING.map(([number]) => number)).toEqual([8, 9, 10, 12, 18, 20, 21])
  })

  it.each(sample(FAILING, 3))(
    'is 422 MAPPING_ERROR as a new order, and writes nothing: example %i, %s',
    async (_, __, example, problem) => {
      await haveProducts('S1', 'S2', 'a', 'b')
      const { id, name, key, api } = await openExample(example)
      const order_number = unique('O')
      const before = await counts()
      const answer = await api.post('/orders/', { ...example.payload, order_number })
      const { status, body } = answer
      expect([status, body]).toEqual([
        422,
        {
          success: false,
          error: { code: 'MAPPING_ERROR', message: expect.any(String), problems: [problem] },
          detail: body.error.message,
          request_id: answer.headers.get('X-Request-Id'),
        },
      ])
      expect(body.error.message).toContain(problem.source ?? problem.at)
      expect(await counts()).toEqual(before)
      expect((await admin.get(`/orders/${order_number}/`)).status).toBe(404)
      const log = await admin.get(`${AUDIT}?api_key_id=${key.id}`)
      expect(log.body.data).toEqual([
        expect.objectContaining({
          status: 422,
          error_code: 'MAPPING_ERROR',
          partner: { id, name },
          api_key: { id: key.id, name: key.name },
        }),
      ])
    },
  )

  it.each(FAILING)(
    'is 422 MAPPING_ERROR as a change, and changes nothing: example %i, %s',
    async (_, __, example, problem) => {
      const order = await makeOrder({ customer_info: { city: 'Bergen' } })
      const { api } = await openExample(example)
      const payload = { ...example.payload, notes: 'new', status: 'shipped' }
      const { status, body } = await api.put(`/orders/${order.order_number}/`, payload)
      expect([status, body.error.code, body.error.problems]).toEqual([
        422,
        'MAPPING_ERROR',
        [problem],
      ])
      expect(await stored(`/orders/${order.order_number}/`)).toEqual(order)
    },
  )

  it('is refused before anything of an upload is written', async () => {
    const [bin, item] = [unique('L'), unique('S')]
    await haveProducts(item)
    await haveLocation(bin)
    const { api } = await openExample(exampleOf(11), { notes: 'head.memo' })
    const before = await counts()
    const stock = [{ bin, item, on_hand: 4 }]
    for (const payload of [{ stock, head: 'x' }, { stock: stock[0] }, { stock: [...stock, 7] }]) {
      const { status, body } = await api.post('/inventory/', payload)
      expect([status, body.error.code]).toEqual([422, 'MAPPING_ERROR'])
      expect(body.error.problems[0].reason).toBe('TYPE_MISMATCH')
    }
    expect(await counts()).toEqual(before)
    expect(await stored(`/inventory/${bin}/`)).toEqual([])
  })

  it('is no matter for a key without the partner', async () => {
    await openExample(exampleOf(8, 'problem'))
    const items = await makeLines()
    const order = { order_number: unique('O'), items, lines: [{ article: 'S2' }] }
    const answer = await admin.post('/orders/', order)
    dataOf(answer, 201)
    expect(fieldsWarned(answer)).toEqual(['lines'])
  })
})
