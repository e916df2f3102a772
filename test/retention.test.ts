import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { EXPIRED_ROWS_MAX } from '../src/db/audit.ts'
import worker from '../src/index.ts'
import { AUDIT, findKey, issueKey, WORKSPACE } from './settings/settings.ts'
import { client, createKey, type Json, openTenant, unique } from './tenant.ts'

const DAY_MS = 24 * 60 * 60 * 1000
const NOW = Date.UTC(2026, 10, 21, 3)
const STATEMENTS_MAX = 907

let demo: D1Database
let other: D1Database

beforeEach(async () => {
  demo = await openTenant('demo')
  other = await openTenant('other')
  for (const db of [demo, other]) {
    await db.exec('delete from audit_log')
    await keepFor(db, 365)
  }
})

const keepFor = (db: D1Database, days: number) =>
  db.prepare('update workspace set audit_retention_days = ?').bind(days).run()

/** So many rows of requests that came in then, as they would have left them. */
async function addRows(db: D1Database, at: number, times = 1, key = 'key'): Promise<void> {
  await db
    .prepare(
      `with recursive turn (n) as (select 1 union all select n + 1 from turn where n < ?1)
       insert into audit_log (request_id, created_at, settings_version, record_id, api_key_id,
         api_key_name, method, path, status, duration_ms)
       select lower(hex(randomblob(16))), ?2, 1, 'x', ?3, 'key', 'GET',
         '/api/integrations/v1/orders/', 200, 1 from turn`,
    )
    .bind(times, new Date(at).toISOString(), key)
    .run()
}

const daysAgo = (days: number) => NOW - days * DAY_MS

/** When the rows that are left came in, relative to NOW in ms, oldest first. */
async function agesIn(db: D1Database): Promise<number[]> {
  const { results } = await db
    .prepare('select created_at from audit_log order by created_at')
    .all<{ created_at: string }>()
  return results.map(({ created_at }) => NOW - Date.parse(created_at))
}

const countIn = async (db: D1Database) =>
  (await db.prepare('select count(*) as rows from audit_log').first('rows')) as number

interface RunOptions {
  at?: number
  bindings?: object
}

