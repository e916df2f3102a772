import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { byDepth, itInDeep, sample } from '../fixtures/depth.ts'
import { cookieOf, submit } from '../fixtures/session.ts'
import { WORKSPACE } from '../fixtures/settings.ts'
import {
  type Api,
  client,
  createKey,
  type Json,
  ORIGIN,
  openAdmin,
  outdateCallers,
  send,
  unique,
} from '../fixtures/tenant.ts'
import { heldDatabase, slowDatabase, statusesOf } from './occupied.ts'

/**
 * Real D1, that notes which SKU each batch asks for in the order in which they come, holds it a
 * little and then answers or, with `fails`, throws.
 */
function probe(fails = false) {
  const asked = new WeakMap<D1PreparedStatement, unknown[]>()
  const state = { inside: 0, most: 0, admitted: [] as unknown[] }
  const prepare = (text: string) => {
    const statement = env.DB_DEMO.prepare(text)
    const bind = (...values: unknown[]) => {
      const bound = statement.bind(...values)
      asked.set(bound, values)
      return bound
    }
    return { bind }
  }
  const batch = async (statements: D1PreparedStatement[]) => {
    const sku = statements.flatMap((one) => asked.get(one) ?? []).find(isSku)
    if (sku === undefined) return await env.DB_DEMO.batch(statements)
    state.admitted.push(sku)
    state.inside += 1
    state.most = Math.max(state.most, state.inside)
    await scheduler.wait(2 + Math.random() * 8)
    state.inside -= 1
    if (fails) throw new Error('no such table')
    return await env.DB_DEMO.batch(statements)
  }
  return { state, bindings: { ...env, DB_DEMO: { prepare, batch } } }
}

const isSku = (value: unknown) => typeof value === 'string' && /^GATE-\d+$/.test(value)
const SKUS = Array.from({ length: byDepth(120, 300) }, (_, n) => `GATE-${n}`)

describe(`${SKUS.length} requests of one key at a time`, () => {
  beforeAll(async () => {
    const api = client((await createKey()).value)
    for (let n = 0; n < SKUS.length; n += 50) {
      await Promise.all(SKUS.slice(n, n + 50).map((sku) => api.post('/products/', { sku })))
    }
  })

  async function askAll(bindings: object) {
    const api = client((await createKey()).value)
    await api.get('/orders/')
    const answers = await Promise.all(SKUS.map((sku) => api.get(`/products/${sku}/`, { bindings })))
    return { api, statuses: new Set(answers.map(({ status }) => status)) }
  }

  it('are all answered, 50 of them inside at most, in order of arrival', async () => {
    const { state, bindings } = probe()
    const { statuses } = await askAll(bindings)
    expect([...statuses]).toEqual([200])
    expect(state.most).toBe(50)
    expect(state.admitted).toEqual(SKUS)
  })

  itInDeep('give their places back when they fail', async () => {
    const { state, bindings } = probe(true)
    const { api, statuses } = await askAll(bindings)
    expect([...statuses]).toEqual([500])
    expect(state.most).toBe(50)
    expect(state.admitted).toEqual(SKUS)
    const again = probe()
    const answers = await Promise.all(
      SKUS.map((sku) => api.get(`/products/${sku}/`, { bindings: again.bindings })),
    )
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(again.state.admitted).toEqual(SKUS)
  })
})

