import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { connect, newMeter } from '../../src/engine/db/connect.ts'
import { NEEDS } from '../../src/engine/db/delivery-tables.ts'
import { TenantDatabase } from '../../src/engine/db/transact.ts'
import { ORDER_STATUSES } from '../../src/engine/model/order.ts'
import type { HomeSight } from '../../src/requests/overview/access.ts'
import { readHome } from '../../src/requests/overview/queries.ts'
import { DOUBTED_MAX } from '../../src/requests/overview/settings.ts'
import { subjectNow } from '../fixtures/metered.ts'
import { limits } from '../fixtures/pace.ts'
import { openTenant } from '../fixtures/tenant.ts'

// What needs a person, and how the warehouse is, are read in one batch of at most 500 rows, whatever the tenant has. Tables
// of some thousands show it as well as those of a million.

const ROWS_MAX = 500

const SEES_ALL: HomeSight = {
  deliveries: true,
  keys: true,
  partners: true,
  checkUps: true,
  orders: true,
  stock: true,
  orders_of: null,
}
const SEES_LOG: HomeSight = {
  deliveries: false,
  keys: false,
  partners: false,
  checkUps: false,
  orders: false,
  stock: false,
  orders_of: null,
}

const numbered = (rows: number) =>
  `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${rows - 1})`
const at = (unit: string, sign = '-') =>
  `strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '${sign}' || i || ' ${unit}')`
const oneOf = (values: readonly string[]) =>
  `'${JSON.stringify(values)}' ->> (i % ${values.length})`
const PAUSE = "iif(i % 2, json_object('until', null, 'note', null), null)"

const FILLED = [
  `${numbered(30)} insert into partners (id, name, pause, created_at, updated_at)
    select 'P' || i, 'Partner ' || i, ${PAUSE}, '', '' from n`,
  `${numbered(6000)} insert into orders (id, order_number, status, due_date, partner_id, created_at, updated_at)
    select i, 'O' || i, ${oneOf(ORDER_STATUSES)}, ${at('days')}, 'P' || (i % 3), ${at('minutes')}, '' from n`,
  `${numbered(200)} insert into line_differences
      (order_id, log_seq, request_id, partner_id, sent, differences, total, noted_at)
    select i, i, i, 'P0', '[]', '[]', 1, ${at('minutes')} from n`,
  `${numbered(2000)} insert into waiting_deliveries (delivery_id, log_seq, api_key_id, partner_id, resource, needs,
      error_code, message, created_at, ends_at, bytes, body)
    select i, i, 'K' || (i % 2), 'P0', 'orders', ${oneOf(NEEDS)}, '', '', ${at('minutes')}, ${at('hours', '+')}, 1, ''
    from n`,
  `${numbered(600)} insert into api_keys (id, hash, hint, name, scopes, partner_id, expires_at, pause, created_at)
    select 'K' || i, 'h' || i, 'x', 'key ' || i, '[]', 'P' || (i % 30), ${at('hours', '+')}, ${PAUSE}, '' from n
    where i > 0`,
  `${numbered(30)} insert into check_ups (partner_id, checked_at, kinds)
    select 'P' || i, ${at('minutes')}, '["field_refused"]' from n`,
  // Half of the keys have sent nothing for two days, and all that the others have sent was refused.
  `${numbered(9000)} insert into audit_log (request_id, created_at, settings_version, record_id, api_key_id,
      api_key_name, partner_id, method, path, status, duration_ms)
    select i || '-0000-7000', strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-' || (2 * (i % 2) + (9000 - i) / 300) || ' days'),
      1, 'x', 'K' || (1 + i % 40), 'key', 'P' || (i % 30), 'POST', '/api/integrations/v1/inventory/', 400, 1 from n`,
  `${numbered(200)} insert into replaced_values (changed_in, position, resource, replaced)
    select 5000 + i, 0, 'inventory', '{}' from n`,
  "insert into products (id, sku, created_at, updated_at) values ('p', 'S', '', '')",
  `${numbered(3000)} insert into locations (id, code, created_at, updated_at) select i, 'L' || i, '', '' from n`,
  `${numbered(3000)} insert into inventory (location_code, sku_code, quantity)
    select 'L' || i, 'S', i % 20 from n`,
]

beforeAll(async () => {
  const db = await openTenant()
  for (const sql of FILLED) await db.prepare(sql).run()
})

/** What the caller sees, the rows that it took, and the statements with their values. */
async function read(sight: HomeSight) {
  const statements: [sql: string, values: unknown[]][] = []
  const prepare = (sql: string) => ({
    bind: (...values: unknown[]) => {
      statements.push([sql, values])
      return env.DB_DEMO.prepare(sql).bind(...values)
    },
  })
  const batch = (sent: D1PreparedStatement[]) => env.DB_DEMO.batch(sent)
  const meter = newMeter()
  const connection = connect({ prepare, batch } as unknown as D1Database, meter)
  const db = new TenantDatabase(connection, await subjectNow(), limits)
  return { home: await readHome(db, sight), meter, statements }
}

describe.each([
  ['sees everything', SEES_ALL],
  ["sees its partner's orders alone", { ...SEES_ALL, orders_of: 'P0' }],
])('the overview of a full tenant, to a key that %s', (_, sight) => {
  it('reads at most 500 rows, in one batch', async () => {
    const { meter, home } = await read(sight)
    expect(meter.round_trips).toBe(1)
    expect(meter.rows_read).toBeLessThanOrEqual(ROWS_MAX)
    // It has found as much as it may.
    expect(home.open.map(({ orders }) => orders)).toEqual(
      Array(4).fill({ number: 50, isMore: true }),
    )
    expect(home.waiting?.reasons).toHaveLength(NEEDS.length)
    expect(home.differing?.orders).toEqual({ number: 50, isMore: true })
    expect(home.low).toEqual({ number: 50, isMore: true })
    expect(home.doubted).toHaveLength(DOUBTED_MAX)
    expect(home.quiet.length + home.refused.length).toBeGreaterThan(0)
  })

  it('goes through no table and no index from its beginning', async () => {
    const { statements } = await read(sight)
    const { results: tables } = await env.DB_DEMO.prepare(
      "select name from sqlite_schema where type = 'table' and name <> 'workspace'",
    ).all<{ name: string }>()
    const scans: string[] = []
    for (const [sql, values] of statements) {
      const plan = env.DB_DEMO.prepare(`explain query plan ${sql}`).bind(...values)
      const { results } = await plan.all<{ detail: string }>()
      scans.push(...results.map(({ detail }) => detail).filter((step) => step.startsWith('SCAN ')))
    }
    const names = tables.map(({ name }) => name)
    expect(scans.filter((step) => names.includes(step.split(' ')[1] ?? ''))).toEqual([])
  })
})

describe('the overview of a full tenant, to a key that sees the log alone', () => {
  it('reads nothing of all else', async () => {
    const { home, meter } = await read(SEES_LOG)
    expect(home).toMatchObject({ waiting: null, differing: null, ending: [], paused: [] })
    expect(home).toMatchObject({ open: [], uploads: [], low: { number: 0 } })
    expect(meter.rows_read).toBeLessThan(150)
  })
})
