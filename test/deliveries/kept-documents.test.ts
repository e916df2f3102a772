import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  documentOf,
  keep,
  keysWith,
  SETTINGS,
  stateOf,
  storedText,
} from '../fixtures/kept-documents.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { openDashboard } from '../fixtures/session.ts'
import { type Answer, type Json, unique } from '../fixtures/tenant.ts'
import {
  delivered,
  openWebhook,
  SHOP_MAPPING,
  shopDocument,
  type Webhook,
  type WebhookOptions,
} from '../fixtures/webhooks.ts'

const ALL = { of: 'all', days: 7 }
const ERRORS = { of: 'errors', days: 7 }
const BESIDE = { headers: ['X-Shop-Domain'], query: ['location'] }

async function openKeeping(policy: object, options: WebhookOptions = {}): Promise<Webhook> {
  const shop = await openWebhook(options)
  await keep(shop.admin, shop.partner.id, policy)
  return shop
}

const unknown = (fields: object = {}) => ({
  number: unique('O'),
  status: 'processing',
  customer: 'Ada',
  modified: '2026-01-01T00:00:00Z',
  lines: [{ sku: unique('SKU'), qty: 1 }],
  ...fields,
})

const keptOf = async (shop: Webhook, answer: Answer): Promise<Json> => {
  const { status, body } = await documentOf(shop.admin, answer)
  expect([status, body.error]).toEqual([200, undefined])
  return body.data
}

let shop: Webhook
beforeEach(async () => {
  shop = await openKeeping(ALL)
})

