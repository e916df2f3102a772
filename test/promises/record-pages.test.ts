import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { openPartner } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { openAdmin } from '../fixtures/tenant.ts'
import { createLocation, createOrder, createProduct } from '../fixtures/warehouse.ts'

// What the dashboard's pages of records cost: what they show, however much there is.

const ROWS = 3000
/** A page, and the rows by which it knows that there are more (test/promises/filters.test.ts). */
const PAGE = 55

async function costOf(path: string) {
  const { status, headers } = await dashboard.get(`/dashboard/${path}`)
  expect(status).toBe(200)
  const [, trips, rows] = /round trips (\d+), rows read (\d+)/.exec(
    headers.get('Server-Timing') ?? '',
  ) as string[]
  return { trips: Number(trips), rows: Number(rows) }
}

// A name that is a link costs three rows read: the name in its list, its entry in the index, and its record.
const LINKS = 3 * 50
// The stock of a product: its SKU in the list, and its one record here. One of them has many, of which 200 are read.
const STOCK = 2 * 50 + 200

const admin = await openAdmin()
const dashboard = await openDashboard()
const partner = (await openPartner()).id
const { id, sku } = await createProduct(admin)
const made = await createLocation(admin)
const code = made.code
const location = made.id
const product = id
const numbered = `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${ROWS})`
const time = '2026-01-01T00:00:00.000Z'
await env.DB_DEMO.batch([
  env.DB_DEMO.prepare(
    `${numbered} insert into orders (id, order_number, partner_id, status, created_at, updated_at)
     select 'o' || i, 'o' || i, ?1, iif(i % 2, 'draft', 'shipped'), ?2, ?2 from n`,
  ).bind(partner, time),
  ...['products (id, sku', 'locations (id, code'].map((columns) =>
    env.DB_DEMO.prepare(
      `${numbered} insert into ${columns}, is_active, created_at, updated_at)
       select 'r' || i, 'r' || i, i % 2, ?1, ?1 from n`,
    ).bind(time),
  ),
  env.DB_DEMO.prepare(
    `${numbered} insert into inventory (location_code, sku_code, quantity) select ?1, 'r' || i, 9 from n`,
  ).bind(code),
  env.DB_DEMO.prepare(
    `${numbered} insert into inventory (location_code, sku_code, quantity) select 'r' || i, ?1, 9 from n`,
  ).bind(sku),
])
const order = (await createOrder(admin, { items: [{ sku_code: sku, quantity: 1 }] })).id
// The isolate knows the key from now on.
await dashboard.get('/dashboard/workspace/')

describe.each([
  ['orders/', 2, PAGE],
  ['orders/?status=draft', 2, PAGE],
  ['orders/?partner_id=', 2, PAGE],
  ['products/', 2, PAGE + STOCK],
  ['products/?is_active=false', 2, PAGE + STOCK],
  ['products/?is_active=all', 2, PAGE + STOCK],
  ['locations/', 2, PAGE + LINKS],
  ['locations/?is_active=false', 2, PAGE + LINKS],
  ['inventory/', 3, PAGE + 2 * LINKS],
  ['inventory/?location_code=', 3, PAGE + 2 * LINKS],
  ['inventory/low/', 3, PAGE + 2 * LINKS],
])('GET /dashboard/%s', (path, trips, rows) => {
  it('reads what it shows, in a fixed number of round trips', async () => {
    const cost = await costOf(
      path.replace('partner_id=', `partner_id=${partner}`).replace('code=', `code=${code}`),
    )
    expect(cost.trips).toBeLessThanOrEqual(trips)
    // The settings, and the names of the few partners to choose from.
    expect(cost.rows).toBeLessThanOrEqual(rows + 10)
  })
})

// After the history: which of its keys and partners have a page.
describe.each([
  // Beside the order and its partner, at the same time: whether a shop has delivered other lines.
  ['orders', () => order, 6],
  // Beside stock and history, at the same time: how many deliveries wait for the record.
  ['products', () => product, 6],
  ['locations', () => location, 6],
])('GET /dashboard/%s/:id/', (resource, id, trips) => {
  it('reads what it shows, in a fixed number of round trips', async () => {
    const cost = await costOf(`${resource}/${id()}/`)
    expect(cost.trips).toBeLessThanOrEqual(trips)
    expect(cost.rows).toBeLessThanOrEqual(100)
  })
})
