import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { PRODUCTS_LOOKED_MAX } from '../../src/records/catalogue/without-stock.ts'
import { STOCK_LOOKED_MAX } from '../../src/records/inventory/quantity-below.ts'
import { LOCATIONS_ADDED_MAX } from '../../src/records/inventory/stock-totals.ts'
import { admin, db } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, nextIn, roundTrips, rowsRead } from '../fixtures/pages-read.ts'
import { openDashboard } from '../fixtures/session.ts'
import { openOther } from '../fixtures/signed-in.ts'
import { type Answer, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct, stock } from '../fixtures/warehouse.ts'

const LOW = '/dashboard/inventory/low/'
const WORKSPACE = '/api/settings/v1/workspace/'

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
  for (let next: string | undefined = path; next !== undefined; ) {
    const text = markupOf(await dashboard.get(next))
    rows.push(...rowsIn(text))
    texts.push(text)
    next = nextIn({ text })
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
    const read = rowsRead(await dashboard.get(`${LOW}?location_code=${code}&limit=50`))
    expect(read).toBeGreaterThan(rows > STOCK_LOOKED_MAX ? STOCK_LOOKED_MAX : rows)
    expect(read).toBeLessThan(2 * STOCK_LOOKED_MAX + 1000)
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
    expect((await dashboard.get(nextIn(first) ?? '')).text).toContain(bare)
  })
})

const LIST = '/dashboard/inventory/'
const READ = 'integrations.inventory.read'

const find = (query: Record<string, string>) =>
  dashboard.get(`${LIST}?${new URLSearchParams(query)}`)
const errorAt = ({ text }: Answer, field: string) =>
  new RegExp(`id="${field}-error">([^<]*)<`).exec(text)?.[1]

