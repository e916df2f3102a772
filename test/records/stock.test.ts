import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { api } from '../fixtures/opened-api.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { type Json, openTenant, unique } from '../fixtures/tenant.ts'
import {
  createLocation,
  createProduct,
  dataOf,
  expectData,
  ODD_NAMES,
  ODD_WHOLES,
  path,
  stock,
} from '../fixtures/warehouse.ts'
import { newPair, stockAt, upload } from './inventory.ts'
import { testPages } from './paging.ts'

describe('GET /inventory/', () => {
  testPages({
    path: '/inventory/',
    other: '/products/',
    add: async (to) => (await stock(to)).sku_code,
    addToOther: (to) => createProduct(to),
    change: async (to, sku_code) => {
      const found = dataOf(await to.get(`${path('inventory', sku_code)}?by=sku`), 200)
      return await to.post('/inventory/', { inventory: [{ ...found[0], quantity: 77 }] })
    },
    nameOf: (row) => row.sku_code,
  })

  it('shows location_code, sku_code and quantity of each record', async () => {
    const row = await stock(api, { quantity: 12 })
    const answer = await api.get('/inventory/?limit=1')
    expectData(answer, 200, [row], {
      pagination: { limit: 1, next_cursor: answer.body.pagination.next_cursor },
    })
  })

  it('shows the rows of one upload last one first, across locations', async () => {
    const rows: object[] = []
    while (rows.length < 5) rows.push({ ...(await newPair()), quantity: rows.length })
    await upload(rows)
    expect(dataOf(await api.get('/inventory/?limit=5'), 200)).toStrictEqual(rows.toReversed())
  })

  it('shows records of inactive products and locations', async () => {
    const row = await stock(api)
    await api.delete(path('locations', row.location_code))
    await api.delete(path('products', row.sku_code))
    expect(dataOf(await api.get('/inventory/?limit=1'), 200)).toStrictEqual([row])
  })
})

