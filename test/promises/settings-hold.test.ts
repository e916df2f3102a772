import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { byDepth, itInDeep } from '../fixtures/depth.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import {
  type CallOptions,
  client,
  createKey,
  openAdmin,
  openTenant,
  outdateCallers,
  unique,
} from '../fixtures/tenant.ts'

// P3 (docs/ARCHITECTURE.md): no request misses a change of settings, although its isolate is warm and KV
// still holds the old snapshot.

let admin: ReturnType<typeof client>

beforeEach(async () => {
  admin = await openAdmin()
})

async function warmKey(scopes = ['integrations.*']) {
  const key = await createKey(scopes)
  const api = client(key.value)
  await api.get('/orders/')
  return { ...key, api, kv: await env.KEYS.get(`caller:12:${key.hash}`) }
}

/** KV as a place far away sees it: what was written a minute ago. */
async function rewindKv(key: { hash: string; kv: string | null }) {
  expect(key.kv).toContain(key.hash)
  await env.KEYS.put(`caller:12:${key.hash}`, key.kv ?? '')
}

const USES = byDepth(100, 1000)

const newOrder = () => ({ order_number: unique('O'), items: [{ sku_code: 'x', quantity: 1 }] })

describe(`a key used ${USES} times a moment ago`, () => {
  it('is refused on the next request once it is revoked', async () => {
    const { api, id } = await warmKey()
    for (let turn = 0; turn < USES / 50; turn++) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => api.get('/products/')))
      expect(answers.every(({ status }) => status === 200)).toBe(true)
    }
    await admin.delete(`/api/settings/v1/api-keys/${id}/`)
    expect((await api.get('/products/')).status).toBe(401)
  }, 60_000)
})

describe.each([
  ['read', (api: ReturnType<typeof client>, more?: CallOptions) => api.get('/orders/', more)],
  [
    'write',
    (api: ReturnType<typeof client>, more?: CallOptions) =>
      api.post('/products/', { sku: unique('S') }, more),
  ],
  [
    'refused request',
    (api: ReturnType<typeof client>, more?: CallOptions) => api.post('/orders/', {}, more),
  ],
])('the very next %s', (_, request) => {
  it('of a revoked key is 401, in a warm isolate', async () => {
    const { api, id } = await warmKey()
    await admin.delete(`/api/settings/v1/api-keys/${id}/`)
    const answer = await request(api)
    expect([answer.status, answer.body.error.code]).toEqual([401, 'KEY_INVALID'])
  })

  itInDeep('of a revoked key is 401, in a cold isolate with a stale KV', async () => {
    const key = await warmKey()
    await admin.delete(`/api/settings/v1/api-keys/${key.id}/`)
    await rewindKv(key)
    const answer = await request(key.api, await freshIsolate())
    expect([answer.status, answer.body.error.code]).toEqual([401, 'KEY_INVALID'])
    expect(answer.headers.get('Server-Timing')).toContain('key;desc="isolate"')
  })

  it('of a key that lost the scope is 403', async () => {
    const { api, id } = await warmKey()
    const scopes = ['integrations.locations.read']
    await admin.put(`/api/settings/v1/api-keys/${id}/`, { scopes })
    const answer = await request(api)
    expect([answer.status, answer.body.error.code]).toEqual([403, 'SCOPE_MISSING'])
  })

  it('after the off-switch is 403, and after switching on goes through', async () => {
    const { api } = await warmKey()
    await admin.put('/api/settings/v1/workspace/', { integration_enabled: false })
    const off = await request(api)
    await admin.put('/api/settings/v1/workspace/', { integration_enabled: true })
    const on = await request(api)
    expect([off.status, off.body.error.code]).toEqual([403, 'WORKSPACE_DISABLED'])
    expect([401, 403]).not.toContain(on.status)
  })

  it('of a key that has just expired is 401', async () => {
    const { api, id } = await warmKey()
    const soon = new Date(Date.now() + 300).toISOString()
    await admin.put(`/api/settings/v1/api-keys/${id}/`, { expires_at: soon })
    await request(api)
    await scheduler.wait(400)
    const answer = await request(api)
    expect([answer.status, answer.body.error.code]).toEqual([401, 'KEY_EXPIRED'])
  })
})

describe('a refusal by a stale snapshot', () => {
  it('is taken back when the scope has been granted meanwhile', async () => {
    const { api, id } = await warmKey(['integrations.orders.read'])
    expect((await api.get('/products/')).status).toBe(403)
    await admin.put(`/api/settings/v1/api-keys/${id}/`, { scopes: ['integrations.*'] })
    expect((await api.get('/products/')).status).toBe(200)
  })

  it('is taken back when an expired key has been extended meanwhile', async () => {
    const expires_at = new Date(Date.now() - 1000).toISOString()
    const key = await createKey(['integrations.*'], { expires_at })
    const api = client(key.value)
    expect((await api.get('/orders/')).status).toBe(401)
    const later = new Date(Date.now() + 60_000).toISOString()
    await admin.put(`/api/settings/v1/api-keys/${key.id}/`, { expires_at: later })
    expect((await api.get('/orders/')).status).toBe(200)
  })
})

