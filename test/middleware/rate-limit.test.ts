import {
  abortAllDurableObjects,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { itInDeep } from '../fixtures/depth.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { cookieOf, submit, withCookie } from '../fixtures/session.ts'
import { AUDIT, KEYS } from '../fixtures/settings.ts'
import { type Answer, client, createKey, type Json, outdateCallers } from '../fixtures/tenant.ts'
import { ALL, admin, limitedKey, remaining, told } from './limited-keys.ts'
import { heldDatabase } from './occupied.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const limiterOf = (id: string, tenant = 'demo') => env.RATE_LIMITER.getByName(`${tenant} ${id}`)

/** What the key's object keeps. */
async function stored(id: string, tenant = 'demo') {
  return await runInDurableObject(limiterOf(id, tenant), async (_, { storage }) => ({
    values: [...storage.kv.list<Json>()].map(([, value]) => value),
    alarm: await storage.getAlarm(),
  }))
}

const setLimit = async (id: string, rate_limit: number | null) =>
  expect((await admin.put(`${KEYS}${id}/`, { rate_limit })).status).toBe(200)

const retryAfter = ({ headers }: Answer) => Number(headers.get('Retry-After'))

const later = (seconds: number) =>
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 })

describe('a key that may make 60 requests a minute', () => {
  it('has exactly 60 of 100 parallel ones answered, and is told what remains without a gap', async () => {
    const { api, id } = await limitedKey(60)
    const answers = await Promise.all(Array.from({ length: 100 }, () => api.get('/orders/')))
    const [passed, refused] = [200, 429].map((status) =>
      answers.filter((answer) => answer.status === status),
    ) as [Answer[], Answer[]]
    expect([passed.length, refused.length]).toEqual([60, 40])
    const numbers = passed.map((answer) => Number(remaining(answer))).toSorted((a, b) => b - a)
    expect(numbers).toEqual(Array.from({ length: 60 }, (_, n) => 59 - n))
    for (const answer of refused) {
      const seconds = answer.headers.get('Retry-After')
      const message = `This API key may make 60 requests a minute. Try again in ${seconds} s.`
      expectRefusal(answer, 429, 'RATE_LIMITED', message)
      expect(remaining(answer)).toBe('0')
      expect(seconds).toMatch(/^([1-9]|[1-5]\d|60)$/)
    }
    expect((await stored(id)).values).toEqual([expect.objectContaining({ counted: 60 })])
  })

  it('has them counted over all isolates together', async () => {
    const { api } = await limitedKey(3)
    const isolates = [await freshIsolate(), await freshIsolate()]
    const answers = []
    for (const isolate of [...isolates, ...isolates]) {
      answers.push(told(await api.get('/orders/', isolate)))
    }
    expect(answers).toEqual([
      [200, '2'],
      [200, '1'],
      [200, '0'],
      [429, '0'],
    ])
  })
})

describe('X-RateLimit-Remaining', () => {
  it('is on every answer that was counted, whatever it says', async () => {
    const { api } = await limitedKey(11, ['integrations.orders.*', 'settings.read'])
    const answers = [
      await api.get('/orders/'),
      await api.call('HEAD', '/orders/'),
      await api.get('/orders/none/'),
      await api.post('/orders/', '{'),
      await api.get('/products/'),
      await api.get('/nothing/'),
      await api.call('PATCH', '/orders/'),
      await api.get('/api/settings/v1/workspace/'),
      await api.post(KEYS, { name: 'x' }),
      await api.get('/inventory/L1/?by=location'),
      await api.get('/orders/', { headers: { 'X-Read-After': 'x' } }),
    ]
    expect(answers.map(told)).toEqual([
      [200, '10'],
      [200, '9'],
      [404, '8'],
      [400, '7'],
      [403, '6'],
      [404, '5'],
      [405, '4'],
      [200, '3'],
      [403, '2'],
      [403, '1'],
      [400, '0'],
    ])
    expect(told(await api.call('HEAD', '/orders/'))).toEqual([429, '0'])
    expect(told(await api.get('/api/settings/v1/workspace/'))).toEqual([429, '0'])
  })

  it('is on no answer to a key without a limit, whose requests are not counted', async () => {
    const { value } = await createKey(ALL)
    const { bindings, uses } = watchedLimiter()
    const api = client(value, { bindings })
    for (const path of ['/orders/', '/orders/none/', '/api/settings/v1/workspace/']) {
      expect(remaining(await api.get(path))).toBeNull()
    }
    expect(uses).toEqual([])
  })
})

