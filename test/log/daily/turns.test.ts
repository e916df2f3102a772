import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { EXPIRED_ROWS_MAX } from '../../../src/engine/log/expired-rows.ts'
import { intercept } from '../../fixtures/bindings.ts'
import { inDeepPass, itInDeep } from '../../fixtures/depth.ts'
import {
  addRows,
  countIn,
  daysAgo,
  demo,
  interrupted,
  linesOf,
  TURNS,
} from '../../fixtures/retention.ts'
import { recordingBindings } from '../../metrics/recording.ts'
import { allDone, crowd, dueAt, names, runOf, runs, timesOf } from './crowd.ts'

const A_RUN = 50
const RUNS_A_DAY = 144
const QUERIES_MAX = 1000
const LAST = RUNS_A_DAY - 1

describe('the cron, where 3,000 tenants are bound', () => {
  it('gives each tenant one turn a day, always at the same time', async () => {
    const { databases, asked } = await crowd(3000)
    await allDone(3000)
    const lines = await runs(databases, 0, LAST)
    expect(asked.splice(0)).toEqual(names(3000))
    expect(lines).toHaveLength(3000 / A_RUN)
    expect(lines[0]).toMatchObject({ tenants: A_RUN, batches: A_RUN, not_reached: 0 })
    await runs(databases, RUNS_A_DAY, RUNS_A_DAY)
    expect(asked).toEqual(names(A_RUN))
  })

  itInDeep(
    'gives all a turn within the first hours when nothing is known of earlier runs',
    async () => {
      const { databases, asked, queries } = await crowd(3000)
      let before = 0
      for (let n = 50; n < 60; n++) {
        await runs(databases, n, n)
        expect(queries() - before).toBeLessThanOrEqual(QUERIES_MAX)
        before = queries()
      }
      const times = timesOf(asked)
      expect(times.size).toBe(3000)
      // Some were due as everybody was, and again by the number of the run.
      expect(Math.max(...times.values())).toBe(2)
    },
  )

  itInDeep('has the next runs make up for those that did not come', async () => {
    const { databases, asked } = await crowd(3000)
    await allDone(3000)
    const lines = await runs(databases, 0, 65, [3, 4, 5, 59])
    expect(timesOf(asked)).toEqual(new Map(names(3000).map((name) => [name, 1])))
    expect(lines.slice(2, 5).map(({ tenants }) => tenants)).toEqual([A_RUN, 4 * A_RUN, A_RUN])
    // The own ones first.
    expect(asked[3 * A_RUN]).toBe(names(3000)[6 * A_RUN])
  })

  itInDeep(
    'makes up for a whole day, within what an invocation may do, the own tenants first',
    async () => {
      const { databases, asked, queries } = await crowd(3000)
      await allDone(3000)
      const line = (await linesOf(dueAt(RUNS_A_DAY + 20), databases))[0]
      // Three queries more for each of the own ones, and the run keeps room for one.
      const reached = A_RUN + (946 - 5 * A_RUN) / 2
      expect(line).toMatchObject({ tenants: 3000, failed: 0, not_reached: 3000 - reached })
      expect(queries()).toBe(946)
      expect(asked.slice(0, A_RUN)).toEqual(names(3000).slice(20 * A_RUN, 21 * A_RUN))
      await runs(databases, RUNS_A_DAY + 21, RUNS_A_DAY + 28)
      expect(timesOf(asked).size).toBe(3000)
    },
  )

  itInDeep('has the next run repeat one that was cut off in the middle', async () => {
    const { databases, asked } = await crowd(3000)
    await allDone(3000)
    // Nothing leaves an invocation any more once it is cut off.
    const cut = () => {
      if (asked.length >= 20) throw new Error('cut off')
    }
    const dying = Object.entries(databases).map(([name, db]) => [
      name,
      interrupted(db as D1Database, cut),
    ])
    const KEYS = intercept(env.KEYS, { put: () => Promise.reject(new Error('cut off')) })
    await linesOf(dueAt(0), { ...Object.fromEntries(dying), KEYS })
    expect(asked.splice(0)).toHaveLength(20)
    await runs(databases, 1, 62)
    expect(timesOf(asked)).toEqual(new Map(names(3000).map((name) => [name, 1])))
    expect(asked.slice(0, 2 * A_RUN).toSorted()).toEqual(names(2 * A_RUN))
  })

  itInDeep('does no harm where runs overlap, are repeated, or come late', async () => {
    const { databases, asked } = await crowd(3000)
    await allDone(3000)
    await runs(databases, 0, 9)
    await Promise.all([10, 10, 11].map((n) => linesOf(dueAt(n), databases).catch(() => null)))
    await runs(databases, 4, 4)
    await runs(databases, 12, LAST)
    expect([...timesOf(asked).keys()].toSorted()).toEqual(names(3000))
    expect(Math.max(...timesOf(asked).values())).toBeLessThanOrEqual(3)
    asked.length = 0
    await runs(databases, RUNS_A_DAY, RUNS_A_DAY + LAST)
    expect(asked).toEqual(names(3000))
  })

  itInDeep('leaves nobody out when tenants are added and removed during the day', async () => {
    const { databases, asked } = await crowd(3000)
    await allDone(3000)
    await runs(databases, 0, 30)
    const gone = names(3000).slice(10, 17)
    for (const name of gone) delete databases[name]
    await runs(databases, 31, 40)
    await runs({ ...databases, DB_A: demo, DB_B: demo }, 41, LAST)
    const others = names(3000).filter((name) => !gone.includes(name))
    expect(others.filter((name) => !asked.includes(name))).toEqual([])
  })
})

