import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { createHmac } from 'node:crypto'
import { describe, expect, it, vi } from 'vitest'
import { databaseWhere } from '../fixtures/statements.ts'
import { type CallOptions, send, unique } from '../fixtures/tenant.ts'
import { openWebhook, SECRET } from '../fixtures/webhooks.ts'

const INBOUND = {
  records: { each: '$[]', group_by: ['$[].no'] },
  fields: {
    order_number: '$[].no',
    customer_name: '$[].name',
    'items[].sku_code': '$[].sku',
    'items[].quantity': { from: '$[].qty', as: 'integer' },
  },
}
const RULES = {
  ...{ event: null, document: null, delivery_id: null, changed_at: null },
  ...{ take_if: null, cancel_if: null, actions: {} },
}

/** A webhook whose sender delivers CSV in latin1. */
async function openCsvWebhook() {
  const { partner, webhook } = await openWebhook({
    mappings: { orders: { inbound: INBOUND } },
    rules: RULES,
  })
  const deliver = async (text: string, options: CallOptions = {}) => {
    const body = Buffer.from(text, 'latin1')
    const signature = createHmac('sha256', SECRET).update(body).digest('base64')
    const headers = {
      'Content-Type': 'text/csv; charset=iso-8859-1',
      'X-Shop-Signature': signature,
    }
    return await send(new Request(webhook.address, { method: 'POST', body, headers }), options)
  }
  return { api: partner.api, deliver }
}

const tryDue = async () =>
  await runInDurableObject(env.DELIVERIES.getByName('demo'), (driver) => driver.tryDue('demo'))

describe('POST /webhooks/v1/:token/', () => {
  it('keeps a CSV that waits as text, whatever its charset, and applies it later', async () => {
    const { api, deliver } = await openCsvWebhook()
    const [number, sku] = [unique('N'), unique('S')]
    const { status, body } = await deliver(`no;name;sku;qty\n${number};Löwe;${sku};2\n`)
    expect([status, body.data?.outcome]).toEqual([200, 'waiting'])
    await api.post('/products/', { sku })
    await tryDue()
    const order = (await api.get(`/orders/${number}/`)).body.data
    expect(order).toMatchObject({ customer_name: 'Löwe', items: [{ quantity: 2 }] })
  })

  it('keeps the records of a CSV that one request cannot apply, and applies them later', async () => {
    const { api, deliver } = await openCsvWebhook()
    const [numbers, sku] = [[unique('N'), unique('N'), unique('N')], unique('S')]
    await api.post('/products/', { sku })
    const now = Date.now
    let passed = 0
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + passed)
    const DB_DEMO = databaseWhere((batch) => {
      if (batch.length >= 5) passed += 1800
    })
    const rows = numbers.map((number) => `${number};Löwe;${sku};2\n`)
    const bindings = { ...env, DB_DEMO }
    const { body } = await deliver(`no;name;sku;qty\n${rows.join('')}`, { bindings })
    clock.mockRestore()
    expect(body.data.reason).toContain('not tried yet')
    await tryDue()
    for (const number of numbers) {
      const order = (await api.get(`/orders/${number}/`)).body.data
      expect(order).toMatchObject({ customer_name: 'Löwe' })
    }
  })

  it('says what is wrong with a CSV that as UTF-8 is too large to wait', async () => {
    const { deliver } = await openCsvWebhook()
    const file = `no;name;sku;qty\nA;${'ü'.repeat(1_200_000)};none;1\n`
    const { status, body } = await deliver(file)
    expect([status, body.error?.code]).toEqual([400, 'VALIDATION_ERROR'])
  })
})
