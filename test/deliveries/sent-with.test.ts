import { beforeAll, describe, expect, it } from 'vitest'
import guide from '../../docs/mappings.md?raw'
import { mintKey } from '../../src/engine/identity/key.ts'
import { sectionOf } from '../fixtures/markdown.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'
import {
  delivered,
  lackingDocument,
  openWebhook,
  SHOP_MAPPING,
  shopDocument,
  tryDue,
  WEBHOOKS,
  type Webhook,
} from '../fixtures/webhooks.ts'

const RULES = { headers: ['X-Shop-Domain'], query: ['location'] }

const MAPPING = {
  inbound: {
    unmapped: 'drop',
    fields: {
      ...SHOP_MAPPING.inbound.fields,
      notes: "$header['x-shop-domain']",
      'metadata.location': "$query['location']",
    },
  },
}

let shop: Webhook
beforeAll(async () => {
  shop = await openWebhook({ rules: RULES, mappings: { orders: MAPPING } })
})

describe('POST /webhooks/v1/:token/', () => {
  it('maps the headers and parameters that its rules list', async () => {
    const document = await shopDocument(shop.api)
    const headers = { 'X-Shop-Domain': 'keramik.example', 'X-Other': 'not listed' }
    const address = `${shop.webhook.address}?location=D-04&other=1`
    const { status, body } = await delivered(address, document, { headers })
    expect([status, body.data.outcome]).toEqual([200, 'created'])
    expect(await shop.orderOf(document.number)).toMatchObject({
      notes: 'keramik.example',
      metadata: { location: 'D-04' },
    })
  })

  it('maps nothing that its rules do not list, and takes too long a value as missing', async () => {
    const own = await openWebhook({ rules: { query: ['location'] }, mappings: { orders: MAPPING } })
    const document = await shopDocument(own.api)
    const address = `${own.webhook.address}?location=${'a'.repeat(1001)}`
    const headers = { 'X-Shop-Domain': 'keramik.example' }
    const { body } = await delivered(address, document, { headers })
    expect(body.data.outcome).toBe('created')
    const { notes, metadata } = await own.orderOf(document.number)
    expect([notes, metadata ?? null]).toEqual([null, null])
  })

  it('names what is missing by its place beside the document, not in it', async () => {
    const fields = {
      ...SHOP_MAPPING.inbound.fields,
      notes: { from: "$header['X-Shop-Domain']", required: true },
    }
    const own = await openWebhook({
      rules: { ...RULES, document: 'data.order' },
      mappings: { orders: { inbound: { unmapped: 'drop', fields } } },
    })
    const order = await shopDocument(own.api)
    const { body } = await own.deliver({ data: { order } })
    expect(body.data).toMatchObject({ outcome: 'waiting', error: { code: 'MAPPING_ERROR' } })
    expect(body.data.reason).toMatch(/^\$header\['X-Shop-Domain'\]: Is missing/)
    const long = { 'X-Shop-Domain': 'b'.repeat(900) }
    const fields2 = { ...fields, customer_name: "$header['X-Shop-Domain']" }
    await saveMapping(own.admin, own.partner.id, 'orders', {
      inbound: { unmapped: 'drop', fields: fields2 },
    })
    const other = await own.deliver({ data: { order } }, { headers: long })
    expect(other.body.data.error.source).toEqual({ customer_name: "$header['X-Shop-Domain']" })
  })

  it('keeps them with what waits, and applies it by them', async () => {
    const sku = unique('SKU')
    const document = await lackingDocument(shop.api, sku)
    const headers = { 'X-Shop-Domain': 'keramik.example' }
    const { body } = await delivered(`${shop.webhook.address}?location=D-05`, document, { headers })
    expect(body.data.outcome).toBe('waiting')
    const waiting = await shop.admin.get(`/api/settings/v1/deliveries/${body.data.delivery_id}/`)
    expect(waiting.body.data).toMatchObject({
      headers: { 'x-shop-domain': 'keramik.example' },
      query: { location: 'D-05' },
    })
    await shop.api.post('/products/', { sku })
    await tryDue()
    expect(await shop.orderOf(document.number)).toMatchObject({
      notes: 'keramik.example',
      metadata: { location: 'D-05' },
    })
  })

  it('hides a key in a value, in the record and in what waits', async () => {
    const { value } = await mintKey('demo')
    const headers = { 'X-Shop-Domain': `of ${value}` }
    const document = await shopDocument(shop.api)
    await shop.deliver(document, { headers })
    const { notes } = await shop.orderOf(document.number)
    expect(notes).toMatch(/^of xd_demo_….{4}$/)
    const waits = await lackingDocument(shop.api)
    await shop.deliver(waits, { headers })
    const db = await openTenant()
    const { results } = await db.prepare('select sent_with from waiting_deliveries').all()
    expect(JSON.stringify(results)).toContain('of xd_demo_…')
    expect(JSON.stringify(results)).not.toContain(value)
  })

  it('gives the result of the example of the guide', async () => {
    const section = sectionOf(guide, 'What comes beside the body of a delivery')
    const [, text = ''] = /```json\n(.*?)```/s.exec(section) ?? []
    const { resource, fields, headers, query, document, result } = JSON.parse(text)
    const rules = {
      resource,
      headers: Object.keys(headers),
      query: Object.keys(query),
      ...{ actions: {}, take_if: null, cancel_if: null, changed_at: null },
    }
    const stock = await openWebhook({ rules, mappings: { inventory: { inbound: { fields } } } })
    for (const { sku } of document.stock) await stock.api.post('/products/', { sku })
    await stock.api.post('/locations/', { code: query.location })
    const address = `${stock.webhook.address}?${new URLSearchParams(query)}`
    const { body } = await delivered(address, document, { headers })
    expect(body.data.error).toBeUndefined()
    expect(body.data).toMatchObject({ outcome: 'uploaded', upload: { failed: 0 } })
    const [row] = result.inventory
    const { data } = (await stock.api.get(`/inventory/${row.location_code}/`)).body
    expect(data).toMatchObject([{ sku_code: row.sku_code, quantity: row.quantity }])
    const log = `/api/settings/v1/audit-log/?request_id=${body.data.delivery_id}`
    expect((await stock.admin.get(log)).body.data[0].source).toBe(result.source)
  })
})