describe('more than 50 requests of one key at a time', () => {
  it('are all answered, those that are refused as well', async () => {
    const { value } = await createKey()
    const api = client(value)
    await api.get('/orders/')
    const { state, bindings } = slowDatabase()
    const answers = await Promise.all(
      Array.from({ length: 180 }, (_, n) =>
        api.get(n % 3 ? '/orders/' : '/orders/none/', { bindings }),
      ),
    )
    expect(answers.every(({ status }, n) => status === (n % 3 ? 200 : 404))).toBe(true)
    expect(state.most).toBeGreaterThan(10)
    expect(state.most).toBeLessThanOrEqual(50)
  })

  itInDeep('are bounded as well when a rerun lets them in', async () => {
    const expires_at = new Date(Date.now() - 1000).toISOString()
    const { id, value } = await createKey(['integrations.*'], { expires_at })
    const api = client(value)
    expect((await api.get('/orders/')).status).toBe(401)
    await env.DB_DEMO.prepare('update api_keys set expires_at = null where id = ?').bind(id).run()
    const { state, bindings } = slowDatabase(3)
    const answers = await Promise.all(
      Array.from({ length: 120 }, () => api.post('/products/', { sku: unique('S') }, { bindings })),
    )
    expect(answers.every(({ status }) => status === 201)).toBe(true)
    expect(state.most).toBeGreaterThan(10)
    expect(state.most).toBeLessThanOrEqual(50)
  })

  itInDeep('are refused without waiting when their key is revoked meanwhile', async () => {
    const { id, value } = await createKey()
    const api = client(value)
    await api.get('/orders/')
    const { state, letGo, bindings } = heldDatabase()
    const crowd = Array.from({ length: 50 }, () => api.get('/orders/', { bindings }))
    await expect.poll(() => state.inside).toBe(50)
    await env.DB_DEMO.prepare("update api_keys set revoked_at = 'now' where id = ?").bind(id).run()
    letGo()
    expect(new Set((await Promise.all(crowd)).map(({ status }) => status))).toEqual(new Set([401]))
  })

  itInDeep('are bounded as well in the dashboard', async () => {
    const { value } = await createKey(['settings.*'])
    const headers = { Cookie: cookieOf(await submit('/dashboard/sign-in/', { key: value })) }
    const { state, bindings } = slowDatabase()
    const answers = await Promise.all(
      Array.from({ length: 120 }, () =>
        send(new Request(`${ORIGIN}/dashboard/workspace/`, { headers }), { bindings }),
      ),
    )
    expect(answers.every(({ status }) => status === 200)).toBe(true)
    expect(state.most).toBeGreaterThan(10)
    expect(state.most).toBeLessThanOrEqual(50)
  })

  itInDeep('are bounded as well where a page says who can give a scope', async () => {
    const { value } = await createKey(['integrations.*'])
    const headers = { Cookie: cookieOf(await submit('/dashboard/sign-in/', { key: value })) }
    const { state, bindings } = slowDatabase(3)
    const answers = await Promise.all(
      Array.from({ length: 120 }, () =>
        send(new Request(`${ORIGIN}/dashboard/workspace/`, { headers }), { bindings }),
      ),
    )
    expect(answers.every(({ status }) => status === 403)).toBe(true)
    expect(state.most).toBeGreaterThan(10)
    expect(state.most).toBeLessThanOrEqual(50)
  })

  itInDeep('do not hold up another key', async () => {
    const [busy, idle] = [client((await createKey()).value), client((await createKey()).value)]
    await Promise.all([busy.get('/orders/'), idle.get('/orders/')])
    const { bindings } = slowDatabase()
    const crowd = Promise.all(Array.from({ length: 100 }, () => busy.get('/orders/', { bindings })))
    expect((await idle.get('/orders/')).status).toBe(200)
    await crowd
  })
})

