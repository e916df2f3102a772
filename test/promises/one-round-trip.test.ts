import { describe, expect, it } from 'vitest'
import { app } from '../../src/app.ts'
import { mintKey } from '../../src/engine/identity/key.ts'
import { ENDPOINTS, type Endpoint, PUBLIC, requestOf, roundTripsOf } from '../fixtures/endpoints.ts'
import { type Calls, countedBindings } from '../fixtures/metering.ts'
import { type Api, client, createKey, type Json, openAdmin, send } from '../fixtures/tenant.ts'

// P1 (docs/ARCHITECTURE.md): on its happy path, in a warm isolate, each endpoint makes one D1 batch and no
// KV read.

const COUNTED = ENDPOINTS.filter((endpoint) => roundTripsOf(endpoint) !== null)
const named = (endpoint: Endpoint, more: string) => ({
  ...endpoint,
  name: `${endpoint.method} ${endpoint.path}${more}`,
  more,
})
const CASES = [
  ...COUNTED.map((endpoint) => named(endpoint, '')),
  ...COUNTED.filter(({ method }) => method !== 'GET').map((endpoint) =>
    named(endpoint, '?dry_run=true'),
  ),
]

const admin = await openAdmin()

describe.each(CASES)('$name', (endpoint) => {
  it('is one D1 round trip and no KV read', async () => {
    const [method, path, body] = await requestOf(endpoint, admin)
    const api = await warmKey()
    const { bindings, calls } = countedBindings()
    const { worker, until } = watched(calls)

    const answer = await api.call(method, path + endpoint.more, body, { bindings, worker })

    expect(answer.status).toBeLessThan(300)
    const d1 = roundTripsOf(endpoint)
    expect(until.answered).toEqual({ d1, kv_reads: 0, kv_writes: 0, failure_counts: 0 })
    const timing = answer.headers.get('Server-Timing')
    expect(timing).toMatch(new RegExp(`key;desc="isolate".*round trips ${d1},`))
  })
})

describe.each(PUBLIC)('$method $path', ({ method, path, d1 }) => {
  it('is at most one D1 round trip and no KV read', async () => {
    const { bindings, calls } = countedBindings()
    const { worker, until } = watched(calls)
    const request = new Request(`https://demo.example.com${path}`, { method })
    const served = { ...bindings, BASE_DOMAIN: 'example.com' }
    const { status } = await send(request, { bindings: served, worker })
    expect(status).toBe(200)
    expect(until.answered).toEqual({ d1, kv_reads: 0, kv_writes: 0, failure_counts: 0 })
  })
})

async function warmKey(): Promise<Api> {
  const api = await openAdmin()
  await api.get('/orders/')
  return api
}

/** Notes what had been called by the time of the answer: audit rows of reads come after it. */
function watched(calls: Calls) {
  const until = { answered: { ...calls } }
  const worker = {
    async fetch(request: Request, env: Json, context: ExecutionContext) {
      const response = await app.fetch(request, env, context)
      until.answered = { ...calls }
      return response
    },
  }
  return { worker, until }
}

describe('the first request of a key', () => {
  it('reads KV once, and the isolate never asks KV again', async () => {
    const api = client((await createKey()).value)
    const { bindings, calls } = countedBindings()
    for (let turn = 0; turn < 3; turn++) {
      expect((await api.get('/orders/', { bindings })).status).toBe(200)
      expect(calls.kv_reads).toBe(1)
    }
  })
})

describe('one change of settings after another', () => {
  it('is one D1 round trip each: the snapshot that a change made stale is renewed after it', async () => {
    const api = await warmKey()
    for (let turn = 0; turn < 3; turn++) {
      const { bindings, calls } = countedBindings()
      const { worker, until } = watched(calls)
      const name = { name: `Warehouse ${turn}` }
      const answer = await api.put('/api/settings/v1/workspace/', name, { bindings, worker })
      expect(answer.status).toBe(200)
      expect(until.answered).toEqual({ d1: 1, kv_reads: 0, kv_writes: 0, failure_counts: 0 })
    }
  })
})

describe('a key that nobody was given', () => {
  it('is looked up once, and then refused without I/O for a while', async () => {
    const { value } = await mintKey('demo')
    for (const calls of [1, 0]) {
      const counted = countedBindings()
      const { worker, until } = watched(counted.calls)
      const api = client(value, { bindings: counted.bindings, worker })
      expect((await api.get('/orders/')).status).toBe(401)
      // After the answer the attempt may be stored.
      expect(until.answered).toEqual({
        d1: calls,
        kv_reads: calls,
        kv_writes: 0,
        failure_counts: 0,
      })
    }
  })

  it('is refused without any I/O when it is mistyped', async () => {
    const { value } = await mintKey('demo')
    const { bindings, calls } = countedBindings()
    const mistyped = value.slice(0, -1) + (value.endsWith('0') ? '1' : '0')
    expect((await client(mistyped, { bindings }).get('/orders/')).status).toBe(401)
    expect(calls).toEqual({ d1: 0, kv_reads: 0, kv_writes: 0, failure_counts: 0 })
  })
})

describe('the router', () => {
  it('finds every route by one regular expression, whatever the dashboard adds', async () => {
    await admin.get('/orders/')
    expect(app.router.name).toBe('SmartRouter + RegExpRouter')
  })
})
