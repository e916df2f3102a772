import { env } from 'cloudflare:workers'
import { Hono } from 'hono'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { readBody } from '../../src/engine/body/body.ts'
import { takeWorkFor } from '../../src/engine/body/map-inbound.ts'
import type { AppEnv, Exchange } from '../../src/engine/env.ts'
import type { ApiError } from '../../src/engine/errors.ts'
import { Budget, type Share } from '../../src/engine/limits/budget.ts'
import { itInDeep, sample } from '../fixtures/depth.ts'
import {
  type Api,
  client,
  createKey,
  type Json,
  ORIGIN,
  openAdmin,
  send,
  unique,
} from '../fixtures/tenant.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'
import { heldDatabase, openKey, statusesOf } from './occupied.ts'

const MB = 1_000_000

afterEach(() => {
  vi.useRealTimers()
})

/** An upload of one row, of so many bytes. */
const upload = (bytes: number) => JSON.stringify({ inventory: [row], padding: 'x'.repeat(bytes) })

/** An upload that fills so many bytes, of which the `first` ones come, and no more until it is told. */
function stalledBody(bytes: number, first = 100) {
  const { promise, resolve: goOn } = Promise.withResolvers<void>()
  const text = new TextEncoder().encode(upload(bytes))
  const body = new ReadableStream({
    // As the body of a request is.
    type: 'bytes',
    async start(controller) {
      controller.enqueue(text.slice(0, first))
      await promise
      controller.enqueue(text.slice(first))
      controller.close()
    },
  })
  return { body, goOn }
}

const admin = await openAdmin()
const [{ code }, { sku }] = [await createLocation(admin), await createProduct(admin)]
const row = { location_code: code, sku_code: sku, quantity: 1 }

describe('large bodies of many keys', () => {
  it('are worked on as far as they are 10 MiB together, and all are answered', async () => {
    const keys = await Promise.all([openKey(), openKey(), openKey(), openKey()])
    const { state, letGo, bindings } = heldDatabase(4)
    const answers = keys.flatMap((api) =>
      [4, 4].map((size) => api.post('/inventory/', upload(size * MB), { bindings })),
    )
    await expect.poll(() => state.inside).toBe(2)
    await scheduler.wait(50)
    letGo()
    expect(new Set(await statusesOf(answers))).toEqual(new Set([200]))
    expect(state.most).toBe(2)
  })

  itInDeep('do not hold up a small one', async () => {
    const api = await openKey()
    const { state, letGo, bindings } = heldDatabase(4)
    const large = [9, 9].map((size) => api.post('/inventory/', upload(size * MB), { bindings }))
    await expect.poll(() => state.inside).toBe(1)
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
    await expect.poll(() => state.inside).toBe(20)
    letGo()
    expect(new Set(await statusesOf(answers))).toEqual(new Set([200]))
  })
})

describe('large bodies on their way, whose length nobody knows', () => {
  async function fill(api: Api) {
    const stalled = [stalledBody(MB, 100_000), stalledBody(MB, 100_000)] as const
    const arriving = stalled.map(({ body }) => api.post('/inventory/', body))
    await scheduler.wait(20)
    const goOn = async () => {
      for (const body of stalled) body.goOn()
      expect(await statusesOf(arriving)).toEqual([200, 200])
    }
    return { stalled, goOn }
  }

  it('are two at a time of a tenant; the next large one waits', async () => {
    const [slow, busy] = [await openKey(), await openKey()]
    const { stalled, goOn } = await fill(slow)
    let done = false
    const next = busy.post('/inventory/', upload(MB)).finally(() => {
      done = true
    })
    await scheduler.wait(300)
    expect(done).toBe(false)
    stalled[0].goOn()
    expect((await next).status).toBe(200)
    await goOn()
  })

  it('hold up neither small ones nor another tenant', async () => {
    const slow = await openKey()
    const other = await openAdmin('other')
    const { goOn } = await fill(slow)
    expect((await slow.post('/products/', { sku: unique('S') })).status).toBe(201)
    expect((await other.post('/inventory/', upload(9 * MB))).status).toBe(200)
    await goOn()
  })

  it('make the next one wait 30 seconds at most: then it is 503 with Retry-After', async () => {
    const slow = await openKey()
    const { goOn } = await fill(slow)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const refused = slow.post('/inventory/', upload(MB))
    await scheduler.wait(20)
    vi.advanceTimersByTime(30_000)
    vi.useRealTimers()
    const { status, body, headers } = await refused
    expect([status, body.error.code, headers.get('Retry-After')]).toEqual([503, 'UNAVAILABLE', '1'])
    await goOn()
  })
})

