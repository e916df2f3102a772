import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { UNTOLD } from '../faults/cases.ts'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { speedUpTime } from '../fixtures/clock.ts'
import { D1_OTHER, D1_TRANSIENT, type Fault } from '../fixtures/fault.ts'
import { faultyBindings } from '../fixtures/harness.ts'
import {
  client,
  createKey,
  openAdmin,
  openTenant,
  outdateCallers,
  unique,
} from '../fixtures/tenant.ts'

// P8 (docs/ARCHITECTURE.md): what single faults do to one write or read. test/faults tests all endpoints and
// random faults.

const [LOST = ''] = D1_TRANSIENT
const [OVERLOADED = ''] = D1_OTHER
const LONG_MS = 60_000

beforeAll(() => speedUpTime())

// Another test may have changed settings. These reads refresh the cached callers, so that the first D1 call
// of each test is the one under test.
beforeEach(async () => {
  await api.get('/orders/')
  await admin.get('/api/settings/v1/workspace/')
})

const d1 = { on: 'd1' as const, nth: 0, times: 1 }
const failed = (times = 1, nth = 0): Fault => ({
  ...d1,
  nth,
  times,
  how: 'before',
  message: LOST,
})
const unheard = (times = 1, nth = 0): Fault => ({ ...d1, nth, times, how: 'after', message: LOST })
const lost: Fault = { ...d1, how: 'lost', message: LOST, ms: LONG_MS }
const never = (acts: boolean): Fault => ({ ...d1, how: 'never', acts })
const late: Fault = { ...d1, how: 'late', ms: LONG_MS, acts: 'in_the_end' }
const failing = (message: string): Fault => ({ ...d1, how: 'before', message })

const stored = async (sku: string) =>
  (await db.prepare('select id, quantity from products where sku = ?').bind(sku).all()).results

async function auditRows({ headers }: { headers: Headers }) {
  const select = db.prepare('select status, error_code from audit_log where request_id = ?')
  return (await select.bind(headers.get('X-Request-Id')).all()).results
}

const db = await openTenant()
const api = client((await createKey()).value)
const admin = await openAdmin()

