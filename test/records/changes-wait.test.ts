import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { loggedRow } from '../fixtures/audit-rows.ts'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { inDeepPass, sample } from '../fixtures/depth.ts'
import { after, follow, nameOf, now } from '../fixtures/following.ts'
import { bindingsBefore, countedBindings } from '../fixtures/metering.ts'
import { db } from '../fixtures/opened.ts'
import { api } from '../fixtures/opened-api.ts'
import { openPartner } from '../fixtures/partner.ts'
import { client, createKey, type Json, openAdmin, send } from '../fixtures/tenant.ts'
import { createOrder, createProduct, expectError, path } from '../fixtures/warehouse.ts'
import { heldDatabase } from '../middleware/occupied.ts'

let sku: string

beforeAll(async () => {
  sku = (await createProduct(api)).sku
})

let quantity = 0
const change = () => api.put(path('products', sku), { quantity: ++quantity })

async function timed<T>(work: Promise<T>): Promise<[T, number]> {
  const started_at = Date.now()
  return [await work, Date.now() - started_at]
}

const waitFor = (asked: string, seconds: number) => `/changes/?${asked}&wait=${seconds}`

describe('GET /changes/ with wait', () => {
  it('answers at once if there is something, and else as soon as there is', async () => {
    const since = await now(api)
    const late = timed(api.get(waitFor(since, 20)))
    await scheduler.wait(300)
    await change()
    const [answer, ms] = await late
    expect(answer.body.data.map(nameOf)).toEqual([`products ${sku}`])
    expect(ms).toBeGreaterThan(300)
    expect(ms).toBeLessThan(10_000)
    const [again, atOnce] = await timed(api.get(waitFor(since, 20)))
    expect(again.body.data).toEqual(answer.body.data)
    expect(atOnce).toBeLessThan(900)
  })

  inDeepPass(() => {
    it('from now waits for the first change', async () => {
      const late = api.get(waitFor('from=now', 20))
      await scheduler.wait(300)
      await change()
      expect((await late).body.data.map(nameOf)).toEqual([`products ${sku}`])
    })
  })

  it('is empty at the end, after one round trip a second, and is not slow for that', async () => {
    const since = await now(api)
    await api.get(`/changes/?${since}`)
    const { bindings, calls } = countedBindings()
    const [answer, ms] = await timed(api.get(waitFor(since, 2), { bindings }))
    expect([answer.status, answer.body.data, answer.body.pagination.has_more]).toEqual([
      200,
      [],
      false,
    ])
    expect(ms).toBeGreaterThanOrEqual(1990)
    expect(ms).toBeLessThan(10_000)
    // The third one of a second's pace, and the audit row.
    expect(calls.d1).toBe(4)
    expect(answer.headers.get('Server-Timing')).toMatch(/round trips 3,/)
    const row = await loggedRow(answer, 'status, duration_ms')
    expect(row).toEqual({ status: 200, duration_ms: expect.any(Number) })
    expect(Number(row?.duration_ms)).toBeLessThan(1990)
  })

  it('looks once more when its time ends to the millisecond', async () => {
    const since = await now(api)
    await api.get(`/changes/?${since}`)
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => {
      vi.useRealTimers()
      vi.restoreAllMocks()
    })
    vi.spyOn(scheduler, 'wait').mockImplementation(async (ms) => {
      if (ms === 1000) await change()
      vi.setSystemTime(Date.now() + ms)
    })
    const answer = await api.get(waitFor(since, 1))
    expect(answer.body.data.map(nameOf)).toEqual([`products ${sku}`])
  })

  inDeepPass(() => {
    it('counts once for the rate limit', async () => {
      const admin = await openAdmin()
      const key = await createKey()
      await admin.put(`/api/settings/v1/api-keys/${key.id}/`, { rate_limit: 10 })
      const limited = client(key.value)
      const since = await now(limited)
      const answer = await limited.get(waitFor(since, 2))
      expect([answer.status, answer.headers.get('X-RateLimit-Remaining')]).toEqual([200, '8'])
    })

    it('of a key with own_orders_only wakes for its own orders alone', async () => {
      const own = await openPartner({
        own_orders_only: true,
        scopes: ['integrations.orders.*', 'integrations.products.write'],
      })
      const since = await now(own.api)
      const late = own.api.get(waitFor(since, 2))
      await createOrder(api)
      expect((await late).body.data).toEqual([])
      const soon = own.api.get(waitFor(since, 20))
      await createOrder(api)
      const { order_number } = await createOrder(own.api)
      const answer = await soon
      expect(answer.body.data.map(nameOf)).toEqual([`orders ${order_number}`])
      // How often it has looked would tell of the orders of others.
      expect(answer.headers.get('Server-Timing')).not.toContain('round trips')
    })
  })
})

