import { beforeEach, describe, expect, it } from 'vitest'
import { admin, db } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { wordsOf } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { linksIn, openDashboard } from '../fixtures/session.ts'
import { createKey, openTenant, unique } from '../fixtures/tenant.ts'
import { createOrder, oneLine, stock } from '../fixtures/warehouse.ts'

// How the warehouse is, on the overview.

const DAY = 86_400_000

beforeEach(() =>
  db.batch(['order_items', 'orders'].map((table) => db.prepare(`delete from ${table}`))),
)

const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()

const addOrders = (number: number, status: string, partner_id: string | null = null) =>
  db
    .prepare(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)
       insert into orders (id, order_number, status, partner_id, created_at, updated_at)
       select ?2 || i, ?2 || i, ?3, ?4, strftime('%Y-%m-%dT%H:%M:%fZ', '2026-01-01', '+' || i || ' hours'), '' from n`,
    )
    .bind(number, unique('o'), status, partner_id)
    .run()

/** The section, and the words of each row of its table. */
async function shown(of = dashboard) {
  const page = await of.get('/dashboard/')
  const [, section = ''] = /<h2>The warehouse<\/h2>(.*?)<\/section>/s.exec(page.text) ?? []
  const rows = Array.from(section.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs), ([, row = '']) =>
    wordsOf({ ...page, text: row }).trim(),
  )
  return { rows, words: wordsOf({ ...page, text: section }), links: linksIn(section) }
}

describe('GET /dashboard/', () => {
  it('counts open orders by status, with the oldest, and leads to them', async () => {
    await addOrders(2, 'pending')
    await addOrders(1, 'verified')
    for (const status of ['draft', 'shipped', 'cancelled']) await addOrders(1, status)
    const { rows, links } = await shown()
    expect(rows).toEqual(['pending 2 2026-01-01 01:00 UTC —', 'verified 1 2026-01-01 01:00 UTC —'])
    expect(links).toContain('/dashboard/orders/?status=pending')
  })

  it('counts up to 50', async () => {
    await addOrders(49, 'pending')
    expect((await shown()).rows).toEqual(['pending 49 2026-01-01 01:00 UTC —'])
    await addOrders(3, 'pending')
    expect((await shown()).rows).toEqual(['pending 50+ 2026-01-01 01:00 UTC — of the oldest 50'])
  })

  it('counts those whose due date has passed, a day without a time only when it is over', async () => {
    const items = await oneLine(admin)
    const today = inDays(0).slice(0, 10)
    for (const due_date of [inDays(-1), inDays(-0.001), today, inDays(1), null]) {
      await createOrder(admin, { items, ...(due_date && { due_date }) })
    }
    expect((await shown()).rows).toEqual([expect.stringMatching(/^pending 5 .* 2$/)])
  })

  it("counts its partner's orders alone for a key with own_orders_only", async () => {
    const scopes = ['settings.audit.read', 'integrations.orders.read']
    const partner = await openPartner({ own_orders_only: true, scopes })
    await addOrders(3, 'pending')
    await addOrders(2, 'pending', partner.id)
    const limited = await openDashboard([], { key: partner.key.key })
    expect((await shown(limited)).rows).toEqual([expect.stringMatching(/^pending 2 /)])
  })

  it('says how often stock was changed lately, and by whom last', async () => {
    await addOrders(1, 'pending')
    const partner = await openPartner()
    await stock(admin)
    await stock(partner.api)
    const row = await stock(partner.api)
    // It changes nothing.
    await stock(partner.api, row)
    const { words, links } = await shown()
    expect(words).toContain('3 requests changed stock in the last 24 hours.')
    expect(words.match(/Last stock of /g)).toHaveLength(2)
    expect(words).toMatch(new RegExp(`Last stock of ${partner.name} : \\d{4}-`))
    const [last = ''] = links.filter((href) => href.startsWith('/dashboard/audit-log/0'))
    expect(wordsOf(await dashboard.get(last))).toContain(partner.name)
    await db.prepare("update audit_log set created_at = '2026-01-01T00:00:00.000Z'").run()
    expect((await shown()).words).toContain('No stock was changed in the last 24 hours.')
  })

  it.each([
    [0, 'Low stock : none.'],
    [1, 'Low stock : 1 product at a location.'],
    [49, 'Low stock : 49 products at their locations.'],
    [60, 'Low stock : 50+ products at their locations.'],
  ])('counts the stock that the workspace calls low: %i', async (records, said) => {
    await addOrders(1, 'pending')
    await db.prepare('update inventory set quantity = 8').run()
    await db.prepare('update workspace set low_stock_quantity = 7').run()
    const { sku_code } = await stock(admin, { quantity: 8 })
    await db.batch([
      db
        .prepare(
          `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?1)
           insert into locations (id, code, created_at, updated_at)
           select ?2 || i, ?2 || i, '', '' from n where i <= ?1`,
        )
        .bind(records, sku_code),
      db
        .prepare(
          `insert into inventory (location_code, sku_code, quantity)
           select code, ?2, 7 from locations where id glob ?2 || '*' limit ?1`,
        )
        .bind(records, sku_code),
    ])
    expect((await shown()).words).toContain(said)
  })

  it('shows what the scopes of the key open, and no more', async () => {
    await addOrders(1, 'pending')
    await stock(admin)
    const seen = async (...scopes: string[]) =>
      (await shown(await openDashboard(['settings.audit.read', ...scopes]))).words
    expect(await seen()).toBe('')
    expect(await seen('integrations.orders.read')).not.toContain('tock')
    expect(await seen('integrations.inventory.read')).not.toContain('pending')
  })
})

describe('GET /dashboard/ of a tenant without orders and stock', () => {
  const steps = (text: string) => {
    const [, list = ''] = /<ol class="set-up">(.*?)<\/ol>/s.exec(text) ?? []
    return Array.from(list.matchAll(/<li(.*?)<\/li>/gs), ([, step = '']) => step)
  }
  const done = (text: string) => steps(text).map((step) => step.includes('Done: '))

  it('shows how to set up instead, and ticks what is done', async () => {
    const other = await openTenant('other')
    const { value } = await createKey(['settings.*', 'integrations.*'], { tenant: 'other' })
    const owner = await openDashboard([], { key: value })
    const page = async () => (await owner.get('/dashboard/')).text
    const first = await page()
    expect(done(first)).toEqual([false, false, false, false])
    expect(first).not.toMatch(/Nothing needs you|The warehouse/)
    expect(steps(first).map((step) => linksIn(step))).toEqual([
      ['/dashboard/connect/', '/dashboard/new/api-key/'],
      [
        '/dashboard/new/location/',
        '/dashboard/new/product/',
        '/dashboard/import/locations/',
        '/dashboard/import/products/',
      ],
      ['/docs/'],
      ['/dashboard/workspace/'],
    ])
    await createKey(undefined, { tenant: 'other' })
    expect(done(await page())).toEqual([true, false, false, false])
    const add = (sql: string) => other.prepare(sql).run()
    await add("insert into locations (id, code, created_at, updated_at) values ('l', 'L', '', '')")
    expect(await page()).toContain('There are no products yet.')
    await add("insert into products (id, sku, created_at, updated_at) values ('p', 'S', '', '')")
    await add(`update workspace set keep_documents = '{"of": "errors", "days": 14}'`)
    expect(done(await page())).toEqual([true, true, false, true])
    await add(
      "insert into orders (id, order_number, created_at, updated_at) values ('o', 'O', '', '')",
    )
    const begun = await page()
    expect(steps(begun)).toEqual([])
    expect(begun).toContain('Nothing needs you')
    expect(begun).toContain('Connect a system')
    await add("insert into partners (id, name, created_at, updated_at) values ('p', 'P', '', '')")
    expect(await page()).not.toContain('Connect a system')
  })

  it('has no link for a key that may not follow it', async () => {
    const tables = ['inventory', 'order_items', 'orders']
    await db.batch(tables.map((table) => db.prepare(`delete from ${table}`)))
    const reader = await openDashboard(['settings.read', 'integrations.read'])
    const { text } = await reader.get('/dashboard/')
    expect(steps(text).flatMap((step) => linksIn(step))).toEqual(['/docs/'])
  })
})
