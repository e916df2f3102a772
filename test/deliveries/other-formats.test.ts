import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { send, unique } from '../fixtures/tenant.ts'
import { openWebhook, SECRET } from '../fixtures/webhooks.ts'

const MAPPING = {
  inbound: {
    fields: {
      order_number: '$[0].no',
      customer_name: '$[0].name',
      'items[].sku_code': '$[].sku',
      'items[].quantity': { from: '$[].qty', as: 'integer' },
    },
    records: { each: '$[]', group_by: ['$[].no'] },
  },
}

const tryDue = async () =>
  await runInDurableObject(env.DELIVERIES.getByName('demo'), (driver) => driver.tryDue('demo'))

describe('POST /webhooks/v1/:token/', () => {
  it('keeps a CSV that waits as text, whatever its charset, and applies it later', async () => {
    const fields = { ...MAPPING.inbound.fields, order_number: '$[].no', customer_name: '$[].name' }
    const inbound = { ...MAPPING.inbound, fields }
    const { partner, webhook } = await openWebhook({
      mappings: { orders: { inbound } },
      rules: {
        event: null,
        document: null,
        delivery_id: null,
        changed_at: null,
        take_if: null,
        cancel_if: null,
        actions: {},
      },
    })
    const [number, sku] = [unique('N'), unique('S')]
    const body = Buffer.from(`no;name;sku;qty\n${number};Löwe;${sku};2\n`, 'latin1')
    const signature = createHmac('sha256', SECRET).update(body).digest('base64')
    const request = new Request(webhook.address, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'text/csv; charset=iso-8859-1', 'X-Shop-Signature': signature },
    })
    const { status, body: answer } = await send(request)
    expect([status, answer.data?.outcome]).toEqual([200, 'waiting'])
    await partner.admin.post('/products/', { sku })
    await tryDue()
    const order = await partner.admin.get(`/orders/${number}/`)
    expect(order.body.data).toMatchObject({ customer_name: 'Löwe', items: [{ quantity: 2 }] })
  })
})