/** Runs the cron by the Worker's own entry; gives the one line that it leaves, and its level. */
async function run({ at = NOW, bindings = env }: RunOptions = {}): Promise<Json> {
  const lines: Json[] = []
  const spies = (['log', 'warn', 'error'] as const).map((level) =>
    vi.spyOn(console, level).mockImplementation((line) => lines.push({ level, line })),
  )
  try {
    const controller = createScheduledController({ scheduledTime: new Date(at) })
    await worker.scheduled(controller, bindings as typeof env)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  expect(lines).toHaveLength(1)
  const [{ level, line }] = lines
  return { level, ...JSON.parse(line) }
}

/** The database, with something done ahead of each of its statements. */
function interrupted(db: D1Database, act: () => unknown): object {
  return {
    prepare: db.prepare.bind(db),
    batch: async (statements: D1PreparedStatement[]) => {
      await act()
      return await db.batch(statements)
    },
  }
}

/**
 * So many tenants `t-0001` and on, of whom each deletes so many rows at every statement. They share
 * one answer of a real database: asking it thousands of times would tell nothing more. `asked`
 * counts by tenant.
 */
async function crowd(size: number, rows = 0) {
  if (rows > 0) await addRows(other, NOW, rows)
  const answer = await other.batch([other.prepare('delete from audit_log')])
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

async function contentOf(db: D1Database): Promise<Json> {
  const { results } = await db
    .prepare(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'
       and name not like '_cf_%' and name <> 'audit_log'`,
    )
    .all<{ name: string }>()
  const tables = results.map(async ({ name }) => [
    name,
    (await db.prepare(`select * from ${name}`).all()).results,
  ])
  return Object.fromEntries(await Promise.all(tables))
}

describe('the daily cron', () => {
  it('deletes rows that are older than 365 days by a millisecond, and keeps the rest', async () => {
    const edge = 365 * DAY_MS
    const ages = [2 * edge, edge + 1, edge, edge - 1, DAY_MS, 0]
    for (const age of ages) await addRows(demo, NOW - age)
    const line = await run()
    expect(await agesIn(demo)).toEqual(ages.slice(2))
    expect(line).toEqual({
      level: 'log',
      event: 'audit_retention',
      tenants: 2,
      rows_deleted: 2,
      statements: 2,
      duration_ms: expect.any(Number),
      unfinished: 0,
      not_reached: 0,
      failed: 0,
      failures: [],
    })
  })

  it('counts days of 24 hours, over a leap day too', async () => {
    await keepFor(demo, 3650)
    for (const age of [3650 * DAY_MS + 1, 3650 * DAY_MS]) await addRows(demo, NOW - age)
    await run()
    expect(await agesIn(demo)).toEqual([3650 * DAY_MS])
  })

  it('deletes more rows than one statement does, and none that is kept', async () => {
    await addRows(demo, daysAgo(400), 2 * EXPIRED_ROWS_MAX)
    await addRows(demo, daysAgo(366))
    await addRows(demo, daysAgo(364), 3)
    const { rows_deleted, statements } = await run()
    expect(rows_deleted).toBe(2 * EXPIRED_ROWS_MAX + 1)
    // Three of demo, of which the last finds less than a slice, and one of other.
    expect(statements).toBe(4)
    expect(await agesIn(demo)).toEqual(Array(3).fill(364 * DAY_MS))
  })

  it('begins with the oldest rows, whatever the order in which they were written', async () => {
    await addRows(demo, daysAgo(370), 10)
    await addRows(demo, daysAgo(500), EXPIRED_ROWS_MAX - 5)
    let left: number[] = []
    const bindings = {
      DB_DEMO: interrupted(demo, async () => {
        left = await agesIn(demo)
      }),
    }
    await run({ bindings })
    // As it was before the second statement.
    expect(left).toEqual(Array(5).fill(370 * DAY_MS))
  })

  it('keeps each workspace its own days', async () => {
    await keepFor(demo, 30)
    await keepFor(other, 400)
    for (const db of [demo, other]) {
      for (const days of [401, 399, 31, 29]) await addRows(db, daysAgo(days))
    }
    expect((await run()).rows_deleted).toBe(4)
    expect(await agesIn(demo)).toEqual([29 * DAY_MS])
    expect(await agesIn(other)).toEqual([399, 31, 29].map((days) => days * DAY_MS))
  })

  it('keeps to what the API has set a moment before', async () => {
    const admin = client((await createKey(['settings.*'])).value)
    for (const days of [20, 6]) await addRows(demo, daysAgo(days), 1, 'old')
    await admin.put(WORKSPACE, { audit_retention_days: 7 })
    await run()
    const old = "select created_at from audit_log where api_key_id = 'old'"
    const { results } = await demo.prepare(old).all()
    expect(results).toEqual([{ created_at: new Date(daysAgo(6)).toISOString() }])
  })

  it('stops at once when the days are raised in the middle of a run', async () => {
    await addRows(demo, daysAgo(400), 2 * EXPIRED_ROWS_MAX)
    let statements = 0
    const raise = async () => {
      statements += 1
      if (statements === 2) await keepFor(demo, 401)
    }
    await run({ bindings: { DB_DEMO: interrupted(demo, raise) } })
    expect(await countIn(demo)).toBe(EXPIRED_ROWS_MAX)
  })

  it('leaves the database to others between two slices', async () => {
    await addRows(demo, daysAgo(366), 2 * EXPIRED_ROWS_MAX)
    const times: number[] = []
    const batch = async (statements: D1PreparedStatement[]) => {
      times.push(Date.now())
      const results = await demo.batch(statements)
      times.push(Date.now())
      return results
    }
    await run({ bindings: { DB_DEMO: { prepare: demo.prepare.bind(demo), batch } } })
    expect(times).toHaveLength(6)
    const [, ended = 0, begun = 0] = times
    expect(begun - ended).toBeGreaterThanOrEqual(90)
  })

  it('touches nothing but the audit log', async () => {
    const api = client((await createKey(['integrations.*'])).value)
    const sku = unique('S')
    await api.post('/products/', { sku })
    await api.post('/locations/', { code: sku })
    const inventory = [{ location_code: sku, sku_code: sku, quantity: 3 }]
    await api.post('/inventory/', { inventory })
    await api.post('/orders/', { order_number: sku, items: [{ sku_code: sku, quantity: 1 }] })
    const content = await contentOf(demo)
    expect(content.orders.length).toBeGreaterThan(0)
    // Ten years on, nothing of the log is kept.
    expect((await run({ at: NOW + 3650 * DAY_MS })).rows_deleted).toBeGreaterThanOrEqual(4)
    expect(await countIn(demo)).toBe(0)
    expect(await contentOf(demo)).toEqual(content)
    expect((await api.get(`/orders/${sku}/`)).status).toBe(200)
  })

  it('deletes nothing the second time', async () => {
    await addRows(demo, daysAgo(366), 10)
    await addRows(demo, daysAgo(1), 10)
    expect((await run()).rows_deleted).toBe(10)
    expect((await run()).rows_deleted).toBe(0)
    expect(await countIn(demo)).toBe(10)
  })

  it('does no harm when two of them run at once', async () => {
    await addRows(demo, daysAgo(366), 3 * EXPIRED_ROWS_MAX + 1)
    await addRows(demo, daysAgo(364), 5)
    const lines: Json[] = []
    const log = vi.spyOn(console, 'log').mockImplementation((line) => lines.push(JSON.parse(line)))
    const controller = createScheduledController({ scheduledTime: new Date(NOW) })
    await Promise.all([worker.scheduled(controller, env), worker.scheduled(controller, env)])
    log.mockRestore()
    const deleted = lines.map(({ rows_deleted }) => rows_deleted)
    expect(deleted).toHaveLength(2)
    expect(deleted[0] + deleted[1]).toBe(3 * EXPIRED_ROWS_MAX + 1)
    expect(await agesIn(demo)).toEqual(Array(5).fill(364 * DAY_MS))
  })

  it('finds the rows by an index', async () => {
    const statements: string[] = []
    const prepare = (sql: string) => {
      statements.push(sql)
      return demo.prepare(sql)
    }
    await run({ bindings: { DB_DEMO: { prepare, batch: demo.batch.bind(demo) } } })
    const plan = await demo
      .prepare(`explain query plan ${statements[0]}`)
      .bind(new Date(NOW).toISOString())
      .all<{ detail: string }>()
    const steps = plan.results.map(({ detail }) => detail)
    expect(steps).toContainEqual(
      expect.stringContaining('INDEX audit_log_created_at (created_at<?)'),
    )
    expect(steps.filter((step) => /\bSCAN\b|TEMP B-TREE/.test(step))).toEqual([])
  })

  it('reads and writes no more than it deletes', async () => {
    await addRows(demo, daysAgo(364), 1000)
    await addRows(demo, daysAgo(366), 10)
    let cost: D1Meta[] = []
    const batch = async (statements: D1PreparedStatement[]) => {
      const results = await demo.batch(statements)
      cost = results.map(({ meta }) => meta)
      return results
    }
    await run({ bindings: { DB_DEMO: { prepare: demo.prepare.bind(demo), batch } } })
    expect(cost[0]?.rows_read).toBeLessThan(60)
    expect(cost[0]?.rows_written).toBeLessThan(60)
  })
})

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
    for (const db of [demo, other]) await addRows(db, daysAgo(366))
    const bindings = { ...env, DB_A_FIRST: broken, DB_MIDDLE: broken, DB_Z_LAST: broken }
    const line = await run({ bindings })
    expect([await countIn(demo), await countIn(other)]).toEqual([0, 0])
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
    for (const db of [demo, other]) await addRows(db, daysAgo(366))
    await other.exec('alter table workspace rename column audit_retention_days to later')
    const line = await run()
    await other.exec('alter table workspace rename column later to audit_retention_days')
    expect([await countIn(demo), await countIn(other)]).toEqual([0, 1])
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
    expect(line).toMatchObject({ rows_deleted: EXPIRED_ROWS_MAX, statements: 2, unfinished: 0 })
    expect(line.failures).toEqual([{ tenant: 'demo', name: 'Error' }])
  })

  it('lists twenty failures of many, and counts all', async () => {
    const { databases } = await crowd(30)
    const broken = Object.keys(databases).map((name) => [name, { prepare: null }])
    const line = await run({ bindings: Object.fromEntries(broken) })
    expect([line.failed, line.failures.length]).toEqual([30, 20])
  })
})

describe('the daily cron, as to who is a tenant', () => {
  it('passes over bindings that are no databases, and databases that are no tenants', async () => {
    const bindings = {
      ...env,
      DB_NAME: 'x',
      DB_NONE: null,
      KV_DEMO: env.DB_DEMO,
      DB_demo: env.DB_DEMO,
    }
    expect(await run({ bindings })).toMatchObject({ tenants: 2, statements: 2, failed: 0 })
  })

  it('is content with none', async () => {
    expect(await run({ bindings: {} })).toMatchObject({ tenants: 0, statements: 0, failed: 0 })
  })

  it('deletes nothing of a tenant whose workspace is not yet there', async () => {
    await addRows(other, daysAgo(4000))
    await other.exec('update workspace set id = id; delete from workspace')
    const line = await run()
    expect(line).toMatchObject({ rows_deleted: 0, failed: 0 })
    expect(await countIn(other)).toBe(1)
  })
})

describe('the daily cron, where its statements are spent', () => {
  it('gives each of many tenants its turn within days, each day those that come next', async () => {
    const { asked, databases } = await crowd(2000)
    const days: string[][] = []
    for (const day of [0, 1, 2]) {
      asked.clear()
      const line = await run({ at: NOW + day * DAY_MS, bindings: databases })
      expect(line).toMatchObject({
        tenants: 2000,
        statements: STATEMENTS_MAX,
        unfinished: 0,
        not_reached: 2000 - STATEMENTS_MAX,
      })
      expect(asked.size).toBe(STATEMENTS_MAX)
      days.push([...asked.keys()])
    }
    expect(new Set(days.flat()).size).toBe(2000)
    expect(new Set(days.slice(0, 2).flat()).size).toBe(2 * STATEMENTS_MAX)
  })

  it('shares them out among tenants that all have more to delete', async () => {
    const { asked, databases } = await crowd(10, EXPIRED_ROWS_MAX)
    const pause = vi.spyOn(scheduler, 'wait').mockResolvedValue()
    const line = await run({ bindings: databases })
    pause.mockRestore()
    expect(line).toMatchObject({ statements: STATEMENTS_MAX, unfinished: 10, not_reached: 0 })
    expect(line.rows_deleted).toBe(STATEMENTS_MAX * EXPIRED_ROWS_MAX)
    expect([Math.min(...asked.values()), Math.max(...asked.values())]).toEqual([90, 91])
  })

  it('leaves no tenant out for the sake of one, and goes on the next day', async () => {
    await addRows(demo, daysAgo(366), 3 * EXPIRED_ROWS_MAX)
    await addRows(demo, daysAgo(300))
    const { asked, databases } = await crowd(STATEMENTS_MAX - 2)
    const bindings = { DB_DEMO: demo, ...databases }
    const first = await run({ bindings })
    expect(first).toMatchObject({
      rows_deleted: 2 * EXPIRED_ROWS_MAX,
      statements: STATEMENTS_MAX,
      unfinished: 1,
      not_reached: 0,
    })
    expect([asked.size, Math.max(...asked.values())]).toEqual([STATEMENTS_MAX - 2, 1])
    const second = await run({ at: NOW + DAY_MS, bindings })
    expect(second).toMatchObject({ rows_deleted: EXPIRED_ROWS_MAX, not_reached: 0 })
    expect(await countIn(demo)).toBe(1)
  })

  it.each([2, 3, 453])('begins with another of %i tenants each day', async (size) => {
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
    expect(line).toMatchObject({ statements: asked, not_reached: 12 - asked })
  })
})

describe('what reads the audit log', () => {
  it.each([
    ['in order of seq', {}],
    ['in order of time', { to: '2100-01-01' }],
  ])('is paged %s without skipping or repeating what is kept, while rows go', async (_, range) => {
    const admin = client((await createKey(['settings.*'])).value)
    const method = unique('METHOD').toUpperCase()
    for (const days of [400, 390, 380, 370, 5, 4, 3, 2, 1]) await addRows(demo, daysAgo(days))
    await demo.prepare('update audit_log set method = ?').bind(method).run()
    const ages: number[] = []
    let cursor: string | null = ''
    for (let page = 1; cursor !== null; page++) {
      const query = new URLSearchParams({ method, limit: '2', ...range, ...(cursor && { cursor }) })
      const { status, body } = await admin.get(`${AUDIT}?${query}`)
      expect(status).toBe(200)
      ages.push(...body.data.map((row: Json) => (NOW - Date.parse(row.created_at)) / DAY_MS))
      cursor = body.pagination.next_cursor
      // After the page that ends with a row that is then deleted.
      if (page === 3) await run()
    }
    expect(ages).toEqual([1, 2, 3, 4, 5, 370])
  })

  it('gives seq of rows that are gone to no other', async () => {
    await addRows(demo, daysAgo(366), 3)
    const newest = await demo.prepare('select max(seq) from audit_log').first('max(seq)')
    await run()
    await addRows(demo, NOW)
    expect(await demo.prepare('select seq from audit_log').first('seq')).toBe(Number(newest) + 1)
  })

  it('knows when a key was last used no longer than the log does', async () => {
    const admin = client((await createKey(['settings.*'])).value)
    const { id, key } = await issueKey(admin)
    await addRows(demo, daysAgo(366), 1, id)
    expect((await findKey(admin, id)).last_used_at).toBe(new Date(daysAgo(366)).toISOString())
    await run()
    expect((await findKey(admin, id)).last_used_at).toBeNull()
    expect((await client(key).get('/orders/')).status).toBe(200)
    expect((await findKey(admin, id)).last_used_at).toEqual(expect.any(String))
  })
})

function byTenant(one: Json, another: Json): number {
  return one.tenant < another.tenant ? -1 : 1
}
