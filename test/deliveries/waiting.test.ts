import { beforeAll, describe, expect, it } from 'vitest'
import { bindingsBefore } from '../fixtures/metering.ts'
import { db } from '../fixtures/opened.ts'
import { shop } from '../fixtures/opened-shop.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'
import {
  lackingDocument,
  openWebhook,
  SHOP_MAPPING,
  STOCK_RULES,
  shopDocument,
  tryDue,
  type Webhook,
  waitingOf,
} from '../fixtures/webhooks.ts'

const outcomesOf = async (id: string) => {
  const { results } = await db
    .prepare(
      'select status, outcome from audit_log where request_id = ?1 or replay_of = ?1 order by seq',
    )
    .bind(id)
    .all()
  return results.map(({ status, outcome }) => [status, outcome])
}

describe('POST /webhooks/v1/:token/', () => {
  it('keeps an order of an unknown product, and applies it once there is that product', async () => {
    const sku = unique('SKU')
    const document = await lackingDocument(shop.api, sku)
    const { status, body } = await shop.deliver(document)
    expect(status).toBe(200)
    expect(body.data).toMatchObject({
      outcome: 'waiting',
      record: document.number,
      error: {
        code: 'SERVICE_ERROR',
        reason: 'UNKNOWN_SKU',
        source: { 'items[0].sku_code': 'lines[0].sku' },
      },
    })
    const { delivery_id } = body.data
    expect(await waitingOf(delivery_id)).toMatchObject({
      needs: 'product',
      needs_code: sku,
      is_due: 0,
    })
    await tryDue()
    expect(await waitingOf(delivery_id)).toMatchObject({ tries: 0 })

    await shop.api.post('/products/', { sku })
    await tryDue()
    expect(await waitingOf(delivery_id)).toBeNull()
    expect((await shop.api.get(`/orders/${document.number}/`)).status).toBe(200)
    expect(await outcomesOf(delivery_id)).toEqual([
      [400, 'waiting'],
      [201, 'created'],
    ])
  })

  it('applies what waits for a product to the order that an older document has made', async () => {
    const older = await shopDocument(shop.api, { modified: '2026-01-01T00:00:00Z' })
    const lines = [{ sku: unique('SKU'), qty: 1 }]
    const newer = { ...older, lines, customer: 'Lou', modified: '2026-01-02T00:00:00Z' }
    const { delivery_id, outcome } = await shop.told(newer)
    expect(outcome).toBe('waiting')
    expect(await shop.outcomeOf(older)).toBe('created')
    await tryDue()
    expect(await outcomesOf(delivery_id)).toEqual([
      [400, 'waiting'],
      [200, 'updated'],
    ])
    expect((await shop.orderOf(older.number)).customer_name).toBe('Lou')
  })

  it('keeps what the mapping cannot read, and applies it once the mapping is mended', async () => {
    const own = await openWebhook()
    const document = await shopDocument(own.api, { customer: { name: 'Ada' } })
    const { body } = await own.deliver(document)
    expect(body.data).toMatchObject({ outcome: 'waiting', error: { code: 'VALIDATION_ERROR' } })
    const fields = { ...SHOP_MAPPING.inbound.fields, customer_name: 'customer.name' }
    const mapping = { inbound: { unmapped: 'drop', fields } }
    await saveMapping(own.admin, own.partner.id, 'orders', mapping)
    await tryDue()
    expect(await waitingOf(body.data.delivery_id)).toBeNull()
    expect((await own.orderOf(document.number)).customer_name).toBe('Ada')
  })

  it('says first that there is no mapping, where there is none, until one is made', async () => {
    const own = await openWebhook({ mappings: {} })
    const document = await shopDocument(own.api)
    const { body } = await own.deliver(document)
    const hint = /^There is no mapping of orders yet: make one, .* order_number: /
    expect(body.data).toMatchObject({
      outcome: 'waiting',
      reason: expect.stringMatching(/^There is no mapping of orders yet: make one, /),
    })
    const waits = await waitingOf(body.data.delivery_id)
    expect(waits).toMatchObject({ needs: 'settings', message: expect.stringMatching(hint) })
    await saveMapping(own.admin, own.partner.id, 'orders', SHOP_MAPPING)
    await tryDue()
    expect(await waitingOf(body.data.delivery_id)).toBeNull()
  })

  it('keeps what comes during a pause, and applies it after', async () => {
    const document = await shopDocument(shop.api)
    await shop.pause({ until: null })
    const { body } = await shop.deliver(document)
    expect(body.data).toMatchObject({
      outcome: 'waiting',
      error: { code: 'UNAVAILABLE', reason: 'PAUSED' },
    })
    await shop.pause(null)
    await tryDue()
    expect(await waitingOf(body.data.delivery_id)).toBeNull()
    expect((await shop.api.get(`/orders/${document.number}/`)).status).toBe(200)
  })

  it('ends what waits for a record of which something newer is applied', async () => {
    const older = await lackingDocument(shop.api)
    const newer = await shopDocument(shop.api, { number: older.number })
    const { delivery_id } = await shop.told(older)
    expect(await shop.outcomeOf(newer)).toBe('created')
    expect(await waitingOf(delivery_id)).toBeNull()
    expect(await outcomesOf(delivery_id)).toEqual([[400, 'superseded']])
  })

  it('does not let what waited overwrite what came later with the same time', async () => {
    const older = await shopDocument(shop.api)
    await shop.pause({ until: null })
    const { delivery_id } = await shop.told(older)
    await shop.pause(null)
    await shop.deliver({ ...older, customer: 'Grace' }, { event: 'order.updated' })
    await tryDue()
    expect(await waitingOf(delivery_id)).toBeNull()
    expect((await shop.orderOf(older.number)).customer_name).toBe('Grace')
  })

  it('does not overwrite stock that came while an upload waited', async () => {
    const stock = await openWebhook({ rules: STOCK_RULES, mappings: {} })
    const { sku: sku_code } = await createProduct(stock.api)
    const [known, empty] = [await createLocation(stock.api), await createLocation(stock.api)]
    const rowsOfBoth = (quantity: number) => ({
      inventory: [known, empty].map(({ code }) => ({ location_code: code, sku_code, quantity })),
    })
    await stock.pause({ until: null })
    const { body } = await stock.deliver(rowsOfBoth(5))
    expect(body.data.outcome).toBe('waiting')
    const [newer] = rowsOfBoth(9).inventory
    await stock.api.post('/inventory/', { inventory: [newer] })
    await stock.pause(null)
    await tryDue()
    expect(await waitingOf(body.data.delivery_id)).toBeNull()
    const quantities = await Promise.all(
      [known, empty].map(async ({ code }) => {
        const { data } = (await stock.api.get(`/inventory/${code}/`)).body
        return data.map((row: { quantity: number }) => row.quantity)
      }),
    )
    expect(quantities).toEqual([[9], [5]])
  })

  it('waits for the end of a pause, and is not tried when the door closes further', async () => {
    const until = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const [soon, late] = [until(2), until(9)]
    await shop.pause({ until: soon })
    const { delivery_id } = await shop.told(await shopDocument(shop.api))
    expect(await waitingOf(delivery_id)).toMatchObject({ needs: 'switch', due_at: soon, is_due: 0 })
    await shop.pause({ until: late })
    expect(await waitingOf(delivery_id)).toMatchObject({ due_at: late, is_due: 0 })
    await shop.pause({ until: null })
    expect(await waitingOf(delivery_id)).toMatchObject({ due_at: null, is_due: 0 })
    await shop.pause(null)
    expect(await waitingOf(delivery_id)).toMatchObject({ is_due: 1 })
  })
})

