import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Connection } from '../../src/engine/db/connect.ts'
import { countAttempt } from '../../src/engine/log/key-attempts.ts'
import { later } from '../fixtures/attempts.ts'

const TENANTS = 150
const HINTS = 100
const COUNTS_MAX = 10_000

afterEach(() => {
  vi.useRealTimers()
})

/** A database that takes everything; `stored` is how many attempts it was given. */
function takingDatabase() {
  const taken = { stored: 0 }
  const connection = {
    batch: async (_: unknown, values: { rows: string }) => {
      for (const { count } of JSON.parse(values.rows)) taken.stored += count
      return []
    },
  }
  return { taken, connection: connection as unknown as Connection }
}

describe('attempts of more tenants than an isolate has room for', () => {
  it('are lost where the last ones were longest ago, and counted elsewhere', async () => {
    const { taken, connection } = takingDatabase()
    const at = new Date().toISOString()
    const count = (tenant: number, hint: number) =>
      countAttempt({
        tenant: `t${tenant}`,
        connection,
        hint: `…${hint}`,
        reason: 'malformed',
        at,
      })
    later(0)
    for (let tenant = 0; tenant < TENANTS; tenant++) {
      // The first one is stored at once.
      for (let hint = 0; hint <= HINTS; hint++) await count(tenant, hint)
    }
    expect(taken.stored).toBe(TENANTS)
    later(60_000)
    // The latest first, so that none takes the room of another that waits.
    for (let tenant = TENANTS - 1; tenant >= 0; tenant--) await count(tenant, 0)
    const waited = taken.stored - 2 * TENANTS
    expect(waited).toBeLessThanOrEqual(COUNTS_MAX)
    expect(waited).toBeGreaterThan(COUNTS_MAX - 3 * HINTS)
  })
})
