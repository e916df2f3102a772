import { createHmac } from 'node:crypto'
import { SHOP_MAPPING, SHOP_RULES } from '../fixtures/shop-rules.ts'
import type { Json } from '../fixtures/tenant.ts'
import { call } from './editor.ts'

const SECRET = 'kQ9v!2mZ-shop-secret'

/** A shop whose webhook has applied, skipped, kept and refused a delivery. */
export async function layWebhook(name: string) {
  const partner: Json = (await call('POST', 'settings/v1/partners/', { name })).data
  await call('PUT', `settings/v1/partners/${partner.id}/mappings/orders/`, SHOP_MAPPING)
  const input = { name: `${name}, orders`, partner_id: partner.id, rules: SHOP_RULES }
  const made = await call('POST', 'settings/v1/webhooks/', { ...input, secret: SECRET })
  if (made.status !== 201) throw new Error(`answered ${made.status}`)
  const { id, address } = made.data
  const order = (number: string, sku: string) => ({
    ...{ number: `${name}-${number}`, status: 'processing', customer: 'Ada' },
    ...{ modified: '2026-01-01T00:00:00Z', lines: [{ sku, qty: 2 }] },
  })
  await deliver(address, order('1', 'TEA-01'))
  await deliver(address, order('2', 'TEA-02'), { event: 'order.noted' })
  await deliver(address, order('3', 'NO-SUCH-TEA'))
  await deliver(address, order('4', 'TEA-01'), { secret: 'wrong' })
  return { id: id as string, address: address as string, partner: partner.id as string }
}

interface Sent {
  event?: string
  secret?: string
}

async function deliver(address: string, document: object, sent: Sent = {}) {
  const { event = 'order.created', secret = SECRET } = sent
  const body = JSON.stringify(document)
  await fetch(address, {
    method: 'POST',
    body,
    headers: {
      'Content-Type': 'application/json',
      'X-Shop-Signature': createHmac('sha256', secret).update(body).digest('base64'),
      'X-Shop-Topic': event,
    },
  })
}
