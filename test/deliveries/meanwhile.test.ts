import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { countedBindings } from '../fixtures/metering.ts'
import { unique } from '../fixtures/tenant.ts'
import { createLocation } from '../fixtures/warehouse.ts'
import { openWebhook, shopDocument } from '../fixtures/webhooks.ts'

// What a delivery needs may come while the delivery is refused, and before it waits.

type Opened = Awaited<ReturnType<typeof openWebhook>>
let shop: Opened
beforeAll(async () => {
  shop = await openWebhook()
  await shop.deliver(await shopDocument(shop.partner.api))
})

/** Bindings with which something happens before the nth call of D1. */
function ahead(nth: number, act: () => Promise<unknown>) {
  let calls = 0
  return countedBindings(async (call) => {
    if (call === 'd1') calls += 1
    if (call === 'd1' && calls === nth) await act()
  })
}

const tryDue = async () =>
  await runInDurableObject(env.DELIVERIES.getByName('demo'), (driver) => driver.tryDue('demo'))

describe('a product that is created while an order that needs it is delivered', () => {
  it.each([1, 2, 3, 4])('lets the order be created, before call %i of D1', async (nth) => {
    const sku = unique('SKU')
    const order = await shopDocument(shop.partner.api, { lines: [{ sku, qty: 1 }] })
    const { bindings } = ahead(nth, () => shop.partner.api.post('/products/', { sku }))
    await shop.deliver(order, { bindings })
    if (nth === 4) await shop.partner.api.post('/products/', { sku })
    await tryDue()
    expect((await shop.partner.api.get(`/orders/${order.number}/`)).status).toBe(200)
  })

  it.each([2, 3, 4, 5])('and one that waits for another product already, call %i', async (nth) => {
    const [first, second] = [unique('SKU'), unique('SKU')]
    const lines = [first, second].map((sku) => ({ sku, qty: 1 }))
    const order = await shopDocument(shop.partner.api, { lines })
    const { delivery_id } = (await shop.deliver(order)).body.data
    await shop.partner.api.post('/products/', { sku: first })
    const { bindings } = ahead(nth, () => shop.partner.api.post('/products/', { sku: second }))
    const path = `/api/settings/v1/deliveries/${delivery_id}/apply/`
    await shop.admin.post(path, {}, { bindings })
    await tryDue()
    expect((await shop.partner.api.get(`/orders/${order.number}/`)).status).toBe(200)
  })
})

const STOCK_RULES = {
  resource: 'inventory',
  ...{ actions: {}, event: null, take_if: null, cancel_if: null, changed_at: null },
}

describe('a product or a location that is created while an upload that needs it is delivered', () => {
  let stock: Opened
  beforeAll(async () => {
    stock = await openWebhook({ rules: STOCK_RULES, mappings: {} })
  })

  const uploadOf = (location_code: string, sku_code: string) => ({
    inventory: [{ location_code, sku_code, quantity: 7 }],
    source: 'erp_sync',
  })

  const expectStock = async (location: string, sku_code: string) =>
    expect((await stock.partner.api.get(`/inventory/${location}/`)).body.data).toMatchObject([
      { sku_code, quantity: 7 },
    ])

  it.each([1, 2, 3, 4])('lets its row be stored, before call %i of D1', async (nth) => {
    const { code } = await createLocation(stock.partner.api)
    const sku = unique('SKU')
    let isCreated = false
    const create = async () => {
      await stock.partner.api.post('/products/', { sku })
      isCreated = true
    }
    const { bindings } = ahead(nth, create)
    await stock.deliver(uploadOf(code, sku), { bindings })
    if (!isCreated) await create()
    await tryDue()
    await expectStock(code, sku)
  })

  it.each([1, 2, 3, 4])('and one that is tried without its location, call %i', async (nth) => {
    const [location, sku] = [unique('L'), unique('SKU')]
    const { delivery_id } = (await stock.deliver(uploadOf(location, sku))).body.data
    await stock.partner.api.post('/products/', { sku })
    let isCreated = false
    const create = async () => {
      await stock.partner.api.post('/locations/', { code: location })
      isCreated = true
    }
    const { bindings } = ahead(nth, create)
    const path = `/api/settings/v1/deliveries/${delivery_id}.0/apply/`
    await stock.admin.post(path, {}, { bindings })
    if (!isCreated) await create()
    await tryDue()
    await expectStock(location, sku)
  })
})
