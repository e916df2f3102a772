import { createScheduledController } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { EXPIRED_ROWS_MAX } from '../../src/engine/log/expired-rows.ts'
import worker from '../../src/index.ts'
import { itInDeep } from '../fixtures/depth.ts'
import {
  addRows,
  countIn,
  DAY_MS,
  daysAgo,
  demo,
  interrupted,
  keepFor,
  linesOf,
  NOW,
  other,
  run,
} from '../fixtures/retention.ts'
import { AUDIT, findKey, issueKey, WORKSPACE } from '../fixtures/settings.ts'
import { client, createKey, type Json, openAdmin, unique } from '../fixtures/tenant.ts'

/** When the rows that are left came in, relative to NOW in ms, oldest first. */
async function agesIn(db: D1Database): Promise<number[]> {
  const { results } = await db
    .prepare('select created_at from audit_log order by created_at')
    .all<{ created_at: string }>()
  return results.map(({ created_at }) => NOW - Date.parse(created_at))
}

async function contentOf(db: D1Database): Promise<Json> {
  const { results } = await db
    .prepare(
      `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'
       and name not like '_cf_%' and name not in ('audit_log', 'replaced_values', 'settings_history')`,
    )
    .all<{ name: string }>()
  const tables = results.map(async ({ name }) => [
    name,
    (await db.prepare(`select * from ${name}`).all()).results,
  ])
  return Object.fromEntries(await Promise.all(tables))
}

const daysAgoText = (days: number) => new Date(daysAgo(days)).toISOString()

