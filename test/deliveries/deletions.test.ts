import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Json, unique } from '../fixtures/tenant.ts'
import { openWebhook, shopDocument } from '../fixtures/webhooks.ts'

// The deletion of an order has the id alone in WooCommerce and Shopify: it does not say how new it is.

type Opened = Awaited<ReturnType<typeof openWebhook>>
let shop: Opened
beforeAll(async () => {
  shop = await openWebhook()
})

const tryDue = async () =>
  await runInDurableObject(env.DELIVERIES.getByName('demo'), (driver) => driver.tryDue('demo'))

const deletionOf = ({ number }: Json) => shop.deliver({ number }, { event: 'order.deleted' })
const found = async ({ number }: Json) => {
  const { status, body } = await shop.partner.api.get(`/orders/${number}/`)
  return status === 404 ? 404 : body.data.status
}

describe('a deletion without a time', () => {
  it('ends the creation that waits, so that the product does not bring the order back', async () => {
    const sku = unique('SKU')
    const order = await shopDocument(shop.partner.api, { lines: [{ sku, qty: 1 }] })
    expect((await shop.deliver(order)).body.data.outcome).toBe('waiting')
    expect((await deletionOf(order)).body.data.outcome).toBe('skipped')
    await shop.partner.api.post('/products/', { sku })
    await tryDue()
    expect(await found(order)).toBe(404)
  })

  it('makes the creation stale that comes after it', async () => {
    const order = await shopDocument(shop.partner.api)
    expect((await deletionOf(order)).body.data.outcome).toBe('skipped')
    expect((await shop.deliver(order)).body.data.outcome).toBe('stale')
    expect(await found(order)).toBe(404)
  })

  it('makes a change stale that was made before it', async () => {
    const order = await shopDocument(shop.partner.api)
    await shop.deliver(order)
    expect((await deletionOf(order)).body.data.outcome).toBe('cancelled')
    const late = { ...order, customer: 'Grace' }
    expect((await shop.deliver(late, { event: 'order.updated' })).body.data.outcome).toBe('stale')
    expect(await found(order)).toBe('cancelled')
  })

  it('is applied whatever time the order has, and leaves what is newer alone', async () => {
    const soon = new Date(Date.now() + 600_000).toISOString()
    const order = await shopDocument(shop.partner.api, { modified: soon })
    await shop.deliver(order)
    expect((await deletionOf(order)).body.data.outcome).toBe('cancelled')
    const restored = { ...order, customer: 'Grace' }
    const { body } = await shop.deliver(restored, { event: 'order.updated' })
    expect(body.data.outcome).toBe('updated')
  })
})
