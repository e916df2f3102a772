import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { createLocation, createProduct } from '../resources/warehouse.ts'
import { type Api, client, createKey, type Json, openAdmin, unique } from '../tenant.ts'
import { heldDatabase } from './occupied.ts'

const MB = 1_000_000

let row: { location_code: string; sku_code: string; quantity: number }

beforeAll(async () => {
  const admin = await openAdmin()
  const [{ code }, { sku }] = [await createLocation(admin), await createProduct(admin)]
  row = { location_code: code, sku_code: sku, quantity: 1 }
})
afterEach(() => {
  vi.useRealTimers()
})

/** An upload of one row, of so many bytes. */
const upload = (bytes: number) => JSON.stringify({ inventory: [row], padding: 'x'.repeat(bytes) })

async function openKey(): Promise<Api> {
  const api = client((await createKey()).value)
  await api.get('/orders/')
  return api
}

const sized = (body: string) => ({
  headers: { 'Content-Length': String(new TextEncoder().encode(body).length) },
})

/** A body of which something comes, and no more until it is told. */
function stalledBody(bytes: number) {
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  const text = new TextEncoder().encode(upload(bytes))
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(text.slice(0, 100))
      await promise
      controller.enqueue(text.slice(100))
      controller.close()
    },
  })
  return { body, goOn }
}

const statusesOf = async (answers: Promise<{ status: number }>[]) =>
  (await Promise.all(answers)).map(({ status }) => status)

describe('large bodies of many keys', () => {
  it('are worked on as far as they are 10 MiB together, and all are answered', async () => {
    const keys = await Promise.all([openKey(), openKey(), openKey(), openKey()])
    const { state, letGo, bindings } = heldDatabase(4)
    const answers = keys.flatMap((api) =>
      [4, 4].map((size) => api.post('/inventory/', upload(size * MB), { bindings })),
    )
    await vi.waitUntil(() => state.inside === 2)
    await scheduler.wait(50)
    letGo()
    expect(new Set(await statusesOf(answers))).toEqual(new Set([200]))
    expect(state.most).toBe(2)
  })

  it('do not hold up a small one', async () => {
    const api = await openKey()
    const { state, letGo, bindings } = heldDatabase(4)
    const large = [9, 9].map((size) => api.post('/inventory/', upload(size * MB), { bindings }))
    await vi.waitUntil(() => state.inside === 1)
    expect((await api.post('/inventory/', upload(60_000))).status).toBe(200)
    expect((await api.post('/products/', { sku: unique('S') })).status).toBe(201)
    letGo()
    expect(await statusesOf(large)).toEqual([200, 200])
  })

  it('may be any number where they turn out to be small', async () => {
    const api = await openKey()
    const { state, letGo, bindings } = heldDatabase(4)
    const answers = Array.from({ length: 20 }, () => {
      const { body, goOn } = stalledBody(10)
      goOn()
      return api.post('/inventory/', body, { bindings })
    })
    await vi.waitUntil(() => state.inside === 20)
    letGo()
    expect(new Set(await statusesOf(answers))).toEqual(new Set([200]))
  })
})

describe('large bodies of one key that are on their way', () => {
  it('are 30 MiB at most; the next one waits, that of another key does not', async () => {
    const [slow, other] = [await openKey(), await openKey()]
    const stalled = [stalledBody(MB), stalledBody(MB), stalledBody(MB)] as const
    const arriving = stalled.map(({ body }) => slow.post('/inventory/', body))
    let done = false
    const text = upload(MB)
    const next = slow.post('/inventory/', text, sized(text)).finally(() => {
      done = true
    })
    expect((await other.post('/inventory/', text, sized(text))).status).toBe(200)
    const small = JSON.stringify({ sku: unique('S') })
    expect((await slow.post('/products/', small, sized(small))).status).toBe(201)
    expect(done).toBe(false)
    stalled[0].goOn()
    expect((await next).status).toBe(200)
    for (const { goOn } of stalled) goOn()
    expect(await statusesOf(arriving)).toEqual([200, 200, 200])
  })

  it('are refused with 503 and Retry-After once they have waited 30 seconds', async () => {
    const slow = await openKey()
    const stalled = [stalledBody(MB), stalledBody(MB), stalledBody(MB)]
    const arriving = stalled.map(({ body }) => slow.post('/inventory/', body))
    await scheduler.wait(20)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const text = upload(MB)
    const refused = slow.post('/inventory/', text, sized(text))
    await scheduler.wait(20)
    vi.advanceTimersByTime(30_000)
    vi.useRealTimers()
    const { status, body, headers } = await refused
    expect([status, body.error.code, headers.get('Retry-After')]).toEqual([503, 'UNAVAILABLE', '1'])
    for (const { goOn } of stalled) goOn()
    expect(await statusesOf(arriving)).toEqual([200, 200, 200])
  })
})

describe('the place of a large body', () => {
  const failing = {
    ...env,
    DB_DEMO: {
      prepare: env.DB_DEMO.prepare.bind(env.DB_DEMO),
      batch: async () => {
        throw new Error('no such table')
      },
    },
  }

  it.each<[string, number, (api: Api, text: string) => ReturnType<Api['post']>]>([
    ['is no JSON', 400, (api, text) => api.post('/inventory/', text.slice(1))],
    ['is refused', 400, (api, text) => api.post('/orders/', text)],
    ['goes to no endpoint', 404, (api, text) => api.post('/shelves/', text)],
    ['goes to a wrong method', 405, (api, text) => api.put('/orders/', text)],
    [
      'fails in the database',
      500,
      (api, text) => api.post('/inventory/', text, { bindings: failing }),
    ],
  ])('is given back by one that %s', async (_, status, send) => {
    const api = await openKey()
    for (let turn = 0; turn < 5; turn++) {
      expect((await send(api, upload(6 * MB))).status).toBe(status)
    }
    expect((await api.post('/inventory/', upload(6 * MB))).status).toBe(200)
  })

  it('is given back by one that is longer than it says', async () => {
    const api = await openKey()
    const short = { headers: { 'Content-Length': '10' } }
    for (let turn = 0; turn < 2; turn++) {
      expect((await api.post('/inventory/', upload(9 * MB), short)).status).toBe(200)
    }
    expect((await api.post('/inventory/', upload(9 * MB))).status).toBe(200)
  })

  it('is lost to one that does not come back, and not for all to be refused', async () => {
    const [lost, other] = [await openKey(), await openKey()]
    const { state, letGo, bindings } = heldDatabase(4)
    const gone = lost.post('/inventory/', upload(9 * MB), { bindings })
    await vi.waitUntil(() => state.inside === 1)
    const waiting = other.post('/inventory/', upload(9 * MB))
    await scheduler.wait(20)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 27_000 })
    expect((await waiting).status).toBe(200)
    letGo()
    expect((await gone).status).toBe(200)
  })

  it('is kept in a replay', async () => {
    const admin = await openAdmin()
    const { id, value } = await createKey(['integrations.orders.read'])
    const api = client(value)
    await api.get('/orders/')
    const scopes: Json = { scopes: ['integrations.*'] }
    await admin.put(`/api/settings/v1/api-keys/${id}/`, scopes)
    expect((await api.post('/inventory/', upload(9 * MB))).status).toBe(200)
    expect((await api.post('/inventory/', upload(9 * MB))).status).toBe(200)
  })
})
