import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { createKey, openTenant, unique } from '../fixtures/tenant.ts'
import { createLocation, createOrder, createProduct, oneLine } from '../fixtures/warehouse.ts'
import { wordsOf } from './mapping-forms.ts'

const linkIn = (text: string, name: string) =>
  new RegExp(`<a href="([^"]*)"[^>]*>\\s*${name}\\s*</a>`).exec(text)?.[1]?.replaceAll('&amp;', '&')

/** The rows of a page; other links of it say how one came there. */
const rowsIn = (text: string) => /<tbody>.*<\/tbody>/s.exec(text)?.[0]

const MADE: [list: string, make: () => Promise<unknown>, names?: string[]][] = [
  ['/dashboard/orders/?status=pending', async () => createOrder(admin)],
  ['/dashboard/products/', () => createProduct(admin)],
  ['/dashboard/locations/?is_active=true', () => createLocation(admin)],
  ['/dashboard/api-keys/', () => createKey()],
  ['/dashboard/partners/', () => admin.post('/api/settings/v1/partners/', { name: unique('P') })],
  ['/dashboard/audit-log/?area=integrations&range=24h', () => createProduct(admin)],
  ['/dashboard/history/', () => admin.post('/api/settings/v1/partners/', { name: unique('P') })],
  [
    '/dashboard/products/?search=SAME-',
    () => createProduct(admin, { sku: unique('SAME-') }),
    ['Next', 'Previous'],
  ],
]

describe.each(MADE)('the pages of %s', (list, make, [next, previous] = ['Older', 'Newer']) => {
  it('lead back as they lead on, to the first one', async () => {
    for (let n = 0; n < 5; n++) await make()
    const at = (path: string) => dashboard.get(path)
    const first = await at(`${list}${list.includes('?') ? '&' : '?'}limit=1`)
    expect(linkIn(first.text, String(previous))).toBeUndefined()
    const pages = [first]
    for (let n = 1; n < 5; n++) {
      const last = pages.at(-1)?.text ?? ''
      pages.push(await at(linkIn(last, String(next)) ?? ''))
    }
    let page = pages.pop()
    while (pages.length > 1) {
      const expected = pages.pop()
      page = await at(linkIn(page?.text ?? '', String(previous)) ?? '')
      expect(rowsIn(page.text)).toBe(rowsIn(expected?.text ?? ''))
    }
    const back = linkIn(page?.text ?? '', String(previous)) ?? ''
    expect(back).toBe(`${list}${list.includes('?') ? '&' : '?'}limit=1`)
  })
})

describe('a page far from the first one', () => {
  it('leads back 20 pages, and then to the first one alone', async () => {
    const items = await oneLine(admin)
    const external_order_id = unique('E')
    for (let n = 0; n < 24; n++) await createOrder(admin, { items, external_order_id })
    let page = await dashboard.get(
      `/dashboard/orders/?external_order_id=${external_order_id}&limit=1`,
    )
    for (let n = 0; n < 23; n++) page = await dashboard.get(linkIn(page.text, 'Older') ?? '')
    expect(linkIn(page.text, 'Older')).toBeUndefined()
    let steps = 0
    for (let href = linkIn(page.text, 'Newer'); href; href = linkIn(page.text, 'Newer')) {
      page = await dashboard.get(href)
      steps += 1
    }
    expect(steps).toBe(20)
    const first = linkIn(page.text, 'Newest') ?? ''
    expect(linkIn((await dashboard.get(first)).text, 'Newest')).toBeUndefined()
  })

  it.each(['x y', '.', '<b>', Array(30).fill('a').join('.')])(
    'ignores the trail %j',
    async (back) => {
      const page = await dashboard.get(`/dashboard/orders/?limit=1`)
      const older = linkIn(page.text, 'Older') ?? ''
      const parameters = new URLSearchParams(older.split('?')[1])
      parameters.set('back', back)
      const { status, text } = await dashboard.get(`/dashboard/orders/?${parameters}`)
      expect([status, linkIn(text, 'Newer')]).toEqual([200, undefined])
      expect(linkIn(text, 'Newest')).toBe('/dashboard/orders/?limit=1')
    },
  )
})

describe('a filtered list', () => {
  it.each([
    [1, '1 order '],
    [3, '3 orders '],
    [50, '50 orders '],
    [51, '50+ orders '],
  ])('of %i says so', async (orders, said) => {
    const partner = unique('P')
    const db = await openTenant()
    await db
      .prepare("insert into partners (id, name, created_at, updated_at) values (?1, ?1, '', '')")
      .bind(partner)
      .run()
    await db
      .prepare(
        `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
         insert into orders (id, order_number, partner_id, created_at, updated_at)
         select ?1 || i, ?1 || i, ?1, '2026-01-01T00:00:00.000Z', '' from n`,
      )
      .bind(partner, orders)
      .run()
    const list = `/dashboard/orders/?partner_id=${partner}`
    const page = await dashboard.get(list)
    expect(/<p class="list-count">([^<]*)</.exec(page.text)?.[1]?.trim().concat(' ')).toBe(said)
    const older = linkIn(page.text, 'Older')
    if (older) expect((await dashboard.get(older)).text).not.toContain('list-count')
  })

  it('alone has a count', async () => {
    await createOrder(admin)
    for (const path of ['/dashboard/orders/', '/dashboard/orders/?limit=1&status=']) {
      expect((await dashboard.get(path)).text).not.toContain('list-count')
    }
  })

  it.each([
    ['/dashboard/products/?search=COUNTED-', '2 products'],
    ['/dashboard/inventory/?sku_code=COUNTED-1', '1 record of stock'],
    ['/dashboard/api-keys/', ''],
  ])('%s', async (path, said) => {
    const db = await openTenant()
    await db.batch([
      db.prepare(
        "insert or ignore into products (id, sku, created_at, updated_at) values ('C1', 'COUNTED-1', '', ''), ('C2', 'COUNTED-2', '', '')",
      ),
      db.prepare(
        "insert or ignore into locations (id, code, created_at, updated_at) values ('C1', 'COUNTED', '', '')",
      ),
      db.prepare(
        "insert or ignore into inventory (location_code, sku_code, quantity) values ('COUNTED', 'COUNTED-1', 3)",
      ),
    ])
    const found = /<p class="list-count">([^<]*)</.exec((await dashboard.get(path)).text)?.[1] ?? ''
    expect(found.trim()).toBe(said)
    expect(wordsOf(await dashboard.get(path))).toContain(said)
  })
})
