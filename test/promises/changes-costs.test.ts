import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { countedBindings } from '../metering.ts'
import { openPartner } from '../partner.ts'
import { follow, now } from '../resources/following.ts'
import { createOrder, createProduct } from '../resources/warehouse.ts'
import { type Api, type Json, openAdmin, openTenant } from '../tenant.ts'

// docs/operations.md, "What it costs": a page of the feed reads what it shows and five rows.

const RECORDS = 3000
const BESIDE = 5

let api: Api
let db: D1Database

const times = `'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`
const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${RECORDS})`

beforeAll(async () => {
  db = await openTenant()
  api = await openAdmin()
  // So that no page looks the key up.
  await api.get('/orders/')
  await db.batch(
    [
      // A request after all that these records name.
      `insert into audit_log (seq, request_id, created_at, settings_version, api_key_id, api_key_name, method, path, status, duration_ms)
       values (5000, 'r', '2026-01-01T00:00:00.000Z', 1, 'k', 'k', 'GET', '/', 200, 1)`,
      `${numbers} insert into products (id, sku, created_at, updated_at, changed_in) select 'p' || i, 'p' || i, ${times}, 1 + i / 2 from n`,
      `${numbers} insert into locations (id, code, created_at, updated_at, changed_in) select 'l' || i, 'l' || i, ${times}, 1 + i / 3 from n`,
      `${numbers} insert into inventory (location_code, sku_code, quantity, changed_in) select 'l' || i, 'p' || i, 1, 700 from n`,
      `${numbers} insert into orders (id, order_number, created_at, updated_at, changed_in, items_bytes) select 'o' || i, 'o' || i, ${times}, 1 + i / 5, 100 from n`,
      `${numbers} insert into order_items (order_id, position, id, sku_code, quantity) select 'o' || i, 0, 'i' || i, 'p' || i, 1 from n`,
      `${numbers} insert into order_items (order_id, position, id, sku_code, quantity) select 'o' || i, 1, 'j' || i, 'p' || i, 1 from n`,
    ].map((sql) => db.prepare(sql)),
  )
})

async function page(query: string, from = api) {
  const { bindings, rows, calls } = countedBindings()
  // The audit row, which is stored after the answer, reads nothing.
  const { body, headers } = await from.get(`/changes/?${query}`, { bindings })
  // D1 counts the place at which the lines of an order end.
  const lines = body.data.reduce(
    (sum: number, { record }: Json) => sum + (record.items ? record.items.length + 1 : 0),
    0,
  )
  const told = /rows read (\d+)/.exec(headers.get('Server-Timing') ?? '')?.[1]
  return {
    body,
    read: told === undefined ? rows.read : Number(told),
    shown: body.data.length + lines,
    calls,
  }
}

describe('a page of the feed', () => {
  it.each([
    'limit=50',
    'limit=200',
    'limit=1',
    'limit=50&resource=orders',
    'limit=50&resource=inventory',
    'limit=50&resource=products,orders',
  ])('reads what it shows and five rows, wherever it begins: %s', async (asked) => {
    let from = 'from=start'
    for (let pages = 0; pages < 8; pages += 1) {
      const { body, read, shown } = await page(`${from}&${asked}`)
      expect(body.data).toHaveLength(Number(asked.split('=')[1]?.split('&')[0]))
      expect(read).toBeLessThanOrEqual(shown + BESIDE)
      from = `cursor=${body.pagination.next_cursor}`
    }
  })

  it('in the middle of an upload reads no row before it', async () => {
    const first = await follow(api, 'from=start', 'limit=200&resource=inventory')
    expect(first.changes).toHaveLength(RECORDS)
    const { read, shown } = await page(`${first.next}&limit=200`)
    expect([shown, read <= BESIDE]).toEqual([0, true])
  })

  it('without changes reads five rows', async () => {
    for (const resource of ['', '&resource=orders', '&resource=products,inventory']) {
      const since = await now(api, `limit=1${resource}`)
      expect((await page(since)).read).toBeLessThanOrEqual(BESIDE)
    }
    expect((await page('from=now')).read).toBeLessThanOrEqual(BESIDE)
  })

  it('looks at an index for each resource, and sorts nothing', async () => {
    const asked: string[] = []
    const DB_DEMO = new Proxy(env.DB_DEMO, {
      get: (target, name) => {
        if (name === 'prepare')
          return (sql: string) => {
            asked.push(sql)
            return target.prepare(sql)
          }
        return Reflect.get(target, name).bind(target)
      },
    })
    const first = await api.get('/changes/?from=start&limit=5', { bindings: { ...env, DB_DEMO } })
    await api.get(`/changes/?cursor=${first.body.pagination.next_cursor}`, {
      bindings: { ...env, DB_DEMO },
    })
    const pages = asked.filter((sql) => sql.includes('union all'))
    expect(pages).toHaveLength(2)
    for (const [at, sql] of pages.entries()) {
      const values = Array.from(sql.matchAll(/\?/g), () => 1)
      const { results } = await db
        .prepare(`explain query plan ${sql}`)
        .bind(...values)
        .all<{ detail: string }>()
      const plan = results.map(({ detail }) => detail)
      const searches = plan.filter((line) => /SEARCH \w+ USING INDEX \w+_changed/.test(line))
      expect(searches).toHaveLength(4 + at)
      expect(plan.join('\n')).not.toMatch(
        /TEMP B-TREE|SCAN (products|locations|inventory|orders)\b/,
      )
    }
  })
})

describe('the feed of a key with own_orders_only', () => {
  it('passes over the orders of others, a thousand changes at most for a page', async () => {
    const own = await openPartner({ own_orders_only: true })
    const since = await now(own.api)
    const first = await createOrder(own.api)
    await db
      .prepare(`${numbers} insert into orders (id, order_number, created_at, updated_at, changed_in, items_bytes)
      select 'x' || i, 'x' || i, ${times}, (select max(seq) from audit_log), 100 from n`)
      .run()
    const last = await createOrder(own.api)
    const { changes, pages } = await follow(own.api, since, 'limit=50')
    const orders = changes.filter(({ resource }: Json) => resource === 'orders')
    expect(orders.map(({ record }: Json) => record)).toEqual([first, last])
    expect(pages).toBe(4)
    const { bindings, rows } = countedBindings()
    await own.api.get(`/changes/?${since}`, { bindings })
    expect(rows.read).toBeLessThan(2200)
  })
})

describe('a write', () => {
  it('writes one row of one index more for a record that it changes', async () => {
    const { sku } = await createProduct(api)
    const { bindings, rows } = countedBindings()
    await api.put(`/products/${sku}/`, { quantity: 3 }, { bindings })
    const after = rows.written
    await db.exec('drop index products_changed')
    const without = countedBindings()
    await api.put(`/products/${sku}/`, { quantity: 4 }, { bindings: without.bindings })
    await db.exec('create index products_changed on products (changed_place)')
    expect(after - without.rows.written).toBe(1)
  })
})
