import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { client, createKey } from '../tenant.ts'

/** Real D1 behind a gate of its own: counts who is inside, and lets them out one by one. */
function slowDatabase() {
  const state = { inside: 0, most: 0, order: [] as string[] }
  const DB_DEMO = new Proxy(env.DB_DEMO, {
    get(target, name) {
      const member = Reflect.get(target, name)
      if (name !== 'batch') return member.bind(target)
      return async (statements: D1PreparedStatement[]) => {
        state.inside += 1
        state.most = Math.max(state.most, state.inside)
        await scheduler.wait(5)
        state.inside -= 1
        return await target.batch(statements)
      }
    },
  })
  return { state, bindings: { ...env, DB_DEMO } }
}

describe('more than 50 requests of one key at a time', () => {
  it('are all answered, never more than 50 of them inside, first come first served', async () => {
    const { value } = await createKey()
    const api = client(value)
    await api.get('/orders/')
    const { state, bindings } = slowDatabase()
    const finished: number[] = []
    const answers = await Promise.all(
      Array.from({ length: 180 }, async (_, n) => {
        const answer = await api.get(n % 3 ? '/orders/' : '/orders/none/', { bindings })
        finished.push(n)
        return answer
      }),
    )
    expect(answers.every(({ status }, n) => status === (n % 3 ? 200 : 404))).toBe(true)
    expect(state.most).toBeGreaterThan(10)
    expect(state.most).toBeLessThanOrEqual(50)
    const firstHalf = finished.slice(0, 90)
    expect(firstHalf.filter((n) => n < 100).length).toBeGreaterThan(80)
  })

  it('do not hold up another key', async () => {
    const [busy, idle] = [client((await createKey()).value), client((await createKey()).value)]
    await Promise.all([busy.get('/orders/'), idle.get('/orders/')])
    const { bindings } = slowDatabase()
    const crowd = Promise.all(Array.from({ length: 100 }, () => busy.get('/orders/', { bindings })))
    expect((await idle.get('/orders/')).status).toBe(200)
    await crowd
  })
})
