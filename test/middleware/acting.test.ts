import { Hono } from 'hono'
import { describe, expect, it } from 'vitest'
import type { AppEnv, Exchange, Kept } from '../../src/engine/env.ts'
import { act, actingIn, newKept } from '../../src/engine/exchange/acting.ts'
import { Budget, type Share } from '../../src/engine/limits/budget.ts'

const OWNER = { tenant: 'demo', key: 'key' }
const ACTED = {
  actedFor: { partner_id: null, api_key_id: 'key' },
  replay_of: 'request',
  redacted: [],
}

/** Makes a request whose middleware does this with what the request keeps; gives what the outer one has then. */
async function acted(outer: Partial<Kept>, inside: (kept: Kept) => void): Promise<Kept> {
  const kept = { ...newKept(), ...outer }
  const app = new Hono<AppEnv>().get('/', async (c) => {
    c.set('exchange', { kept } as Exchange)
    c.set('dispatch', (raw) => {
      const acting = actingIn({ req: { raw } } as typeof c)
      if (acting) inside(acting.kept)
      return new Response()
    })
    return await act(c, new Request('http://localhost/'), ACTED)
  })
  expect((await app.request('/')).status).toBe(200)
  return kept
}

describe("a request in a partner's place", () => {
  it('uses the memory of the request that makes it, and does not give it back', async () => {
    const budget = new Budget({ bytes: 10, refusals: { all: 'full' } })
    const memory = budget.take(OWNER, 4) as Share
    const kept = await acted({ memory }, (own) => {
      expect(own.memory?.bytes).toBe(4)
      expect(own.memory?.resize(6)).toBe(true)
      own.memory?.leave()
    })
    expect([kept.memory, memory.bytes]).toEqual([memory, 6])
    expect(budget.takeNow(OWNER, 5)).toBeNull()
    memory.leave()
    expect(budget.takeNow(OWNER, 10)).not.toBeNull()
  })

  it('hands on its turn among large documents, which the other one gives back', async () => {
    const budget = new Budget({ bytes: 10, refusals: { all: 'full' } })
    const first = budget.take(OWNER, 4) as Share
    const second = budget.take(OWNER, 4) as Share
    const kept = await acted({ largeWork: first }, (own) => {
      expect(own.largeWork).toBe(first)
      own.largeWork = second
    })
    expect(kept.largeWork).toBe(second)
  })

  it('keeps its own body', async () => {
    const payload = Promise.resolve({ value: {}, bytes: 2 })
    await acted({ payload }, (own) => expect(own.payload).toBeNull())
  })
})
