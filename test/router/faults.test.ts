import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { newAddress } from '../fixtures/address.ts'
import { speedUpTime } from '../fixtures/clock.ts'
import { itInDeep } from '../fixtures/depth.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { createKey, openTenant } from '../fixtures/tenant.ts'
import { settle, startRouter } from './routing.ts'

const WORKSPACE = '/api/settings/v1/workspace/'
const FAILURES_MAX = 100
const AT_ONCE_MAX = 10
const ALL_AT_ONCE_MAX = 200
const TENANTS_MAX = 10_000
// The local platform counts in minutes of the clock: a test that failed in two of them is run once more.
const MINUTE_MS = 60_000
const minute = () => Math.floor(Date.now() / MINUTE_MS)

let key = ''

beforeAll(async () => {
  await openTenant()
  key = (await createKey(['integrations.*', 'settings.*'])).value
  await settle({ demo: '1', other: '2' })
})

afterEach(() => void vi.restoreAllMocks())

const eventsOf = (method: 'error' | 'warn') => {
  const logged = vi.spyOn(console, method).mockImplementation(() => {})
  return () => logged.mock.calls.map(([line]) => JSON.parse(String(line)).event)
}

describe('the router, when KV fails', () => {
  it.each([
    ['fails', () => Promise.reject(new Error('KV GET failed: 500'))],
    ['never answers', () => new Promise<never>(() => {})],
  ])('says 503 where KV %s, and asks no group', async (_, get) => {
    const events = eventsOf('error')
    onTestFinished(speedUpTime())
    const { ask, calls } = await startRouter({ get })
    const answer = await ask('demo', WORKSPACE, { key })
    expectRefusal(answer, 503, 'UNAVAILABLE')
    expect(answer.headers.get('Retry-After')).toBe('1')
    expect([calls.asked, events()]).toEqual([[], ['group_lookup_failed']])
  })

  it.each(['', '0', '3', '01', '1 ', ' 1', '-1', '1e0', 'GROUP_1', '__proto__', '99999', 'null'])(
    'says 503 of a group "%s", and asks none',
    async (number) => {
      const events = eventsOf('error')
      const { ask, calls } = await startRouter({ get: async () => number })
      expectRefusal(await ask('demo', WORKSPACE, { key }), 503, 'UNAVAILABLE')
      expect([calls.asked, events()]).toEqual([[], ['group_unknown']])
    },
  )

  it('serves those whose group it knows, and those it did not find once KV is well', async () => {
    let isWell = true
    const get = async () => {
      if (isWell) return '1'
      throw new Error('KV')
    }
    const { ask } = await startRouter({ get })
    expect((await ask('demo', WORKSPACE, { key })).status).toBe(200)
    isWell = false
    expect((await ask('demo', WORKSPACE, { key })).status).toBe(200)
    expect((await ask('late', '/healthz/')).status).toBe(503)
    isWell = true
    expect((await ask('late', '/healthz/')).status).toBe(404)
  })
})

describe('the router, when a group fails', () => {
  it('says 503, and of a write that it may have been applied', async () => {
    const events = eventsOf('error')
    const groups = {
      1: () => Promise.reject(new Error('The script will never generate a response')),
    }
    const { ask, calls } = await startRouter({ groups })
    const read = await ask('demo', WORKSPACE, { key })
    expectRefusal(read, 503, 'UNAVAILABLE')
    expect(read.body.error.message).not.toContain('may')
    const body = { sku: 'LOST' }
    const write = await ask('demo', '/api/integrations/v1/products/', { method: 'POST', key, body })
    expectRefusal(write, 503, 'UNAVAILABLE')
    expect(write.body.error.message).toContain('may or may not have been applied')
    expect([calls.asked, events()]).toEqual([
      [1, 1],
      ['group_failed', 'group_failed'],
    ])
  })
})

