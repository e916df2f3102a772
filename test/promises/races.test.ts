import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { byDepth } from '../fixtures/depth.ts'
import { client, createKey, openTenant, unique } from '../fixtures/tenant.ts'

const sku = unique('SKU')

const count = async (sql: string, ...values: unknown[]) =>
  (await db
    .prepare(sql)
    .bind(...values)
    .first<number>('n')) ?? -1

const db = await openTenant()
const api = client((await createKey()).value)
await api.post('/products/', { sku })

describe('40 parallel creates of one order_number', () => {
  it('make one order: one 201, 39 times 400 VALIDATION_ERROR, 40 audit rows', async () => {
    const order = { order_number: unique('O'), items: [{ sku_code: sku, quantity: 1 }] }
    const answers = await Promise.all(Array.from({ length: 40 }, () => api.post('/orders/', order)))
    const created = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ body }) => body.error?.code === 'VALIDATION_ERROR')
    expect([created.length, refused.length]).toEqual([1, 39])
    expect(refused.every(({ status }) => status === 400)).toBe(true)
    expect(refused.every(({ body }) => 'order_number' in body.error.fields)).toBe(true)

    const number = order.order_number
    expect(await count('select count(*) as n from orders where order_number = ?', number)).toBe(1)
    const [id] = created.map(({ body }) => body.data.id)
    expect(await count('select count(*) as n from order_items where order_id = ?', id)).toBe(1)
    const ids = JSON.stringify(answers.map(({ headers }) => headers.get('X-Request-Id')))
    const rows =
      'select count(*) as n from audit_log where request_id in (select value from json_each(?))'
    expect(await count(rows, ids)).toBe(40)
    expect(await count(`${rows} and status = 201`, ids)).toBe(1)
  })
})

describe('shipping and cancelling an order at the same time', () => {
  it('ends in one of the two, and only its callers hear success', async () => {
    for (let round = 0; round < 10; round++) {
      const number = unique('O')
      await api.post('/orders/', { order_number: number, items: [{ sku_code: sku, quantity: 1 }] })
      const [shipped, cancelled] = await Promise.all([
        api.put(`/orders/${number}/`, { status: 'shipped' }),
        api.delete(`/orders/${number}/`),
      ])
      const { status } = (await api.get(`/orders/${number}/`)).body.data
      const expected = status === 'shipped' ? [200, 400] : [400, 200]
      expect([shipped.status, cancelled.status]).toEqual(expected)
    }
  })
})

describe('parallel uploads of one pair', () => {
  it('count it created once', async () => {
    const location_code = unique('L')
    await api.post('/locations/', { code: location_code })
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, quantity) =>
        api.post('/inventory/', { inventory: [{ location_code, sku_code: sku, quantity }] }),
      ),
    )
    const created = answers.reduce((total, { body }) => total + body.data.created, 0)
    const updated = answers.reduce((total, { body }) => total + body.data.updated, 0)
    expect([created, updated]).toEqual([1, 19])
  })
})

describe('8 clients that count up one field by GET and PUT with If-Match', () => {
  it('lose no update: the field ends at what they were told', async () => {
    const counted = unique('S')
    const at = `/products/${counted}/`
    await api.post('/products/', { sku: counted })
    const ROUNDS = byDepth(2, 12)
    // Calls arrive in another order than they were made: the local D1 does them one request after the other.
    const batch: Watch = async (call) => {
      await scheduler.wait(Math.random() * 5)
      return await call()
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    let refused = 0
    const countUp = async () => {
      for (let done = 0; done < ROUNDS; ) {
        const { headers, body } = await api.get(at)
        const etag = headers.get('ETag') ?? ''
        const change = { quantity: body.data.quantity + 1 }
        const { status } = await api.put(at, change, { bindings, headers: { 'If-Match': etag } })
        expect([200, 412]).toContain(status)
        if (status === 200) done += 1
        else refused += 1
      }
    }
    await Promise.all(Array.from({ length: 8 }, countUp))
    const { headers, body } = await api.get(at)
    expect(body.data.quantity).toBe(8 * ROUNDS)
    expect(headers.get('ETag')).toMatch(new RegExp(`^"${8 * ROUNDS + 1}\\.`))
    expect(refused).toBeGreaterThan(0)
  })
})
