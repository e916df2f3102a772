import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { version } from '../../package.json'
import { STATUS } from '../../src/engine/answers/error-body.ts'
import { OUTCOMES } from '../../src/engine/db/tables.ts'
import { itInDeep, sample } from '../fixtures/depth.ts'
import { ENDPOINTS, requestOf } from '../fixtures/endpoints.ts'
import {
  client,
  createKey,
  dispatch,
  type Json,
  ORIGIN,
  openAdmin,
  outdateCallers,
  send,
  unique,
} from '../fixtures/tenant.ts'
import { type Point, recordingBindings } from './recording.ts'

const ORDERS = `${ORIGIN}/api/integrations/v1/orders/`

/** All that a blob may say: nothing that came with the request. */
const WORDS = new Set([
  'request',
  'demo',
  'other',
  '-',
  '',
  version,
  ...['integrations', 'settings', 'webhooks', 'dashboard', 'healthz'],
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
  ...['isolate', 'kv', 'd1'],
  ...Object.keys(STATUS),
  ...OUTCOMES,
])

function expectWords(point: Point) {
  const texts = Object.values(point).filter((value) => typeof value === 'string')
  expect(texts.filter((text) => !WORDS.has(text))).toEqual([])
}

const admin = await openAdmin()

describe('the point of a request', () => {
  it('says what it was, how it ended and what it cost, before it is answered', async () => {
    const { bindings, points } = recordingBindings()
    const { value } = await createKey()
    const body = { order_number: unique('O'), items: [] as Json[] }
    const { body: product } = await admin.post('/products/', { sku: unique('S') })
    body.items.push({ sku_code: product.data.sku, quantity: 1 })
    const request = new Request(ORDERS, {
      method: 'POST',
      headers: { 'X-API-Key': value, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    const { answer, afterwards } = await dispatch(request, { bindings })
    expect(answer.status).toBe(201)
    expect(points).toEqual([
      {
        index: 'demo',
        kind: 'request',
        tenant: 'demo',
        version,
        area: 'integrations',
        method: 'POST',
        error_code: '',
        caller: 'd1',
        retention: '',
        state: '',
        reason: '',
        outcome: '',
        status: 201,
        duration_ms: expect.any(Number),
        waited_ms: 0,
        d1_ms: expect.any(Number),
        d1_round_trips: 2,
        d1_statements: expect.any(Number),
        d1_rows_read: expect.any(Number),
        d1_rows_written: expect.any(Number),
        deleted: 0,
        unfinished: 0,
        not_reached: 0,
        failed: 0,
        overdue_ms: 0,
        waiting_records: 0,
        waiting_ms: 0,
        waiting_share: 0,
      },
    ])
    expect(points[0]?.d1_rows_written).toBeGreaterThan(5)
    expect(points[0]?.d1_rows_read).toBeGreaterThan(5)
    await afterwards()
    expect(points).toHaveLength(1)
  })

  it.each(sample(ENDPOINTS, 8))(
    'is one, and holds nothing of the request: $method $path',
    async (endpoint) => {
      const { bindings, points } = recordingBindings()
      const [method, path, body] = await requestOf(endpoint, admin)
      const { status } = await admin.call(method, path, body, { bindings })
      // A request that sends another one again, or applies a delivery, makes two.
      const own = points.at(-1) ?? {}
      expect(own).toMatchObject({ status, area: endpoint.area, tenant: 'demo' })
      const repeats = /\/(send-again|replay|apply|apply-deliveries)\/$/.test(path)
        ? points.length
        : 1
      expect(points).toHaveLength(repeats)
      for (const point of points) expectWords(point)
    },
  )

  it.each([
    ['GET', ORDERS, { status: 403, error_code: 'KEY_MISSING', area: 'integrations' }],
    ['GET', `${ORIGIN}/api/settings/v1/partners/`, { status: 403, area: 'settings' }],
    ['GET', `${ORIGIN}/healthz/`, { status: 200, error_code: '', area: 'healthz' }],
    ['GET', `${ORIGIN}/dashboard/`, { status: 403, area: 'dashboard' }],
    ['GET', `${ORIGIN}/no/such/page`, { status: 404, error_code: 'NOT_FOUND', area: 'other' }],
    ['PROPFIND', ORDERS, { status: 403, area: 'integrations', method: 'other' }],
  ])('of nobody names no tenant: %s %s', async (method, url, expected) => {
    const { bindings, points } = recordingBindings()
    await send(new Request(url, { method, redirect: 'manual' }), { bindings })
    expect(points).toEqual([expect.objectContaining({ index: '-', tenant: '-', ...expected })])
  })

  it('is one when the request is rerun', async () => {
    const { bindings, points } = recordingBindings()
    const { value } = await createKey()
    const api = client(value, { bindings })
    await api.get('/orders/')
    await outdateCallers()
    await api.get('/orders/')
    expect(points.map(({ caller }) => caller)).toEqual(['d1', expect.any(String)])
    expect(points[1]).toMatchObject({ status: 200 })
    expect(points[1]?.d1_round_trips).toBeGreaterThan(1)
  })

  itInDeep('says how long the request waited for one of its key to end', async () => {
    const slow = { ...env, DB_DEMO: slowed(env.DB_DEMO, 40) }
    const { bindings, points } = recordingBindings(slow)
    const api = client((await createKey()).value, { bindings })
    await api.get('/locations/')
    points.length = 0
    await Promise.all(Array.from({ length: 60 }, () => api.get('/locations/')))
    const waited = points.filter(({ waited_ms }) => Number(waited_ms) > 0)
    expect(waited).toHaveLength(10)
    for (const { duration_ms, waited_ms } of waited) {
      expect(duration_ms).toBeGreaterThanOrEqual(Number(waited_ms))
    }
  })
})

describe('a request is answered all the same', () => {
  it('where there are no metrics', async () => {
    const { METRICS: _, ...bindings } = env as Json
    expect((await admin.get('/orders/', { bindings })).status).toBe(200)
  })

  it('where the point is refused, and the log says so', async () => {
    const writeDataPoint = () => {
      throw new TypeError('of xd_demo and all that')
    }
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const bindings = { ...env, METRICS: { writeDataPoint } }
    const { status } = await admin.get('/orders/', { bindings })
    const lines = logged.mock.calls.map(([line]) => JSON.parse(line))
    logged.mockRestore()
    expect(status).toBe(200)
    expect(lines).toEqual([{ event: 'metrics_not_written', kind: 'request', name: 'TypeError' }])
  })

  it('with the binding of the platform', async () => {
    expect(Reflect.get(env, 'METRICS')).toMatchObject({ writeDataPoint: expect.any(Function) })
    expect((await admin.get('/orders/')).status).toBe(200)
  })
})

function slowed(db: D1Database, ms: number): object {
  const batch = async (statements: D1PreparedStatement[]) => {
    await scheduler.wait(ms)
    return await db.batch(statements)
  }
  return { prepare: db.prepare.bind(db), batch }
}
