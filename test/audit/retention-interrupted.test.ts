import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { EXPIRED_ROWS_MAX } from '../../src/audit/expired-rows.ts'
import type { Json } from '../tenant.ts'
import {
  addRows,
  countIn,
  DAY_MS,
  daysAgo,
  demo,
  interrupted,
  NOW,
  other,
  run,
} from './retention.ts'

const BATCHES_MAX = 449

/**
 * So many tenants `t-0001` and on, of whom each deletes so many rows at every statement. They share
 * one answer of a real database: asking it thousands of times would tell nothing more. `asked`
 * counts by tenant.
 */
async function crowd(size: number, rows = 0) {
  if (rows > 0) await addRows(other, NOW, rows)
  const answer = await other.batch([
    other.prepare('delete from audit_log'),
    other.prepare('delete from replaced_values returning changed_in, 0 as bytes'),
  ])
  expect(answer[0]?.meta.changes).toBe(rows)
  const asked = new Map<string, number>()
  const databases = Array.from({ length: size }, (_, index) => {
    const name = `DB_T_${String(index + 1).padStart(4, '0')}`
    const batch = async () => {
      asked.set(name, (asked.get(name) ?? 0) + 1)
      return answer
    }
    return [name, { prepare: other.prepare.bind(other), batch }]
  })
  return { asked, databases: Object.fromEntries(databases) as Record<string, object> }
}

describe('the daily cron, where a tenant fails', () => {
  const SECRET = 'delete from audit_log, xd_demo_secret'

  it.each([
    ['by throwing', 'prepare'],
    ['by refusing', 'batch'],
  ])('%s, serves the others and says no word of what it heard', async (_, method) => {
    const fail = () => {
      throw new TypeError(`D1_ERROR: ${SECRET}: SQLITE_BUSY`)
    }
    const broken = { prepare: demo.prepare.bind(demo), batch: fail, [method]: fail }
    for (const db of [demo, other]) await addRows(db, daysAgo(366), 2)
    const bindings = { ...env, DB_A_FIRST: broken, DB_MIDDLE: broken, DB_Z_LAST: broken }
    const line = await run({ bindings })
    expect([await countIn(demo), await countIn(other)]).toEqual([1, 1])
    const failures = ['a-first', 'middle', 'z-last'].map((tenant) => ({
      tenant,
      name: 'TypeError',
      sqlite: 'SQLITE_BUSY',
    }))
    expect(line).toMatchObject({ level: 'error', tenants: 5, rows_deleted: 2, failed: 3 })
    expect(line.failures.toSorted(byTenant)).toEqual(failures)
    expect(JSON.stringify(line)).not.toContain(SECRET)
  })

  it('for want of the migration, serves the others', async () => {
    for (const db of [demo, other]) await addRows(db, daysAgo(366), 2)
    await other.exec('alter table workspace rename column audit_retention_days to later')
    const line = await run()
    await other.exec('alter table workspace rename column later to audit_retention_days')
    expect([await countIn(demo), await countIn(other)]).toEqual([1, 2])
    expect(line).toMatchObject({ tenants: 2, rows_deleted: 1, failed: 1 })
    expect(line.failures).toEqual([{ tenant: 'other', name: 'Error', sqlite: 'SQLITE_ERROR' }])
  })

  it('in the middle of its slices, counts what was deleted until then', async () => {
    await addRows(demo, daysAgo(366), EXPIRED_ROWS_MAX + 1)
    let statements = 0
    const failSecond = () => {
      statements += 1
      if (statements === 2) throw new Error('Network connection lost')
    }
    const line = await run({ bindings: { DB_DEMO: interrupted(demo, failSecond) } })
    expect(line).toMatchObject({ rows_deleted: EXPIRED_ROWS_MAX, batches: 2, unfinished: 0 })
    expect(line.failures).toEqual([{ tenant: 'demo', name: 'Error' }])
  })

  it('lists twenty failures of many, and counts all', async () => {
    const { databases } = await crowd(30)
    const broken = Object.keys(databases).map((name) => [name, { prepare: null }])
    const line = await run({ bindings: Object.fromEntries(broken) })
    expect([line.failed, line.failures.length]).toEqual([30, 20])
  })
})

