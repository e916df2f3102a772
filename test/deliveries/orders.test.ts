import { describe, expect, it } from 'vitest'
import { shop } from '../fixtures/opened-shop.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import {
  lackingDocument,
  openWebhook,
  SHOP_MAPPING,
  SHOP_RULES,
  shopDocument,
  tryDue,
  WEBHOOKS,
  type Webhook,
} from '../fixtures/webhooks.ts'

describe('POST /webhooks/v1/:token/', () => {
  it('creates the order of a signed document, and says so', async () => {
    const document = await shopDocument(shop.api)
    const { status, body } = await shop.deliver(document, { sender_id: 'd-1' })
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        data: { delivery_id: expect.any(String), outcome: 'created', record: document.number },
      },
    ])
    expect(await shop.orderOf(document.number)).toMatchObject({
      customer_name: 'Ada',
      status: 'pending',
    })
  })

  it('changes the order that is there', async () => {
    const document = await shopDocument(shop.api)
    await shop.deliver(document)
    const changed = { ...document, customer: 'Grace' }
    expect(await shop.told(changed, { event: 'order.updated' })).toMatchObject({
      outcome: 'updated',
      record: document.number,
    })
    expect(await shop.orderOf(document.number)).toMatchObject({ customer_name: 'Grace' })
  })

  it('creates the order of a change that came first', async () => {
    const document = await shopDocument(shop.api)
    expect(await shop.told(document, { event: 'order.updated' })).toMatchObject({
      outcome: 'created',
      record: document.number,
    })
  })

  it('answers unchanged where the order has all these values', async () => {
    const document = await shopDocument(shop.api)
    await shop.deliver(document)
    for (const event of ['order.created', 'order.updated']) {
      expect(await shop.told(document, { event })).toMatchObject({
        outcome: 'unchanged',
        record: document.number,
      })
    }
  })

  it('changes nothing by a document that is older than the last one', async () => {
    const older = await shopDocument(shop.api)
    const newer = { ...older, modified: '2026-01-01T00:00:00Z', customer: 'Grace' }
    await shop.deliver(newer)
    expect(await shop.told(older, { event: 'order.updated' })).toMatchObject({
      outcome: 'stale',
      record: null,
    })
    expect(await shop.orderOf(older.number)).toMatchObject({ customer_name: 'Grace' })
  })

  it('cancels, and does not create what was cancelled before', async () => {
    const document = await shopDocument(shop.api)
    const cancelled = { ...document, status: 'cancelled', modified: '2026-01-01T00:00:00Z' }
    expect(await shop.outcomeOf(cancelled)).toBe('skipped')
    expect(await shop.outcomeOf(document)).toBe('stale')

    const other = await shopDocument(shop.api)
    await shop.deliver(other)
    const ended = { ...other, status: 'cancelled' }
    expect(await shop.outcomeOf(ended)).toBe('cancelled')
    expect(await shop.outcomeOf(ended)).toBe('unchanged')
    expect(await shop.orderOf(other.number)).toMatchObject({ status: 'cancelled' })
  })

  it('skips what the rules do not take, and says why', async () => {
    const document = await shopDocument(shop.api, { status: 'draft' })
    expect(await shop.told(document)).toMatchObject({
      outcome: 'skipped',
      reason: expect.stringContaining('take_if'),
    })
    expect(await shop.told(document, { event: 'refund.created' })).toMatchObject({
      outcome: 'skipped',
      reason: 'The rules skip the event "refund.created".',
    })
  })

  it('warns of lines that differ from those of the order', async () => {
    const document = await shopDocument(shop.api)
    await shop.deliver(document)
    const [line] = document.lines
    const { body } = await shop.deliver({ ...document, lines: [{ ...line, qty: 3 }] })
    expect(body.data.outcome).toBe('unchanged')
    expect(body.warnings).toEqual([expect.objectContaining({ code: 'LINES_DIFFER' })])
  })
})

const deletionOf = ({ number }: Json) => shop.outcomeOf({ number }, { event: 'order.deleted' })
const found = async ({ number }: Json) => {
  const { status, body } = await shop.api.get(`/orders/${number}/`)
  return status === 404 ? 404 : body.data.status
}

// The deletion of an order has the id alone in WooCommerce and Shopify: it does not say how new it is.
describe('a deletion without a time', () => {
  it('ends the creation that waits, so that the product does not bring the order back', async () => {
    const sku = unique('SKU')
    const order = await lackingDocument(shop.api, sku)
    expect(await shop.outcomeOf(order)).toBe('waiting')
    expect(await deletionOf(order)).toBe('skipped')
    await shop.api.post('/products/', { sku })
    await tryDue()
    expect(await found(order)).toBe(404)
  })

  it('makes the creation stale that comes after it', async () => {
    const order = await shopDocument(shop.api)
    expect(await deletionOf(order)).toBe('skipped')
    expect(await shop.outcomeOf(order)).toBe('stale')
    expect(await found(order)).toBe(404)
  })

  it('makes a change stale that was made before it', async () => {
    const order = await shopDocument(shop.api)
    await shop.deliver(order)
    expect(await deletionOf(order)).toBe('cancelled')
    const late = { ...order, customer: 'Grace' }
    expect(await shop.outcomeOf(late, { event: 'order.updated' })).toBe('stale')
    expect(await found(order)).toBe('cancelled')
  })

  it('is applied whatever time the order has, and leaves what is newer alone', async () => {
    const soon = new Date(Date.now() + 600_000).toISOString()
    const order = await shopDocument(shop.api, { modified: soon })
    await shop.deliver(order)
    expect(await deletionOf(order)).toBe('cancelled')
    const restored = { ...order, customer: 'Grace' }
    expect(await shop.outcomeOf(restored, { event: 'order.updated' })).toBe('updated')
  })
})

