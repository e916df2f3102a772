import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openArena } from '../../bench/arena.ts'
import { ATTACKS } from '../../bench/attacks.ts'
import { startTwoTenants } from '../../bench/server.ts'

// An isolate of Cloudflare's has 128 MB. How long others wait is measured by `npm run bench`.
const HEAP_FLAG = '--max-heap-size=128'

let servers: Awaited<ReturnType<typeof startTwoTenants>>
let arena: Awaited<ReturnType<typeof openArena>>

beforeEach(async () => {
  process.env.MINIFLARE_WORKERD_V8_FLAGS = HEAP_FLAG
  servers = await startTwoTenants()
  arena = await openArena(servers)
})
afterEach(async () => {
  arena.close()
  await servers.close()
  delete process.env.MINIFLARE_WORKERD_V8_FLAGS
})

describe.each(ATTACKS)('$times requests of one tenant at once: $name', (attack) => {
  it('are answered or put off, and fail no request of another tenant', async () => {
    const one = await attack.prepare(arena.attacker)
    const all = Promise.all(Array.from({ length: attack.times }, one))
    const waits = await arena.waitsDuring(all)
    expect(waits.length).toBeGreaterThan(attack.isLong ? 5 : 0)
    expect(waits.filter(({ status }) => status !== 200)).toEqual([])
    const answers = await all
    const { refused } = attack
    const served = answers.filter(({ status }) => (refused ? status === refused : status < 300))
    expect(served.length).toBeGreaterThan(0)
    for (const { status, retryAfter } of answers.filter((answer) => !served.includes(answer))) {
      expect([status, retryAfter]).toEqual([503, '1'])
    }
    expect(new Set(served.map(({ bytes }) => Math.round(bytes / 1000))).size).toBe(1)
    expect((await arena.quietWaits()).every(({ status }) => status === 200)).toBe(true)
  }, 240_000)
})
