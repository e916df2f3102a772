import type { Json } from '../fixtures/tenant.ts'
import { call, served } from './editor.ts'

/** A partner with a webhook that checks no signature. */
export async function openShop(name: string) {
  const partner: Json = (await call('POST', 'settings/v1/partners/', { name })).data
  const rules = { resource: 'orders', verification: { kind: 'address' } }
  const input = { name: `${name}, orders`, partner_id: partner.id, rules }
  const webhook: Json = (await call('POST', 'settings/v1/webhooks/', input)).data
  const deliver = async (order: object): Promise<Json> => {
    const { pathname } = new URL(webhook.address)
    const request = { method: 'POST', body: JSON.stringify(order) }
    const headers = { 'Content-Type': 'application/json' }
    return (await (await fetch(served.origin + pathname, { ...request, headers })).json()) as Json
  }
  return { id: partner.id as string, webhook_id: webhook.id as string, deliver }
}

/** The id of a delivery that waits for a product. */
export async function layWaiting(sku_code = 'MUG-2', name = 'Keramik'): Promise<string> {
  const shop = await openShop(`${name} ${crypto.randomUUID().slice(0, 8)}`)
  const order_number = `K-${crypto.randomUUID().slice(0, 8)}`
  return (await shop.deliver({ order_number, items: [{ sku_code, quantity: 1 }] })).data.delivery_id
}