describe('GET /inventory/{identifier}/', () => {
  it('answers every SKU held at the location, by default and with by=location', async () => {
    const { code: location_code } = await createLocation(api)
    const rows: Json[] = []
    while (rows.length < 3) {
      const { sku: sku_code } = await createProduct(api)
      rows.push({ location_code, sku_code, quantity: rows.length })
    }
    await upload([...rows, { ...(await newPair()), quantity: 5 }])
    for (const by of ['', '?by=location']) {
      expectData(await api.get(path('inventory', location_code) + by), 200, rows.toReversed())
    }
  })

  it('answers every location holding the SKU with by=sku', async () => {
    const { sku: sku_code } = await createProduct(api)
    const rows: Json[] = []
    while (rows.length < 3) {
      const { code: location_code } = await createLocation(api)
      rows.push({ location_code, sku_code, quantity: rows.length })
    }
    await upload([...rows, { ...(await newPair()), quantity: 5 }])
    expectData(await api.get(`${path('inventory', sku_code)}?by=sku`), 200, rows.toReversed())
  })

  it.each(['', '?by=location', '?by=sku'])(
    'answers [] for an unknown code with "%s"',
    async (by) => {
      const { status, body } = await api.get(path('inventory', unique('NO')) + by)
      const { warnings, ...rest } = body
      expect({ status, rest }).toStrictEqual({ status: 200, rest: { success: true, data: [] } })
      expect(warnings).toHaveLength(1)
    },
  )

  it('answers [] for a location and for a SKU without stock', async () => {
    const { location_code, sku_code } = await newPair()
    expect(await stockAt(location_code)).toStrictEqual([])
    expect(dataOf(await api.get(`${path('inventory', sku_code)}?by=sku`), 200)).toStrictEqual([])
  })

  it('answers [] for a SKU taken for a location, and the other way round', async () => {
    const row = await stock(api)
    expect(await stockAt(row.sku_code)).toStrictEqual([])
    const answer = await api.get(`${path('inventory', row.location_code)}?by=sku`)
    expect(dataOf(answer, 200)).toStrictEqual([])
  })

  it('tells a location from a SKU of the same code by the parameter by', async () => {
    const both = unique('BOTH')
    await createLocation(api, { code: both })
    await createProduct(api, { sku: both })
    const here = await stock(api, { location_code: both, quantity: 1 })
    const there = await stock(api, { sku_code: both, quantity: 2 })
    expect(await stockAt(both)).toStrictEqual([here])
    const found = dataOf(await api.get(`${path('inventory', both)}?by=sku`), 200)
    expect(found).toStrictEqual([there])
  })

  it.each(['product', 'code', '', 'SKU', 'Location', 'sku%20', 'location,sku', '1'])(
    'answers 400 VALIDATION_ERROR for by=%s',
    async (by) => {
      expectInvalid(await api.get(`/inventory/X/?by=${by}`), 'by')
    },
  )

  it('answers 400 VALIDATION_ERROR for a repeated by', async () => {
    expectInvalid(await api.get('/inventory/X/?by=sku&by=location'), 'by')
  })

  it('has no pages, and refuses limit and cursor', async () => {
    const { code: location_code } = await createLocation(api)
    await stock(api, { location_code })
    await stock(api, { location_code })
    const at = path('inventory', location_code)
    expectInvalid(await api.get(`${at}?limit=1&cursor=x`), 'limit', 'cursor')
    const answer = await api.get(at)
    expect(dataOf(answer, 200)).toHaveLength(2)
    expect(answer.body.pagination).toBeUndefined()
  })

  it('shows an inactive location and an inactive product', async () => {
    const row = await stock(api)
    await api.delete(path('locations', row.location_code))
    await api.delete(path('products', row.sku_code))
    expect(await stockAt(row.location_code)).toStrictEqual([row])
    const found = dataOf(await api.get(`${path('inventory', row.sku_code)}?by=sku`), 200)
    expect(found).toStrictEqual([row])
  })

  it.each(sample([9_999, 10_000, 10_001, 20_001], 1))(
    'answers all of %i SKUs at one location',
    async (count) => {
      const { code: location_code } = await createLocation(api)
      const skus = await seedProducts(count)
      const rows = skus.map((sku_code, quantity) => ({ location_code, sku_code, quantity }))
      expect(dataOf(await upload(rows), 200)).toMatchObject({ created: count, failed: 0 })
      const answer = await api.get(`${path('inventory', location_code)}`)
      expect(answer.headers.get('Content-Type')).toMatch(/^application\/json/)
      const found = dataOf(answer, 200)
      expect(found).toHaveLength(count)
      expect(JSON.stringify(found)).toBe(JSON.stringify(rows.toReversed()))
    },
  )

  it.each(sample(ODD_NAMES, 3))('finds stock at a location and of a SKU named …%s', async (odd) => {
    await findStock(unique('ODD') + odd)
  })

  it.each(sample(ODD_WHOLES, 3))('finds stock at a location and of a SKU named %s', findStock)

  async function findStock(odd: string) {
    await createLocation(api, { code: odd })
    await createProduct(api, { sku: odd })
    const row = await stock(api, { location_code: odd, sku_code: odd, quantity: 3 })
    expect(await stockAt(odd)).toStrictEqual([row])
    const found = dataOf(await api.get(`${path('inventory', odd)}?by=sku`), 200)
    expect(found).toStrictEqual([row])
  }
})

/** Many products at once, past the API, which creates one at a time. */
async function seedProducts(count: number): Promise<string[]> {
  const prefix = unique('SEED')
  const db = await openTenant()
  await db
    .prepare(
      `with recursive n (i) as (select 0 union all select i + 1 from n where i + 1 < ?)
       insert into products (id, sku, created_at, updated_at)
       select ? || i, ? || i, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from n`,
    )
    .bind(count, prefix, prefix)
    .run()
  return Array.from({ length: count }, (_, i) => prefix + i)
}
