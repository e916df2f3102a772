import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { api } from '../fixtures/opened-api.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import type { Answer } from '../fixtures/tenant.ts'
import {
  aMoment,
  bodyWith,
  createOrder,
  createProduct,
  dataOf,
  expectData,
  expectError,
  NO_OBJECTS,
  path,
  TIME,
  warnedFields,
} from '../fixtures/warehouse.ts'
import { HEADER, orderWith, readOrder } from './orders.ts'
import { orNull, testField, texts } from './samples.ts'

const OPEN = ['draft', 'pending', 'in_progress', 'partially_verified', 'verified']

const FINAL = ['shipped', 'cancelled']

const STATUSES = [...OPEN, ...FINAL]

describe('PUT /orders/{identifier}/ status', () => {
  const moves = OPEN.flatMap((from) => STATUSES.map((to) => [from, to] as const))

  it.each(sample(moves, 16))('moves an order from %s to %s', async (from, to) => {
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
    expectError(answer, 400, 'SERVICE_ERROR', ['status'])
    expect(await readOrder(order)).toStrictEqual(order)
  })

  it('names the status by the path that the partner has for it', async () => {
    const order = await orderWith('shipped')
    const mapping = { inbound: { fields: { status: 'state' } } }
    const partner = await openPartner({ mappings: { orders: mapping } })
    const answer = await partner.api.put(path('orders', order.order_number), { state: 'pending' })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({ code: 'SERVICE_ERROR', source: { status: 'state' } })
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
    for (const answer of losers) expectError(answer, 400, 'SERVICE_ERROR', ['status'])
  })
})

describe('DELETE /orders/{identifier}/', () => {
  it('cancels the order, keeps the reason and answers the full order', async () => {
    const order = await createOrder(api, HEADER)
    const answer = await api.delete(path('orders', order.order_number), { reason: 'Out of stock' })
    expectData(answer, 200, {
      ...order,
      status: 'cancelled',
      updated_at: TIME,
      cancelled_at: TIME,
      cancel_reason: 'Out of stock',
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

  it('adds no reason to a cancellation that had none, and names the late one in warnings', async () => {
    const { order_number } = await createOrder(api)
    const first = dataOf(await api.delete(path('orders', order_number)), 200)
    await aMoment()
    const again = await api.delete(path('orders', order_number), { reason: 'late' })
    expect(dataOf(again, 200)).toStrictEqual(first)
    expect(warnedFields(again)).toEqual(['reason'])
  })

  it('adds no reason to a cancellation by PUT, and names the late one in warnings', async () => {
    const order = await orderWith('cancelled')
    const again = await api.delete(path('orders', order.order_number), { reason: 'late' })
    expect(dataOf(again, 200)).toStrictEqual(order)
    expect(warnedFields(again)).toEqual(['reason'])
  })

  it.each([['second'], [''], [null]])(
    'names the reason %j in warnings where another one is stored',
    async (reason) => {
      const { order_number } = await createOrder(api)
      await api.delete(path('orders', order_number), { reason: 'first' })
      const again = await api.delete(path('orders', order_number), { reason, colour: 'red' })
      expect(dataOf(again, 200).cancel_reason).toBe('first')
      expect(warnedFields(again)).toEqual(['reason', 'colour'])
      expect(again.body.warnings[0].message).toBe(
        'The order was already cancelled, and only the first cancellation sets a reason: it had no effect.',
      )
    },
  )

  it.each([['first'], [''], [null], ['a\u0000b \ud83d\ude00']])(
    'names the reason %j nowhere when it is sent again',
    async (reason) => {
      const { order_number } = await createOrder(api)
      for (let turn = 0; turn < 2; turn++) {
        const answer = await api.delete(path('orders', order_number), { reason })
        expect(dataOf(answer, 200).cancel_reason).toBe(reason)
        expect(answer.body.warnings).toBeUndefined()
      }
    },
  )

  it('answers one and the same to twenty cancellations at once', async () => {
    const order = await createOrder(api)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        api.delete(path('orders', order.order_number), { reason: `${n}` }),
      ),
    )
    const kept = await readOrder(order)
    for (const [n, answer] of answers.entries()) {
      expect(dataOf(answer, 200)).toStrictEqual(kept)
      expect(warnedFields(answer)).toEqual(kept.cancel_reason === `${n}` ? [] : ['reason'])
    }
  })

  it('answers 400 SERVICE_ERROR for a shipped order and leaves it alone', async () => {
    const order = await orderWith('shipped')
    const answer = await api.delete(path('orders', order.order_number), { reason: 'late' })
    expectError(answer, 400, 'SERVICE_ERROR')
    expect(await readOrder(order)).toStrictEqual(order)
  })

  it('names unknown fields in warnings', async () => {
    const { order_number } = await createOrder(api)
    const answer = await api.delete(path('orders', order_number), { reason: 'x', colour: 'red' })
    expect(dataOf(answer, 200).cancel_reason).toBe('x')
    expect(warnedFields(answer)).toEqual(['colour'])
  })

  it('does not cancel for a bad reason', async () => {
    const order = await createOrder(api)
    expectInvalid(await api.delete(path('orders', order.order_number), { reason: 5 }), 'reason')
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
