import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, it, vi } from 'vitest'
import { speedUpTime } from '../fixtures/clock.ts'
import { anyFaults, type Fault } from '../fixtures/fault.ts'
import { openTenant } from '../fixtures/tenant.ts'
import { openWebhook } from '../fixtures/webhooks.ts'
import { deliverySequences } from './model/deliveries/actions.ts'
import { check } from './model/deliveries/check.ts'
import { Play } from './model/deliveries/play.ts'

const SEQUENCE_MS_MAX = 6000

const faults: fc.Arbitrary<Fault[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<Fault[]>([]) },
  { weight: 7, arbitrary: anyFaults },
)

beforeAll(() => {
  for (const level of ['error', 'warn'] as const) {
    vi.spyOn(console, level).mockImplementation(() => {})
  }
  // As in deliveries.test.ts: a delivery is answered within 4 s.
  return speedUpTime(40)
})
afterAll(() => void vi.restoreAllMocks())

describe('random sequences of deliveries, of what frees them, and of tries, with random faults', () => {
  it('end as a plain model says', {
    timeout: 60_000 + env.RANDOM.runs * SEQUENCE_MS_MAX,
  }, async ({ task }) => {
    const { seed } = env.RANDOM
    const runs = Math.ceil(env.RANDOM.runs / 2)
    task.meta.notice = `random deliveries: seed ${seed}`
    const db = await openTenant()
    const shop = await openWebhook()
    const total = { sequences: 0, deliveries: 0, waited: 0, faults: 0 }
    const property = fc.asyncProperty(deliverySequences(faults), async (sequence) => {
      const play = await Play.begin(shop, db)
      for (const actions of sequence) await play.step(actions)
      await play.mend()
      await check(play)
      const told = [...play.told.values()]
      total.sequences += 1
      total.deliveries += told.length
      total.waited += told.filter(({ answer }) => answer.body?.data?.outcome === 'waiting').length
      total.faults += play.faults
    })
    await fc.assert(property, { seed, numRuns: runs })
    const { sequences, deliveries, waited, faults: met } = total
    task.meta.notice = `random deliveries: ${sequences} sequences, ${deliveries} deliveries, ${waited} waited, ${met} faults; seed ${seed}`
  })
})
