import { beforeAll, describe, expect, it } from 'vitest'
import { PRODUCTS_LOOKED_MAX } from '../../src/records/catalogue/without-stock.ts'
import { STOCK_LOOKED_MAX } from '../../src/records/inventory/quantity-below.ts'
import { type Dashboard, openDashboard } from '../fixtures/session.ts'
import { type Api, openAdmin, openTenant, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct, stock } from '../fixtures/warehouse.ts'

const LOW = '/dashboard/inventory/low/'
const WORKSPACE = '/api/settings/v1/workspace/'

let dashboard: Dashboard
let admin: Api
let db: D1Database

beforeAll(async () => {
  db = await openTenant()
  dashboard = await openDashboard()
  admin = await openAdmin()
})

const nextIn = (text: string) =>
  /href="([^"]*)" rel="next"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? null

/** The quantities that a page shows, with the SKUs. */
const rowsIn = (text: string) =>
  [
    ...text.matchAll(
      /data-label="SKU"[^>]*>(?:<a [^>]*>)?([^<]*)<.*?data-label="Quantity">([^<]*)</gs,
    ),
  ].map(([, sku, quantity]) => `${sku} ${quantity}`)

/** All pages, as they are linked. */
async function walk(path: string) {
  const rows: string[] = []
  const texts: string[] = []
  for (let next: string | null = path; next !== null; ) {
    const { status, text } = await dashboard.get(next)
    expect(status).toBe(200)
    rows.push(...rowsIn(text))
    texts.push(text)
    next = nextIn(text)
  }
  return { rows, texts }
}

/** So many records at the location, with quantities of this SQL over i. */
async function fill(location_code: string, rows: number, quantity: string): Promise<string> {
  const prefix = unique('M')
  const numbers = `with recursive n (i) as (select 0 union all select i + 1 from n where i < ${rows - 1})`
  await db.batch([
    db.prepare(
      `${numbers} insert into products (id, sku, created_at, updated_at)
       select '${prefix}' || i, '${prefix}' || i, '', '' from n`,
    ),
    db
      .prepare(
        `${numbers} insert into inventory (location_code, sku_code, quantity)
         select ?, '${prefix}' || i, ${quantity} from n`,
      )
      .bind(location_code),
  ])
  return prefix
}

