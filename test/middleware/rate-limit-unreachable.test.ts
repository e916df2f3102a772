import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Answer, outdateCallers } from '../fixtures/tenant.ts'
import { limitedKey, told } from './limited-keys.ts'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

describe('a rate limiter that cannot be reached', () => {
  const SECRET = 'an address of ours'
  let lines: string[]

  beforeEach(() => {
    lines = []
    vi.spyOn(console, 'error').mockImplementation((line) => lines.push(line))
  })

  const lineOf = ({ headers }: Answer) =>
    JSON.stringify({
      event: 'rate_limit_unreachable',
      request_id: headers.get('X-Request-Id'),
    })

  /** Calls of `take` are noted, and answered so. */
  function limiterThat(take: () => Promise<never>) {
    const takes: unknown[] = []
    const stub = {
      take: (limit: number) => {
        takes.push(limit)
        return take()
      },
    }
    const RATE_LIMITER = { getByName: () => stub }
    return { takes, bindings: { ...env, RATE_LIMITER } }
  }
  const refusing = () => limiterThat(() => Promise.reject(new Error(SECRET)))

  it.each<[string, () => object]>([
    ['is not bound', () => ({ ...env, RATE_LIMITER: undefined })],
    [
      'throws',
      () => ({
        ...env,
        RATE_LIMITER: {
          getByName: () => {
            throw new Error(SECRET)
          },
        },
      }),
    ],
    ['fails', () => refusing().bindings],
  ])('lets the request pass, with a line in the log, where it %s', async (_, bindingsOf) => {
    const { api } = await limitedKey(1)
    await api.get('/orders/')
    const answer = await api.get('/orders/', { bindings: bindingsOf() })
    expect(told(answer)).toEqual([200, null])
    expect(lines).toEqual([lineOf(answer)])
    expect(told(await api.get('/orders/'))).toEqual([429, '0'])
  })

  it('is not asked again where it has too much to do', async () => {
    const { api } = await limitedKey(1)
    const overloaded = Object.assign(new Error(SECRET), { overloaded: true })
    const { takes, bindings } = limiterThat(() => Promise.reject(overloaded))
    expect(told(await api.get('/orders/', { bindings }))).toEqual([200, null])
    expect(takes).toEqual([1])
  })

  it('lets the request pass after a second where it never answers', async () => {
    const { api } = await limitedKey(1)
    await api.get('/orders/')
    const { takes, bindings } = limiterThat(() => new Promise(() => {}))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let answered = false
    const pending = api.get('/orders/', { bindings }).finally(() => {
      answered = true
    })
    while (takes.length === 0) await scheduler.wait(1)
    vi.advanceTimersByTime(999)
    await scheduler.wait(20)
    expect(answered).toBe(false)
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    const answer = await pending
    expect(told(answer)).toEqual([200, null])
    expect(lines).toEqual([lineOf(answer)])
  })

  it('is asked twice, and no more by a request that is rerun', async () => {
    const { api } = await limitedKey(1)
    await api.get('/orders/')
    await outdateCallers()
    const { takes, bindings } = refusing()
    const answer = await api.get('/orders/', { bindings })
    expect(told(answer)).toEqual([200, null])
    expect(takes).toEqual([1, 1])
    expect(lines).toEqual([lineOf(answer)])
  })

  it('that answers leaves no timer behind', async () => {
    const { api } = await limitedKey(5)
    // KV is waited for as long; an isolate asks it once.
    await api.get('/orders/')
    const [set, cleared] = [
      vi.spyOn(globalThis, 'setTimeout'),
      vi.spyOn(globalThis, 'clearTimeout'),
    ]
    await api.get('/orders/')
    const timers = set.mock.results.filter((_, n) => set.mock.calls[n]?.[1] === 1000)
    expect(timers).toHaveLength(1)
    expect(cleared.mock.calls.filter(([timer]) => timer === timers[0]?.value)).toHaveLength(1)
    expect(lines).toEqual([])
  })
})
