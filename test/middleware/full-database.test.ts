import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, type MockInstance, vi } from 'vitest'
import { addRows, DAY_MS } from '../fixtures/retention.ts'
import { type Api, openAdmin } from '../fixtures/tenant.ts'
import { createOrder } from '../fixtures/warehouse.ts'

const FULL = 'D1_ERROR: Exceeded maximum DB size.'

let api: Api
let logged: MockInstance<typeof console.error>
let now = Date.now()

beforeEach(async () => {
  api = await openAdmin()
  // A minute after the look of the test before.
  now += 120_000
  vi.useFakeTimers({ toFake: ['Date'], now })
  logged = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  logged.mockRestore()
  vi.useRealTimers()
})

/** Real D1 that takes no write until something has been deleted. */
function fullDatabase() {
  const written = new WeakMap<D1PreparedStatement, string>()
  const state = { isFull: true, looks: 0 }
  const prepare = (sql: string) => ({
    bind: (...values: unknown[]) => {
      const bound = env.DB_DEMO.prepare(sql).bind(...values)
      written.set(bound, sql)
      return bound
    },
  })
  const batch = async (statements: D1PreparedStatement[]) => {
    const verbs = statements.map((one) => written.get(one)?.slice(0, 6).toLowerCase())
    const deletes = verbs.every((verb) => verb === 'delete')
    if (state.isFull && !deletes && verbs.some((verb) => verb !== 'select')) throw new Error(FULL)
    const results = await env.DB_DEMO.batch(statements)
    if (deletes) {
      state.looks += 1
      state.isFull &&= results.every(({ meta }) => meta.changes === 0)
    }
    return results
  }
  return { state, bindings: { ...env, DB_DEMO: { prepare, batch } } }
}

async function pathOfOrder(): Promise<string> {
  const { order_number } = await createOrder(api)
  return `/orders/${order_number}/`
}

async function rowsOf(path: string, method: string) {
  const { results } = await env.DB_DEMO.prepare(
    'select status from audit_log where path = ? and method = ?',
  )
    .bind(`/api/integrations/v1${path}`, method)
    .all()
  return results
}

it('a cancellation in a full database first deletes what has expired, and is logged', async () => {
  const path = await pathOfOrder()
  await addRows(env.DB_DEMO, now - 400 * DAY_MS, 3)
  const { state, bindings } = fullDatabase()
  const { status, body } = await api.delete(path, undefined, { bindings })
  expect([status, body.data.status, state.looks]).toEqual([200, 'cancelled', 1])
  expect(await rowsOf(path, 'DELETE')).toEqual([{ status: 200 }])
})

it('a read in a full database deletes what has expired for its row of the log', async () => {
  const path = await pathOfOrder()
  await addRows(env.DB_DEMO, now - 400 * DAY_MS, 3)
  const { bindings } = fullDatabase()
  expect((await api.get(path, { bindings })).status).toBe(200)
  await expect.poll(() => rowsOf(path, 'GET')).toEqual([{ status: 200 }])
})

it('a full database in which nothing has expired refuses writes, answers reads, and is searched once a minute', async () => {
  const path = await pathOfOrder()
  const { state, bindings } = fullDatabase()
  for (let n = 0; n < 3; n++) {
    const { status, body, headers } = await api.delete(path, undefined, { bindings })
    expect([status, body.error.reason, headers.get('Retry-After')]).toEqual([
      503,
      'STORAGE_FULL',
      '60',
    ])
    const read = await api.get(path, { bindings })
    expect([read.status, read.body.data.status]).toEqual([200, 'pending'])
  }
  expect(state.looks).toBe(1)
  expect(await rowsOf(path, 'DELETE')).toEqual([])
  vi.setSystemTime(now + 61_000)
  expect((await api.delete(path, undefined, { bindings })).status).toBe(503)
  expect(state.looks).toBe(2)
})
