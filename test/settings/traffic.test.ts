import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { lastBuckets, rangeBetween } from '../../src/requests/traffic/buckets.ts'
import { ROWS_MAX } from '../../src/requests/traffic/statements.ts'
import { insertRequests, type Row } from '../fixtures/audit-rows.ts'
import { byDepth, inDeepPass } from '../fixtures/depth.ts'
import { execute } from '../fixtures/sql.ts'
import { openTenant } from '../fixtures/tenant.ts'
import { HOUR, iso, startOf, summarize, WEEK } from './traffic.ts'

/** In seconds. */
const [A_MINUTE, AN_HOUR, A_DAY] = [60, 3600, 86_400]

beforeAll(() => openTenant())
beforeEach(() => execute('delete from audit_log'))

const later = (from: string, seconds: number) =>
  new Date(Date.parse(from) + seconds * 1000).toISOString()

describe('the buckets of a range', () => {
  it.each([
    ['a minute', A_MINUTE, A_MINUTE],
    ['an hour', AN_HOUR, A_MINUTE],
    ['an hour and a second', AN_HOUR + 1, 5 * A_MINUTE],
    ['a day', A_DAY, 30 * A_MINUTE],
    ['two days', 2 * A_DAY, AN_HOUR],
    ['a week', 7 * A_DAY, 3 * AN_HOUR],
    ['30 days', 30 * A_DAY, 12 * AN_HOUR],
    ['two months', 60 * A_DAY, A_DAY],
    ['a year', 365 * A_DAY, 7 * A_DAY],
    ['ten years', 3650 * A_DAY, 91 * A_DAY],
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
    const { from, to, bucketSeconds } = lastBuckets(60, A_MINUTE)
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

const took = (...durations: number[]): Row[] => durations.map((duration_ms) => ({ duration_ms }))
const series = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe('the traffic of a range', () => {
  it('is nothing at all in a log without rows, in buckets without gaps', async () => {
    const { traffic, meter } = await summarize()
    const { buckets, ...all } = traffic
    expect(all).toEqual({
      since: iso(startOf(1) - 23 * HOUR),
      complete: true,
      isArchived: false,
      bucketSeconds: 3600,
      total: 0,
      dry_runs: 0,
      requests: {},
      p50_ms: null,
      p95_ms: null,
      errors: [],
      busiest: [],
    })
    expect(buckets).toEqual(
      series(0, 23).map((hour) => ({
        starts_at: iso(startOf(1) - (23 - hour) * HOUR),
        requests: {},
        p50_ms: null,
        p95_ms: null,
        of_busiest: [],
      })),
    )
    expect(meter.round_trips).toBe(1)
  })

  it('counts requests by class of status, in all and in each bucket', async () => {
    const hour = startOf(1)
    await insertRequests(
      [200, 201, 308, 404, 409, 500].map((status) => ({ status, created_at: iso(hour) })),
    )
    await insertRequests([
      { status: 503, created_at: iso(hour - 1) },
      { status: 200, created_at: iso(hour - 23 * HOUR) },
    ])
    const { traffic } = await summarize()
    expect(traffic.total).toBe(8)
    expect(traffic.requests).toEqual({ '2xx': 3, '3xx': 1, '4xx': 2, '5xx': 2 })
    expect(traffic.buckets.at(-1)?.requests).toEqual({ '2xx': 2, '3xx': 1, '4xx': 2, '5xx': 1 })
    expect(traffic.buckets.at(-2)?.requests).toEqual({ '5xx': 1 })
    expect(traffic.buckets[0]?.requests).toEqual({ '2xx': 1 })
    expect(
      traffic.buckets.slice(1, -2).every(({ requests }) => !Object.keys(requests).length),
    ).toBe(true)
  })

  it('holds what came in within the range and nothing older', async () => {
    const first = startOf(6) - 27 * 6 * HOUR
    await insertRequests([{ created_at: iso(first) }, { created_at: iso(first - 1) }])
    const { traffic } = await summarize(WEEK())
    expect([traffic.total, traffic.buckets.length, traffic.since]).toEqual([1, 28, iso(first)])
    expect(traffic.buckets[0]).toMatchObject({ starts_at: iso(first), requests: { '2xx': 1 } })
    expect(traffic.buckets.at(-1)?.starts_at).toBe(iso(startOf(6)))
  })

  it('counts the integrations API only', async () => {
    await insertRequests([
      { path: '/api/settings/v1/api-keys/', status: 500, duration_ms: 9000 },
      { path: '/dashboard/', status: 404, duration_ms: 9000 },
      { path: '/dashboard/api/integrations/', duration_ms: 9000 },
      { path: '/api/integrations/v1/orders/', duration_ms: 7 },
    ])
    const { traffic } = await summarize()
    expect(traffic).toMatchObject({ total: 1, requests: { '2xx': 1 }, p95_ms: 7, errors: [] })
  })

  it.each([
    ['one request', [7], 7, 7],
    ['two', [9, 7], 7, 9],
    ['three', [1, 2, 3], 2, 3],
    ['nineteen', series(1, 19), 10, 19],
    ['twenty', series(1, 20), 10, 19],
    ['twenty-one', series(1, 21), 11, 20],
    ['a hundred', series(1, 100).toReversed(), 50, 95],
    ['many of the same', [...Array<number>(95).fill(3), ...Array<number>(5).fill(80)], 3, 3],
    ['one more slow one', [...Array<number>(94).fill(3), ...Array<number>(6).fill(80)], 3, 80],
    ['requests that took no time', [0, 0, 0], 0, 0],
  ])('tells latency by nearest rank: %s', async (_, durations, p50_ms, p95_ms) => {
    await insertRequests(took(...durations))
    const { traffic } = await summarize()
    expect(traffic).toMatchObject({ p50_ms, p95_ms })
  })

  it('tells latency of each bucket apart, and of all together', async () => {
    const at = (time: number, durations: number[]) =>
      took(...durations).map((row) => ({ ...row, created_at: iso(time) }))
    const hour = startOf(1)
    await insertRequests([...at(hour, [10, 20, 30]), ...at(hour - 5 * HOUR, [1000])])
    const { traffic } = await summarize()
    const latency = ({ p50_ms, p95_ms }: { p50_ms: number | null; p95_ms: number | null }) => [
      p50_ms,
      p95_ms,
    ]
    expect(traffic.buckets.at(-1)).toMatchObject({ p50_ms: 20, p95_ms: 30 })
    expect(traffic.buckets.at(-6)).toMatchObject({ p50_ms: 1000, p95_ms: 1000 })
    expect(latency(traffic)).toEqual([20, 1000])
    expect(latency(traffic.buckets[0]!)).toEqual([null, null])
  })

  it('names the ten most frequent errors, most frequent first', async () => {
    const errors = series(1, 11).flatMap((times) =>
      Array.from({ length: times }, () => ({ status: 400, error_code: `E${times}` })),
    )
    await insertRequests([...errors, ...Array<Row>(20).fill({ status: 500, error_code: null })])
    await insertRequests([{ status: 409, error_code: 'E11' }])
    const { traffic } = await summarize()
    expect(traffic.errors).toEqual([
      { error_code: null, status: 500, requests: 20 },
      ...series(3, 11)
        .toReversed()
        .map((times) => ({ error_code: `E${times}`, status: 400, requests: times })),
    ])
  })

  inDeepPass(() => {
    it('is of the newest rows where there are too many, and says since when', async () => {
      const [old, recent] = [iso(startOf(6) - 20 * 6 * HOUR), iso(startOf(6) - 2 * 6 * HOUR)]
      await insertRequests([{ created_at: old, status: 500 }])
      await insertRequests([{ created_at: recent, path: '/dashboard/' }], ROWS_MAX - 1)
      await insertRequests([{ status: 404, error_code: 'NOT_FOUND', duration_ms: 5 }])
      const { traffic } = await summarize(WEEK())
      expect(traffic).toMatchObject({
        since: recent,
        complete: false,
        total: 1,
        requests: { '4xx': 1 },
        errors: [{ error_code: 'NOT_FOUND', status: 404, requests: 1 }],
      })
      expect(traffic.buckets.map(({ starts_at }) => starts_at)).toEqual(
        [2, 1, 0].map((back) => iso(startOf(6) - back * 6 * HOUR)),
      )
    })
  })
})

const of = (partner: string | null, key: string, row: Row = {}): Row => ({
  partner_id: partner,
  partner_name: partner && `Partner ${partner}`,
  api_key_id: key,
  api_key_name: `Key ${key}`,
  ...row,
})

describe('the traffic of one partner or key', () => {
  beforeEach(async () => {
    await insertRequests([of('a', 'a1', { duration_ms: 10 })], 3)
    await insertRequests([of('a', 'a2', { status: 404, error_code: 'NOT_FOUND', duration_ms: 20 })])
    await insertRequests([of('b', 'b1', { duration_ms: 30 })], 2)
    await insertRequests([of(null, 'free', { status: 500, duration_ms: 40 })])
    await insertRequests([of('a', 'a1', { path: '/api/settings/v1/partners/' })])
  })

  it.each([
    ['a partner', { partner_id: 'a' }, 4, { '2xx': 3, '4xx': 1 }, 20],
    ['a key', { api_key_id: 'a1' }, 3, { '2xx': 3 }, 10],
    ['a key of a partner', { api_key_id: 'a2', partner_id: 'a' }, 1, { '4xx': 1 }, 20],
    ['a key without a partner', { api_key_id: 'free' }, 1, { '5xx': 1 }, 40],
    ['a key of another partner', { api_key_id: 'b1', partner_id: 'a' }, 0, {}, null],
    ['a partner that is unknown', { partner_id: 'c' }, 0, {}, null],
  ])('counts only that of %s', async (_, subjects, total, requests, p95_ms) => {
    const { traffic } = await summarize(undefined, subjects)
    expect(traffic).toMatchObject({ total, requests, p95_ms, complete: true })
    expect(traffic.buckets).toHaveLength(24)
  })

  it('names its errors only', async () => {
    const { traffic } = await summarize(undefined, { partner_id: 'a' })
    expect(traffic.errors).toEqual([{ error_code: 'NOT_FOUND', status: 404, requests: 1 }])
  })

  it('keeps to the range', async () => {
    await insertRequests([of('a', 'a1', { created_at: iso(Date.now() - 50 * HOUR) })])
    const at = { partner_id: 'a' }
    expect((await summarize(undefined, at)).traffic.total).toBe(4)
    expect((await summarize(WEEK(), at)).traffic.total).toBe(5)
  })

  inDeepPass(() => {
    it('is of the newest rows of the partner where there are too many', async () => {
      const [old, recent] = [iso(startOf(1) - 20 * HOUR), iso(startOf(1) - 2 * HOUR)]
      await insertRequests([of('a', 'a1', { created_at: old })])
      await insertRequests([of('a', 'a1', { created_at: recent })], ROWS_MAX - 5)
      const { traffic } = await summarize(undefined, { partner_id: 'a' })
      expect(traffic).toMatchObject({ complete: false, since: recent, total: ROWS_MAX - 1 })
    }, 120_000)
  })
})

describe('the busiest', () => {
  it('are partners, and keys that have none, most requests first, with their errors', async () => {
    await insertRequests([of('a', 'a1')], 3)
    await insertRequests([of('a', 'a2', { status: 400 })], 2)
    await insertRequests([of(null, 'free')], 4)
    const { traffic } = await summarize()
    expect(traffic.busiest).toEqual([
      { id: 'a', kind: 'partner', name: 'Partner a', requests: 5, errors: 2 },
      { id: 'free', kind: 'key', name: 'Key free', requests: 4, errors: 0 },
    ])
  })

  it('of a partner are its keys, of a key nobody', async () => {
    await insertRequests([of('a', 'a1')], 3)
    await insertRequests([of('a', 'a2')], 2)
    await insertRequests([of('b', 'b1')])
    const { traffic } = await summarize(undefined, { partner_id: 'a' })
    expect(traffic.busiest.map(({ name, kind }) => `${kind} ${name}`)).toEqual([
      'key Key a1',
      'key Key a2',
    ])
    expect((await summarize(undefined, { api_key_id: 'a1' })).traffic.busiest).toEqual([])
  })

  it('are five, counted in each bucket, in their order', async () => {
    const hour = startOf(1)
    for (const [index, name] of ['p', 'q', 'r', 's', 't', 'u'].entries()) {
      await insertRequests([of(name, name, { created_at: iso(hour - index * HOUR) })], 7 - index)
    }
    await insertRequests([of('q', 'q', { created_at: iso(hour) })])
    const { traffic } = await summarize()
    expect(traffic.busiest.map(({ id, requests }) => [id, requests])).toEqual([
      ['p', 7],
      ['q', 7],
      ['r', 5],
      ['s', 4],
      ['t', 3],
    ])
    expect(traffic.buckets.slice(-3).map(({ of_busiest }) => of_busiest)).toEqual([
      [0, 0, 5, 0, 0],
      [0, 6, 0, 0, 0],
      [7, 1, 0, 0, 0],
    ])
  })

  it('have the names of their newest requests', async () => {
    await insertRequests([of('a', 'a1', { partner_name: 'Before' })], 2)
    await insertRequests([
      of('a', 'a1', { partner_name: 'Renamed', created_at: iso(Date.now() + 9) }),
    ])
    expect((await summarize()).traffic.busiest[0]?.name).toBe('Renamed')
  })

  it('do not count requests of settings and dashboard', async () => {
    await insertRequests([of('a', 'a1', { path: '/api/settings/v1/api-keys/' })], 3)
    await insertRequests([of('b', 'b1')])
    expect((await summarize()).traffic.busiest.map(({ id }) => id)).toEqual(['b'])
  })
})

// D1 counts a row of a bounded subquery twice.
describe('what the database reads for a summary', () => {
  const OTHERS = byDepth(2000, 20_000)
  const OWN = 500

  beforeEach(async () => {
    const long = iso(startOf(1) - 100 * HOUR)
    await insertRequests([of('other', 'other', { created_at: long })], OTHERS)
    await insertRequests([of('a', 'a1')], OTHERS)
    await insertRequests([of('b', 'b1', { created_at: long })], OWN)
    await insertRequests([of('b', 'b1')], OWN)
  })

  it.each([
    ['a partner', { partner_id: 'b' }],
    ['a key', { api_key_id: 'b1' }],
    ['both', { api_key_id: 'b1', partner_id: 'b' }],
  ])('is the rows of %s in the range, however many others there are', async (_, subjects) => {
    const { traffic, meter } = await summarize(undefined, subjects)
    expect(traffic.total).toBe(OWN)
    expect(meter.rows_read).toBeLessThan(2 * OWN + 100)
  })

  it('is the rows of the range and no older ones, for all together', async () => {
    const { traffic, meter } = await summarize()
    expect(traffic.total).toBe(OTHERS + OWN)
    expect(meter.rows_read).toBeLessThan(2 * (OTHERS + OWN) + 1000)
  })

  it('is the rows of a range of the past, and a few newer ones', async () => {
    const begin = startOf(1) - 101 * HOUR
    const { traffic, meter } = await summarize(rangeBetween(iso(begin), iso(begin + 2 * HOUR)))
    expect(traffic.total).toBe(OTHERS + OWN)
    expect(meter.rows_read).toBeLessThan(2 * (OTHERS + OWN) + 1000)
  })
})
