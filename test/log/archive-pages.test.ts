import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { addLog, archive, emptyLog, HOT_DAYS, type Logged, objectsOf } from '../fixtures/archive.ts'
import { byDepth } from '../fixtures/depth.ts'
import { DAY_MS } from '../fixtures/retention.ts'
import { AUDIT } from '../fixtures/settings.ts'
import { type Api, type Json, openAdmin, openTenant } from '../fixtures/tenant.ts'

const MINUTE_MS = 60_000
const BURSTS = 8
const BURST_ROWS = 50
const APART_MS = 12 * DAY_MS
// At 03:00, when the cron's first run is.
const TODAY = Date.now() - (Date.now() % DAY_MS) - DAY_MS + 3 * 60 * MINUTE_MS
const BEGIN = TODAY - (BURSTS + 1) * APART_MS

/** A log that is archived, and the same one that never is. */
const logs = {} as Record<'demo' | 'other', { db: D1Database; admin: Api }>

beforeAll(async () => {
  for (const tenant of ['demo', 'other'] as const) {
    logs[tenant] = { db: await openTenant(tenant), admin: await openAdmin(tenant) }
  }
})

/** Bursts of requests, of which many are stored late: their times and their seqs are in other orders. */
const aLog: fc.Arbitrary<Logged[]> = fc
  .array(
    fc.record({
      late: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 2, arbitrary: fc.nat(9) }),
      key: fc.constantFrom('k1', 'k2', 'k3'),
      partner: fc.constantFrom(null, 'p1', 'p2'),
      name: fc.constantFrom(null, 'SO-1', 'SO-2', 'SO-22', 'A\n"'),
      status: fc.constantFrom(200, 200, 201, 404, 422),
      method: fc.constantFrom('GET', 'POST'),
      fields: fc.constantFrom(null, '\na\n', '\nitems[].b\na\n'),
      area: fc.constantFrom('integrations/v1/orders', 'settings/v1/partners'),
      dry: fc.constantFrom(0, 0, 1),
    }),
    { minLength: BURSTS * BURST_ROWS, maxLength: BURSTS * BURST_ROWS },
  )
  .map((rows) =>
    rows.map((row, n) => {
      const burst = Math.floor(n / BURST_ROWS)
      // The archive's boundary, ten minutes before the cron, is within the burst.
      const begin = BEGIN + burst * APART_MS - (7 + ((burst * 5) % 14)) * MINUTE_MS
      const stored = begin + (n % BURST_ROWS) * 20_000
      return {
        request_id: `${String(n).padStart(4, '0')}-${row.key}`,
        created_at: new Date(stored - row.late * MINUTE_MS).toISOString(),
        ...{ api_key_id: row.key, partner_id: row.partner, record_name: row.name },
        ...{ status: row.status, method: row.method, error_fields: row.fields, dry_run: row.dry },
        path: `/api/${row.area}/`,
      }
    }),
  )

const instant = fc
  .record({ burst: fc.nat(BURSTS), minutes: fc.integer({ min: -15, max: 25 }) })
  .map(({ burst, minutes }) =>
    new Date(BEGIN + burst * APART_MS + minutes * MINUTE_MS).toISOString(),
  )

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 })

const filters = fc
  .record({
    api_key_id: maybe(fc.constantFrom('k1', 'k2')),
    partner_id: maybe(fc.constantFrom('p1', 'p2')),
    record_name: maybe(fc.constantFrom('SO-1', 'SO-2', 'A\n"')),
    record_name_prefix: maybe(fc.constantFrom('SO-', 'SO-2', 'A')),
    status: maybe(fc.constantFrom('404', '2xx', '4xx', 'failed')),
    method: maybe(fc.constantFrom('GET', 'POST')),
    field: maybe(fc.constantFrom('a', 'items[3].b')),
    area: maybe(fc.constantFrom('integrations', 'settings')),
    resource: maybe(fc.constantFrom('orders', 'partners')),
    dry_run: maybe(fc.constantFrom('true', 'false')),
    from: maybe(instant),
    to: maybe(instant),
  })
  .map(({ from, to, ...others }) => {
    const isReversed = from !== undefined && to !== undefined && to < from
    return { ...others, ...(isReversed ? { from: to, to: from } : { from, to }) }
  })