describe('GET /dashboard/inventory/', () => {
  it('says how stock arrives where there is none', async () => {
    const { text } = await (await openOther([READ])).get(LIST)
    expect(text).toContain('No stock yet.')
  })

  it('shows the newest first, with links to both records', async () => {
    const location = await createLocation(admin, { code: unique('<b>') })
    const product = await createProduct(admin)
    await stock(admin, { location_code: location.code, sku_code: product.sku, quantity: 54_321 })
    const { text } = await dashboard.get(LIST)
    expect(text).toContain(`href="/dashboard/locations/${location.id}/">&lt;b&gt;`)
    expect(text).toContain(`href="/dashboard/products/${product.id}/">${product.sku}<`)
    expect(text).toContain('54,321')
    const blind = await (await openDashboard([READ])).get(LIST)
    expect(blind.text).toContain(product.sku)
    expect(blind.text).not.toMatch(/href="\/dashboard\/(products|locations)/)
  })

  it('finds low stock at a location, and keeps the filters from page to page', async () => {
    const { code } = await createLocation(admin)
    for (const quantity of [9001, 9002, 9100, 9003]) {
      await stock(admin, { location_code: code, quantity })
    }
    const first = await find({ location_code: code, quantity_below: '9100', limit: '2' })
    expect(first.text).toMatch(/9,003.*9,002/s)
    expect(first.text).not.toMatch(/9,100|9,001/)
    const rest = await dashboard.get(nextIn(first) ?? '')
    expect(rest.text).toContain('9,001')
    expect(rest.text).not.toContain('9,100')
    expect(rest.text).toContain('value="9100"')
  })

  it('tells of filters that are wrong at their fields', async () => {
    const alone = await find({ quantity_below: '102' })
    expect(alone.status).toBe(400)
    expect(errorAt(alone, 'quantity_below')).toMatch(/^Send quantity_below beside/)
    expect(alone.text).toContain('value="102"')
    const many = await find({ quantity_below: 'many', sku_code: 'S' })
    expect(errorAt(many, 'quantity_below')).toMatch(/^Must be an integer from 1/)
    expect((await find({ sku_code: 'no such' })).text).toContain('Nothing matches these filters.')
  })

  it('says where a search stopped, and goes on from there', async () => {
    const { code } = await createLocation(admin)
    const { sku } = await stock(admin, { location_code: code, quantity: 8123 }).then(
      ({ sku_code }) => ({ sku: sku_code }),
    )
    const prefix = unique('M')
    await env.DB_DEMO.batch([
      env.DB_DEMO.prepare(
        `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
         insert into products (id, sku, created_at, updated_at) select ?1 || i, ?1 || i, '', '' from n`,
      ).bind(prefix, STOCK_LOOKED_MAX),
      env.DB_DEMO.prepare(
        `insert into inventory (location_code, sku_code, quantity)
         select ?1, sku, 10000 from products where sku glob ?2 || '*'`,
      ).bind(code, prefix),
    ])
    const first = await find({ location_code: code, quantity_below: '9000' })
    expect(first.text).toContain('Searched the newest 10,000 records.')
    expect(first.text).not.toContain(sku)
    const next = await dashboard.get(nextIn(first) ?? '')
    expect(next.text).toContain('8,123')
  })
})

const PRODUCTS_LIST = '/dashboard/products/'
const HEADING = 'Stock at locations'

/** A product with 7 at each of so many locations. */
async function productAt(locations: number): Promise<string> {
  const { sku } = await createProduct(admin, { quantity: -3 })
  const prefix = unique('P')
  const numbers = `with recursive n (i) as (select 1 where ${locations} union all select i + 1 from n where i < ${locations})`
  await db.batch([
    db.prepare(
      `${numbers} insert into locations (id, code, created_at, updated_at)
       select '${prefix}' || i, '${prefix}' || i, '', '' from n`,
    ),
    db
      .prepare(
        `${numbers} insert into inventory (location_code, sku_code, quantity)
         select '${prefix}' || i, ?, 7 from n`,
      )
      .bind(sku),
  ])
  return sku
}

/** The cells of the product's row, without tags. */
function rowOf(text: string, sku: string): Record<string, string> {
  const row = text.split('<tr>').find((part) => part.includes(`>${sku}</a>`)) ?? ''
  const cells = [...row.matchAll(/<td data-label="([^"]*)"[^>]*>(.*?)<\/td>/gs)]
  return Object.fromEntries(
    cells.map(([, label, cell = '']) => [label, cell.replace(/<[^>]*>/g, ' ').trim()]),
  )
}

describe('GET /dashboard/products/', () => {
  it.each([
    [0, 'none'],
    [1, '7 at 1 location'],
    [2, '14 at 2 locations'],
    [199, '1,393 at 199 locations'],
    [200, '1,400 or more at 200+ locations'],
    [450, '1,400 or more at 200+ locations'],
  ])('shows the stock at %i locations beside the stated quantity', async (locations, shown) => {
    const sku = await productAt(locations)
    for (const query of ['', `?search=${sku}`]) {
      const { text } = await dashboard.get(`${PRODUCTS_LIST}${query}`)
      const row = rowOf(text, sku)
      expect(row[HEADING]?.replace(/\s+/g, ' ')).toBe(shown)
      expect(row['Stated quantity']).toBe('-3')
    }
  })

  it('says once what the two quantities are', async () => {
    const { text } = await dashboard.get(PRODUCTS_LIST)
    expect(text.split('Neither changes the other.')).toHaveLength(2)
    expect((await dashboard.get('/dashboard/locations/')).text).not.toContain(HEADING)
  })

  it('shows no stock to a key that may not read it', async () => {
    const sku = await productAt(1)
    const blind = await openDashboard(['integrations.products.read'])
    const { text } = await blind.get(PRODUCTS_LIST)
    expect(text).toContain(sku)
    expect(text).not.toContain(HEADING)
  })

  it('reads at most 200 records of stock for each product, with one query', async () => {
    for (let n = 0; n < 5; n++) await productAt(LOCATIONS_ADDED_MAX + 100)
    const many = await dashboard.get(`${PRODUCTS_LIST}?limit=5`)
    expect(rowsRead(many)).toBeGreaterThan(5 * LOCATIONS_ADDED_MAX)
    expect(rowsRead(many)).toBeLessThan(5 * (LOCATIONS_ADDED_MAX + 10) + 20)
    expect(roundTrips(many)).toBe(2)
  })
})
