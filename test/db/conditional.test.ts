import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { intercept, type Watch } from '../fixtures/bindings.ts'
import { speedUpTime } from '../fixtures/clock.ts'
import { D1_TRANSIENT, type Fault } from '../fixtures/fault.ts'
import { faultyBindings } from '../fixtures/harness.ts'
import { countedBindings } from '../fixtures/metering.ts'
import {
  type Answer,
  client,
  createKey,
  openTenant,
  outdateCallers,
  unique,
} from '../fixtures/tenant.ts'
import { tagAt } from '../records/versioned.ts'

// P1 and P8 (docs/ARCHITECTURE.md) of a write with If-Match.

const [LOST = ''] = D1_TRANSIENT
const LONG_MS = 60_000
const d1 = { on: 'd1' as const, nth: 0, times: 1 }
const unheard = (times = 1): Fault => ({ ...d1, times, how: 'after', message: LOST })
const lost: Fault = { ...d1, how: 'lost', message: LOST, ms: LONG_MS }
const never: Fault = { ...d1, how: 'never', acts: true }

beforeAll(() => speedUpTime())

beforeEach(async () => {
  await api.get('/orders/')
})

let etag = ''

/** Its tags are those of `matching` from then on. */
async function newProduct(): Promise<string> {
  const sku = unique('S')
  etag = (await api.post('/products/', { sku })).headers.get('ETag') ?? ''
  return `/products/${sku}/`
}

const matching = (version: number) => ({ headers: { 'If-Match': tagAt(version, etag) } })
const versionOf = ({ headers }: Answer) => headers.get('ETag')?.split('.')[0]

async function auditRows({ headers }: Answer) {
  const select = db.prepare('select status, error_code from audit_log where request_id = ?')
  return (await select.bind(headers.get('X-Request-Id')).all()).results
}

const db = await openTenant()
const api = client((await createKey()).value)

describe('a PUT with If-Match', () => {
  it('is one D1 round trip', async () => {
    const at = await newProduct()
    const { bindings, calls } = countedBindings()
    const plain = await api.put(at, { quantity: 1 }, { bindings })
    const matched = await api.put(at, { quantity: 2 }, { bindings, ...matching(2) })
    expect([plain.status, matched.status, calls.d1]).toEqual([200, 200, 2])
  })

  it.each([
    ['whose connection was lost after it committed', [unheard()]],
    ['whose connection was lost four times, after it committed', [unheard(4)]],
    ['that is lost on its way and arrives when another attempt has committed', [lost]],
    ['that committed and was not heard of', [never]],
  ])('%s is answered as landed, once', async (_, faults) => {
    const at = await newProduct()
    const { bindings, drained } = faultyBindings(faults)
    const answer = await api.put(at, { quantity: 3 }, { bindings, ...matching(1) })
    await drained()
    expect([answer.status, answer.body.data?.quantity, versionOf(answer)]).toEqual([200, 3, '"2'])
    expect(await auditRows(answer)).toEqual([{ status: 200, error_code: null }])
    expect(versionOf(await api.get(at))).toBe('"2')
  })

  it('has no ETag if others may have changed the record before it was read back', async () => {
    const at = await newProduct()
    let calls = 0
    const batch: Watch = async (call) => {
      calls += 1
      if (calls !== 1) return await call()
      await call()
      await api.put(at, { quantity: 9 })
      throw new Error(LOST)
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const answer = await api.put(at, { quantity: 3 }, { bindings, ...matching(1) })
    expect([answer.status, answer.body.data.quantity]).toEqual([200, 9])
    expect(answer.headers.get('ETag')).toBeNull()
    expect(versionOf(await api.get(at))).toBe('"3')
  })

  it('cannot land behind its 412, even if the record comes to its version', async () => {
    const at = await newProduct()
    const { bindings, drained } = faultyBindings([lost])
    const answer = await api.put(at, { quantity: 3 }, { bindings, ...matching(2) })
    expect([answer.status, versionOf(answer)]).toEqual([412, '"1'])
    await api.put(at, { quantity: 9 })
    await drained()
    const read = await api.get(at)
    expect([read.body.data.quantity, versionOf(read)]).toEqual([9, '"2'])
    expect(await auditRows(answer)).toEqual([{ status: 412, error_code: 'PRECONDITION_FAILED' }])
  })

  it('is begun anew if settings have changed, before its version is judged', async () => {
    const at = await newProduct()
    let isFirst = true
    const batch: Watch = async (call) => {
      if (isFirst) await outdateCallers()
      isFirst = false
      return await call()
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    expect((await api.put(at, {}, { bindings, ...matching(1) })).status).toBe(200)
    isFirst = true
    expect((await api.put(at, {}, { bindings, ...matching(5) })).status).toBe(412)
  })

  it('is 503 if the record comes to its version while the refusal is explained', async () => {
    const at = await newProduct()
    let calls = 0
    const batch: Watch = async (call) => {
      calls += 1
      if (calls === 2) await api.put(at, { quantity: 4 })
      return await call()
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const answer = await api.put(at, { quantity: 3 }, { bindings, ...matching(2) })
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([503, '1'])
    expect((await api.get(at)).body.data.quantity).toBe(4)
  })
})
