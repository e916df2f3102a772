import { beforeAll, describe, expect, it } from 'vitest'
import { LOCATIONS_ADDED_MAX } from '../../src/records/inventory/stock-totals.ts'
import { type Dashboard, openDashboard } from '../fixtures/session.ts'
import { type Api, openAdmin, openTenant, unique } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'

const LIST = '/dashboard/products/'
const HEADING = 'Stock at locations'

let dashboard: Dashboard
let admin: Api
let db: D1Database

beforeAll(async () => {
  db = await openTenant()
  dashboard = await openDashboard()
  admin = await openAdmin()
})

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

const readBy = ({ headers }: { headers: Headers }) =>
  Number(/rows read (\d+)/.exec(headers.get('Server-Timing') ?? '')?.[1])

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
      const { text } = await dashboard.get(`${LIST}${query}`)
      const row = rowOf(text, sku)
      expect(row[HEADING]?.replace(/\s+/g, ' ')).toBe(shown)
      expect(row['Stated quantity']).toBe('-3')
    }
  })

  it('says once what the two quantities are', async () => {
    const { text } = await dashboard.get(LIST)
    expect(text.split('Neither changes the other.')).toHaveLength(2)
    expect((await dashboard.get('/dashboard/locations/')).text).not.toContain(HEADING)
  })

  it('shows no stock to a key that may not read it', async () => {
    const sku = await productAt(1)
    const blind = await openDashboard(['integrations.products.read'])
    const { text } = await blind.get(LIST)
    expect(text).toContain(sku)
    expect(text).not.toContain(HEADING)
  })

  it('reads at most 200 records of stock for each product, with one query', async () => {
    for (let n = 0; n < 5; n++) await productAt(LOCATIONS_ADDED_MAX + 100)
    const many = await dashboard.get(`${LIST}?limit=5`)
    expect(readBy(many)).toBeGreaterThan(5 * LOCATIONS_ADDED_MAX)
    expect(readBy(many)).toBeLessThan(5 * (LOCATIONS_ADDED_MAX + 10) + 20)
    const trips = (answer: { headers: Headers }) =>
      Number(/round trips (\d+)/.exec(answer.headers.get('Server-Timing') ?? '')?.[1])
    expect(trips(many)).toBe(2)
  })
})