describe('the document of a delivery', () => {
  it('is kept when it is applied, with the answer and how it was read', async () => {
    const own = await openKeeping(ALL, { rules: { ...BESIDE, document: 'data' } })
    const body = JSON.stringify({ data: await shopDocument(own.api) })
    const address = `${own.webhook.address}?location=D-04`
    const answer = await delivered(address, body, { headers: { 'X-Shop-Domain': 'a.example' } })
    expect(answer.body.data.outcome).toBe('created')
    expect(await keptOf(own, answer)).toMatchObject({
      body,
      answer: { status: 200, body: answer.text },
      delivery: {
        resource: 'orders',
        document: 'data',
        headers: { 'x-shop-domain': 'a.example' },
        query: { location: 'D-04' },
      },
    })
  })

  it('is kept as that of a refusal when it waits, although its sender hears 200', async () => {
    await keep(shop.admin, shop.partner.id, ERRORS)
    const made = await shop.deliver(await shopDocument(shop.api))
    expect(await stateOf(shop.admin, made)).toBeNull()
    const waits = await shop.deliver(unknown())
    expect(waits.body.data.outcome).toBe('waiting')
    expect(await keptOf(shop, waits)).toMatchObject({ answer: { status: 200, body: waits.text } })
    expect(await stateOf(shop.admin, waits)).toMatchObject({ state: 'kept' })
  })

  it('is kept when it is no JSON, and not when there was nothing to do', async () => {
    await keep(shop.admin, shop.partner.id, ERRORS)
    const broken = await shop.deliver('{"number":')
    expect(broken.status).toBe(400)
    expect(await keptOf(shop, broken)).toMatchObject({ body: '{"number":', delivery: null })
    const skipped = await shop.deliver(unknown({ status: 'pending' }))
    expect(skipped.body.data.outcome).toBe('skipped')
    expect(await stateOf(shop.admin, skipped)).toBeNull()
  })

  it('is not kept of a sender whose signature is wrong', async () => {
    const answer = await shop.deliver(unknown(), { secret: 'another' })
    expectRefusal(answer, 401, 'SIGNATURE_INVALID')
    expect(await stateOf(shop.admin, answer)).toBeNull()
  })

  it('has the address nowhere: not in its name, not in its text', async () => {
    const answer = await shop.deliver(await shopDocument(shop.api))
    const [token] = /xh_[^/]+/.exec(shop.webhook.address) ?? []
    const { request_id } = await keptOf(shop, answer)
    const [key = ''] = await keysWith(request_id)
    expect(`${key} ${await storedText(key)}`).not.toContain(token)
    expect(await keysWith(String(token), env.DOCUMENTS)).toEqual([])
  })

  it('lacks what is redacted, in the body, beside it and in the answer', async () => {
    const fields = {
      ...SHOP_MAPPING.inbound.fields,
      customer_name: { from: 'customer', values: { Ada: 'Ada L.' } },
      'metadata.shop': { from: "$header['X-Shop-Domain']", values: { known: 'x' } },
    }
    const own = await openKeeping(
      { ...ALL, redact: ['data.customer', "$header['x-shop-domain']", 'data.number'] },
      {
        rules: { ...BESIDE, document: 'data' },
        mappings: { orders: { inbound: { unmapped: 'drop', fields } } },
      },
    )
    const headers = { 'X-Shop-Domain': 'secret.example' }
    const data = await shopDocument(own.api, { customer: 'Grace', lines: [] })
    const waits = await own.deliver({ data }, { headers })
    expect(waits.text).toContain('secret.example')
    const kept = await keptOf(own, waits)
    const text = JSON.stringify(kept)
    expect(text).not.toContain('secret.example')
    expect(text).not.toContain('Grace')
    expect(text).not.toContain(data.number)
    expect(kept.delivery.headers).toEqual({ 'x-shop-domain': '[redacted]' })
    expect(kept.redacted).toEqual(['data.customer', "$header['x-shop-domain']", 'data.number'])
    expect(kept.answer.body).toContain('"waiting"')
  })

  it('lacks the name of the record in the answer, if it comes from a redacted place', async () => {
    const fields = {
      ...SHOP_MAPPING.inbound.fields,
      order_number: { from: 'number', values: { 'O-1': unique('renamed') } },
    }
    const own = await openKeeping(
      { ...ALL, redact: ['number'] },
      { mappings: { orders: { inbound: { unmapped: 'drop', fields } } } },
    )
    const document = await shopDocument(own.api, { number: 'O-1' })
    const made = await own.deliver(document)
    expect(made.body.data.record).toMatch(/^renamed/)
    expect((await keptOf(own, made)).answer.body).toContain('"record":"[redacted]"')
  })

  it('cannot be sent again, and the refusal says what can be done', async () => {
    const waits = await shop.deliver(unknown())
    const id = waits.body.data.delivery_id
    const answer = await shop.admin.post(`${SETTINGS}/audit-log/${id}/send-again/`, {})
    expectRefusal(answer, 400, 'SERVICE_ERROR')
    expect(answer.body.error.message).toContain('one that waits is applied')
  })
})

