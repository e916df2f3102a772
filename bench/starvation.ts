import { openArena, type Waited } from './arena.ts'
import { ATTACKS, type Attack } from './attacks.ts'
import type { Benchmark, Figure } from './figure.ts'
import { median } from './rounds.ts'
import { startTwoTenants } from './server.ts'

const HEAP_FLAG = '--max-heap-size=128'
const ALONE_TIMES = 5

/** The goal is this loose because one thread serves both tenants and their databases here. */
export const starvation: Benchmark = {
  names: ['wait_under_attack'],
  summary: 'the longest wait of a tenant with small requests while another tenant sends large ones',
  async run({ quick, say }) {
    const figures: Figure[] = []
    for (const attack of quick ? ATTACKS.slice(0, 1) : ATTACKS) {
      say(attack.name)
      const value = await longestWait(attack, say)
      figures.push({
        name: 'wait_under_attack',
        of: attack.name,
        value,
        unit: 'x',
        bound: { atMost: 1 },
      })
    }
    return figures
  },
}

/** Relative to the larger of ten times the quiet median and three times the wait during one such request. */
async function longestWait(attack: Attack, say: (text: string) => void): Promise<number> {
  process.env.MINIFLARE_WORKERD_V8_FLAGS = HEAP_FLAG
  const servers = await startTwoTenants()
  const { attacker, waitsDuring, quietWaits, close } = await openArena(servers)
  try {
    const one = await attack.prepare(attacker)
    await quietWaits()
    const quiet = median((await quietWaits()).map(({ ms }) => ms))
    const alone: Waited[] = []
    for (let n = 0; n < ALONE_TIMES; n++) alone.push(...(await waitsDuring(one())))
    const all = Promise.all(Array.from({ length: attack.times }, one))
    const attacked = await waitsDuring(all)
    const allowed = Math.max(10 * quiet, 3 * longest(alone))
    const counts = Map.groupBy(await all, ({ status }) => status)
    const answers = Array.from(counts, ([status, { length }]) => `${length} x ${status}`).join(', ')
    say(
      `${attack.times} at once: ${answers}; quiet ${quiet.toFixed(1)} ms, one ${longest(alone).toFixed(0)} ms, all ${longest(attacked).toFixed(0)} ms`,
    )
    if (attacked.some(({ status }) => status !== 200)) throw new Error('A request was refused.')
    return longest(attacked) / allowed
  } finally {
    close()
    await servers.close()
    delete process.env.MINIFLARE_WORKERD_V8_FLAGS
  }
}

function longest(waits: Waited[]): number {
  return Math.max(...waits.map(({ ms }) => ms))
}
