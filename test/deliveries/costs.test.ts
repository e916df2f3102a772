import { beforeAll, describe, expect, it } from 'vitest'
import { countedBindings } from '../fixtures/metering.ts'
import { shop } from '../fixtures/opened-shop.ts'
import { type Answer, type CallOptions, type Json, unique } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'
import { shopDocument } from '../fixtures/webhooks.ts'

let sku: string
beforeAll(async () => {
  sku = (await createProduct(shop.api)).sku
  await shop.deliver(await shopDocument(shop.api))
  await shop.api.get('/orders/?limit=1')
})

let moment = Date.parse('2026-02-01T00:00:00Z')
const document = (fields: object = {}) => {
  moment += 1000
  const modified = new Date(moment).toISOString()
  const order = { number: unique('O'), status: 'processing', customer: 'Ada', modified }
  return { ...order, lines: [{ sku, qty: 1 }], ...fields }
}
const newer = (order: Json, fields: object) => ({ ...document(), number: order.number, ...fields })

async function costOf(act: (options: CallOptions) => Promise<Answer>) {
  const { bindings, calls, rows } = countedBindings()
  const { body, headers } = await act({ bindings })
  const [, trips] = /round trips (\d+)/.exec(headers.get('Server-Timing') ?? '') ?? []
  return {
    outcome: body.data.outcome as string | undefined,
    round_trips: Number(trips),
    d1: calls.d1,
    kv: calls.kv_reads + calls.kv_writes,
    written: rows.written,
  }
}

const deliver = (order: Json, event = 'order.created') =>
  costOf((options) => shop.deliver(order, { ...options, event, sender_id: unique('id') }))

describe('a delivery', () => {
  it('of a new order takes one round trip, and few more rows than POST with a key', async () => {
    const order = document()
    const posted = await costOf((options) => shop.api.post('/orders/', document(), options))
    const delivered = await deliver(order)
    expect(delivered).toMatchObject({ outcome: 'created', round_trips: 1, d1: 1, kv: 0 })
    expect(posted).toMatchObject({ round_trips: 1, d1: 1 })
    expect(delivered.written - posted.written).toBeLessThanOrEqual(3)
  })

  it('of a change takes one, and few more rows than PUT with a key', async () => {
    const [one, other] = [document(), document()]
    await deliver(one)
    await deliver(other)
    const changed = newer(other, { customer: 'Grace' })
    const put = await costOf((options) =>
      shop.api.put(`/orders/${one.number}/`, newer(one, { customer: 'Grace' }), options),
    )
    const delivered = await deliver(changed, 'order.updated')
    expect(delivered).toMatchObject({ outcome: 'updated', round_trips: 1, d1: 1, kv: 0 })
    expect(delivered.written - put.written).toBeLessThanOrEqual(3)
  })

  it('takes two where the event says another thing than the database', async () => {
    const order = document()
    expect(await deliver(order, 'order.updated')).toMatchObject({ outcome: 'created', d1: 2 })
    const changed = newer(order, { customer: 'Grace' })
    expect(await deliver(changed)).toMatchObject({ outcome: 'updated', round_trips: 2, d1: 2 })
  })

  it('of the same again writes its row and how new it is', async () => {
    const order = document()
    await deliver(order)
    const { outcome, d1, written } = await deliver(order, 'order.updated')
    expect([outcome, d1]).toEqual(['unchanged', 1])
    expect(written).toBeLessThanOrEqual(9)
  })

  it('that is cancelled takes one', async () => {
    const order = document()
    await deliver(order)
    const cost = await deliver(newer(order, { status: 'cancelled' }))
    expect(cost).toMatchObject({ outcome: 'cancelled', round_trips: 1, d1: 1 })
  })

  it('that is skipped writes its row in the log and nothing else', async () => {
    const cost = await deliver(document({ status: 'draft' }))
    const { written: read } = await costOf((options) => shop.api.get('/orders/?limit=1', options))
    expect(cost).toMatchObject({ outcome: 'skipped', round_trips: 1, kv: 0 })
    // A row of the index of the sender's ids.
    expect(cost.written).toBeLessThanOrEqual(read + 1)
  })

  it('that is refused writes its row in the log and nothing else', async () => {
    const { bindings, rows, calls } = countedBindings()
    const { status } = await shop.deliver(document(), { secret: 'wrong', bindings })
    expect([status, calls.d1]).toEqual([401, 2])
    expect(rows.written).toBeLessThanOrEqual(4)
  })
})
