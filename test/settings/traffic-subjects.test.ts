import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { rangeBetween } from '../../src/requests/traffic/buckets.ts'
import { ROWS_MAX } from '../../src/requests/traffic/statements.ts'
import { insertRequests, type Row } from '../fixtures/audit-rows.ts'
import { byDepth, inDeepPass } from '../fixtures/depth.ts'
import { openTenant } from '../fixtures/tenant.ts'
import { HOUR, iso, startOf, summarize, WEEK } from './traffic.ts'

beforeAll(() => openTenant())
beforeEach(() => env.DB_DEMO.prepare('delete from audit_log').run())

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
