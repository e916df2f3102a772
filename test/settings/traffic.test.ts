import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ROWS_MAX } from '../../src/requests/traffic/statements.ts'
import { insertRequests, type Row } from '../fixtures/audit-rows.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { openTenant } from '../fixtures/tenant.ts'
import { HOUR, iso, startOf, summarize, WEEK } from './traffic.ts'

beforeAll(() => openTenant())
beforeEach(() => env.DB_DEMO.prepare('delete from audit_log').run())

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
