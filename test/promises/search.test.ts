import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { byDepth } from '../depth.ts'
import { openPartner } from '../partner.ts'
import { pagesOf, type Searched, search } from '../resources/searching.ts'
import { openTenant } from '../tenant.ts'

// A search reads its page along indexes, in one round trip, whatever else the tables hold. Some thousands of rows
// show it as well as a million: a page reads as many rows of either.

const ROWS = 12_000
/** Beyond the rows of a page: one that tells whether more follow, and one ahead in each of the few walks. */
const FEW = 10
const PAGES_MAX = byDepth(12, 1000)
const FIELDS = ['metadata.ref', 'metadata.other', 'notes']

let db: D1Database

beforeAll(async () => {
  db = await openTenant()
  for (const identifier_field of FIELDS) {
    await openPartner({ mappings: { orders: { identifier_field } } })
  }
  const fill = (table: string, columns: string, values: string) =>
    db.prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${ROWS})
       insert into ${table} (${columns}, created_at, updated_at)
       select ${values}, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from n`,
    )
  // A third of the orders matches "N" in every way, a third by the customer alone, and a third by nothing.
  const number = `case i % 3 when 0 then 'N' else 'x' end || i`
  await db.batch([
    fill(
      'orders',
      'id, order_number, external_order_id, customer_name, metadata, notes',
      `'i' || i, ${number}, ${number}, case i % 3 when 2 then 'Ada' else 'nora' end || (i % 7),
       json_object('ref', ${number}, 'other', ${number}), ${number}`,
    ),
    fill('products', 'id, sku', `'i' || i, 'N' || i`),
    fill(
      'locations',
      'id, code, name, zone, aisle',
      `'i' || i, 'N' || i, 'N' || i, case i % 2 when 0 then 'NÖRD' else 'nörd' end, 'nora' || (i % 3)`,
    ),
  ])
  await search('orders', 'none')
})

/** Searches with many pages. */
const SEARCHES: [Searched, string][] = [
  ['orders', 'N'],
  ['orders', 'nora'],
  ['orders', 'nora1'],
  ['orders', 'ADA'],
  ['orders', 'x'],
  ['products', 'N'],
  ['locations', 'N'],
  ['locations', 'nörd'],
  ['locations', 'NORA2'],
]

describe.each(SEARCHES)('a search of %s by "%s"', (resource, text) => {
  it('reads 50 rows and a few, in one round trip, on each of its pages', async () => {
    let pages = 0
    for await (const { cost } of pagesOf(resource, text, 50)) {
      console.log(resource, text, pages, cost)
      expect(cost.trips).toBe(1)
      expect(cost.read).toBeLessThanOrEqual(51 + FEW)
      pages += 1
      if (pages === PAGES_MAX) break
    }
    expect(pages).toBeGreaterThan(5)
  })
})