describe('a write', () => {
  it.each([
    ['whose connection was lost before it acted', [failed()]],
    ['whose connection was lost after it committed', [unheard()]],
    ['whose connection was lost four times, after it committed', [unheard(4)]],
    ['that was lost on its way and arrives when another attempt has committed', [lost]],
    ['that committed and was not heard of', [never(true)]],
    ['that committed, whose read-back fails as well', [unheard(1), failed(3, 3)]],
  ])('%s is settled and answered 201, once', async (_, faults) => {
    const sku = unique('S')
    const { bindings, drained } = faultyBindings(faults)
    const answer = await api.post('/products/', { sku, quantity: 3 }, { bindings })
    await drained()
    expect(answer.status).toBe(201)
    expect(await stored(sku)).toEqual([{ id: answer.body.data.id, quantity: 3 }])
    expect(await auditRows(answer)).toEqual([{ status: 201, error_code: null }])
  })

  it('that D1 carries out twice is answered 201', async () => {
    const sku = unique('S')
    let isDone = false
    const batch: Watch = async (call) => {
      if (!isDone) await call()
      isDone = true
      return await call()
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const answer = await api.post('/products/', { sku, quantity: 3 }, { bindings })
    expect([answer.status, answer.body.data.sku]).toEqual([201, sku])
    expect(await stored(sku)).toEqual([{ id: answer.body.data.id, quantity: 3 }])
  })

  it('whose connection was lost while settings changed is begun anew, and answered 201', async () => {
    const sku = unique('S')
    let isLost = false
    const batch: Watch = async (call) => {
      if (isLost) return await call()
      isLost = true
      await outdateCallers()
      throw new Error(LOST)
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const answer = await api.post('/products/', { sku, quantity: 3 }, { bindings })
    expect(answer.status).toBe(201)
    expect(await stored(sku)).toEqual([{ id: answer.body.data.id, quantity: 3 }])
    expect(await auditRows(answer)).toEqual([{ status: 201, error_code: null }])
  })

  it('of an upload that committed unheard is answered with its own counts', async () => {
    const [sku, code] = [unique('S'), unique('L')]
    await api.post('/products/', { sku })
    await api.post('/locations/', { code })
    const row = { location_code: code, sku_code: sku, quantity: 1 }
    const upload = { inventory: [row, { ...row, sku_code: 'none' }] }
    const answer = await api.post('/inventory/', upload, faultyBindings([unheard()]))
    expect(answer.body.data).toMatchObject({ total: 2, created: 1, updated: 0, failed: 1 })
    expect(answer.body.data.errors).toHaveLength(1)
  })

  it('of a key that committed unheard answers with the value that was stored', async () => {
    const path = '/api/settings/v1/api-keys/'
    const answer = await admin.post(path, { name: unique('k') }, faultyBindings([unheard()]))
    expect(answer.status).toBe(201)
    expect((await client(answer.body.data.key).get('/orders/')).status).toBe(200)
  })

  it('that a rule refuses is tried once', async () => {
    const sku = unique('S')
    await api.post('/products/', { sku })
    const { bindings, calls } = faultyBindings([])
    expect((await api.post('/products/', { sku }, { bindings })).status).toBe(409)
    // The other calls read the reason of the refusal and store its audit row.
    expect(calls).toEqual(['d1', 'd1', 'd1'])
  })

  it('is still a true duplicate when somebody else holds the name', async () => {
    const sku = unique('S')
    await api.post('/products/', { sku })
    const answer = await api.post('/products/', { sku }, faultyBindings([failed()]))
    expect([answer.status, answer.body.error.code]).toEqual([409, 'DUPLICATE'])
    expect(await auditRows(answer)).toEqual([{ status: 409, error_code: 'DUPLICATE' }])
  })
})

describe('a write that does not get through', () => {
  it.each([
    ['fails', [failed(8)], '1'],
    ['is not heard of', [never(false)], '1'],
    ['meets an overloaded database', [failing(OVERLOADED)], '1'],
    ['is lost, and would arrive later', [lost, failed(4, 1)], '1'],
    ['is late, and would act later', [late], '1'],
    ['fails in a way that nobody foresaw', [failing(UNTOLD)], null],
  ])('and %s is refused, and never happens', async (_, faults, retryAfter) => {
    const sku = unique('S')
    const { bindings, drained } = faultyBindings(faults)
    const answer = await api.post('/products/', { sku }, { bindings })
    await drained()
    const [status, code] = retryAfter ? [503, 'UNAVAILABLE'] : [500, 'INTERNAL_ERROR']
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
    expect(answer.headers.get('Retry-After')).toBe(retryAfter)
    expect(await stored(sku)).toEqual([])
    expect(await auditRows(answer)).toEqual([{ status, error_code: code }])
  })

  it('says that nothing was changed', async () => {
    const answer = await api.post('/products/', { sku: unique('S') }, faultyBindings([late]))
    expect(answer.body.error.message).toContain('Nothing was changed: try again.')
  })

  it('is not retried while the database is overloaded', async () => {
    const { bindings, calls } = faultyBindings([failing(OVERLOADED)])
    await api.post('/products/', { sku: unique('S') }, { bindings })
    // The other calls check whether the write has committed, and store the refusal's audit row.
    expect(calls).toEqual(['d1', 'd1', 'd1'])
  })

  it('cannot land behind a refusal that another attempt has met', async () => {
    const sku = unique('S')
    const order = { order_number: unique('O'), items: [{ sku_code: sku, quantity: 1 }] }
    const { bindings, drained } = faultyBindings([lost])
    const answer = await api.post('/orders/', order, { bindings: bindings })
    expect([answer.status, answer.body.error.code]).toEqual([400, 'SERVICE_ERROR'])
    await api.post('/products/', { sku })
    await drained()
    expect((await api.get(`/orders/${order.order_number}/`)).status).toBe(404)
    expect(await auditRows(answer)).toEqual([{ status: 400, error_code: 'SERVICE_ERROR' }])
  })
})

describe('a write of which nobody knows', () => {
  it('is 503 that says so, and its audit row tells in the end', async () => {
    const sku = unique('S')
    const { bindings, drained } = faultyBindings([lost, failed(12, 1)])
    const answer = await api.post('/products/', { sku }, { bindings })
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1'])
    expect(answer.body.error.reason).toBe('WRITE_UNKNOWN')
    expect(answer.body.error.message).toContain('may or may not have been applied')
    await drained()
    const [row, ...more] = await auditRows(answer)
    expect([await stored(sku), more]).toEqual([row?.status === 201 ? [expect.anything()] : [], []])
  })

  it('is no refusal that could not be stored, since it may land behind that', async () => {
    const sku = unique('S')
    const order = { order_number: unique('O'), items: [{ sku_code: sku, quantity: 1 }] }
    const { bindings, drained } = faultyBindings([lost, failed(100, 4)])
    const answer = await api.post('/orders/', order, { bindings })
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1'])
    expect(answer.body.error.message).toContain('may or may not have been applied')
    await api.post('/products/', { sku })
    await drained()
    expect((await api.get(`/orders/${order.order_number}/`)).status).toBe(200)
  })

  it('that landed, and cannot be read back, is 503 that says so', async () => {
    const sku = unique('S')
    const answer = await api.post('/products/', { sku }, faultyBindings([unheard(), failed(20, 3)]))
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1'])
    expect(answer.body.error.reason).toBe('WRITE_APPLIED')
    expect(answer.body.error.message).toContain('was applied, but')
    expect(await stored(sku)).toHaveLength(1)
    expect(await auditRows(answer)).toEqual([{ status: 201, error_code: null }])
  })

  it('is not begun anew by settings that change in between', async () => {
    const [sku, order_number] = [unique('S'), unique('O')]
    const key = await createKey()
    const caller = client(key.value)
    await caller.get('/orders/')
    let land = async (): Promise<unknown> => null
    const steps: Watch[] = [
      // The write is lost, its retry is refused for the unknown product, and the log has no row of it.
      (call) => {
        land = async () => await call()
        throw new Error(LOST)
      },
      (call) => call(),
      (call) => call(),
      // Then everything happens at once, before the query for the missing SKU.
      async (call) => {
        await api.post('/products/', { sku })
        await land()
        await db.prepare("update api_keys set revoked_at = 'now' where id = ?").bind(key.id).run()
        return await call()
      },
    ]
    const batch: Watch = (call) => (steps.shift() ?? ((rest) => rest()))(call)
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const order = { order_number, items: [{ sku_code: sku, quantity: 1 }] }
    const answer = await caller.post('/orders/', order, { bindings })
    expect(await auditRows(answer)).toEqual([{ status: 201, error_code: null }])
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1'])
    expect(answer.body.error.message).toContain('was applied, but')
    expect((await api.get(`/orders/${order_number}/`)).status).toBe(200)
  })

  it('that has landed when the refusal is to be stored is 503 that says so', async () => {
    const sku = unique('S')
    const slow: Fault = { ...d1, how: 'late', ms: 22_000, acts: 'in_the_end' }
    const asked: Fault = { ...d1, nth: 1, how: 'late', ms: 4900, acts: 'at_once' }
    const stalled: Fault = { ...d1, nth: 2, how: 'late', ms: 4900, acts: 'in_the_end' }
    const { bindings, drained } = faultyBindings([slow, asked, stalled])
    const answer = await api.post('/products/', { sku }, { bindings })
    await drained()
    const [row] = await auditRows(answer)
    const told = answer.body.error.message.includes('applied')
    expect([answer.status, told]).toEqual([503, row?.status === 201])
    expect(await stored(sku)).toHaveLength(row?.status === 201 ? 1 : 0)
  })
})

describe('a read', () => {
  it.each([
    ['whose connection is lost', failing(LOST)],
    ['that meets an overloaded database', failing(OVERLOADED)],
    ['that is not answered', never(true)],
  ])('%s is 503 with Retry-After', async (_, fault) => {
    const answer = await api.get('/orders/', faultyBindings([fault]))
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1'])
    expect(answer.text).not.toContain('D1')
  })

  it('that is answered late, and in time, is answered', async () => {
    const fault: Fault = { ...d1, how: 'late', ms: 5000, acts: 'in_the_end' }
    expect((await api.get('/orders/', faultyBindings([fault]))).status).toBe(200)
  })

  it('of a caller who is not cached is 503 too', async () => {
    const fresh = client((await createKey()).value)
    expect((await fresh.get('/orders/', faultyBindings([failed()]))).status).toBe(503)
  })

  it('that fails in a way nobody foresaw is 500 and gives nothing away', async () => {
    const answer = await api.get('/orders/', faultyBindings([failing(UNTOLD)]))
    expect([answer.status, answer.body.error.code]).toEqual([500, 'INTERNAL_ERROR'])
    expect(answer.text).not.toContain('secret_column')
  })
})

describe('the audit row of a read', () => {
  const log = vi.spyOn(console, 'error')

  it.each([
    ['whose connection was lost before it acted', failed(3, 1)],
    ['whose connection was lost after it committed', unheard(3, 1)],
    ['that was lost and arrives when another attempt has committed', { ...lost, nth: 1 }],
    ['that is not heard of', { ...never(false), nth: 1, times: 3 }],
    ['that is late', { ...late, nth: 1 }],
  ])('%s is there once', async (_, fault) => {
    log.mockClear()
    const { bindings, drained } = faultyBindings([fault])
    const answer = await api.get('/orders/', { bindings })
    await drained()
    expect(answer.status).toBe(200)
    expect(await auditRows(answer)).toEqual([{ status: 200, error_code: null }])
    expect(log).not.toHaveBeenCalled()
  })

  it('is stored, or in the log, within 30 s of the answer', async () => {
    log.mockClear()
    const waits: number[] = []
    const { setTimeout } = globalThis
    const { wait } = scheduler
    const noted = (ms = 0) => waits[waits.push(ms) - 1]
    Object.assign(globalThis, {
      setTimeout: (run: () => void, ms?: number) => setTimeout(run, noted(ms)),
    })
    Object.assign(scheduler, { wait: (ms: number) => wait(noted(ms) ?? 0) })
    const fault: Fault = { ...never(false), nth: 1, times: 100 }
    const { bindings, calls } = faultyBindings([fault])
    await api.get('/orders/', { bindings }).finally(() => {
      Object.assign(globalThis, { setTimeout })
      Object.assign(scheduler, { wait })
    })
    const [, ...afterwards] = waits
    expect(calls).toHaveLength(5)
    expect(afterwards.reduce((sum, ms) => sum + ms, 0)).toBeLessThan(30_000)
    expect(log).toHaveBeenCalledOnce()
  })

  it.each([
    ['fails', failed(100, 1)],
    ['is not heard of', { ...never(false), nth: 1, times: 100 }],
  ])('goes to the log where all that stores it %s', async (_, fault) => {
    log.mockClear()
    const answer = await api.get('/orders/', faultyBindings([fault]))
    expect(answer.status).toBe(200)
    expect(await auditRows(answer)).toEqual([])
    const lines = log.mock.calls.map(([line]) => JSON.parse(line))
    expect(lines).toMatchObject([
      { event: 'audit_row_not_stored', request_id: answer.headers.get('X-Request-Id') },
    ])
  })
})

describe('KV', () => {
  const kv = { on: 'kv_read' as const, nth: 0, times: 1 }

  it.each<[string, Fault]>([
    ['fails', { ...kv, how: 'before', message: 'KV GET failed: 500 Internal Server Error' }],
    ['does not answer', { ...kv, how: 'never', acts: false }],
    ['gives nonsense', { ...kv, how: 'wrong', value: { hash: 1 } }],
  ])('that %s refuses nobody', async (_, fault) => {
    const fresh = client((await createKey()).value)
    const { bindings, hits } = faultyBindings([fault])
    const answer = await fresh.get('/orders/', { bindings })
    expect([answer.status, hits.length]).toEqual([200, 1])
    expect(answer.headers.get('Server-Timing')).toContain('key;desc="d1"')
  })

  it('that does not take a caller holds nobody up', async () => {
    const fresh = client((await createKey()).value)
    const fault: Fault = { on: 'kv_write', nth: 0, times: 1, how: 'never', acts: false }
    const { bindings, hits } = faultyBindings([fault])
    expect((await fresh.get('/orders/', { bindings })).status).toBe(200)
    expect(hits).toHaveLength(1)
  })
})
