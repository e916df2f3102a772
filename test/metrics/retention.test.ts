import { describe, expect, it, vi } from 'vitest'
import { EXPIRED_ROWS_MAX } from '../../src/engine/log/expired-rows.ts'
import { itInDeep } from '../fixtures/depth.ts'
import {
  addRows,
  DAY_MS,
  daysAgo,
  demo,
  interrupted,
  keepFor,
  NOW,
  other,
  run,
} from '../fixtures/retention.ts'
import { type Point, recordingBindings } from './recording.ts'

async function pointsOf(bindings: object): Promise<Point[]> {
  const { bindings: recording, points } = recordingBindings(bindings)
  await run({ bindings: recording })
  return points
}

describe('the points of a run that deletes audit rows', () => {
  it('are one of the run, and one of each tenant', async () => {
    await addRows(demo, daysAgo(400), 3)
    await addRows(demo, daysAgo(1))
    const points = await pointsOf({ DB_DEMO: demo, DB_OTHER: other })
    expect(points[0]).toMatchObject({
      kind: 'retention',
      retention: 'audit',
      tenant: '-',
      deleted: 3,
      unfinished: 0,
      not_reached: 0,
      failed: 0,
    })
    const done = { kind: 'tenant_retention', retention: 'audit', state: 'done', overdue_ms: 0 }
    expect(points.slice(1)).toEqual([
      expect.objectContaining({ ...done, tenant: 'demo', index: 'demo' }),
      expect.objectContaining({ ...done, tenant: 'other', index: 'other' }),
    ])
  })

  it('say for how long rows should have been deleted where time ran out', async () => {
    await keepFor(demo, 30)
    await addRows(demo, daysAgo(40), EXPIRED_ROWS_MAX)
    await addRows(demo, daysAgo(37), 2)
    const broken = interrupted(other, () => Promise.reject(new Error('away')))
    // The first slice takes all the time that there is.
    let now = NOW
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now)
    const late = interrupted(demo, () => {
      now += 11 * 60 * 1000
    })
    const idle = { DB_A: broken, DB_DEMO: late, DB_E: late, DB_F: late, DB_G: late, DB_H: late }
    const points = await pointsOf(idle)
    clock.mockRestore()
    const [all, ...tenants] = points
    expect(all).toMatchObject({ deleted: EXPIRED_ROWS_MAX, failed: 1 })
    const stateOf = (tenant: string) => tenants.find((point) => point.tenant === tenant)
    expect(stateOf('a')).toMatchObject({ state: 'failed', overdue_ms: 0 })
    const unfinished = tenants.filter(({ state }) => state === 'unfinished')
    expect(unfinished).toHaveLength(1)
    expect(unfinished[0]?.overdue_ms).toBe(7 * DAY_MS)
    expect(tenants.filter(({ state }) => state === 'not_reached').length).toBeGreaterThan(0)
  })

  itInDeep('are 201 at most, of tenants with rows left first', async () => {
    const broken = { prepare: null }
    const many = Array.from({ length: 220 }, (_, n) => [`DB_T${n}`, interrupted(other, () => {})])
    const points = await pointsOf({ ...Object.fromEntries(many), DB_ZZ: { ...other, ...broken } })
    expect(points).toHaveLength(201)
    expect(points[1]).toMatchObject({ tenant: 'zz', state: 'failed' })
  })
})