describe('a rerun request', () => {
  it('is written once, with the same body and one audit row', async () => {
    const db = await openTenant()
    const { api } = await warmKey()
    await outdateCallers()
    const sku = unique('S')
    const answer = await api.post('/products/', { sku, quantity: 7 })
    expect([answer.status, answer.body.data.quantity]).toEqual([201, 7])
    const rows = await db
      .prepare('select status from audit_log where request_id = ?')
      .bind(answer.headers.get('X-Request-Id'))
      .all()
    expect(rows.results).toEqual([{ status: 201 }])
  })

  it('keeps a chunked body', async () => {
    const { api } = await warmKey()
    await outdateCallers()
    const sku = unique('S')
    const chunks = new Blob([JSON.stringify({ sku })]).stream()
    expect((await api.post('/products/', chunks)).status).toBe(201)
  })

  it('names the error of the last pass in the audit log', async () => {
    const db = await openTenant()
    const { api } = await warmKey()
    await outdateCallers()
    const answer = await api.post('/orders/', newOrder())
    expect(answer.status).toBe(400)
    const rows = await db
      .prepare('select status, error_code from audit_log where request_id = ?')
      .bind(answer.headers.get('X-Request-Id'))
      .all()
    expect(rows.results).toEqual([{ status: 400, error_code: 'SERVICE_ERROR' }])
  })

  /** Bindings in which the caller's settings change right before each of the first so many batches. */
  const changing = (times: number) => {
    let left = times
    const batch: Watch = async (call) => {
      if (left-- > 0) await outdateCallers()
      return await call()
    }
    return { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
  }

  it.each([
    [1, 3],
    [2, 3],
    [3, 5],
    [5, 7],
  ])('that settings outrun %i times is answered after %i round trips', async (times, trips) => {
    const { api } = await warmKey()
    const sku = unique('S')
    const answer = await api.post('/products/', { sku }, { bindings: changing(times) })
    expect([answer.status, answer.body.data.sku]).toEqual([201, sku])
    expect(answer.headers.get('Server-Timing')).toContain(`round trips ${trips},`)
  })

  it('is 503 with Retry-After when settings outrun it four times, and then has done nothing', async () => {
    const db = await openTenant()
    const { api } = await warmKey()
    const sku = unique('S')
    const answer = await api.post('/products/', { sku }, { bindings: changing(100) })
    expect([answer.status, answer.body.error.code]).toEqual([503, 'UNAVAILABLE'])
    expect(answer.body.detail).toContain('Nothing was changed')
    expect(answer.headers.get('Retry-After')).toBe('1')
    expect(answer.headers.get('Server-Timing')).toContain('round trips 7,')
    const rows = await db.prepare('select * from products where sku = ?').bind(sku).all()
    expect(rows.results).toEqual([])
  })

  it('is not begun anew 15 seconds after its first pass', async () => {
    const { api } = await warmKey()
    const real = Date.now.bind(Date)
    let passed = 0
    const batch: Watch = async (call) => {
      await outdateCallers()
      const results = await call()
      passed += 7000
      return results
    }
    vi.spyOn(Date, 'now').mockImplementation(() => real() + passed)
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const answer = await api.get('/orders/', { bindings })
    vi.restoreAllMocks()
    expect(answer.status).toBe(503)
    // The second rerun begins 14 s later, the third one would after 28.
    expect(answer.headers.get('Server-Timing')).toContain('round trips 5,')
  })

  it('rotates a key that was revived while its refusal was explained', async () => {
    const db = await openTenant()
    const { id } = await createKey(['integrations.*'], { expires_at: '2026-01-01T00:00:00.000Z' })
    const revive = db.prepare('update api_keys set expires_at = null where id = ?').bind(id)
    const batch: Watch = (call) => (call() as Promise<unknown>).finally(() => revive.run())
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    await admin.get('/orders/')
    const path = `/api/settings/v1/api-keys/${id}/rotate/`
    const { status, body } = await admin.post(path, {}, { bindings })
    expect([status, body.data?.rotated_from]).toEqual([201, id])
  })
})

describe('KV', () => {
  const broken = (get: () => Promise<unknown>) => ({
    ...env,
    KEYS: { get, put: () => Promise.reject(new Error('KV is down')) },
  })

  it.each([
    ['fails', () => Promise.reject(new Error('KV is down'))],
    ['holds nonsense', async () => ({ hash: 'x', scopes: 'all' })],
    ['holds nothing', async () => null],
  ])('is passed over when it %s', async (_, get) => {
    const { value } = await createKey()
    const answer = await client(value, { bindings: broken(get) }).get('/orders/')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Server-Timing')).toContain('key;desc="d1"')
  })

  it('cannot lend one key the rights of another', async () => {
    const weak = await createKey(['integrations.orders.read'])
    const strong = await warmKey(['integrations.*'])
    const bindings = broken(async () => JSON.parse(strong.kv ?? ''))
    const answer = await client(weak.value, { bindings }).get('/products/')
    expect(answer.status).toBe(403)
  })

  itInDeep('that answers late does not undo what another request has found out', async () => {
    const key = await warmKey()
    await outdateCallers()
    const { promise, resolve } = Promise.withResolvers<void>()
    const isolate = await freshIsolate()
    const late = broken(async () => {
      await promise
      return JSON.parse(key.kv ?? '')
    })
    const slow = key.api.get('/orders/', { ...isolate, bindings: late })
    await scheduler.wait(20)
    expect((await key.api.get('/orders/', isolate)).status).toBe(200)
    resolve()
    const answer = await slow
    expect(answer.headers.get('Server-Timing')).toMatch(/round trips 1,/)
  })

  it('serves a cold isolate without a second trip to D1', async () => {
    const key = await warmKey()
    const answer = await key.api.get('/orders/', await freshIsolate())
    expect(answer.headers.get('Server-Timing')).toMatch(/key;desc="kv".*round trips 1,/)
  })
})