describe('the minute of a key', () => {
  it('begins with its first request and ends 60 seconds later', async () => {
    const { api } = await limitedKey(2)
    expect(told(await api.get('/orders/'))).toEqual([200, '1'])
    const begun = Date.now()
    later(40)
    expect(told(await api.get('/orders/'))).toEqual([200, '0'])
    const refused = await api.get('/orders/')
    expect(told(refused)).toEqual([429, '0'])
    expect(retryAfter(refused)).toBeGreaterThan(10)
    expect(retryAfter(refused)).toBeLessThanOrEqual(20)
    vi.setSystemTime(begun + 60_000)
    expect(told(await api.get('/orders/'))).toEqual([200, '1'])
  })

  it('ends as soon as Retry-After says, and not a second before', async () => {
    const { api } = await limitedKey(1)
    later(0)
    await api.get('/orders/')
    vi.setSystemTime(Date.now() + 12_345)
    const seconds = retryAfter(await api.get('/orders/'))
    vi.setSystemTime(Date.now() + (seconds - 1) * 1000)
    const again = await api.get('/orders/')
    expect([...told(again), retryAfter(again)]).toEqual([429, '0', 1])
    vi.setSystemTime(Date.now() + 1000)
    expect(told(await api.get('/orders/'))).toEqual([200, '0'])
  })

  it('leaves nothing behind', async () => {
    const { api, id } = await limitedKey(5)
    await api.get('/orders/')
    const { values, alarm } = await stored(id)
    expect(values).toEqual([{ counted: 1, ends_at: alarm }])
    vi.useFakeTimers({ toFake: ['Date'], now: alarm ?? 0 })
    expect(await runDurableObjectAlarm(limiterOf(id))).toBe(true)
    expect(await stored(id)).toEqual({ values: [], alarm: null })
    expect(told(await api.get('/orders/'))).toEqual([200, '4'])
  })

  it('is not cut short by the end of the one before', async () => {
    const { api, id } = await limitedKey(5)
    await api.get('/orders/')
    later(61)
    expect(told(await api.get('/orders/'))).toEqual([200, '4'])
    const before = await stored(id)
    expect(await runDurableObjectAlarm(limiterOf(id))).toBe(true)
    expect(await stored(id)).toEqual(before)
    expect(told(await api.get('/orders/'))).toEqual([200, '3'])
  })

  it('outlives the object that counts', async () => {
    const { api, id } = await limitedKey(3)
    expect(told(await api.get('/orders/'))).toEqual([200, '2'])
    await evictDurableObject(limiterOf(id))
    expect(told(await api.get('/orders/'))).toEqual([200, '1'])
    await abortAllDurableObjects()
    expect(told(await api.get('/orders/'))).toEqual([200, '0'])
    expect(told(await api.get('/orders/'))).toEqual([429, '0'])
  })
})

describe('another key', () => {
  it('is counted by itself', async () => {
    const [one, other] = [await limitedKey(1), await limitedKey(1)]
    expect(told(await one.api.get('/orders/'))).toEqual([200, '0'])
    expect(told(await one.api.get('/orders/'))).toEqual([429, '0'])
    expect(told(await other.api.get('/orders/'))).toEqual([200, '0'])
  })

  it('is counted by itself in another tenant, also where it has the same id', async () => {
    const { api, id } = await limitedKey(1)
    const twin = await createKey(ALL, { tenant: 'other' })
    await env.DB_OTHER.prepare('update api_keys set id = ?, rate_limit = 5 where id = ?')
      .bind(id, twin.id)
      .run()
    await api.get('/orders/')
    expect(told(await api.get('/orders/'))).toEqual([429, '0'])
    expect(told(await client(twin.value).get('/orders/'))).toEqual([200, '4'])
    expect((await stored(id, 'other')).values).toMatchObject([{ counted: 1 }])
  })

  it('that a rotation has made begins anew', async () => {
    const { api, id } = await limitedKey(1)
    await api.get('/orders/')
    const { body } = await admin.post(`${KEYS}${id}/rotate/`, { overlap_seconds: 60 })
    expect(told(await api.get('/orders/'))).toEqual([429, '0'])
    expect(told(await client(body.data.key).get('/orders/'))).toEqual([200, '0'])
  })
})