describe('POST /partners/{id}/mappings/{resource}/replay/', () => {
  const replay = async (own: Webhook, fields: object) => {
    const path = `${SETTINGS}/partners/${own.partner.id}/mappings/orders/replay/`
    const mapping = { inbound: { unmapped: 'drop', fields } }
    const { status, body } = await own.admin.post(path, { mapping })
    expect([status, body.error]).toEqual([200, undefined])
    return body.data
  }
  const { fields } = SHOP_MAPPING.inbound

  it('tries deliveries by what their webhook takes of them, and not those that it skips', async () => {
    const rules = { ...BESIDE, document: 'data' }
    const own = await openKeeping(ALL, { rules })
    const headers = { 'X-Shop-Domain': 'a.example' }
    const data = await shopDocument(own.api)
    const made = await own.deliver({ data }, { headers })
    await own.deliver({ data: { ...data, status: 'pending' } }, { headers })
    expect(await replay(own, fields)).toMatchObject({ documents: 1, same: 1 })
    const changed = await replay(own, { ...fields, notes: "$header['X-Shop-Domain']" })
    expect(changed).toMatchObject({ documents: 1, changed: 1 })
    expect(changed.examples).toEqual([
      {
        request_id: made.body.data.delivery_id,
        kind: 'changed',
        differences: [{ at: 'notes', before: null, after: '"a.example"' }],
        faults: { before: [], after: [] },
      },
    ])
  })

  it('maps a delivery that has changed a record as a change', async () => {
    const document = await shopDocument(shop.api)
    await shop.deliver(document)
    const { number, status, modified } = document
    const part = { number, status, modified, note: 'b' }
    expect(await shop.outcomeOf(part, { event: 'order.updated' })).toBe('updated')
    expect(await replay(shop, fields)).toMatchObject({ documents: 2, same: 2, examples: [] })
    const required = { ...fields, customer_name: { from: 'buyer', required: true } }
    expect(await replay(shop, required)).toMatchObject({ newly_failing: 1 })
  })

  it('tries what waits once, whole and also where nothing is kept', async () => {
    const own = await openWebhook()
    const waits = await own.deliver(unknown({ customer: { name: 'Ada' } }))
    expect(waits.body.data.outcome).toBe('waiting')
    const mended = { ...fields, customer_name: 'customer.name' }
    const data = await replay(own, mended)
    expect(data).toMatchObject({ documents: 1, newly_passing: 1 })
    expect(data.examples[0].request_id).toBe(waits.body.data.delivery_id)
    await keep(own.admin, own.partner.id, ALL)
    await own.deliver(unknown({ customer: { name: 'Ada' } }))
    expect(await replay(own, mended)).toMatchObject({ documents: 2, newly_passing: 2 })
  })

  it('does not judge by what was redacted', async () => {
    const own = await openKeeping(
      { ...ALL, redact: ['data.lines'] },
      { rules: { document: 'data' } },
    )
    await own.deliver({ data: await shopDocument(own.api) })
    const filtered = { ...fields, 'items[]': { each: 'lines[?@.qty > 0]' } }
    expect(await replay(own, filtered)).toMatchObject({ documents: 0, unreadable: 1 })
  })
})

describe('GET /dashboard/partners/{id}/mappings/{resource}/', () => {
  it('opens on the record of a delivery, kept or waiting', async () => {
    const dashboard = await openDashboard()
    const rules = { ...BESIDE, document: 'data' }
    const opened = async (own: Webhook, answer: Answer) => {
      const id = answer.body.data.delivery_id
      const at = `/dashboard/partners/${own.partner.id}/mappings/orders/?document=${id}`
      const { text } = await dashboard.get(at)
      const [, document = ''] = /<textarea id="document"[^>]*>([^<]*)</.exec(text) ?? []
      const [, sent = ''] = /<textarea id="sent"[^>]*>([^<]*)</.exec(text) ?? []
      return [JSON.parse(document.replaceAll('&quot;', '"')), sent.trim()]
    }
    const headers = { 'X-Shop-Domain': 'a.example' }
    const [keeping, plain] = [await openKeeping(ALL, { rules }), await openWebhook({ rules })]
    const data = await shopDocument(keeping.partner.api)
    const made = await keeping.deliver({ data }, { headers })
    expect(await opened(keeping, made)).toEqual([data, 'x-shop-domain: a.example'])
    const waiting = unknown()
    const waits = await plain.deliver({ data: waiting }, { headers })
    expect(await opened(plain, waits)).toEqual([waiting, 'x-shop-domain: a.example'])
  })

  it('marks what was wrong in the body of a delivery that waits', async () => {
    const dashboard = await openDashboard()
    const own = await openKeeping(ALL, { rules: { document: 'data' } })
    await saveMapping(own.admin, own.partner.id, 'orders', SHOP_MAPPING)
    const waits = await own.deliver({ data: unknown({ customer: 7 }) })
    const { text } = await dashboard.get(`/dashboard/audit-log/${waits.body.data.delivery_id}/`)
    expect(text).toContain('<mark>7</mark>')
    expect(text).toContain('Crossdock applies it once what it needs is there')
    expect(text).not.toContain('send-again/')
  })
})