describe('a body that stops coming', () => {
  it.each(
    sample(
      [
        ['chunked', {}],
        ['with Content-Length', { 'Content-Length': String(MB) }],
      ],
      1,
    ),
  )(
    'is given up after 60 seconds without a byte, 408, and gives its memory back: %s',
    async (_, headers) => {
      const api = await openKey()
      for (let turn = 0; turn < 4; turn++) {
        vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
        const { body } = stalledBody(MB)
        const given = api.post('/inventory/', body, { headers })
        await scheduler.wait(30)
        vi.advanceTimersByTime(60_000)
        vi.useRealTimers()
        const answer = await given
        expect([answer.status, answer.body.error.code]).toEqual([408, 'REQUEST_TIMEOUT'])
        expect(answer.body.error.reason).toBe('BODY_STALLED')
      }
      expect((await api.post('/inventory/', upload(9 * MB))).status).toBe(200)
    },
  )

  it('is given up after two seconds without a byte, 413, where it is announced as too long', async () => {
    const api = await openKey()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { body } = stalledBody(MB)
    const given = api.post('/inventory/', body, { headers: { 'Content-Length': `${15 * MB}` } })
    await scheduler.wait(30)
    vi.advanceTimersByTime(2000)
    vi.useRealTimers()
    const answer = await given
    expect([answer.status, answer.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })

  it('may take longer than that, as long as something comes', async () => {
    const api = await openKey()
    const text = new TextEncoder().encode(upload(10))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let at = 0
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await scheduler.wait(5)
        vi.advanceTimersByTime(20_000)
        if (at === text.length) return controller.close()
        const part = text.slice(at, at + 20)
        at += part.length
        controller.enqueue(part)
      },
    })
    const answer = await api.post('/inventory/', body)
    expect(text.length).toBeGreaterThan(80)
    expect(answer.status).toBe(200)
  })

  it.each([
    [4, 200],
    [6, 408],
  ])('and keeps coming for %i minutes is answered %i', async (minutes, status) => {
    const api = await openKey()
    const text = new TextEncoder().encode(upload(10))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    const half = text.length / 2
    const parts = [text.slice(0, half), text.slice(half)]
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const part = parts.shift()
        if (!part) return controller.close()
        // The first part comes once the request waits for it.
        await scheduler.wait(20)
        if (parts.length === 0) vi.setSystemTime(Date.now() + minutes * 60_000)
        controller.enqueue(part)
      },
    })
    const answer = await api.post('/inventory/', body)
    vi.useRealTimers()
    expect(answer.status).toBe(status)
    if (status === 408) expect(answer.body.error.message).toContain('after 5 minutes')
  })
})

describe('a body that takes longer than a minute', () => {
  const later = () => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })

  const lengths: [string, (text: string) => Record<string, string>][] = [
    ['chunked', () => ({})],
    ['with Content-Length', (text) => ({ 'Content-Length': String(text.length) })],
  ]
  it.each(sample(lengths, 1))(
    'is given up when another request needs its memory, 408: %s',
    async (_, headersOf) => {
      const [slow, busy] = [await openKey(), await openKey()]
      const headers = headersOf(upload(9 * MB))
      const stalled = [stalledBody(9 * MB, 100_000), stalledBody(9 * MB, 100_000)]
      const arriving = stalled.map(({ body }) => slow.post('/inventory/', body, { headers }))
      await scheduler.wait(20)
      const waiting = busy.post('/inventory/', upload(9 * MB))
      await scheduler.wait(20)
      later()
      // The memory of one is enough: the other one may go on.
      const { status, body } = await Promise.race(arriving)
      expect([status, body.error.reason]).toEqual([408, 'BODY_TOO_SLOW'])
      expect(body.error.message).toMatch(/after 6\d seconds, and other requests waited/)
      expect((await waiting).status).toBe(200)
      for (const { goOn } of stalled) goOn()
      expect((await statusesOf(arriving)).sort()).toEqual([200, 408])
    },
  )

  it('is given up as well when its memory is taken while no read is pending', async () => {
    const memory = { onTakenBack: (act: () => void) => act() }
    const exchange = { kept: { turn: null, memory, largeWork: null, payload: null } }
    const app = new Hono<AppEnv>().post('/', async (c) => {
      c.set('exchange', exchange as unknown as Exchange)
      return c.text(String(await readBody(c, MB).catch((error: ApiError) => error.code)))
    })
    const { body } = stalledBody(MB)
    const answer = await app.request('/', { method: 'POST', body })
    expect(await answer.text()).toBe('REQUEST_TIMEOUT')
  })

  itInDeep('may take its time when no other request needs its memory', async () => {
    const slow = await openKey()
    const { body, goOn } = stalledBody(MB)
    const arriving = slow.post('/inventory/', body)
    await scheduler.wait(20)
    later()
    goOn()
    expect((await arriving).status).toBe(200)
  })
})

