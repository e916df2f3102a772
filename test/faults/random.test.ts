import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it, vi } from 'vitest'
import worker from '../../src/index.ts'
import { openTenant } from '../tenant.ts'
import { sequences } from './model/generators.ts'
import { play, type Worker } from './model/play.ts'
import { check } from './model/witness.ts'
import { newWorld, readContents } from './model/world.ts'

declare global {
  namespace Cloudflare {
    interface Env {
      RANDOM: { runs: number; seed: number; path?: string }
    }
  }
}

let db: D1Database
let isolates: Worker[]
const logged = new Map<string, string>()

beforeAll(async () => {
  db = await openTenant()
  vi.resetModules()
  const other = await import('../../src/index.ts')
  isolates = [worker, other.default] as unknown as Worker[]
  for (const level of ['error', 'warn'] as const) vi.spyOn(console, level).mockImplementation(note)
})

afterAll(() => vi.restoreAllMocks())

function note(line: unknown): void {
  try {
    const { event, request_id } = JSON.parse(String(line))
    logged.set(request_id, event)
  } catch {
    console.log(line)
  }
}

describe('random', () => {
  it('agrees', { timeout: 600_000 }, async () => {
    let requests = 0
    const statuses: Record<string, number> = {}
    const times = { world: 0, play: 0, read: 0, check: 0 }
    const { runs, ...rest } = env.RANDOM
    await fc.assert(
      fc.asyncProperty(sequences(fc.constant([])), async (sequence) => {
        logged.clear()
        const t0 = Date.now()
        const world = await newWorld(db)
        const t1 = Date.now()
        const exchanges = await play(world, sequence, isolates)
        const t2 = Date.now()
        const contents = await readContents(db)
        const t3 = Date.now()
        requests += exchanges.length
        for (const { status, call } of exchanges) {
          const name = `${status} ${call.operation}`
          statuses[name] = (statuses[name] ?? 0) + 1
        }
        check(world, exchanges, contents, logged)
        times.world += t1 - t0
        times.play += t2 - t1
        times.read += t3 - t2
        times.check += Date.now() - t3
      }),
      { ...rest, numRuns: runs },
    )
    console.log(JSON.stringify(statuses, null, 1), requests, times)
  })
})
