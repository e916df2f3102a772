import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  addLog,
  archive,
  countHot,
  daysBefore,
  everyId,
  objectsOf,
  openLog,
  requestsFrom,
} from '../fixtures/archive.ts'
import { speedUpTime } from '../fixtures/clock.ts'
import { byDepth, sample } from '../fixtures/depth.ts'
import type { CallKind, Fault, Happening } from '../fixtures/fault.ts'
import { faultyBindings } from '../fixtures/harness.ts'
import { DAY_MS, NOW } from '../fixtures/retention.ts'

const R2_MESSAGE = 'We encountered an internal error. Please try again. (10001)'
const D1_TRANSIENT = 'D1_ERROR: Network connection lost.'
const D1_OTHER =
  'D1_ERROR: D1 DB storage operation exceeded timeout which caused object to be reset.'

/** The calls of a run in which an object expires and a chunk is archived, as the test before finds them. */
const CALLS: [CallKind, number][] = [
  ...Array.from({ length: 7 }, (_, nth) => ['d1', nth] as [CallKind, number]),
  ['r2', 0],
  ['r2', 1],
  ['r2_put', 0],
]

const HAPPENINGS = (message: string): Happening[] => [
  { how: 'before', message },
  { how: 'after', message },
  { how: 'lost', message, ms: 800 },
  { how: 'lost', message, ms: 30_000 },
  { how: 'late', ms: 4000, acts: 'at_once' },
  { how: 'late', ms: 60_000, acts: 'at_once' },
  { how: 'late', ms: 60_000, acts: 'in_the_end' },
  { how: 'never', acts: true },
  { how: 'never', acts: false },
]

const FAULTS: Fault[] = CALLS.flatMap(([on, nth]) => {
  const messages = on === 'd1' ? [D1_TRANSIENT, D1_OTHER] : [R2_MESSAGE]
  const happenings = messages.flatMap(HAPPENINGS)
  return happenings.flatMap((happening) =>
    [1, 20].map((times) => ({ on, nth, times, ...happening }) as Fault),
  )
})

let db: D1Database
let normal: () => void = () => {}

beforeEach(async () => {
  db = await openLog()
  await addLog(db, requestsFrom(daysBefore(360), 3))
  await addLog(db, requestsFrom(daysBefore(340), 1))
  await archive(daysBefore(350) + 60 * DAY_MS)
  await addLog(db, requestsFrom(daysBefore(100), 40))
  await addLog(db, requestsFrom(daysBefore(1), 2))
})

afterEach(() => normal())

describe('the cron that archives', () => {
  it('makes these calls', async () => {
    const { bindings, calls } = faultyBindings([])
    await archive(NOW + 10 * DAY_MS, bindings)
    const count = (kind: CallKind) => calls.filter((each) => each === kind).length
    const most = (kind: CallKind) => CALLS.filter(([on]) => on === kind).length
    // Both tenants have a turn.
    expect(count('d1')).toBeGreaterThanOrEqual(most('d1'))
    expect([count('r2') >= most('r2'), count('r2_put')]).toEqual([true, 1])
  })

  it.each(sample(FAULTS, byDepth(6, FAULTS.length)))(
    'loses and doubles no row: $on $nth $how, $times times',
    async (fault) => {
      const before = await everyId(db)
      const kept = before.slice(-43)
      normal = speedUpTime()
      const { bindings, drained } = faultyBindings([fault])
      await archive(NOW + 10 * DAY_MS, bindings)
      const after = await everyId(db)
      // Retention may have been at work, or not yet.
      expect(after.slice(-43)).toEqual(kept)
      expect(new Set(after).size).toBe(after.length)
      await drained()
      expect((await everyId(db)).slice(-43)).toEqual(kept)
      await archive(NOW + 11 * DAY_MS)
      normal()
      expect(await everyId(db)).toEqual(kept)
      expect(await countHot(db)).toBe(2)
      expect(await objectsOf()).not.toHaveLength(0)
    },
  )
})