describe('the daily cron, where its statements are spent', () => {
  it('gives each of many tenants its turn within days, each day those that come next', async () => {
    const { asked, databases } = await crowd(1000)
    const days: string[][] = []
    for (const day of [0, 1, 2]) {
      asked.clear()
      const line = await run({ at: NOW + day * DAY_MS, bindings: databases })
      expect(line).toMatchObject({
        tenants: 1000,
        batches: BATCHES_MAX,
        unfinished: 0,
        not_reached: 1000 - BATCHES_MAX,
      })
      expect(asked.size).toBe(BATCHES_MAX)
      days.push([...asked.keys()])
    }
    expect(new Set(days.flat()).size).toBe(1000)
    expect(new Set(days.slice(0, 2).flat()).size).toBe(2 * BATCHES_MAX)
  })

  it('shares them out among tenants that all have more to delete', async () => {
    const { asked, databases } = await crowd(10, EXPIRED_ROWS_MAX)
    const pause = vi.spyOn(scheduler, 'wait').mockResolvedValue()
    const line = await run({ bindings: databases })
    pause.mockRestore()
    expect(line).toMatchObject({ batches: BATCHES_MAX, unfinished: 10, not_reached: 0 })
    expect(line.rows_deleted).toBe(BATCHES_MAX * EXPIRED_ROWS_MAX)
    expect([Math.min(...asked.values()), Math.max(...asked.values())]).toEqual([44, 45])
  })

  it('leaves no tenant out for the sake of one, and goes on the next day', async () => {
    await addRows(demo, daysAgo(366), 3 * EXPIRED_ROWS_MAX)
    await addRows(demo, daysAgo(300))
    const { asked, databases } = await crowd(BATCHES_MAX - 2)
    const bindings = { DB_DEMO: demo, ...databases }
    const first = await run({ bindings })
    expect(first).toMatchObject({
      rows_deleted: 2 * EXPIRED_ROWS_MAX,
      batches: BATCHES_MAX,
      unfinished: 1,
      not_reached: 0,
    })
    expect([asked.size, Math.max(...asked.values())]).toEqual([BATCHES_MAX - 2, 1])
    const second = await run({ at: NOW + DAY_MS, bindings })
    expect(second).toMatchObject({ rows_deleted: EXPIRED_ROWS_MAX, not_reached: 0 })
    expect(await countIn(demo)).toBe(1)
  })

  it.each([2, 3, 227])('begins with another of %i tenants each day', async (size) => {
    const { asked, databases } = await crowd(size)
    const firsts = new Set<string | undefined>()
    for (const day of [0, 1]) {
      asked.clear()
      await run({ at: NOW + day * DAY_MS, bindings: databases })
      expect(asked.size).toBe(size)
      firsts.add([...asked.keys()][0])
    }
    expect(firsts.size).toBe(2)
  })

  it('ends in time, where databases are slow', async () => {
    const clock = vi.spyOn(Date, 'now')
    const start = Date.now()
    let asked = 0
    const takeMinutes = () => {
      asked += 1
      clock.mockReturnValue(start + asked * 3 * 60 * 1000)
    }
    const slow = Array.from({ length: 12 }, (_, n) => [`DB_${n}`, interrupted(other, takeMinutes)])
    const line = await run({ bindings: Object.fromEntries(slow) })
    clock.mockRestore()
    expect(asked).toBeLessThan(12)
    expect(line).toMatchObject({ batches: asked, not_reached: 12 - asked })
  })
})

function byTenant(one: Json, another: Json): number {
  return one.tenant < another.tenant ? -1 : 1
}
