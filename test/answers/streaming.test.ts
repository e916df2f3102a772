import { Hono } from 'hono'
import { afterEach, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest'
import { sendParts } from '../../src/engine/answers/streaming.ts'
import type { AppEnv, Exchange } from '../../src/engine/env.ts'
import { newKept } from '../../src/engine/exchange/acting.ts'
import { Budget, type Share } from '../../src/engine/limits/budget.ts'

const LEASE_MS = 26_000
const OWNER = { tenant: 'a', key: 'k' }

let logged: MockInstance<typeof console.error>

beforeEach(() => {
  logged = vi.spyOn(console, 'error').mockImplementation(() => {})
})
afterEach(() => {
  logged.mockRestore()
  vi.useRealTimers()
})

/** A budget that one answer has wholly, as its share of large work, and the answer's reader. */
async function open(next: () => Promise<string | null>) {
  const budget = new Budget({
    bytes: 10,
    isStrict: true,
    leaseMs: LEASE_MS,
    refusals: { all: 'full' },
  })
  const largeWork = (await budget.take(OWNER, 10)) as Share
  const app = new Hono<AppEnv>().get('/', (c) => {
    const exchange: Partial<Exchange> = {
      request_id: 'r',
      kept: { ...newKept(), largeWork },
    }
    c.set('exchange', exchange as Exchange)
    return sendParts(c, 200, next)
  })
  const { body } = await app.request('/')
  return { budget, reader: body!.getReader() }
}

/** Parts that are made when the test says so. */
function madeLater() {
  const { promise, resolve } = Promise.withResolvers<string>()
  return { next: () => promise, make: () => resolve('part') }
}

const settle = () => scheduler.wait(20)

describe('an answer that is sent in parts', () => {
  it('keeps its share of large work as long as its client reads', async () => {
    const { budget, reader } = await open(async () => 'part')
    let isServed = false
    vi.useFakeTimers({ toFake: ['Date'] })
    for (let n = 0; n < 4; n++) {
      vi.setSystemTime(Date.now() + LEASE_MS - 1000)
      expect((await reader.read()).done).toBe(false)
      await settle()
    }
    vi.setSystemTime(Date.now() + LEASE_MS - 1000)
    const waiting = Promise.resolve(budget.take(OWNER, 1)).then(() => {
      isServed = true
    })
    await settle()
    expect(isServed).toBe(false)
    expect((await reader.read()).done).toBe(false)
    await reader.cancel()
    await waiting
  })

  it('goes on behind empty parts, and keeps its share, until its client leaves', async () => {
    let asked = 0
    const { budget, reader } = await open(async () => {
      asked += 1
      await scheduler.wait(1)
      return ''
    })
    vi.useFakeTimers({ toFake: ['Date'] })
    for (let n = 0; n < 3; n++) {
      vi.setSystemTime(Date.now() + LEASE_MS - 1000)
      await settle()
    }
    expect(budget.takeNow(OWNER, 1)).toBe(null)
    expect(asked).toBeGreaterThan(3)
    await reader.cancel()
    await settle()
    const before = asked
    await settle()
    expect(asked).toBe(before)
  })

  it('logs nothing when its client leaves while a part is being made', async () => {
    const { next, make } = madeLater()
    const { reader } = await open(next)
    await settle()
    await reader.cancel()
    make()
    await settle()
    expect(logged).not.toHaveBeenCalled()
  })

  it('breaks off once when its share is taken back while a part is being made', async () => {
    const { next, make } = madeLater()
    const { budget, reader } = await open(next)
    await settle()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + LEASE_MS + 1000 })
    await budget.take(OWNER, 10)
    make()
    await expect(reader.read()).rejects.toThrow()
    await settle()
    expect(logged.mock.calls).toEqual([[expect.stringContaining('stream_broken')]])
  })

  describe('slowly', () => {
    /** An answer whose request has the key's only place. */
    async function openInPlace() {
      vi.useFakeTimers()
      const requests = new Budget({ bytes: 2, keySharesMax: 1, refusals: { all: 'full' } })
      const memory = (await requests.take(OWNER, 1)) as Share
      const app = new Hono<AppEnv>().get('/', (c) => {
        c.set('exchange', { request_id: 'r', kept: { ...newKept(), memory } } as Exchange)
        return sendParts(c, 200, async () => 'part')
      })
      const { body } = await app.request('/')
      return { requests, reader: body!.getReader() }
    }
    const OTHER = { tenant: 'b', key: 'k' }

    it('leaves its place after 10 seconds and keeps its memory', async () => {
      const { requests, reader } = await openInPlace()
      await vi.advanceTimersByTimeAsync(9000)
      expect(requests.takeNow(OWNER, 0)).toBeNull()
      await vi.advanceTimersByTimeAsync(1000)
      expect(requests.takeNow(OTHER, 2)).toBeNull()
      expect(requests.takeNow(OWNER, 1)).not.toBeNull()
      expect((await reader.read()).done).toBe(false)
      await reader.cancel()
    })

    it('breaks off after 20 seconds without a read if others wait for its memory', async () => {
      const { requests, reader } = await openInPlace()
      await settle()
      await vi.advanceTimersByTimeAsync(15_000)
      for (let n = 0; n < 2; n++) await reader.read()
      await settle()
      await vi.advanceTimersByTimeAsync(15_000)
      expect(requests.takeNow(OTHER, 2)).toBeNull()
      await vi.advanceTimersByTimeAsync(6000)
      expect(requests.takeNow(OTHER, 2)).not.toBeNull()
      await expect(reader.read()).rejects.toThrow()
    })
  })
})
