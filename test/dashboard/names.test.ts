import { beforeAll, describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { type Dashboard, linksIn, openDashboard } from '../fixtures/session.ts'
import { createKey, openTenant, unique } from '../fixtures/tenant.ts'
import { createOrder, createProduct, oneLine, stock } from '../fixtures/warehouse.ts'
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
    const { status, text } = await owner.get(path())
    expect(status).toBe(200)
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
    const db = await openTenant()
    const subject = unique('subject')
    for (const [at, key] of [id, webhook.id, 'unknown'].entries())
      await db
        .prepare(
          `insert into audit_log (request_id, created_at, settings_version, api_key_id, api_key_name, partner_id,
             partner_name, method, path, record_name, status, duration_ms)
           values (?1, '2026-01-01T00:00:00.000Z', 1, ?2, 'name', ?3, 'gone', 'GET', '/x/', ?4, 200, 1)`,
        )
        .bind(`${subject}-${at}`, key, gone.id, subject)
        .run()
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
