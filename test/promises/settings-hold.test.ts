import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { countedBindings } from '../metering.ts'
import { type CallOptions, client, createKey, type Json, openTenant, unique } from '../tenant.ts'

// DESIGN, promise 3. An isolate that is warm, and a KV that still holds the old snapshot, must not
// let a change of settings be missed by a single request.

let admin: ReturnType<typeof client>

beforeEach(async () => {
  admin = client((await createKey(['settings.*'])).value)
})

/** The same Worker in another isolate: nothing of its memory is shared. */
async function freshIsolate(): Promise<CallOptions> {
  vi.resetModules()
  return { worker: (await import('../../src/index.ts')).default as Json }
}

async function warmKey(scopes = ['integrations.*']) {
  const key = await createKey(scopes)
  const api = client(key.value)
  await api.get('/orders/')
  return { ...key, api, kv: await env.KEYS.get(`caller:3:${key.hash}`) }
}

/** KV as a place far away sees it: what was written a minute ago. */
async function rewindKv(key: { hash: string; kv: string | null }) {
  expect(key.kv).toContain(key.hash)
  await env.KEYS.put(`caller:3:${key.hash}`, key.kv ?? '')
}

const newOrder = () => ({ order_number: unique('O'), items: [{ sku_code: 'x', quantity: 1 }] })

describe('a key used a thousand times a moment ago', () => {
  it('is refused on the next request once it is revoked', async () => {
    const { api, id } = await warmKey()
    for (let turn = 0; turn < 20; turn++) {
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

  it('of a revoked key is 401, in a cold isolate with a stale KV', async () => {
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

describe('a replayed request', () => {
  it('is written once, with the same body and one audit row', async () => {
    const db = await openTenant()
    const { api } = await warmKey()
    await admin.put('/api/settings/v1/workspace/', { name: unique('renamed') })
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
    await admin.put('/api/settings/v1/workspace/', { name: unique('renamed') })
    const sku = unique('S')
    const chunks = new Blob([JSON.stringify({ sku })]).stream()
    expect((await api.post('/products/', chunks)).status).toBe(201)
  })

  it('names the error of the last pass in the audit log', async () => {
    const db = await openTenant()
    const { api } = await warmKey()
    await admin.put('/api/settings/v1/workspace/', { name: unique('renamed') })
    const answer = await api.post('/orders/', newOrder())
    expect(answer.status).toBe(400)
    const rows = await db
      .prepare('select status, error_code from audit_log where request_id = ?')
      .bind(answer.headers.get('X-Request-Id'))
      .all()
    expect(rows.results).toEqual([{ status: 400, error_code: 'SERVICE_ERROR' }])
  })

  it('is 503 with Retry-After when settings change again meanwhile', async () => {
    const db = await openTenant()
    const { api } = await warmKey()
    const { bindings } = countedBindings()
    const busy = {
      ...bindings,
      DB_DEMO: new Proxy(env.DB_DEMO, {
        get(target, name) {
          const member = Reflect.get(target, name)
          if (name !== 'batch') return member.bind(target)
          return async (statements: D1PreparedStatement[]) => {
            await db.exec('update workspace set name = name')
            return await target.batch(statements)
          }
        },
      }),
    }
    const answer = await api.get('/orders/', { bindings: busy })
    expect([answer.status, answer.body.error.code]).toEqual([503, 'UNAVAILABLE'])
    expect(answer.headers.get('Retry-After')).toBe('1')
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

  it('that answers late does not undo what another request has found out', async () => {
    const key = await warmKey()
    await admin.put('/api/settings/v1/workspace/', { name: unique('renamed') })
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