describe('GET /dashboard/inventory/low/', () => {
  it('shows what the workspace calls low, the lowest first, each with a link to its adjustment', async () => {
    const { code } = await createLocation(admin)
    const made: string[] = []
    for (const quantity of [10, 11, 0, 25, 3, 10]) {
      made.push((await stock(admin, { location_code: code, quantity })).sku_code)
    }
    const [ten, eleven, none, more, three, otherTen] = made
    const at = `${LOW}?location_code=${code}`
    const { text } = await dashboard.get(at)
    expect(text).toContain('Stock of at most 10 at a location')
    expect(rowsIn(text)).toEqual([`${none} 0`, `${three} 3`, `${ten} 10`, `${otherTen} 10`])
    expect(text).toContain(
      `/dashboard/inventory/adjust/?location_code=${code}&amp;sku_code=${three}`,
    )
    await admin.put(WORKSPACE, { low_stock_quantity: 25 })
    expect((await walk(`${at}&limit=1`)).rows).toEqual([
      `${none} 0`,
      `${three} 3`,
      `${ten} 10`,
      `${otherTen} 10`,
      `${eleven} 11`,
      `${more} 25`,
    ])
    const all = (await walk(`${LOW}?limit=2`)).rows.filter((row) =>
      made.some((sku) => row.startsWith(`${sku} `)),
    )
    expect(all).toHaveLength(6)
    await admin.put(WORKSPACE, { low_stock_quantity: 10 })
  })

  it('is linked from the inventory, with its location', async () => {
    const { text } = await dashboard.get('/dashboard/inventory/?location_code=A')
    expect(text).toContain(`href="${LOW}?location_code=A"`)
  })

  it('is a file too', async () => {
    const { location_code, sku_code } = await stock(admin, { quantity: 2 })
    const at = `${LOW}?location_code=${location_code}`
    expect((await dashboard.get(at)).text).toContain(`href="${at}&amp;format=csv"`)
    const { text, headers } = await dashboard.get(`${at}&format=csv`)
    expect(headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
    expect(text.trim().split('\r\n').slice(1)).toEqual([`${location_code},${sku_code},2`])
    const whole = await dashboard.get(`${LOW}?format=csv`)
    expect(whole.text).toContain(`${location_code},${sku_code},2`)
  })

  it('says that nothing is low, and that a cursor is of another list', async () => {
    const { code } = await createLocation(admin)
    const { sku } = await createProduct(admin)
    await stock(admin, { location_code: code, sku_code: sku, quantity: 500 })
    const { text } = await dashboard.get(`${LOW}?location_code=${code}`)
    expect(text).toContain('No stock is low at this location.')
    const { body } = await admin.get('/inventory/?limit=1')
    const wrong = await dashboard.get(`${LOW}?cursor=${body.pagination.next_cursor}`)
    expect(wrong.status).toBe(400)
  })

  it.each([
    ['of few records', 300],
    ['of more than are looked at', STOCK_LOOKED_MAX + 300],
  ])('finds all of a location %s, and reads a bounded number of rows', async (_, rows) => {
    const [{ code }, other] = [await createLocation(admin), await createLocation(admin)]
    const prefix = await fill(code, rows, 'iif(i % 100 = 0, (i / 100) % 11, 5000 + i)')
    await fill(other.code, STOCK_LOOKED_MAX, '4')
    const { headers } = await dashboard.get(`${LOW}?location_code=${code}&limit=50`)
    const [, read] = /rows read (\d+)/.exec(headers.get('Server-Timing') ?? '') ?? []
    expect(Number(read)).toBeGreaterThan(rows > STOCK_LOOKED_MAX ? STOCK_LOOKED_MAX : rows)
    expect(Number(read)).toBeLessThan(2 * STOCK_LOOKED_MAX + 1000)
    const found = await walk(`${LOW}?location_code=${code}&limit=50`)
    const quantities = found.rows.map((row) => Number(row.split(' ')[1]))
    expect(found.rows.every((row) => row.startsWith(prefix))).toBe(true)
    expect(quantities).toHaveLength(rows / 100)
    expect(quantities).toEqual(quantities.toSorted((one, two) => one - two))
    const isLarge = rows > STOCK_LOOKED_MAX
    const isCut = found.texts.some((text) => text.includes('Searched 10,000 records of low stock.'))
    expect(isCut).toBe(isLarge)
  })
})

describe('GET /dashboard/products/ with without_stock', () => {
  it('lists products that have no stock at all, also as a file', async () => {
    const [bare, stocked] = [(await createProduct(admin)).sku, (await createProduct(admin)).sku]
    await stock(admin, { sku_code: stocked, quantity: 0 })
    const at = '/dashboard/products/?without_stock=true'
    const { text } = await dashboard.get(at)
    expect([text.includes(`>${bare}<`), text.includes(`>${stocked}<`)]).toEqual([true, false])
    expect(text).toMatch(/<option value="true" selected[^>]*>\s*Without stock at any location/)
    const file = await dashboard.get(`${at}&format=csv`)
    expect([file.text.includes(bare), file.text.includes(stocked)]).toEqual([true, false])
  })

  it('says where a look-up stopped, and goes on from there', async () => {
    const bare = (await createProduct(admin)).sku
    const { code } = await createLocation(admin)
    await fill(code, PRODUCTS_LOOKED_MAX, '5')
    const first = await dashboard.get('/dashboard/products/?without_stock=true')
    expect(first.text).toContain('Looked at 10,000 products.')
    expect(first.text).not.toContain(bare)
    expect((await dashboard.get(nextIn(first.text) ?? '')).text).toContain(bare)
  })
})