describe('unknown tenants', () => {
  it('are remembered for 30 s', async () => {
    const { ask, calls } = await startRouter()
    const began = Date.now()
    const clock = vi.spyOn(Date, 'now')
    for (const [ms, lookedUp] of [
      [0, 1],
      [1, 1],
      [29_000, 1],
      [31_000, 2],
    ] as const) {
      clock.mockReturnValue(began + ms)
      expectRefusal(await ask('nobody', '/healthz/'), 404, 'NOT_FOUND')
      expect(calls.looked_up).toHaveLength(lookedUp)
    }
  })

  itInDeep('take no more memory than 10,000 do', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { ask, calls } = await startRouter({ get: async () => null })
    for (let count = 0; count <= TENANTS_MAX; count++) await ask(`nobody-${count}`, '/healthz/')
    calls.looked_up.length = 0
    for (const count of [TENANTS_MAX, 1, 0]) await ask(`nobody-${count}`, '/healthz/')
    expect(calls.looked_up).toEqual(['nobody-0'])
  })

  /** A look-up that finds nothing after a while, and how many of them were under way at a time. */
  function slowLookUp() {
    const state = { now: 0, most: 0 }
    const get = async () => {
      state.most = Math.max(state.most, ++state.now)
      await scheduler.wait(20)
      state.now -= 1
      return null
    }
    return { state, get }
  }

  itInDeep('are looked up 200 at a time for all addresses', async () => {
    const { state, get } = slowLookUp()
    const { ask } = await startRouter({ get })
    const visits = Array.from({ length: 300 }, (_, count) =>
      ask(`of-many-${count}`, '/healthz/', { address: newAddress() }),
    )
    for (const { status } of await Promise.all(visits)) expect(status).toBe(404)
    expect(state.most).toBe(ALL_AT_ONCE_MAX)
  })

  it('are looked up a few at a time for one address', async () => {
    const { state, get } = slowLookUp()
    const { ask } = await startRouter({ get })
    const address = newAddress()
    const visits = Array.from({ length: 4 * AT_ONCE_MAX }, (_, count) =>
      ask(`stranger-${count}`, '/healthz/', { address }),
    )
    for (const { status } of await Promise.all(visits)) expect(status).toBe(404)
    expect(state.most).toBe(AT_ONCE_MAX)
  })

  it('are looked up ten times at most where one is asked for at once many times', async () => {
    const { ask, calls } = await startRouter()
    const address = newAddress()
    const visits = Array.from({ length: 4 * AT_ONCE_MAX }, () => ask('same', '/', { address }))
    for (const { status } of await Promise.all(visits)) expect(status).toBe(404)
    expect(calls.looked_up).toHaveLength(AT_ONCE_MAX)
  })

  it('that wait for their turn are not looked up where the address is closed meanwhile', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { ask, calls } = await startRouter({ limit: async () => ({ success: false }) })
    const address = newAddress()
    const visits = Array.from({ length: 4 * AT_ONCE_MAX }, (_, count) =>
      ask(`waiting-${count}`, '/', { address }),
    )
    const statuses = (await Promise.all(visits)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(3 * AT_ONCE_MAX)
    expect(calls.looked_up).toHaveLength(AT_ONCE_MAX)
  })

  it('close no address when the counter gives nonsense', async () => {
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    const { ask } = await startRouter({
      limit: (async () => ({})) as unknown as RateLimit['limit'],
    })
    const address = newAddress()
    for (const tenant of ['nonsense-1', 'nonsense-2']) {
      expectRefusal(await ask(tenant, '/healthz/', { address }), 404, 'NOT_FOUND')
    }
  })

  let begun = 0
  const onceMore = { retry: { count: 1, condition: () => minute() !== begun } }

  it(
    'close an address that asks for a hundred of them, but not to a known tenant',
    onceMore,
    async () => {
      begun = minute()
      vi.spyOn(console, 'warn').mockImplementation(() => {})
      const { ask, calls } = await startRouter()
      const address = newAddress()
      await ask('demo', '/healthz/', { address: newAddress() })
      for (let count = 0; count < FAILURES_MAX; count++) {
        expect((await ask(`closed-${count}`, '/healthz/', { address })).status).toBe(404)
      }
      calls.looked_up.length = 0
      const closed = await ask('closed-100', '/healthz/', { address })
      expectRefusal(closed, 429, 'RATE_LIMITED')
      expect(Number(closed.headers.get('Retry-After'))).toBeGreaterThan(0)
      expect(calls.looked_up).toEqual([])
      expect((await ask('demo', WORKSPACE, { address, key })).status).toBe(200)
      const elsewhere = { address: newAddress() }
      expect((await ask('closed-101', '/healthz/', elsewhere)).status).toBe(404)
    },
  )

  it.each([
    ['fails', () => Promise.reject(new Error('unreachable'))],
    ['never answers', () => new Promise<never>(() => {})],
  ])('close no address when the counter %s', async (_, limit) => {
    const events = eventsOf('error')
    vi.spyOn(console, 'warn').mockImplementation(() => {})
    onTestFinished(speedUpTime())
    const { ask } = await startRouter({ limit })
    const answer = await ask('uncounted', '/healthz/', { address: newAddress() })
    expectRefusal(answer, 404, 'NOT_FOUND')
    expect(events()).toEqual(['failed_lookup_uncounted'])
  })
})