describe('the daily cron', () => {
  it('deletes changes of settings that are older than 400 days, and keeps the newest of all', async () => {
    await demo.prepare('delete from settings_history').run()
    const ages = [500, 401, 400 - 1 / DAY_MS, 10].map((days) => days * DAY_MS)
    const add = demo.prepare(
      `insert into settings_history (kind, record_id, name, version, action, fields, created_at, source)
       values ('workspace', 'demo', 'x', 1, 'changed', '[]', ?, 'operator')`,
    )
    await demo.batch(ages.map((age) => add.bind(new Date(NOW - age).toISOString())))
    expect((await run()).changes_deleted).toBe(2)
    const { results } = await demo.prepare('select seq from settings_history').all()
    expect(results).toHaveLength(2)
    await demo.prepare("update settings_history set created_at = '2020-01-01T00:00:00.000Z'").run()
    expect((await run()).changes_deleted).toBe(1)
  })

  it('deletes the item codes of deleted partners, and no others', async () => {
    const codes = EXPIRED_ROWS_MAX + 1
    const add = (partner: string, deleted: string | null) => [
      demo
        .prepare(
          'insert into partners (id, name, created_at, updated_at, deleted_at) values (?1, ?1, ?2, ?2, ?3)',
        )
        .bind(partner, daysAgoText(9), deleted),
      demo
        .prepare("insert into item_code_tables (partner_id, kind, codes) values (?, 'products', ?)")
        .bind(partner, codes),
      demo
        .prepare(
          "with recursive turn (n) as (select 1 union all select n + 1 from turn where n < ?2) insert into item_codes (partner_id, kind, code, record_name) select ?1, 'products', n, 'S' from turn",
        )
        .bind(partner, codes),
    ]
    const [gone, left] = [unique('gone'), unique('left')]
    await demo.batch([...add(gone, daysAgoText(1)), ...add(left, null)])
    const both = [await run(), await run({ at: NOW + DAY_MS })]
    expect(both.map(({ codes_deleted }) => codes_deleted)).toEqual([EXPIRED_ROWS_MAX, 1])
    const ofBoth =
      'select partner_id as id from item_code_tables where partner_id in (?1, ?2) union all select distinct partner_id from item_codes where partner_id in (?1, ?2)'
    const { results } = await demo.prepare(ofBoth).bind(gone, left).all()
    expect(results).toEqual([{ id: left }, { id: left }])
    expect(
      await demo
        .prepare('select count(*) as codes from item_codes where partner_id = ?')
        .bind(left)
        .first('codes'),
    ).toBe(codes)
  })

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
      values_deleted: 0,
      changes_deleted: 0,
      codes_deleted: 0,
      batches: 2,
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
    const { rows_deleted, batches } = await run()
    expect(rows_deleted).toBe(2 * EXPIRED_ROWS_MAX + 1)
    // Three of demo, of which the last finds less than a chunk, and one of other.
    expect(batches).toBe(4)
    expect(await agesIn(demo)).toEqual(Array(3).fill(364 * DAY_MS))
  })

  it('never deletes the newest row, so that its seq is given to no other', async () => {
    await addRows(demo, daysAgo(366), 3)
    const newest = await demo.prepare('select max(seq) from audit_log').first('max(seq)')
    expect((await run()).rows_deleted).toBe(2)
    expect(await demo.prepare('select seq from audit_log').first('seq')).toBe(newest)
    await addRows(demo, NOW)
    expect(await demo.prepare('select max(seq) from audit_log').first('max(seq)')).toBe(
      Number(newest) + 1,
    )
  })

  it('deletes rows that were stored a little late, and keeps those', async () => {
    for (const age of [367, 364, 366, 363]) await addRows(demo, daysAgo(age))
    await run()
    expect(await agesIn(demo)).toEqual([364, 363].map((days) => days * DAY_MS))
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
    const admin = await openAdmin()
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

  it('leaves the database to others between two chunks', async () => {
    await addRows(demo, daysAgo(366), 2 * EXPIRED_ROWS_MAX)
    await addRows(demo, NOW)
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

  it('touches nothing but the audit log and what is remembered with it', async () => {
    const api = client((await createKey(['integrations.*'])).value)
    const sku = unique('S')
    await api.post('/products/', { sku })
    await api.post('/locations/', { code: sku })
    const inventory = [{ location_code: sku, sku_code: sku, quantity: 3 }]
    await api.post('/inventory/', { inventory })
    await api.post('/orders/', { order_number: sku, items: [{ sku_code: sku, quantity: 1 }] })
    const content = await contentOf(demo)
    expect(content.orders.length).toBeGreaterThan(0)
    // Ten years on, nothing of the log is kept but its newest row.
    expect((await run({ at: NOW + 3650 * DAY_MS })).rows_deleted).toBeGreaterThanOrEqual(3)
    expect(await countIn(demo)).toBe(1)
    expect(await demo.prepare('select count(*) as n from replaced_values').first('n')).toBe(0)
    const workspace = content.workspace.map((row: Json) => ({
      ...row,
      // Up to here the feed of changes finds no stock by what was remembered.
      stock_listed_after: expect.any(Number),
    }))
    expect(await contentOf(demo)).toEqual({ ...content, workspace })
    expect((await api.get(`/orders/${sku}/`)).status).toBe(200)
  })

  it('deletes nothing the second time', async () => {
    await addRows(demo, daysAgo(366), 10)
    await addRows(demo, daysAgo(1), 10)
    expect((await run()).rows_deleted).toBe(10)
    expect((await run()).rows_deleted).toBe(0)
    expect(await countIn(demo)).toBe(10)
  })

  itInDeep('does no harm when two of them run at once', async () => {
    await addRows(demo, daysAgo(366), 3 * EXPIRED_ROWS_MAX + 1)
    await addRows(demo, daysAgo(364), 5)
    const lines: Json[] = []
    const log = vi.spyOn(console, 'log').mockImplementation((line) => lines.push(JSON.parse(line)))
    const controller = createScheduledController({ scheduledTime: new Date(NOW) })
    await Promise.all([worker.scheduled(controller, env), worker.scheduled(controller, env)])
    log.mockRestore()
    const deleted = lines
      .filter(({ event }) => event === 'audit_retention')
      .map(({ rows_deleted }) => rows_deleted)
    expect(deleted).toHaveLength(2)
    expect(deleted[0] + deleted[1]).toBe(3 * EXPIRED_ROWS_MAX + 1)
    expect(await agesIn(demo)).toEqual(Array(5).fill(364 * DAY_MS))
  })

  it('reads no more than a chunk of the oldest rows, and writes what it deletes', async () => {
    await addRows(demo, daysAgo(366), 10)
    await addRows(demo, daysAgo(364), EXPIRED_ROWS_MAX + 1000)
    let cost: D1Meta[] = []
    const batch = async (statements: D1PreparedStatement[]) => {
      const results = await demo.batch(statements)
      cost = results.map(({ meta }) => meta)
      return results
    }
    await run({ bindings: { DB_DEMO: { prepare: demo.prepare.bind(demo), batch } } })
    expect(cost[0]?.rows_read).toBeLessThan(EXPIRED_ROWS_MAX + 100)
    expect(cost[0]?.rows_written).toBeLessThan(40)
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
    expect(await run({ bindings })).toMatchObject({ tenants: 2, batches: 2, failed: 0 })
  })

  it('is content with none', async () => {
    expect(await linesOf(NOW, {})).toEqual([])
  })

  it('deletes nothing of a tenant whose workspace is not yet there', async () => {
    await addRows(other, daysAgo(4000))
    await other.exec('update workspace set id = id; delete from workspace')
    const line = await run()
    expect(line).toMatchObject({ rows_deleted: 0, failed: 0 })
    expect(await countIn(other)).toBe(1)
  })
})

describe('what reads the audit log', () => {
  it.each([
    ['in order of seq', {}],
    ['in order of time', { to: '2100-01-01' }],
  ])('is paged %s without skipping or repeating what is kept, while rows go', async (_, range) => {
    const admin = await openAdmin()
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

  it('knows when a key was last used no longer than the log does', async () => {
    const admin = await openAdmin()
    const { id, key } = await issueKey(admin)
    await addRows(demo, daysAgo(366), 1, id)
    expect((await findKey(admin, id)).last_used_at).toBe(new Date(daysAgo(366)).toISOString())
    await run()
    expect((await findKey(admin, id)).last_used_at).toBeNull()
    expect((await client(key).get('/orders/')).status).toBe(200)
    expect((await findKey(admin, id)).last_used_at).toEqual(expect.any(String))
  })
})
