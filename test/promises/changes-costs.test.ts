import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { itInDeep } from '../fixtures/depth.ts'
import { follow, nameOf, now } from '../fixtures/following.ts'
import { countedBindings } from '../fixtures/metering.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type Api, type Json, openAdmin, openTenant, unique } from '../fixtures/tenant.ts'
import { createOrder, createProduct } from '../fixtures/warehouse.ts'

// docs/costs.md: a page of the feed reads what it shows and five rows, and with stock some more.

const RECORDS = 3000
const BESIDE = 5
// The newest record of each of four resources, twice as D1 counts them, and the settings.
const FEED_ENDS = 9

const times = `'2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'`
const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${RECORDS})`

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

const db = await openTenant()
const api = await openAdmin()
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

  it('that waits reads a few rows more for each look', async () => {
    const { next } = await follow(api, await now(api))
    await page(next)
    const at_once = await page(next)
    const waited = await page(`${next}&wait=1`)
    expect([waited.shown, waited.calls.d1 - at_once.calls.d1]).toEqual([0, 1])
    expect(waited.read - at_once.read).toBeGreaterThan(0)
    expect(waited.read - at_once.read).toBeLessThanOrEqual(FEED_ENDS)
  })

  it('without changes reads five rows', async () => {
    for (const resource of ['', '&resource=orders', '&resource=products,inventory']) {
      const since = await now(api, `limit=1${resource}`)
      expect((await page(since)).read).toBeLessThanOrEqual(BESIDE)
    }
    expect((await page('from=now')).read).toBeLessThanOrEqual(BESIDE)
  })

  it('looks at an index for each resource, and sorts nothing', async () => {
    const since = await now(api)
    const upload = (quantity: number) =>
      api.post('/inventory/', {
        inventory: ['l1', 'l2', 'l3'].map((code) => ({
          location_code: code,
          sku_code: `p${code.slice(1)}`,
          quantity,
        })),
      })
    await upload(8)
    await upload(9)
    const { asked, bindings } = recordingStatements()
    const first = await api.get('/changes/?from=start&limit=5', { bindings })
    await api.get(`/changes/?cursor=${first.body.pagination.next_cursor}`, { bindings })
    const within = await api.get(`/changes/?${since}&limit=2`, { bindings })
    await api.get(`/changes/?cursor=${within.body.pagination.next_cursor}`, { bindings })
    const pages = asked.filter((sql) => sql.includes('union all'))
    expect(pages).toHaveLength(4)
    const searched = []
    for (const sql of pages) {
      const values = Array.from(sql.matchAll(/\?/g), () => 1)
      const { results } = await db
        .prepare(`explain query plan ${sql}`)
        .bind(...values)
        .all<{ detail: string }>()
      const plan = results.map(({ detail }) => detail)
      searched.push(
        plan.filter((line) => /SEARCH \w+ USING INDEX (\w+_changed|replaced_values_of)/.test(line))
          .length,
      )
      expect(plan.join('\n')).not.toMatch(
        /TEMP B-TREE|SCAN (products|locations|inventory|orders|replaced_values|stock|made)\b/,
      )
    }
    expect(searched).toEqual([3, 4, 4, 5])
  })
})

function recordingStatements() {
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
  return { asked, bindings: { ...env, DB_DEMO } }
}

/** Uploads the quantity for these of the pairs, by their numbers. */
async function upload(numbersOf: number[], quantity: number): Promise<void> {
  const inventory = numbersOf.map((n) => ({
    location_code: `l${n}`,
    sku_code: `p${n}`,
    quantity,
  }))
  expect((await api.post('/inventory/', { inventory })).body.data.failed).toBe(0)
}

/** Uploads the quantity for 400 products at the location. */
async function uploadTo(location_code: string, quantity: number): Promise<void> {
  const inventory = upTo(400).map((n) => ({ location_code, sku_code: `p${n + 9}`, quantity }))
  expect((await api.post('/inventory/', { inventory })).body.data.failed).toBe(0)
}

const upTo = (count: number) => Array.from({ length: count }, (_, at) => at + 1)

describe('a page of stock that uploads have changed', () => {
  it('reads two rows for each record, one for the upload, and five rows', async () => {
    let from = await now(api, 'limit=200&resource=inventory')
    await upload(upTo(1000), 20)
    for (const limit of [200, 50, 1, 200]) {
      const { body, read, shown } = await page(`${from}&limit=${limit}`)
      expect(shown).toBe(limit)
      expect(read).toBeLessThanOrEqual(2 * shown + 1 + BESIDE)
      from = `cursor=${body.pagination.next_cursor}`
    }
  })

  it('reads one row for each record that an upload has created', async () => {
    const since = await now(api, 'limit=200&resource=inventory')
    await uploadTo('l9', 1)
    const { body, read } = await page(`${since}&limit=150`)
    const next = await page(`cursor=${body.pagination.next_cursor}&limit=150`)
    expect([read, next.read].every((rows) => rows <= 150 + 1 + BESIDE)).toBe(true)
    expect(next.body.data).toHaveLength(150)
    await uploadTo('l9', 2)
    const passed = await page(`${since}&limit=1`)
    expect([passed.body.data, passed.body.pagination.has_more]).toEqual([[], true])
    expect(passed.read).toBeLessThanOrEqual(100 + 1 + BESIDE)
  })

  itInDeep(
    'passes over a hundred pairs for each of its rows, if later uploads have changed them again',
    async () => {
      const since = await now(api, 'limit=200&resource=inventory')
      await upload(upTo(2000), 30)
      await upload(upTo(2000), 31)
      const { body, read } = await page(`${since}&limit=10`)
      expect([body.data, body.pagination.has_more]).toEqual([[], true])
      expect(read).toBeLessThanOrEqual(2 * 1000 + 1 + BESIDE)
      const { changes } = await follow(api, since, 'limit=50')
      expect(changes).toHaveLength(2000)
      expect(new Set(changes.map(({ record }: Json) => record.quantity))).toEqual(new Set([31]))
    },
  )

  it('at the end reads no pair again, whatever it has passed over', async () => {
    const since = await now(api, 'limit=200&resource=inventory')
    await upload([1, 2, 3], 40)
    await upload([1, 2], 41)
    const { changes, next } = await follow(api, since)
    expect(changes).toHaveLength(3)
    expect((await page(next)).read).toBeLessThanOrEqual(BESIDE)
  })
})

describe('the stock whose uploads are not listed any longer', () => {
  it('is looked through a hundred records for each row of a page', async () => {
    const since = await now(api, 'limit=200&resource=inventory')
    await upload([2500], 50)
    await db.exec("delete from replaced_values where resource = 'inventory'")
    const { body, read } = await page(`${since}&limit=10`)
    expect([body.data, body.pagination.has_more]).toEqual([[], true])
    // The first look finds that the cursor is too old.
    expect(read).toBeLessThanOrEqual(1000 + 2 * BESIDE)
    expect((await follow(api, since, 'limit=10')).changes).toHaveLength(1)
  })
})

describe('the feed of a key with own_orders_only', () => {
  let own: Api

  beforeAll(async () => {
    own = (await openPartner({ own_orders_only: true })).api
  })

  /** So many orders of nobody, as the newest request has left them. */
  const addOrders = (count: number) => {
    const name = unique('x')
    return db
      .prepare(`${numbers} insert into orders (id, order_number, created_at, updated_at, changed_in, items_bytes)
      select ?1 || i, ?1 || i, ${times}, (select max(seq) from audit_log), 100 from n where i <= ?2`)
      .bind(name, count)
      .run()
  }
  const expectOnce = (changes: Json[], count: number) =>
    expect([changes.length, new Set(changes.map(nameOf)).size]).toEqual([count, count])

  it('passes over the orders of others, a thousand changes at most for a page', async () => {
    const since = await now(own)
    const first = await createOrder(own)
    await addOrders(3000)
    const last = await createOrder(own)
    const { changes, pages, next } = await follow(own, since, 'limit=50')
    const orders = changes.filter(({ resource }: Json) => resource === 'orders')
    expect(orders.map(({ record }: Json) => record)).toEqual([first, last])
    expect(pages).toBe(4)
    expect((await page(since, own)).read).toBeLessThan(2200)
    await addOrders(900)
    const later = await follow(own, next)
    expect((await page(later.next, own)).read).toBeLessThanOrEqual(3 * BESIDE)
  })

  it('goes on behind an upload that is the last of a thousand changes', async () => {
    const since = await now(own)
    await api.get('/orders/')
    await addOrders(999)
    await upload([1, 2, 3], 60)
    await upload([4, 5], 61)
    expectOnce((await follow(own, since)).changes, 5)
  })

  itInDeep(
    'from the start has its orders among thousands of others, and the stock once, behind them',
    async () => {
      const { order_number } = await createOrder(own)
      const { changes } = await follow(own, 'from=start', 'limit=200&resource=orders,inventory')
      const stock = changes.filter(({ resource }: Json) => resource === 'inventory')
      const count = await db.prepare('select count(*) as n from inventory').first<number>('n')
      expectOnce(stock, Number(count))
      expect(changes.map(nameOf)).toContain(`orders ${order_number}`)
    },
  )
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
