import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { withBatch } from '../fixtures/bindings.ts'
import { byDepth, inDeepPass, itInDeep } from '../fixtures/depth.ts'
import { openPartner } from '../fixtures/partner.ts'
import {
  client,
  createKey,
  type Json,
  ORIGIN,
  openAdmin,
  send,
  unique,
} from '../fixtures/tenant.ts'
import { unread } from '../fixtures/unread.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'

// P10 (docs/ARCHITECTURE.md): an answer is read in parts of known size, whatever a tenant has stored.

const READ_BYTES_MAX = 256 * 1024
const BATCH_BYTES_MAX = 1024 * 1024
const SETTINGS = '/api/settings/v1'

afterEach(() => {
  vi.useRealTimers()
})

/** The real database, and the size of what each batch has given. */
function weighed() {
  const sizes: number[] = []
  const bindings = withBatch(async (call) => {
    const results = await call()
    sizes.push(JSON.stringify(results.map((result) => result.results)).length)
    return results
  })
  return { sizes, bindings }
}

/** The answer to a GET with its body unread. */
function open(path: string, method = 'GET', value = key): Promise<Response> {
  const url = `${ORIGIN}${path.startsWith('/api') ? '' : '/api/integrations/v1'}${path}`
  return unread(new Request(url, { method, headers: { 'X-API-Key': value } }))
}

const admin = await openAdmin()
const key = (await createKey(['integrations.*', 'settings.*'])).value
const sku = (await createProduct(admin)).sku

describe('GET /products/ of products with large custom_fields', () => {
  let skus: string[]

  beforeAll(async () => {
    skus = Array.from({ length: 120 }, () => unique('W'))
    for (const [n, name] of skus.entries()) {
      const text = `${n}:${'é'.repeat(n % 3 === 0 ? 30_000 : 10)}`
      await admin.post('/products/', { sku: name, custom_fields: { text } })
    }
  })

  it('gives a page whole and in order, in batches of bounded size', async () => {
    const { sizes, bindings } = weighed()
    const { status, body } = await client(key, { bindings }).get('/products/?limit=100')
    expect(status).toBe(200)
    const newest = skus.toReversed().slice(0, 100)
    expect(body.data.map((product: Json) => product.sku)).toEqual(newest)
    for (const [at, product] of body.data.entries()) {
      const n = 119 - at
      expect(product.custom_fields.text).toBe(`${n}:${'é'.repeat(n % 3 === 0 ? 30_000 : 10)}`)
      expect(Object.keys(product)).toEqual(Object.keys(body.data[0]))
    }
    expect(body.pagination).toMatchObject({ limit: 100, next_cursor: expect.any(String) })
    const reads = sizes.filter((size) => size > 1000)
    // The page, and its 2 MB of wide rows in two batches.
    expect(reads).toHaveLength(3)
    expect(reads[0]).toBeLessThan(READ_BYTES_MAX)
    expect(Math.max(...reads)).toBeLessThan(1.3 * BATCH_BYTES_MAX)
  })

  it('goes on behind such a page', async () => {
    const first = await client(key).get('/products/?limit=100')
    const cursor = first.body.pagination.next_cursor
    const { body } = await client(key).get(`/products/?limit=20&cursor=${cursor}`)
    expect(body.data.map((product: Json) => product.sku)).toEqual(skus.toReversed().slice(100))
  })

  itInDeep('is one round trip where what they have is small', async () => {
    const name = unique('P')
    for (let n = 0; n < 50; n++) {
      const custom_fields = { text: 'x'.repeat(4000) }
      await admin.post('/products/', { sku: `${name}-${n}`, custom_fields })
    }
    const { sizes, bindings } = weighed()
    const { body } = await client(key, { bindings }).get('/products/')
    expect(body.data[49].custom_fields.text).toHaveLength(4000)
    expect(sizes.filter((size) => size > 1000)).toHaveLength(1)
  })

  it('is shown by an outbound mapping as well', async () => {
    const fields = { code: 'sku', text: 'custom_fields.text' }
    const partner = await openPartner({ mappings: { products: { outbound: { fields } } } })
    const name = unique('M')
    const custom_fields = { text: 'y'.repeat(60_000) }
    for (let n = 0; n < 10; n++)
      await admin.post('/products/', { sku: `${name}-${n}`, custom_fields })
    const { body } = await partner.api.get('/products/?limit=10')
    expect(body.data).toHaveLength(10)
    expect(body.data[0]).toEqual({ code: `${name}-9`, text: custom_fields.text })
  })

  itInDeep('gives its memory back after a HEAD, which reads none of it', async () => {
    const url = `${ORIGIN}/api/integrations/v1/products/?limit=200`
    for (let n = 0; n < 100; n++) {
      const head = new Request(url, { method: 'HEAD', headers: { 'X-API-Key': key } })
      expect((await send(head)).status).toBe(200)
    }
  })

  it('breaks off for a client that takes nothing for a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const response = await open('/products/?limit=200')
    const reader = response.body!.getReader()
    await reader.read()
    await scheduler.wait(100)
    vi.advanceTimersByTime(60_000)
    vi.useRealTimers()
    await expect(
      (async () => {
        for (;;) if ((await reader.read()).done) return
      })(),
    ).rejects.toThrow()
  })

  it('holds its memory until it has been taken, and no longer', async () => {
    const { value } = await createKey(['integrations.*'])
    const custom_fields = { text: 'z'.repeat(60_000) }
    for (let n = 0; n < 10; n++) await admin.post('/products/', { sku: unique('Z'), custom_fields })
    const answers: Response[] = []
    for (let n = 0; n < 50; n++) answers.push(await open('/products/?limit=10', 'GET', value))
    let done = false
    const next = client(value)
      .get('/orders/')
      .finally(() => {
        done = true
      })
    await scheduler.wait(200)
    expect(done).toBe(false)
    await Promise.all(answers.map((answer) => answer.body?.cancel()))
    expect((await next).status).toBe(200)
  })
})

