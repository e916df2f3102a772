import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lastBuckets, rangeBetween } from '../../src/requests/traffic/buckets.ts'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { openTenant } from '../fixtures/tenant.ts'
import { summarize } from './traffic.ts'

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400]

beforeAll(() => openTenant())
beforeEach(() => env.DB_DEMO.prepare('delete from audit_log').run())

const later = (from: string, seconds: number) =>
  new Date(Date.parse(from) + seconds * 1000).toISOString()

describe('the buckets of a range', () => {
  it.each([
    ['a minute', MINUTE, MINUTE],
    ['an hour', HOUR, MINUTE],
    ['an hour and a second', HOUR + 1, 5 * MINUTE],
    ['a day', DAY, 30 * MINUTE],
    ['two days', 2 * DAY, HOUR],
    ['a week', 7 * DAY, 3 * HOUR],
    ['30 days', 30 * DAY, 12 * HOUR],
    ['two months', 60 * DAY, DAY],
    ['a year', 365 * DAY, 7 * DAY],
    ['ten years', 3650 * DAY, 91 * DAY],
  ])('of %s are at most 60 and two that it begins and ends in', async (_, seconds, size) => {
    const from = '2026-03-01T09:17:31.250Z'
    const range = rangeBetween(from, later(from, seconds))
    expect(range.bucketSeconds).toBe(size)
    const { traffic } = await summarize(range)
    expect(traffic.buckets.length).toBeLessThanOrEqual(62)
    const times = traffic.buckets.map(({ starts_at }) => starts_at)
    expect(times[0]! <= range.from).toBe(true)
    expect(later(times.at(-1)!, size) >= range.to).toBe(true)
  })

  it('that is one of the dashboard end with the present one', () => {
    const { from, to, bucketSeconds } = lastBuckets(60, MINUTE)
    expect((Date.parse(to) - Date.parse(from)) / 1000).toBe(60 * bucketSeconds)
    expect(Date.parse(to)).toBeGreaterThan(Date.now() - 1000)
    expect(Date.parse(to) % 60_000).toBe(0)
  })

  it('begin at midnight in UTC if they are days, and on Mondays if they are weeks', async () => {
    const days = await summarize(
      rangeBetween('2026-03-01T09:00:00.000Z', '2026-04-15T09:00:00.000Z'),
    )
    expect(days.traffic.buckets[0]?.starts_at).toBe('2026-03-01T00:00:00.000Z')
    const weeks = await summarize(
      rangeBetween('2026-03-04T00:00:00.000Z', '2026-07-01T00:00:00.000Z'),
    )
    expect(weeks.traffic.buckets[0]?.starts_at).toBe('2026-03-02T00:00:00.000Z')
  })

  it('hold what came in from its first moment to before its last', async () => {
    const [from, to] = ['2026-03-01T09:17:31.250Z', '2026-03-01T09:19:00.000Z']
    const moments = [
      '2026-03-01T09:17:31.249Z',
      from,
      '2026-03-01T09:17:59.999Z',
      '2026-03-01T09:18:00.000Z',
      '2026-03-01T09:18:59.999Z',
      to,
    ]
    await insertRequests(moments.map((created_at) => ({ created_at })))
    const { traffic } = await summarize(rangeBetween(from, to))
    expect(traffic.buckets.map(({ starts_at, requests }) => [starts_at, requests])).toEqual([
      ['2026-03-01T09:17:00.000Z', { '2xx': 2 }],
      ['2026-03-01T09:18:00.000Z', { '2xx': 2 }],
    ])
    expect([traffic.total, traffic.since]).toEqual([4, from])
  })
})
