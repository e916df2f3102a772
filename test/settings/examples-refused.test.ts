import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { EXAMPLES } from '../fixtures/mapping-examples.ts'
import { AUDIT } from '../fixtures/settings.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import {
  admin,
  dataOf,
  db,
  exampleOf,
  fieldsWarned,
  haveLocation,
  haveProducts,
  makeLines,
  makeOrder,
  openExample,
  stored,
} from './examples.ts'

const FAILING = EXAMPLES.flatMap((example) => {
  const { expected, number, about } = example
  return 'problem' in expected ? [[number, about, example, expected.problem] as const] : []
})

describe('a document that cannot be mapped', () => {
  async function counts(): Promise<Json> {
    const tables = ['orders', 'order_items', 'products', 'locations', 'inventory']
    const selects = tables.map((table) => `(select count(*) from ${table}) as ${table}`)
    return await db.prepare(`select ${selects.join(', ')}`).first()
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