describe('POST /api/integrations/v1/orders/', () => {
  it('has neither: the mapping finds nothing there', async () => {
    const { sku } = await createProduct(shop.api)
    const number = unique('O')
    const document = { number, customer: 'Ada', lines: [{ sku, qty: 1 }] }
    const answer = await shop.api.post('/orders/?location=D-04', document, {
      headers: { 'X-Shop-Domain': 'keramik.example' },
    })
    expect(answer.status).toBe(201)
    const { notes, metadata } = await shop.orderOf(number)
    expect([notes, metadata ?? null]).toEqual([null, null])
  })
})

describe('PUT /api/settings/v1/webhooks/:id/', () => {
  const refusalOf = async (rules: object) => {
    const { resource, verification } = shop.webhook.rules
    const put = { rules: { resource, verification, ...rules } }
    const { status, body } = await shop.admin.put(`${WEBHOOKS}/${shop.id}/`, put)
    expect(status).toBe(400)
    return body.error.fields
  }

  it.each(['Authorization', 'Cookie', 'X-API-Key', 'CF-Connecting-IP', 'X-Shop-Signature'])(
    'refuses to let mappings read the header %s',
    async (name) => {
      expect(Object.keys(await refusalOf({ headers: ['X-Fine', name] }))).toEqual([
        'rules.headers[1]',
      ])
    },
  )

  it('refuses the header that proves who sends, whatever its name and case', async () => {
    const verification = { ...shop.webhook.rules.verification, header: 'X-Proof' }
    expect(await refusalOf({ verification, headers: ['x-proof'] })).toEqual({
      'rules.headers[0]': ['Proves who sends: no mapping may read it.'],
    })
  })

  it('refuses parameters that have keys, and more than ten names', async () => {
    expect(Object.keys(await refusalOf({ query: ['token'] }))).toEqual(['rules.query[0]'])
    const many = Array.from({ length: 11 }, (_, at) => `X-A-${at}`)
    expect(Object.keys(await refusalOf({ headers: many, query: many }))).toEqual([
      'rules.headers',
      'rules.query',
    ])
  })
})