describe('a request that has been answered', () => {
  const announced = (length: number) => ({ 'Content-Length': String(length) })
  const bodies: [string, number, number, Record<string, string>][] = [
    ['chunked and too long', 413, 11 * MB, {}],
    ['too long, as announced', 413, 11 * MB, announced(11 * MB)],
    ['shorter than announced', 400, 100, announced(200)],
    ['taken', 200, 100, {}],
    ['taken, as announced', 200, 100, announced(100)],
  ]
  it.each(sample(bodies, 2))(
    'leaves its body to others: %s',
    async (_, status, length, headers) => {
      const { value } = await createKey()
      const body = new Blob([JSON.stringify({ inventory: [row] }).padEnd(length)]).stream()
      const request = new Request(`${ORIGIN}/api/integrations/v1/inventory/`, {
        method: 'POST',
        headers: { 'X-API-Key': value, ...headers },
        body,
      })
      expect((await send(request)).status).toBe(status)
      expect(request.body?.locked).toBe(false)
    },
  )
})

describe('the turn of a large body', () => {
  const failing = {
    ...env,
    DB_DEMO: {
      prepare: env.DB_DEMO.prepare.bind(env.DB_DEMO),
      batch: async () => {
        throw new Error('no such table')
      },
    },
  }

  it.each(
    sample<[string, number, (api: Api, text: string) => ReturnType<Api['post']>]>(
      [
        ['is no JSON', 400, (api, text) => api.post('/inventory/', text.slice(1))],
        ['is refused', 400, (api, text) => api.post('/orders/', text)],
        ['goes to no endpoint', 404, (api, text) => api.post('/shelves/', text)],
        ['goes to a wrong method', 405, (api, text) => api.put('/orders/', text)],
        [
          'fails in the database',
          500,
          (api, text) => api.post('/inventory/', text, { bindings: failing }),
        ],
      ],
      2,
    ),
  )('is given back by one that %s', async (_, status, send) => {
    const api = await openKey()
    // Two have no room at a time.
    for (let turn = 0; turn < 2; turn++) {
      expect((await send(api, upload(6 * MB))).status).toBe(status)
    }
    expect((await api.post('/inventory/', upload(6 * MB))).status).toBe(200)
  })

  itInDeep('is lost to one that does not come back, and not for all to be refused', async () => {
    const [lost, other] = [await openKey(), await openKey()]
    const { state, letGo, bindings } = heldDatabase(4)
    const gone = lost.post('/inventory/', upload(9 * MB), { bindings })
    await expect.poll(() => state.inside).toBe(1)
    const waiting = other.post('/inventory/', upload(9 * MB))
    await scheduler.wait(20)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 27_000 })
    expect((await waiting).status).toBe(200)
    letGo()
    expect((await gone).status).toBe(200)
  })

  it('covers the body as well when its mapped document is small', async () => {
    const budget = new Budget({ bytes: 10 * MB, refusals: { all: 'full' } })
    const largeWork = (await budget.take({ tenant: 'a', key: 'k' }, 10 * MB)) as Share
    const payload = Promise.resolve({ value: {}, bytes: 6 * MB })
    const exchange = { kept: { turn: null, memory: null, largeWork, payload } }
    const app = new Hono<AppEnv>().get('/', async (c) => {
      c.set('exchange', exchange as unknown as Exchange)
      await takeWorkFor(c, 10)
      return c.body(null)
    })
    expect((await app.request('/')).status).toBe(200)
    expect(largeWork.bytes).toBe(6 * MB)
  })

  itInDeep('is kept in a rerun', async () => {
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
