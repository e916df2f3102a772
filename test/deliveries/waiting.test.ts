import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { saveMapping } from '../fixtures/partner.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'
import { openWebhook, SHOP_MAPPING, shopDocument } from '../fixtures/webhooks.ts'

type Opened = Awaited<ReturnType<typeof openWebhook>>
let shop: Opened
beforeEach(async () => {
  shop = await openWebhook()
})

/** Lets the tenant's object try what is due, as its alarm does. */
async function tryDue() {
  return await runInDurableObject(env.DELIVERIES.getByName('demo'), (driver) =>
    driver.tryDue('demo'),
  )
}

const waitingOf = async (id: string) => {
  const db = await openTenant()
  return await db.prepare('select * from waiting_deliveries where delivery_id = ?').bind(id).first()
}

const outcomesOf = async (id: string) => {
  const db = await openTenant()
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
    const document = await shopDocument(shop.partner.api, { lines: [{ sku, qty: 1 }] })
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

    await shop.partner.api.post('/products/', { sku })
    await tryDue()
    expect(await waitingOf(delivery_id)).toBeNull()
    expect((await shop.partner.api.get(`/orders/${document.number}/`)).status).toBe(200)
    expect(await outcomesOf(delivery_id)).toEqual([
      [400, 'waiting'],
      [201, 'created'],
    ])
  })

  it('applies what waits for a product to the order that an older document has made', async () => {
    const older = await shopDocument(shop.partner.api, { modified: '2026-01-01T00:00:00Z' })
    const lines = [{ sku: unique('SKU'), qty: 1 }]
    const newer = { ...older, lines, customer: 'Lou', modified: '2026-01-02T00:00:00Z' }
    const { delivery_id, outcome } = (await shop.deliver(newer)).body.data
    expect(outcome).toBe('waiting')
    expect((await shop.deliver(older)).body.data.outcome).toBe('created')
    await tryDue()
    expect(await outcomesOf(delivery_id)).toEqual([
      [400, 'waiting'],
      [200, 'updated'],
    ])
    const { body } = await shop.partner.api.get(`/orders/${older.number}/`)
    expect(body.data.customer_name).toBe('Lou')
  })

  it('keeps what the mapping cannot read, and applies it once the mapping is mended', async () => {
    const document = await shopDocument(shop.partner.api, { customer: { name: 'Ada' } })
    const { body } = await shop.deliver(document)
    expect(body.data).toMatchObject({ outcome: 'waiting', error: { code: 'VALIDATION_ERROR' } })
    const fields = { ...SHOP_MAPPING.inbound.fields, customer_name: 'customer.name' }
    await saveMapping(shop.admin, shop.partner.id, 'orders', {
      inbound: { unmapped: 'drop', fields },
    })
    await tryDue()
    expect(await waitingOf(body.data.delivery_id)).toBeNull()
    expect(
      (await shop.partner.api.get(`/orders/${document.number}/`)).body.data.customer_name,
    ).toBe('Ada')
  })

  it('says first that there is no mapping, where there is none, until one is made', async () => {
    const own = await openWebhook({ mappings: {} })
    const document = await shopDocument(own.partner.api)
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
    const document = await shopDocument(shop.partner.api)
    const path = `/api/settings/v1/webhooks/${shop.id}/`
    await shop.admin.put(path, { pause: { until: null } })
    const { body } = await shop.deliver(document)
    expect(body.data).toMatchObject({
      outcome: 'waiting',
      error: { code: 'UNAVAILABLE', reason: 'PAUSED' },
    })
    await shop.admin.put(path, { pause: null })
    await tryDue()
    expect(await waitingOf(body.data.delivery_id)).toBeNull()
    expect((await shop.partner.api.get(`/orders/${document.number}/`)).status).toBe(200)
  })

  it('ends what waits for a record of which something newer is applied', async () => {
    const sku = unique('SKU')
    const older = await shopDocument(shop.partner.api, { lines: [{ sku, qty: 1 }] })
    const newer = await shopDocument(shop.partner.api, { number: older.number })
    const { delivery_id } = (await shop.deliver(older)).body.data
    expect((await shop.deliver(newer)).body.data.outcome).toBe('created')
    expect(await waitingOf(delivery_id)).toBeNull()
    expect(await outcomesOf(delivery_id)).toEqual([[400, 'superseded']])
  })

  it('does not let what waited overwrite what came later with the same time', async () => {
    const path = `/api/settings/v1/webhooks/${shop.id}/`
    const older = await shopDocument(shop.partner.api)
    await shop.admin.put(path, { pause: { until: null } })
    const { delivery_id } = (await shop.deliver(older)).body.data
    await shop.admin.put(path, { pause: null })
    await shop.deliver({ ...older, customer: 'Grace' }, { event: 'order.updated' })
    await tryDue()
    expect(await waitingOf(delivery_id)).toBeNull()
    const { data } = (await shop.partner.api.get(`/orders/${older.number}/`)).body
    expect(data.customer_name).toBe('Grace')
  })

  it('does not overwrite stock that came while an upload waited', async () => {
    const rules = {
      resource: 'inventory',
      actions: {},
      event: null,
      take_if: null,
      cancel_if: null,
      changed_at: null,
    }
    const stock = await openWebhook({ rules, mappings: {} })
    const { sku: sku_code } = await createProduct(stock.partner.api)
    const [known, empty] = [
      await createLocation(stock.partner.api),
      await createLocation(stock.partner.api),
    ]
    const rowsOfBoth = (quantity: number) => ({
      inventory: [known, empty].map(({ code }) => ({ location_code: code, sku_code, quantity })),
    })
    const path = `/api/settings/v1/webhooks/${stock.id}/`
    await stock.admin.put(path, { pause: { until: null } })
    const { body } = await stock.deliver(rowsOfBoth(5))
    expect(body.data.outcome).toBe('waiting')
    const [newer] = rowsOfBoth(9).inventory
    await stock.partner.api.post('/inventory/', { inventory: [newer] })
    await stock.admin.put(path, { pause: null })
    await tryDue()
    expect(await waitingOf(body.data.delivery_id)).toBeNull()
    const quantities = await Promise.all(
      [known, empty].map(async ({ code }) => {
        const { data } = (await stock.partner.api.get(`/inventory/${code}/`)).body
        return data.map((row: { quantity: number }) => row.quantity)
      }),
    )
    expect(quantities).toEqual([[9], [5]])
  })

  it('waits for the end of a pause, and is not tried when the door closes further', async () => {
    const path = `/api/settings/v1/webhooks/${shop.id}/`
    const until = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()
    const [soon, late] = [until(2), until(9)]
    await shop.admin.put(path, { pause: { until: soon } })
    const { delivery_id } = (await shop.deliver(await shopDocument(shop.partner.api))).body.data
    expect(await waitingOf(delivery_id)).toMatchObject({ needs: 'switch', due_at: soon, is_due: 0 })
    await shop.admin.put(path, { pause: { until: late } })
    expect(await waitingOf(delivery_id)).toMatchObject({ due_at: late, is_due: 0 })
    await shop.admin.put(path, { pause: { until: null } })
    expect(await waitingOf(delivery_id)).toMatchObject({ due_at: null, is_due: 0 })
    await shop.admin.put(path, { pause: null })
    expect(await waitingOf(delivery_id)).toMatchObject({ is_due: 1 })
  })
})