describe('an order with large lines', () => {
  const notes = 'ü'.repeat(5000)
  const create = async (lines = 200) => {
    const order_number = unique('O')
    const items = Array.from({ length: lines }, (_, n) => ({
      sku_code: sku,
      quantity: n + 1,
      notes: `${n} ${notes}`.slice(0, 5000),
    }))
    const { status, body } = await admin.post('/orders/', { order_number, items })
    expect([status, body.data.items.length]).toEqual([201, lines])
    return body.data
  }

  it.each([
    ['GET', undefined, {}],
    ['PUT', { notes: 'changed' }, { notes: 'changed', updated_at: expect.any(String) }],
    [
      'DELETE',
      { reason: 'x' },
      {
        status: 'cancelled',
        cancel_reason: 'x',
        cancelled_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ],
  ])('is answered whole by %s, its lines read on their own', async (method, sent, changed) => {
    const order = await create()
    const { sizes, bindings } = weighed()
    const api = client(key, { bindings })
    const { status, body } = await api.call(method, `/orders/${order.order_number}/`, sent)
    expect(status).toBe(200)
    expect(body.data).toEqual({ ...order, ...changed })
    expect(sizes.filter((size) => size > 1_000_000)).toHaveLength(1)
    expect(sizes[0]).toBeLessThan(READ_BYTES_MAX)
  })

  it('is read as well where its size was never noted, large or small', async () => {
    const orders = [await create(), await create(2)]
    for (const order of orders) {
      const forget = 'update orders set items_bytes = null where id = ?'
      await env.DB_DEMO.prepare(forget).bind(order.id).run()
      const { sizes, bindings } = weighed()
      const { body } = await client(key, { bindings }).get(`/orders/${order.order_number}/`)
      expect(body.data).toEqual(order)
      expect(sizes[0]).toBeLessThan(READ_BYTES_MAX)
    }
  })

  it('comes in one round trip where it has a thousand ordinary lines', async () => {
    const order_number = unique('O')
    const items = Array.from({ length: 1000 }, () => ({ sku_code: sku, quantity: 1 }))
    await admin.post('/orders/', { order_number, items })
    const answer = await client(key).get(`/orders/${order_number}/`)
    expect(answer.body.data.items).toHaveLength(1000)
    expect(answer.headers.get('Server-Timing')).toContain('round trips 1,')
  })
})

inDeepPass(() => {
  describe('GET /audit-log/ of uploads with long notes', () => {
    it('gives a page whole, in batches of bounded size, here and in the dashboard', async () => {
      const { code } = await createLocation(admin)
      const inventory = [{ location_code: code, sku_code: sku, quantity: 1 }]
      const { id, value } = await createKey(['integrations.*'])
      for (let n = 0; n < 60; n++) {
        const notes = `${n} ${'n'.repeat(9000)}`
        await client(value).post('/inventory/', { inventory, notes })
      }
      const { sizes, bindings } = weighed()
      const path = `${SETTINGS}/audit-log/?limit=60&api_key_id=${id}`
      const { body } = await client(key, { bindings }).get(path)
      const texts = body.data.map(({ notes }: Json) => notes)
      expect(texts).toEqual(Array.from({ length: 60 }, (_, n) => `${59 - n} ${'n'.repeat(9000)}`))
      expect(body.data[0]).not.toHaveProperty('wide_bytes')
      expect(sizes[0]).toBeLessThan(READ_BYTES_MAX)
    })
  })
})

describe('an outbound mapping with a large fixed value', () => {
  const unit = 'u'.repeat(20_480)
  const RECORDS = byDepth(600, 3000)

  it('is sent in parts, whole, of however many records', async () => {
    const { code } = await createLocation(admin)
    const prefix = unique('X')
    await env.DB_DEMO.batch([
      env.DB_DEMO.prepare(
        `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${RECORDS})
         insert into products (id, sku, created_at, updated_at)
         select ?1 || i, ?1 || i, '', '' from n`,
      ).bind(prefix),
      env.DB_DEMO.prepare(
        `insert into inventory (location_code, sku_code, quantity)
         select ?1, sku, 5 from products where sku glob ?2 || '*'`,
      ).bind(code, prefix),
    ])
    const fields = { sku_code: 'sku_code', unit: { value: unit } }
    const partner = await openPartner({ mappings: { inventory: { outbound: { fields } } } })
    await partner.api.get('/orders/')
    const response = await open(`/inventory/${code}/`, 'GET', partner.key.key)
    let [bytes, largest] = [0, 0]
    const parts: Uint8Array[] = []
    for await (const part of response.body!) {
      bytes += part.length
      largest = Math.max(largest, part.length)
      parts.push(part)
    }
    expect(bytes).toBeGreaterThan(RECORDS * unit.length)
    expect(largest).toBeLessThan(READ_BYTES_MAX + 2 * unit.length)
    const { data } = JSON.parse(await new Blob(parts).text())
    expect(data).toHaveLength(RECORDS)
    expect(data.every((record: Json) => record.unit === unit)).toBe(true)
  }, 60_000)

  it('leaves out what would make a record larger than 256 KB, and names it', async () => {
    const fields = {
      number: 'order_number',
      'lines[].unit': { value: unit },
      'lines[].n': 'items[].quantity',
    }
    const partner = await openPartner({ mappings: { orders: { outbound: { fields } } } })
    const items = (count: number) =>
      Array.from({ length: count }, () => ({ sku_code: sku, quantity: 1 }))
    const [few, many] = [unique('O'), unique('O')]
    const small = await partner.api.post('/orders/', { order_number: few, items: items(12) })
    expect(small.body.data.lines).toHaveLength(12)
    expect(small.body.warnings).toBeUndefined()
    await partner.api.post('/orders/', { order_number: many, items: items(13) })
    const { status, body } = await partner.api.get(`/orders/${many}/`)
    expect([status, body.data]).toEqual([200, { number: many }])
    expect(body.warnings).toEqual([
      { field: 'lines', message: expect.stringContaining('would exceed') },
    ])
  })
})