describe('settings, while a request waits', () => {
  const CHANGES = [
    [
      'a revoked key',
      401,
      'KEY_INVALID',
      (id: string) =>
        db
          .prepare("update api_keys set revoked_at = '2026-01-01T00:00:00.000Z' where id = ?")
          .bind(id)
          .run(),
    ],
    [
      'a lost scope',
      403,
      'SCOPE_MISSING',
      (id: string) => db.prepare("update api_keys set scopes = '[]' where id = ?").bind(id).run(),
    ],
    [
      'the off-switch',
      403,
      'WORKSPACE_DISABLED',
      () => db.prepare('update workspace set integration_enabled = 0').run(),
    ],
    [
      'a restore',
      410,
      'CURSOR_EXPIRED',
      () =>
        db
          .prepare('update workspace set settings_version = max(settings_version + 2, unixepoch())')
          .run(),
    ],
  ] as const
  it.each(sample(CHANGES, 1))('hold at the next look: %s', async (_, status, code, act) => {
    const { id, value } = await createKey()
    const own = client(value)
    const since = await now(own)
    const late = timed(own.get(waitFor(since, 20)))
    await scheduler.wait(200)
    await act(id)
    const [answer, ms] = await late
    await db.prepare('update workspace set integration_enabled = 1').run()
    expectError(answer, status, code)
    expect(ms).toBeLessThan(10_000)
  })

  inDeepPass(() => {
    it('hold for a key that expires', async () => {
      const expires_at = new Date(Date.now() + 1500).toISOString()
      const own = client((await createKey(undefined, { expires_at })).value)
      const since = await now(own)
      expectError(await own.get(waitFor(since, 20)), 401, 'KEY_EXPIRED')
    })

    it('that do not concern it do not end the wait; those that do, do not lengthen it', async () => {
      const { id, value } = await createKey()
      const own = client(value)
      const since = await now(own)
      const late = timed(own.get(waitFor(since, 6)))
      await scheduler.wait(5000)
      await db.prepare("update api_keys set name = 'renamed' where id = ?").bind(id).run()
      const [answer, ms] = await late
      expect([answer.status, answer.body.data]).toEqual([200, []])
      expect(ms).toBeLessThan(10_000)
    })

    it('that change together with a record keep nothing of it from a wait that began before', async () => {
      const { id, value } = await createKey()
      const late = client(value).get(waitFor('from=now', 4))
      await scheduler.wait(300)
      await db.prepare("update api_keys set name = 'renamed' where id = ?").bind(id).run()
      await change()
      expect((await late).body.data.map(nameOf)).toEqual([`products ${sku}`])
    })

    it('that change again and again do not end the wait', async () => {
      const { id, value } = await createKey()
      const own = client(value)
      const since = await now(own)
      const late = timed(own.get(waitFor(since, 6)))
      for (let turn = 1; turn <= 5; turn += 1) {
        await scheduler.wait(1050)
        await db.prepare('update api_keys set name = ? where id = ?').bind(`name ${turn}`, id).run()
      }
      const [answer, ms] = await late
      expect([answer.status, answer.body.data]).toEqual([200, []])
      expect(ms).toBeLessThan(10_000)
    })
  })
})