beforeAll(async () => {
  await shop.deliver(await shopDocument(shop.api))
})

// What a delivery needs may come while the delivery is refused, and before it waits.

describe('a product that is created while an order that needs it is delivered', () => {
  it.each([1, 2, 3, 4])('lets the order be created, before call %i of D1', async (nth) => {
    const sku = unique('SKU')
    const order = await lackingDocument(shop.api, sku)
    const bindings = bindingsBefore(nth, () => shop.api.post('/products/', { sku }))
    await shop.deliver(order, { bindings })
    if (nth === 4) await shop.api.post('/products/', { sku })
    await tryDue()
    expect((await shop.api.get(`/orders/${order.number}/`)).status).toBe(200)
  })

  it.each([2, 3, 4, 5])('and one that waits for another product already, call %i', async (nth) => {
    const [first, second] = [unique('SKU'), unique('SKU')]
    const lines = [first, second].map((sku) => ({ sku, qty: 1 }))
    const order = await shopDocument(shop.api, { lines })
    const { delivery_id } = await shop.told(order)
    await shop.api.post('/products/', { sku: first })
    const bindings = bindingsBefore(nth, () => shop.api.post('/products/', { sku: second }))
    const path = `/api/settings/v1/deliveries/${delivery_id}/apply/`
    await shop.admin.post(path, {}, { bindings })
    await tryDue()
    expect((await shop.api.get(`/orders/${order.number}/`)).status).toBe(200)
  })
})

describe('a product or a location that is created while an upload that needs it is delivered', () => {
  let stock: Webhook
  beforeAll(async () => {
    stock = await openWebhook({ rules: STOCK_RULES, mappings: {} })
  })

  const uploadOf = (location_code: string, sku_code: string) => ({
    inventory: [{ location_code, sku_code, quantity: 7 }],
    source: 'erp_sync',
  })

  const expectStock = async (location: string, sku_code: string) =>
    expect((await stock.api.get(`/inventory/${location}/`)).body.data).toMatchObject([
      { sku_code, quantity: 7 },
    ])

  it.each([1, 2, 3, 4])('lets its row be stored, before call %i of D1', async (nth) => {
    const { code } = await createLocation(stock.api)
    const sku = unique('SKU')
    let isCreated = false
    const create = async () => {
      await stock.api.post('/products/', { sku })
      isCreated = true
    }
    const bindings = bindingsBefore(nth, create)
    await stock.deliver(uploadOf(code, sku), { bindings })
    if (!isCreated) await create()
    await tryDue()
    await expectStock(code, sku)
  })

  it.each([1, 2, 3, 4])('and one that is tried without its location, call %i', async (nth) => {
    const [location, sku] = [unique('L'), unique('SKU')]
    const { delivery_id } = await stock.told(uploadOf(location, sku))
    await stock.api.post('/products/', { sku })
    let isCreated = false
    const create = async () => {
      await stock.api.post('/locations/', { code: location })
      isCreated = true
    }
    const bindings = bindingsBefore(nth, create)
    const path = `/api/settings/v1/deliveries/${delivery_id}.0/apply/`
    await stock.admin.post(path, {}, { bindings })
    if (!isCreated) await create()
    await tryDue()
    await expectStock(location, sku)
  })
})
