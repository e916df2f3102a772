import { env } from 'cloudflare:workers'
import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { databaseWhere } from '../fixtures/statements.ts'
import { type CallOptions, send, unique } from '../fixtures/tenant.ts'
import { openWebhook, SECRET, tryDue } from '../fixtures/webhooks.ts'

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

const CSV = 'text/csv; charset=iso-8859-1'

/** A webhook whose sender delivers text in latin1, packed if it has a `coding`. */
async function openTextWebhook(inbound: object, type: string) {
  const { partner, webhook } = await openWebhook({
    mappings: { orders: { inbound } },
    rules: RULES,
  })
  const deliver = async (text: string, options: CallOptions = {}, coding = '') => {
    const sent = Buffer.from(text, 'latin1')
    const signature = createHmac('sha256', SECRET).update(sent).digest('base64')
    const headers = {
      ...{ 'Content-Type': type, 'X-Shop-Signature': signature },
      ...(coding && { 'Content-Encoding': coding }),
    }
    const body = coding === '' ? sent : gzipSync(sent)
    return await send(new Request(webhook.address, { method: 'POST', body, headers }), options)
  }
  return { api: partner.api, deliver }
}

const openCsvWebhook = () => openTextWebhook(INBOUND, CSV)

const XML_FIELDS = {
  order_number: 'shop.order[].@no',
  customer_name: 'shop.order[].name',
  'items[].sku_code': 'shop.order[].line[].sku',
  'items[].quantity': { from: 'shop.order[].line[].qty', as: 'integer' },
}

/** An order as XML: with one line, it looks like an order without a list. */
const order = (number: string, sku: string) =>
  `<order no="${number}"><name>Löwe</name><line><sku>${sku}</sku><qty>2</qty></line></order>`
const shop = (...orders: string[]) =>
  `<?xml version="1.0" encoding="ISO-8859-1"?><shop>${orders.join('')}</shop>`

/** Bindings with which a request has time for the first of its records alone. */
function slowly() {
  const now = Date.now
  let passed = 0
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + passed)
  const DB_DEMO = databaseWhere((batch) => {
    if (batch.length >= 5) passed += 1800
  })
  return { bindings: { ...env, DB_DEMO }, restore: () => clock.mockRestore() }
}

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
    const slow = slowly()
    const rows = numbers.map((number) => `${number};Löwe;${sku};2\n`)
    const { body } = await deliver(`no;name;sku;qty\n${rows.join('')}`, slow)
    slow.restore()
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

  it('keeps XML that waits, packed or not, and applies it later', async () => {
    const records = { each: 'shop.order[]' }
    const { api, deliver } = await openTextWebhook({ records, fields: XML_FIELDS }, 'text/xml')
    for (const coding of ['', 'gzip']) {
      const [number, sku] = [unique('N'), unique('S')]
      const { status, body } = await deliver(shop(order(number, sku)), {}, coding)
      expect([status, body.data?.outcome]).toEqual([200, 'waiting'])
      await api.post('/products/', { sku })
      await tryDue()
      const made = (await api.get(`/orders/${number}/`)).body.data
      expect(made).toMatchObject({ customer_name: 'Löwe', items: [{ quantity: 2 }] })
    }
  })

  it('knows of the records of XML that are left that a single line is a list', async () => {
    const records = { each: 'shop.order[]' }
    const { api, deliver } = await openTextWebhook({ records, fields: XML_FIELDS }, 'text/xml')
    const [numbers, sku] = [[unique('N'), unique('N'), unique('N')], unique('S')]
    await api.post('/products/', { sku })
    const slow = slowly()
    const { body } = await deliver(shop(...numbers.map((number) => order(number, sku))), slow)
    slow.restore()
    expect(body.data.reason).toContain('not tried yet')
    await tryDue()
    for (const number of numbers) {
      expect((await api.get(`/orders/${number}/`)).body.data).toMatchObject({
        items: [{ quantity: 2 }],
      })
    }
  })

  it('says what is wrong with a bomb', async () => {
    const { deliver } = await openTextWebhook({ fields: { notes: 'a' } }, 'text/xml')
    const { status, body } = await deliver(' '.repeat(20_000_000), {}, 'gzip')
    expect([status, body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  })
})