describe('the cron, where KV fails', () => {
  itInDeep('gives each of 3,000 tenants its turn all the same, and says so', async () => {
    const { databases, asked } = await crowd(3000)
    const fail = () => Promise.reject(new Error('KV fails with a secret'))
    const KEYS = intercept(env.KEYS, { get: fail, put: fail })
    const lines = await runs({ ...databases, KEYS }, 0, LAST)
    expect(asked).toEqual(names(3000))
    const told = { level: 'error', event: 'turns_not_stored', call: 'read', name: 'Error' }
    expect(lines[0]).toEqual(told)
  })

  itInDeep('gives each its turn where KV does not take what a run has done', async () => {
    const { databases, asked } = await crowd(1000)
    await allDone(1000)
    const KEYS = intercept(env.KEYS, { put: () => Promise.reject(new Error('no')) })
    const lines = await runs({ ...databases, KEYS }, 0, 19)
    expect(timesOf(asked).size).toBe(1000)
    expect(lines.filter(({ event }) => event === 'turns_not_stored')).toHaveLength(20)
  })

  it.each(['{', '{"run":"x"}', '7'])(
    'begins afresh with what is no progress: %s',
    async (stored) => {
      const { databases, asked } = await crowd(3)
      await env.KEYS.put(TURNS, stored)
      await runs(databases, 7, 7)
      await runs(databases, 8, 8)
      expect(timesOf(asked)).toEqual(new Map(names(3).map((name) => [name, 1])))
    },
  )
})

inDeepPass(() => {
  describe('the cron, beyond the tenants that a day reaches', () => {
    it('goes on the next day where the last run of the day has stopped', async () => {
      const { databases, asked } = await crowd(9000)
      await env.KEYS.put(TURNS, JSON.stringify({ run: runOf(LAST), tenants: 9000, left: {} }))
      await runs(databases, RUNS_A_DAY, RUNS_A_DAY + 2)
      const first = names(9000).indexOf(asked[0] ?? '')
      expect(asked).toEqual(names(9000).slice(first, first + 3 * A_RUN))
      expect(first % A_RUN).toBe(0)
      expect(first).not.toBe(0)
    })

    it.each([
      [7200, RUNS_A_DAY],
      [9000, 180],
    ])('gives each of %i one turn in %i runs', async (tenants, needed) => {
      const { databases, asked } = await crowd(tenants)
      await allDone(tenants)
      await runs(databases, 0, needed - 1)
      const times = timesOf(asked)
      expect([times.size, Math.max(...times.values())]).toEqual([tenants, 1])
    })
  })

  describe('tenants with very much to delete', () => {
    it('share a run out among themselves, with what metrics ask of them within 1,000 queries', async () => {
      const { databases, asked, queries } = await crowd(45, names(45), EXPIRED_ROWS_MAX)
      const { bindings, points } = recordingBindings(databases)
      const pause = vi.spyOn(scheduler, 'wait').mockResolvedValue()
      const [line] = await runs(bindings, 0, 0)
      pause.mockRestore()
      expect(line).toMatchObject({ rows_deleted: 406 * EXPIRED_ROWS_MAX, unfinished: 45 })
      const times = [...timesOf(asked.slice(0, 406)).values()]
      expect([Math.min(...times), Math.max(...times)]).toEqual([9, 10])
      expect(queries()).toBe(987)
      expect(points).toHaveLength(46)
    })
  })
})

describe('a tenant with very much to delete', () => {
  it('leaves the others their turns, and has what they do not use', async () => {
    const [busy = ''] = names(3000)
    const { databases, asked, queries } = await crowd(3000, [busy], EXPIRED_ROWS_MAX)
    await allDone(3000)
    const pause = vi.spyOn(scheduler, 'wait').mockResolvedValue()
    const lines = await runs(databases, 0, 3)
    pause.mockRestore()
    // Of the 950 that a run may send: five for each of the own chunks, two for each of the others. Four are too few to begin one.
    expect(queries()).toBe(4 * 946)
    for (const [n, line] of lines.entries()) {
      expect(line).toMatchObject({ unfinished: 1, not_reached: 0, failed: 0 })
      const inRun = asked.slice(n * 398, (n + 1) * 398)
      const first = names(3000).slice(n * A_RUN, (n + 1) * A_RUN)
      expect(inRun.slice(0, A_RUN)).toEqual(first)
      expect(timesOf(inRun).get(busy)).toBe(n === 0 ? 349 : 348)
    }
  })

  itInDeep('is finished by the next runs, with the rows of a real database', async () => {
    await addRows(demo, daysAgo(366), 3 * EXPIRED_ROWS_MAX)
    await addRows(demo, daysAgo(300))
    const { databases } = await crowd(3000)
    const bindings = { DB_DEMO: demo, ...databases }
    // A day was missed: all 3,001 wait for their first chunk.
    await allDone(3001)
    const [first] = await runs(bindings, RUNS_A_DAY, RUNS_A_DAY)
    expect(first).toMatchObject({ rows_deleted: EXPIRED_ROWS_MAX, unfinished: 1 })
    await runs(bindings, RUNS_A_DAY + 1, RUNS_A_DAY + 10)
    expect(await countIn(demo)).toBe(1)
  })
})