describe('a change of rate_limit', () => {
  it('holds from the next request on', async () => {
    const { value, id } = await createKey()
    const api = client(value)
    expect(told(await api.get('/orders/'))).toEqual([200, null])
    await setLimit(id, 2)
    expect(told(await api.get('/orders/'))).toEqual([200, '1'])
    expect(told(await api.get('/orders/'))).toEqual([200, '0'])
    await setLimit(id, 4)
    expect(told(await api.get('/orders/'))).toEqual([200, '1'])
    await setLimit(id, 3)
    expect(told(await api.get('/orders/'))).toEqual([429, '0'])
    await setLimit(id, null)
    expect(told(await api.get('/orders/'))).toEqual([200, null])
  })

  it('refuses by the new limit what was counted by the old one', async () => {
    const { api, id } = await limitedKey(9)
    for (let turn = 0; turn < 3; turn++) await api.get('/orders/')
    await setLimit(id, 3)
    expect(told(await api.get('/orders/'))).toEqual([429, '0'])
    await setLimit(id, 9)
    expect((await api.get('/orders/')).status).toBe(200)
  })
})

describe('a request of a key with a limit', () => {
  it('is counted once when it is rerun', async () => {
    const { api, id } = await limitedKey(5)
    expect(told(await api.get('/orders/'))).toEqual([200, '4'])
    await outdateCallers()
    const rerun = await api.get('/orders/')
    expect(told(rerun)).toEqual([200, '3'])
    expect(rerun.headers.get('Server-Timing')).toContain('round trips 3,')
    expect((await stored(id)).values).toMatchObject([{ counted: 2 }])
  })

  it('is not counted when it is refused, nor when that is confirmed and rerun', async () => {
    const { api, id } = await limitedKey(1)
    await api.get('/orders/')
    await outdateCallers()
    for (let turn = 0; turn < 3; turn++) expect(told(await api.get('/orders/'))).toEqual([429, '0'])
    expect((await stored(id)).values).toMatchObject([{ counted: 1 }])
  })

  itInDeep('is refused while 50 others are in flight, and waits for none of them', async () => {
    const { api } = await limitedKey(51)
    await api.get('/orders/')
    const { state, letGo, bindings } = heldDatabase(1)
    const crowd = Array.from({ length: 50 }, () => api.get('/orders/', { bindings }))
    await expect.poll(() => state.inside).toBe(50)
    expect((await api.get('/orders/')).status).toBe(429)
    letGo()
    expect((await Promise.all(crowd)).every(({ status }) => status === 200)).toBe(true)
  })

  it('leaves its row in the audit log and its Server-Timing, also refused', async () => {
    const { api, id } = await limitedKey(1)
    await api.get('/orders/')
    const refused = await api.get('/orders/?limit=1')
    expect(refused.headers.get('Server-Timing')).toMatch(/^key;desc="isolate", d1;.*round trips 1,/)
    const query = `?request_id=${refused.headers.get('X-Request-Id')}`
    const { body } = await admin.get(AUDIT + query)
    expect(body.data).toMatchObject([
      {
        api_key: { id },
        method: 'GET',
        path: '/api/integrations/v1/orders/',
        status: 429,
        error_code: 'RATE_LIMITED',
      },
    ])
  })
})

describe('the dashboard', () => {
  it('is not counted', async () => {
    const { bindings, uses } = watchedLimiter()
    const { value } = await limitedKey(1)
    const signedIn = await submit('/dashboard/sign-in/', { key: value }, {}, { bindings })
    const dashboard = withCookie(cookieOf(signedIn), { bindings })
    for (let turn = 0; turn < 3; turn++) {
      expect(told(await dashboard.get('/dashboard/workspace/'))).toEqual([200, null])
    }
    expect(uses).toEqual([])
  })
})

/** The real binding; each use of it is noted. */
function watchedLimiter() {
  const uses: string[] = []
  const RATE_LIMITER = new Proxy(env.RATE_LIMITER, {
    get(target, name) {
      uses.push(String(name))
      return Reflect.get(target, name).bind(target)
    },
  })
  return { uses, bindings: { ...env, RATE_LIMITER } }
}