describe('more than 50 requests of one key that are refused', () => {
  async function openKey(columns: Json) {
    const { id, value } = await createKey()
    for (const [name, column] of Object.entries(columns)) {
      const set = env.DB_DEMO.prepare(`update api_keys set ${name} = ? where id = ?`)
      await set.bind(column, id).run()
    }
    return client(value)
  }
  const LONG_AGO = '2026-01-01T00:00:00.000Z'

  const REFUSED: [why: string, status: number, open: () => Promise<Api>, headers?: Json][] = [
    ['revoked key', 401, () => openKey({ revoked_at: LONG_AGO })],
    ['expired key', 401, () => openKey({ expires_at: LONG_AGO })],
    ['ended release', 410, () => openKey({ release: '0.9' })],
    ['rate limit', 429, () => openKey({ rate_limit: 1 })],
    ['X-Read-After', 400, () => openKey({}), { 'X-Read-After': 'x' }],
  ]

  /** Sends 120 of them to a database that holds each batch after the `first` ones, until 50 are inside. */
  async function crowd(api: Api, { headers = {}, first = 0 } = {}) {
    // A batch before the first answer is one statement.
    const { state, letGo, bindings } = heldDatabase(1, first)
    const answers = Array.from({ length: 120 }, () => api.get('/orders/', { headers, bindings }))
    await expect.poll(() => state.inside).toBeGreaterThanOrEqual(50)
    await scheduler.wait(50)
    const { inside } = state
    letGo()
    return { inside, statuses: new Set(await statusesOf(answers)) }
  }

  it.each(sample(REFUSED, 1))('are 50 inside at most: %s', async (_, status, open, headers) => {
    const api = await open()
    await api.get('/orders/')
    expect(await crowd(api, { headers })).toEqual({ inside: 50, statuses: new Set([status]) })
  })

  itInDeep('are 100 of a tenant inside at most, however many keys it has', async () => {
    const keys = await Promise.all([1, 2, 3].map(() => openKey({ expires_at: LONG_AGO })))
    for (const api of keys) await api.get('/orders/')
    const { state, letGo, bindings } = heldDatabase(1)
    const answers = keys.flatMap((api) =>
      Array.from({ length: 45 }, () => api.get('/orders/', { bindings })),
    )
    await expect.poll(() => state.inside).toBeGreaterThanOrEqual(100)
    await scheduler.wait(50)
    const { inside } = state
    letGo()
    expect([inside, new Set(await statusesOf(answers))]).toEqual([100, new Set([401])])
  })

  it('and sign-ins are 50 inside at most', async () => {
    const { value } = await createKey(['settings.*'])
    await submit('/dashboard/sign-in/', { key: value })
    const { state, letGo, bindings } = heldDatabase(1)
    const answers = Array.from({ length: 80 }, () =>
      submit('/dashboard/sign-in/', { key: value }, {}, { bindings }),
    )
    await expect.poll(() => state.inside).toBeGreaterThanOrEqual(50)
    await scheduler.wait(50)
    const { inside } = state
    letGo()
    expect([inside, new Set(await statusesOf(answers))]).toEqual([50, new Set([303])])
  })

  itInDeep('are 50 inside at most while the integration is switched off', async () => {
    const admin = await openAdmin()
    const api = await openKey({})
    await admin.put(WORKSPACE, { integration_enabled: false })
    await api.get('/orders/')
    const refused = await crowd(api)
    await admin.put(WORKSPACE, { integration_enabled: true })
    expect(refused).toEqual({ inside: 50, statuses: new Set([403]) })
  })

  itInDeep('are 50 inside at most when their key has to be read again', async () => {
    const api = await openKey({ rate_limit: 1 })
    await api.get('/orders/')
    await outdateCallers()
    // The first batches confirm the settings, which have changed. The next ones read the key.
    const refused = await crowd(api, { first: 120 })
    expect(refused).toEqual({ inside: 50, statuses: new Set([429]) })
  })
})

describe('a key with 50 requests inside that do not come back', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  async function fill(api: ReturnType<typeof client>) {
    const { state, letGo, bindings } = heldDatabase()
    const crowd = Array.from({ length: 50 }, () => api.get('/orders/', { bindings }))
    await expect.poll(() => state.inside).toBe(50)
    return { letGo, crowd }
  }

  it('refuses the next one with 503 and Retry-After once it has waited 30 seconds', async () => {
    const api = client((await createKey()).value)
    await api.get('/orders/')
    const { letGo, crowd } = await fill(api)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const refused = api.get('/orders/')
    await scheduler.wait(20)
    vi.advanceTimersByTime(30_000)
    vi.useRealTimers()
    letGo()
    const { status, body, headers } = await refused
    expect([status, body.error.code, headers.get('Retry-After')]).toEqual([503, 'UNAVAILABLE', '1'])
    expect(body.error.message).toContain('This API key has 50 requests in progress')
    expect((await Promise.all(crowd)).every((answer) => answer.status === 200)).toBe(true)
    expect((await api.get('/orders/')).status).toBe(200)
  })

  itInDeep(
    'lets one in that waits already, as soon as their places have been held for a minute',
    async () => {
      const api = client((await createKey()).value)
      await api.get('/orders/')
      const { letGo, crowd } = await fill(api)
      const waiting = api.get('/orders/')
      await scheduler.wait(20)
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
      expect((await waiting).status).toBe(200)
      letGo()
      await Promise.all(crowd)
    },
  )

  it('lets the next one in when their places have been held for a minute', async () => {
    const api = client((await createKey()).value)
    await api.get('/orders/')
    const { letGo, crowd } = await fill(api)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    const { status } = await api.get('/orders/')
    letGo()
    await Promise.all(crowd)
    expect(status).toBe(200)
  })
})
