import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { type Json, openAdmin, openTenant, unique } from '../fixtures/tenant.ts'

// P6 (docs/ARCHITECTURE.md): a walk over all pages sees each row that was there before it, once.

const sku = unique('SKU')

const createOrder = async () => {
  const order_number = unique('O')
  await api.post('/orders/', { order_number, items: [{ sku_code: sku, quantity: 1 }] })
  return order_number
}
const createProduct = async () => {
  const name = unique('S')
  await api.post('/products/', { sku: name })
  return name
}
const createLocation = async () => {
  const code = unique('L')
  await api.post('/locations/', { code })
  return code
}
const createStock = async () => {
  const location_code = await createLocation()
  await api.post('/inventory/', { inventory: [{ location_code, sku_code: sku, quantity: 1 }] })
  return location_code
}

async function walk(path: string, limit: number, between: () => Promise<unknown>) {
  const seen: Json[] = []
  let cursor: string | null = null
  do {
    const after = cursor ? `&cursor=${cursor}` : ''
    const { body } = await api.get(`${path}?limit=${limit}${after}`)
    seen.push(...body.data)
    cursor = body.pagination.next_cursor
    await between()
  } while (cursor)
  return seen
}

const db = await openTenant()
const api = await openAdmin()
await api.post('/products/', { sku })

describe.each(
  sample(
    [
      ['/orders/', 'order_number', createOrder],
      ['/products/', 'sku', createProduct],
      ['/locations/', 'code', createLocation],
      ['/inventory/', 'location_code', createStock],
    ],
    2,
  ),
)('GET %s, page by page while others insert', (path, name, create) => {
  it('gives every earlier row once, newest first', async () => {
    const earlier: string[] = []
    for (let n = 0; n < 23; n++) earlier.push(await create())
    const seen = await walk(path, 3, () => Promise.all([create(), create()]))
    const names = seen.map((row) => row[name]).filter((value) => earlier.includes(value))
    expect(names).toEqual(earlier.toReversed())
  })

  it('gives every row of one bulk insert once, though all share a timestamp', async () => {
    const total = (await walk(path, 200, async () => undefined)).length
    const pages = await walk(path, 7, async () => undefined)
    expect(pages).toHaveLength(total)
    expect(new Set(pages.map((row) => JSON.stringify(row))).size).toBe(total)
  })
})

describe('GET /api/settings/v1/audit-log/, page by page while others work', () => {
  it('gives every earlier row once', async () => {
    const { results } = await db.prepare('select request_id from audit_log').all()
    const seen = await walk('/api/settings/v1/audit-log/', 50, () => api.get('/orders/'))
    const earlier = new Set(results.map((row) => row.request_id))
    const ids = seen.map((row) => row.request_id).filter((id) => earlier.has(id))
    expect(ids).toHaveLength(earlier.size)
    expect(new Set(ids)).toEqual(earlier)
  })
})

describe('reading a page of 50', () => {
  it('reads 50 rows and a few, however many there are', async () => {
    await db.exec(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
       insert into orders (id, order_number, created_at, updated_at)
       select 'many-' || i, 'many-' || i, '2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z' from n`.replaceAll(
        '\n',
        ' ',
      ),
    )
    const answer = await api.get('/orders/?limit=50')
    const rowsRead = Number(/rows read (\d+)/.exec(answer.headers.get('Server-Timing') ?? '')?.[1])
    expect(rowsRead).toBeLessThanOrEqual(55)
  })
})
