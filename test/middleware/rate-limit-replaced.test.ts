import { abortAllDurableObjects } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Answer } from '../fixtures/tenant.ts'
import { limitedKey, remaining } from './limited-keys.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** The real limiter; `meanwhile` happens while the first calls are on their way. */
function interrupted(calls: number, meanwhile: () => Promise<unknown>) {
  let left = calls
  const RATE_LIMITER = {
    getByName: (name: string) => ({
      take: async (limit: number) => {
        const turn = env.RATE_LIMITER.getByName(name).take(limit)
        left -= 1
        if (left === 0) await meanwhile()
        return await turn
      },
    }),
  }
  return { ...env, RATE_LIMITER }
}

describe('a rate limiter that a deployment replaces', () => {
  it('counts each request all the same', async () => {
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
    const { api } = await limitedKey(30)
    await api.get('/orders/')
    const answers: Answer[] = []
    for (let turn = 0; turn < 4; turn++) {
      const bindings = interrupted(10, abortAllDurableObjects)
      const all = Array.from({ length: 10 }, () => api.get('/orders/', { bindings }))
      answers.push(...(await Promise.all(all)))
    }
    expect(answers.filter((answer) => remaining(answer) === null)).toEqual([])
    // Some may be counted twice, so fewer may pass, but none more.
    const passed = answers.filter(({ status }) => status === 200)
    expect(passed.length).toBeLessThanOrEqual(29)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(40 - passed.length)
    expect(logged).not.toHaveBeenCalled()
  })
})
