import { beforeAll, describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { dashboard } from '../fixtures/opened-dashboard.ts'
import { markupOf, wordsOf } from '../fixtures/pages-read.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type Dashboard, linksIn, openDashboard } from '../fixtures/session.ts'
import { execute } from '../fixtures/sql.ts'
import { createKey, openTenant, unique } from '../fixtures/tenant.ts'
import {
  createLocation,
  createOrder,
  createProduct,
  oneLine,
  stock,
} from '../fixtures/warehouse.ts'
import { openWebhook } from '../fixtures/webhooks.ts'

// A name is a link wherever it stands, for those who may see where it leads.

let owner: Dashboard
let partner: Awaited<ReturnType<typeof openPartner>>
let order: { id: string; order_number: string }
let row: { location_code: string; sku_code: string }
let upload: string
let ids: Record<'product' | 'location', string>

beforeAll(async () => {
  owner = await openDashboard()
  partner = await openPartner()
  const items = await oneLine(admin)
  order = await createOrder(partner.api, { items })
  row = (await stock(partner.api)) as typeof row
  const sent = await partner.api.post('/inventory/', { inventory: [{ ...row, quantity: 9 }] })
  upload = sent.headers.get('X-Request-Id') ?? ''
  const idOf = async (path: string) => (await admin.get(path)).body.data.id as string
  ids = {
    product: await idOf(`/products/${row.sku_code}/`),
    location: await idOf(`/locations/${row.location_code}/`),
  }
})

const partnerLink = () => `/dashboard/partners/${partner.id}/`
const keyLink = () => `/dashboard/api-keys/${partner.key.id}/`
const orderLink = () => `/dashboard/orders/${order.id}/`
const pairLinks = () => [
  `/dashboard/locations/${ids.location}/`,
  `/dashboard/products/${ids.product}/`,
]

const PAGES: [page: string, path: () => string, links: () => string[]][] = [
  [
    'the audit log',
    () => `/dashboard/audit-log/?partner_id=${partner.id}`,
    () => [partnerLink(), keyLink(), orderLink()],
  ],
  [
    'the page of a request',
    () => `/dashboard/audit-log/${upload}/`,
    () => [partnerLink(), keyLink(), ...pairLinks()],
  ],
  ['the question of an undo', () => `/dashboard/audit-log/${upload}/undo/`, pairLinks],
  ['the history of an order', orderLink, () => [partnerLink(), keyLink()]],
  [
    'the history of stock',
    () => `/dashboard/inventory/history/?sku_code=${row.sku_code}`,
    () => [partnerLink(), keyLink(), ...pairLinks()],
  ],
  ['the list of keys', () => '/dashboard/api-keys/', () => [partnerLink(), keyLink()]],
  ['the overview', () => '/dashboard/', () => [partnerLink()]],
]

describe.each(PAGES)('%s', (_, path, links) => {
  it('links the names that it shows', async () => {
    const text = markupOf(await owner.get(path()))
    expect(linksIn(text)).toEqual(expect.arrayContaining(links()))
  })

  it('links none that the session may not see, and all that it links opens', async () => {
    const scopes = ['settings.audit.read', 'integrations.orders.read', 'integrations.inventory.*']
    const limited = await openDashboard(scopes)
    const { status, text } = await limited.get(path())
    if (status === 403) return
    expect(status).toBe(200)
    const names = linksIn(text).filter((href) =>
      /^\/dashboard\/(?:partners|api-keys|people|webhooks|orders|products|locations)\/[\w-]+\/$/.test(
        href,
      ),
    )
    for (const href of names) {
      expect([href, (await limited.get(href)).status]).toEqual([href, 200])
    }
    expect(linksIn(text)).not.toContain(partnerLink())
    expect(linksIn(text)).not.toContain(keyLink())
  })
})

describe('the audit log', () => {
  it('leads to people and webhooks by their own pages, and to no deleted partner', async () => {
    const person = { name: unique('Ada'), email: `${unique('ada')}@example.com`, role: 'viewer' }
    const { id } = (await admin.post('/api/settings/v1/people/', person)).body.data
    const webhook = await openWebhook()
    const gone = (await admin.post('/api/settings/v1/partners/', { name: unique('P') })).body.data
    await admin.delete(`/api/settings/v1/partners/${gone.id}/`)
    const subject = unique('subject')
    for (const [at, key] of [id, webhook.id, 'unknown'].entries())
      await execute(
        `insert into audit_log (request_id, created_at, settings_version, api_key_id, api_key_name, partner_id,
             partner_name, method, path, record_name, status, duration_ms)
           values (?1, '2026-01-01T00:00:00.000Z', 1, ?2, 'name', ?3, 'gone', 'GET', '/x/', ?4, 200, 1)`,
        `${subject}-${at}`,
        key,
        gone.id,
        subject,
      )
    const { text } = await owner.get(`/dashboard/audit-log/?record_name=${subject}`)
    const links = linksIn(text)
    expect(links).toContain(`/dashboard/people/${id}/`)
    expect(links).toContain(`/dashboard/webhooks/${webhook.id}/`)
    expect(links).not.toContain(`/dashboard/partners/${gone.id}/`)
    expect(links.join()).not.toContain('unknown/')
    const manager = await openDashboard(['settings.audit.read', 'settings.keys.*'])
    const seen = linksIn((await manager.get(`/dashboard/audit-log/?record_name=${subject}`)).text)
    expect(seen).toContain(`/dashboard/webhooks/${webhook.id}/`)
    expect(seen).not.toContain(`/dashboard/people/${id}/`)
  })
})

describe('the history of settings', () => {
  it('links who has changed something', async () => {
    const { id, value } = await createKey(['settings.*'])
    const own = await openDashboard([], { key: value })
    await own.post('/dashboard/new/partner/', { name: unique('P') })
    const { text } = await owner.get(`/dashboard/history/?api_key_id=${id}`)
    expect(linksIn(text)).toContain(`/dashboard/api-keys/${id}/`)
    const [change = ''] = linksIn(text).filter((href) => /history\/\d+\/$/.test(href))
    expect(linksIn((await owner.get(change)).text)).toContain(`/dashboard/api-keys/${id}/`)
    expect(linksIn((await owner.get('/dashboard/sessions/')).text)).toContain(
      `/dashboard/api-keys/${id}/`,
    )
  })
})

describe('the page of a request that has changed a product', () => {
  it('links it beside its fields', async () => {
    const { sku, id } = await createProduct(admin)
    const { headers } = await admin.put(`/products/${sku}/`, { cost: '4.20' })
    const { text } = await owner.get(`/dashboard/audit-log/${headers.get('X-Request-Id')}/`)
    const [, table = ''] = /What it changed(.*?)<\/table>/s.exec(text) ?? []
    expect(linksIn(table)).toContain(`/dashboard/products/${id}/`)
  })
})

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
    await execute(
      "insert into partners (id, name, created_at, updated_at) values (?1, ?1, '', '')",
      partner,
    )
    await execute(
      `with recursive n (i) as (select 1 union all select i + 1 from n where i < ?2)
         insert into orders (id, order_number, partner_id, created_at, updated_at)
         select ?1 || i, ?1 || i, ?1, '2026-01-01T00:00:00.000Z', '' from n`,
      partner,
      orders,
    )
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