const put = async ({ admin, id }: Webhook, rules: object) => {
  const { status, text } = await admin.put(`${WEBHOOKS}/${id}/`, {
    rules: { ...SHOP_RULES, ...rules },
  })
  expect([status, text]).toEqual([200, expect.anything()])
}

describe('rules that change between two deliveries', () => {
  it('hold from the next delivery on', async () => {
    const own = await openWebhook()
    const document = await shopDocument(own.api)
    expect(await own.outcomeOf(document)).toBe('created')
    await put(own, { actions: { '*': 'skip' } })
    expect(await own.outcomeOf({ ...document, customer: 'Grace' })).toBe('skipped')
    await put(own, { take_if: "@.status == 'paid'" })
    expect(await own.outcomeOf({ ...document, customer: 'Grace' })).toBe('skipped')
    await put(own, { cancel_if: "@.status == 'processing'" })
    expect(await own.outcomeOf(document)).toBe('cancelled')
  })

  it('may say how new a document is by a number instead of a time, and by a time again', async () => {
    const own = await openWebhook()
    const document = { ...(await shopDocument(own.api)), version: 7 }
    const named = (customer: string, fields: object = {}) => ({ ...document, customer, ...fields })
    expect(await own.outcomeOf(document)).toBe('created')
    await put(own, { changed_at: 'version' })
    expect(await own.outcomeOf(named('Grace'))).toBe('updated')
    expect(await own.outcomeOf(named('Edith', { version: 6 }))).toBe('stale')
    expect(await own.outcomeOf(named('Mary', { version: 10 }))).toBe('updated')
    await put(own, {})
    expect(await own.outcomeOf(named('Ada'))).toBe('updated')
    await put(own, { changed_at: null })
    expect(await own.outcomeOf(named('Zoe', { modified: 'x' }))).toBe('updated')
  })
})

describe('a mapping that does not find a value which it requires', () => {
  const { inbound } = SHOP_MAPPING
  const save = ({ admin, partner }: Webhook, from: string) => {
    const fields = { ...inbound.fields, customer_name: { from, required: true } }
    return saveMapping(admin, partner.id, 'orders', { inbound: { ...inbound, fields } })
  }

  it('lets a new order wait, changes one without the value, and heals by the next delivery', async () => {
    const own = await openWebhook()
    const event = 'order.updated'
    const document = { ...(await shopDocument(own.api)), modified: '2026-01-01T00:00:00Z' }
    const renamed = { ...document, customer: 'Grace', modified: '2026-01-01T00:00:01Z' }
    const shown = async () => await own.orderOf(document.number)
    await own.deliver(document)
    await save(own, 'client')
    expect(await own.outcomeOf(await shopDocument(own.api))).toBe('waiting')
    const noted = { ...renamed, note: 'Ring twice.' }
    expect(await own.outcomeOf(noted, { event })).toBe('updated')
    expect(await shown()).toMatchObject({ customer_name: 'Ada', notes: 'Ring twice.' })
    await save(own, 'customer')
    expect(await own.outcomeOf(noted, { event })).toBe('updated')
    expect(await shown()).toMatchObject({ customer_name: 'Grace', notes: 'Ring twice.' })
  })
})

describe('how new a document is', () => {
  it('is told for each record and partner by itself', async () => {
    const [one, other] = [await openWebhook(), await openWebhook()]
    const document = await shopDocument(one.api)
    const newer = { ...document, modified: '2026-05-01T00:00:00Z', status: 'cancelled' }
    expect(await one.outcomeOf(newer)).toBe('skipped')
    expect(await other.outcomeOf(document)).toBe('created')
  })

  it('is compared exactly beyond 2^53', async () => {
    const own = await openWebhook({ rules: { changed_at: 'version' } })
    const document = await shopDocument(own.api)
    const at = (digits: string, customer: string) =>
      JSON.stringify({ ...document, customer, version: 0 }).replace(
        '"version":0',
        `"version":${digits}`,
      )
    expect(await own.outcomeOf(at('9007199254740993', 'Ada'))).toBe('created')
    expect(await own.outcomeOf(at('9007199254740992', 'Grace'))).toBe('stale')
    expect(await own.outcomeOf(at('9007199254740994', 'Edith'))).toBe('updated')
  })

  it('must be a time or a number, and is named by its place', async () => {
    const own = await openWebhook({ rules: { document: 'data.object' } })
    const order = await shopDocument(own.api, { modified: 'soon' })
    const { data } = (await own.deliver({ data: { object: order } })).body
    expect([data.outcome, Object.keys(data.error.fields)]).toEqual([
      'waiting',
      ['data.object.modified'],
    ])
  })

  it('holds against changes of the same time by order of arrival', async () => {
    const document = await shopDocument(shop.api)
    await shop.deliver(document)
    for (const customer of ['Grace', 'Ada']) {
      expect(await shop.outcomeOf({ ...document, customer })).toBe('updated')
    }
  })
})

describe('a time more than a day ahead', () => {
  it('lets the delivery wait, and makes nothing stale', async () => {
    const own = await openWebhook()
    const document = await shopDocument(own.api)
    const ahead = new Date(Date.now() + 2 * 86_400_000).toISOString()
    expect(await own.told({ ...document, modified: ahead })).toMatchObject({
      outcome: 'waiting',
      error: { code: 'VALIDATION_ERROR' },
    })
    expect(await own.outcomeOf(document)).toBe('created')
  })
})