/** The cron of the day on which so many bursts have become old enough, and the next one in part. */
async function archiveTo(bursts: number): Promise<void> {
  const at = BEGIN + bursts * APART_MS + 5 * MINUTE_MS + HOT_DAYS * DAY_MS
  await archive(at, { KEYS: env.KEYS, DB_DEMO: env.DB_DEMO, DOCUMENTS: env.DOCUMENTS })
}

type Asked = Record<string, string | undefined>

async function pageOf({ admin }: { admin: Api }, asked: Asked) {
  const given = Object.entries(asked).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  return await admin.get(`${AUDIT}?${new URLSearchParams(given)}`)
}

/** All ids of a walk over pages; between two pages `act` has its turn. Null if a page says that rows have moved. */
async function walk(log: { admin: Api }, asked: Asked, act: (page: number) => Promise<void>) {
  const found: string[] = []
  let cursor: string | undefined
  for (let page = 0; page < 200; page++) {
    const { status, body } = await pageOf(log, { ...asked, cursor })
    if (status === 400 && /have moved|deleted/.test(body.error.fields?.cursor?.[0])) return null
    expect([status, body.error]).toEqual([200, undefined])
    found.push(...body.data.map((row: Json) => row.request_id))
    cursor = body.pagination.next_cursor ?? undefined
    if (cursor === undefined) return found.filter((id) => /^\d{4}-k/.test(id))
    await act(page)
  }
  throw new Error('the walk has no end')
}

async function fill(rows: Logged[]): Promise<void> {
  for (const tenant of ['demo', 'other'] as const) {
    await emptyLog(logs[tenant].db, tenant)
    await logs[tenant].db.exec('update workspace set audit_retention_days = 3650')
    await addLog(logs[tenant].db, rows)
  }
}

const steps = fc.array(fc.integer({ min: 1, max: BURSTS - 1 }), { minLength: 1, maxLength: 5 })

describe('pages of a log that is archived', () => {
  it(
    'show what those of a log show that never is, whatever moves between two pages',
    async () => {
      const nothing = async () => {}
      let archived = 0
      await fc.assert(
        fc.asyncProperty(
          aLog,
          fc.array(filters, { minLength: 4, maxLength: 8 }),
          fc.constantFrom(7, 20, 60),
          steps,
          async (rows, asked, limit, moves) => {
            await fill(rows)
            const rising = moves.toSorted((one, other) => one - other)
            for (const each of asked) {
              const query = { ...each, limit: String(limit) }
              const expected = await walk(logs.other, query, nothing)
              const move = async (page: number) => {
                const next = page % 2 === 0 ? rising.shift() : undefined
                if (next !== undefined) await archiveTo(next)
              }
              const found = await walk(logs.demo, query, move)
              const isByName =
                each.record_name_prefix !== undefined && each.record_name === undefined
              if (!isByName) expect(found).toEqual(expected)
              else if (found) expect(found.toSorted()).toEqual(expected?.toSorted())
            }
            await archiveTo(BURSTS - 1)
            const [first = {}] = asked
            const query = { ...first, record_name_prefix: undefined, limit: String(limit) }
            expect(await walk(logs.demo, query, nothing)).toEqual(
              await walk(logs.other, query, nothing),
            )
            archived += (await objectsOf()).length
          },
        ),
        { numRuns: byDepth(1, 25), seed: inject('depth').seed },
      )
      expect(archived).toBeGreaterThan(0)
    },
    byDepth(60_000, 900_000),
  )
})
