import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { hintOf } from '../../src/engine/identity/key.ts'
import {
  BASE_DOMAIN,
  countsIn,
  hostOf,
  later,
  mistypedKey,
  noAttempts,
} from '../fixtures/attempts.ts'
import { speedUpTime } from '../fixtures/clock.ts'
import { sample } from '../fixtures/depth.ts'
import type { Fault } from '../fixtures/fault.ts'
import { faultyBindings } from '../fixtures/harness.ts'
import { type CallOptions, client, createKey } from '../fixtures/tenant.ts'
import { faultsOf } from './cases.ts'

// The call that stores attempts without a valid key, and everything that may become of it.

const DRAWN = 4
const OVERLOADED = 'D1_ERROR: D1 DB is overloaded. Requests queued for too long.'
const PAST = '2026-01-01T00:00:00.000Z'

beforeAll(() => speedUpTime())
afterAll(() => void vi.useRealTimers())

const ask = (key: string, own: CallOptions) =>
  client(key, { origin: hostOf('demo'), ...own }).get('/orders/')

// While time goes faster, a call of a busy machine may be too late without a fault: the next minute stores what waits.
const MINUTES_MAX = 5

/** Attempts of the next minutes, until as many are counted as there were. */
async function settled(key: string, hint: string, before: number) {
  let asked = before
  let count: number | undefined
  const statuses = new Set<number>()
  for (let minute = 0; minute < MINUTES_MAX && count !== asked; minute++) {
    later(60_000)
    statuses.add((await ask(key, options)).status)
    asked += 1
    count = (await countsIn())[hint]
  }
  return { statuses, asked, count }
}

/** One attempt whose call meets the fault, and others in the next minutes, which do not. */
async function countedUnder(fault: Fault, key: string, hint: string) {
  const { bindings, hits, drained } = faultyBindings([fault])
  later(60_000)
  const first = await ask(key, { ...options, bindings: { ...bindings, BASE_DOMAIN } })
  await drained()
  const { statuses, asked, count } = await settled(key, hint, 1)
  statuses.add(first.status)
  return { statuses: [...statuses], asked, count, isHit: hits.length > 0 }
}

const options = await noAttempts()

describe('storing attempts', () => {
  it('changes no answer, loses none and counts none twice, whatever becomes of the call', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const wrong: object[] = []
    for (const [index, fault] of sample(faultsOf(['d1']), DRAWN).entries()) {
      const end = String(1000 + index)
      const hint = `xd_demo_…${end}`
      const ended = await countedUnder(fault, await mistypedKey(end), hint)
      const { statuses, asked, count, isHit } = ended
      const isRight = isHit && statuses.join() === '401' && count === asked
      if (!isRight) wrong.push({ fault, ...ended })
    }
    expect(wrong).toEqual([])
  }, 120_000)

  it('changes no answer to a revoked key either, and its audit row is stored', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const { value } = await createKey(['integrations.*'], { revoked_at: PAST })
    expect((await ask(value, options)).status).toBe(401)
    const rows = env.DB_DEMO.prepare('select count(*) as n from audit_log where request_id = ?')
    // The confirmation is the first call; then follow the audit row and the attempts.
    for (const nth of [1, 2]) {
      later(60_000)
      const fault: Fault = { on: 'd1', nth, times: 1, how: 'after', message: OVERLOADED }
      const { bindings, hits } = faultyBindings([fault])
      const answer = await ask(value, { ...options, bindings: { ...bindings, BASE_DOMAIN } })
      expect([answer.status, answer.body.error.code]).toEqual([401, 'KEY_INVALID'])
      expect(hits).toHaveLength(1)
      expect(await rows.bind(answer.headers.get('X-Request-Id')).first('n')).toBe(1)
    }
    const { asked, count } = await settled(value, hintOf(value), 3)
    expect(count).toBe(asked)
  })
})