describe('many requests that wait', () => {
  /** So many keys, each with the feed's place of now. */
  async function openKeys(count: number) {
    const keys = await Promise.all(Array.from({ length: count }, () => createKey()))
    return await Promise.all(
      keys.map(async ({ id, value }) => {
        const own = client(value)
        return { id, own, since: await now(own) }
      }),
    )
  }
  type Key = Awaited<ReturnType<typeof openKeys>>[number]

  /** As many requests of each key, which wait for so many seconds. */
  const waitsOf = (keys: Key[], each: number, seconds: number, options = {}) =>
    keys.flatMap(({ own, since }) =>
      Array.from({ length: each }, () => timed(own.get(waitFor(since, seconds), options))),
    )

  inDeepPass(() => {
    it('of one tenant are served by one look a second', async () => {
      const keys = await openKeys(6)
      const { bindings, calls } = countedBindings()
      const answers = await Promise.all(waitsOf(keys, 5, 3, { bindings }))
      expect(answers.every(([{ status, body }]) => status === 200 && body.data.length === 0)).toBe(
        true,
      )
      expect(answers.every(([, ms]) => ms >= 2990)).toBe(true)
      // Each has a first look of its own. Then there are the common ones, and a few batches of audit rows.
      expect(calls.d1).toBeGreaterThan(30)
      expect(calls.d1).toBeLessThan(30 + 12)
    })
  })

  it('all see a change, and confirm their own settings', async () => {
    const keys = await openKeys(3)
    const late = waitsOf(keys, 2, 20)
    await scheduler.wait(300)
    const { id } = keys[1] as Key
    await db.prepare("update api_keys set revoked_at = '2026-01-01' where id = ?").bind(id).run()
    const ended = await Promise.all(late.slice(2, 4))
    expect(ended.map(([{ status }]) => status)).toEqual([401, 401])
    await change()
    for (const [{ body }, ms] of await Promise.all([...late.slice(0, 2), ...late.slice(4)])) {
      expect(body.data.map(nameOf)).toEqual([`products ${sku}`])
      expect(ms).toBeLessThan(10_000)
    }
  })

  inDeepPass(() => {
    it('that are one more than a key may have are answered at once, and say so', async () => {
      const [key] = (await openKeys(1)) as [Key]
      const waiting = waitsOf([key], 10, 2)
      await scheduler.wait(300)
      const [extra, ms] = await timed(key.own.get(waitFor(key.since, 20)))
      expect([extra.status, extra.body.data]).toEqual([200, []])
      expect(ms).toBeLessThan(1900)
      const warning = { field: 'wait', message: expect.stringContaining('This API key has 10') }
      expect(extra.body.warnings).toEqual([warning])
      expect(Number(extra.headers.get('Retry-After'))).toBeGreaterThan(0)
      for (const [{ body }] of await Promise.all(waiting)) expect(body.warnings).toBeUndefined()
    })

    it('are a hundred of a tenant at most, however many keys it has', async () => {
      const keys = await openKeys(12)
      const answers = await Promise.all(waitsOf(keys, 9, 6))
      const atOnce = answers.filter(([{ body }]) => body.warnings !== undefined)
      const waited = answers.filter((answer) => !atOnce.includes(answer))
      expect(atOnce).toHaveLength(8)
      for (const [{ status, body }, ms] of atOnce) {
        expect([status, body.data, body.warnings.length]).toEqual([200, [], 1])
        expect(body.warnings[0].message).toContain('This tenant has 100')
        expect(ms).toBeLessThan(Math.min(...waited.map(([, ms]) => ms)))
      }
    })
  })
})

describe('requests that wait', () => {
  inDeepPass(() => {
    it('take none of the 50 places of their key', async () => {
      const own = client((await createKey()).value)
      const since = await now(own)
      const waiting = Array.from({ length: 10 }, () => timed(own.get(waitFor(since, 3))))
      await scheduler.wait(300)
      const { state, bindings, letGo } = heldDatabase()
      const reads = Array.from({ length: 50 }, () => own.get('/products/', { bindings }))
      await scheduler.wait(200)
      expect(state.inside).toBe(50)
      letGo()
      await Promise.all(reads)
      const ended = await Promise.all(waiting)
      expect(new Set(ended.map(([{ status }]) => status))).toEqual(new Set([200]))
      // Their places are free again.
      const [, later] = await timed(own.get(waitFor(since, 1)))
      expect(later).toBeGreaterThanOrEqual(990)
    })
  })

  it('end with their client', async () => {
    const { value } = await createKey()
    const since = await now(client(value))
    let looks = 0
    const batch: Watch = (call) => {
      looks += 1
      return call()
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const leaving = new AbortController()
    const request = new Request(`https://demo.example/api/integrations/v1${waitFor(since, 20)}`, {
      headers: { 'X-API-Key': value },
      signal: leaving.signal,
    })
    const late = timed(send(request, { bindings }))
    await scheduler.wait(300)
    const before = looks
    leaving.abort()
    const [{ status }, ms] = await late
    expect([status, looks - before]).toEqual([200, 1])
    expect(ms).toBeLessThan(10_000)
  })
})

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
    const bindings = bindingsBefore(2, () => api.put(path('products', sku), { quantity: 7 }))
    const { body } = await api.get(`/changes/?${since}`, { bindings })
    expect([body.data, body.pagination.has_more]).toEqual([[], true])
    const { changes } = await follow(api, after(body.pagination.next_cursor))
    expect(changes.map(({ record }) => [record.sku, record.quantity])).toEqual([[sku, 7]])
  })
})
