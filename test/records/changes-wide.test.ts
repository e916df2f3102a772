import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { after, follow, nameOf, now } from '../fixtures/following.ts'
import { api } from '../fixtures/opened.ts'
import type { Json } from '../fixtures/tenant.ts'
import { createOrder, createProduct, path } from '../fixtures/warehouse.ts'

describe('wide records', () => {
  it('are in the feed whole, and end a page early', async () => {
    const text = () => 'é'.repeat(30_000)
    const since = await now(api, 'resource=orders,products')
    const notes = 'n'.repeat(900)
    const items = Array.from({ length: 300 }, () => ({ sku_code: '', quantity: 1, notes }))
    const { sku } = await createProduct(api, { custom_fields: { text: text() } })
    for (const item of items) item.sku_code = sku
    const orders: Json[] = []
    for (let n = 0; n < 5; n += 1)
      orders.push(await createOrder(api, { items, metadata: { text: text() } }))
    const { sku: narrow } = await createProduct(api)
    const { changes, pages } = await follow(api, since, 'limit=50')
    expect(changes.map(nameOf)).toEqual([
      `products ${sku}`,
      ...orders.map((order) => `orders ${order.order_number}`),
      `products ${narrow}`,
    ])
    expect(changes.slice(1, -1).map(({ record }) => record)).toEqual(orders)
    expect(pages).toBeGreaterThan(1)
  })

  it('that change while a page is read are on the next one, once', async () => {
    const since = await now(api)
    const { sku } = await createProduct(api, { custom_fields: { text: 'x'.repeat(20_000) } })
    let calls = 0
    const batch: Watch = async (call) => {
      calls += 1
      if (calls === 2) await api.put(path('products', sku), { quantity: 7 })
      return await call()
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const { body } = await api.get(`/changes/?${since}`, { bindings })
    expect([body.data, body.pagination.has_more]).toEqual([[], true])
    const { changes } = await follow(api, after(body.pagination.next_cursor))
    expect(changes.map(({ record }) => [record.sku, record.quantity])).toEqual([[sku, 7]])
  })
})
