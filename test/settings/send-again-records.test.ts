import { beforeAll, describe, expect, it } from 'vitest'
import { wordsOf } from '../dashboard/mapping-forms.ts'
import { idOf, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { openDashboard } from '../fixtures/session.ts'
import { type Answer, type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { createProduct, dataOf } from '../fixtures/warehouse.ts'

const MAPPING = {
  inbound: {
    unmapped: 'drop',
    records: { each: 'orders[]' },
    fields: {
      order_number: 'orders[].number',
      'items[].sku_code': 'orders[].lines[].sku',
      'items[].quantity': { from: 'orders[].lines[].qty', as: 'integer' },
    },
  },
}

beforeAll(async () => {
  await openTenant()
})

async function openShop() {
  const partner = await openKept({ of: 'errors', days: 7 }, { mappings: { orders: MAPPING } })
  const { sku } = await createProduct(partner.admin)
  const order = (line: object = {}) => ({ number: unique('N'), lines: [{ sku, qty: 1, ...line }] })
  const row = async (answer: Answer): Promise<Json> =>
    dataOf(await partner.admin.get(`${SETTINGS}/audit-log/${idOf(answer)}/`), 200)
  return { ...partner, order, row }
}

describe('POST /audit-log/{request_id}/send-again/ of a document with several records', () => {
  it('is open while records have failed, and leaves alone what was created', async () => {
    const shop = await openShop()
    const lacking = unique('SKU')
    const orders = [shop.order(), shop.order({ sku: lacking }), shop.order({ qty: 'two' })]
    const sent = await shop.api.post('/orders/', { orders })
    expect(await shop.row(sent)).toMatchObject({
      status: 200,
      message: 'Of 3 records, 2 failed.',
      counts: { total: 3, created: 1, updated: 0, unchanged: 0, failed: 2 },
      document: { state: 'kept' },
      details: {
        records: [
          {
            row: 1,
            errors: { 'items[0].sku_code': [expect.stringContaining(lacking)] },
            source: { 'items[0].sku_code': 'orders[1].lines[0].sku' },
          },
        ],
        problems: [{ reason: 'CONVERSION', at: 'orders[2].lines[0].qty' }],
      },
    })
    const dashboard = await openDashboard()
    const all = await dashboard.get(`/dashboard/send-again/?partner_id=${shop.id}`)
    expect(wordsOf(all)).toContain('1 failed request')
    expect(wordsOf(all)).not.toContain('nothing to send again')

    await createProduct(shop.admin, { sku: lacking })
    const again = await shop.admin.post(`${SETTINGS}/audit-log/${idOf(sent)}/send-again/`, {})
    const { answer } = dataOf(again, 200)
    expect(answer.data).toMatchObject({ total: 3, created: 1, unchanged: 1, failed: 1 })
    const reads = orders.map(({ number }) => shop.api.get(`/orders/${number}/`))
    expect((await Promise.all(reads)).map(({ status }) => status)).toEqual([200, 200, 404])
  })

  it('is refused where all records arrived', async () => {
    const shop = await openShop()
    const sent = await shop.api.post('/orders/', { orders: [shop.order(), shop.order()] })
    expect((await shop.row(sent)).counts).toMatchObject({ total: 2, created: 2, failed: 0 })
    const again = await shop.admin.post(`${SETTINGS}/audit-log/${idOf(sent)}/send-again/`, {})
    expect([again.status, again.body.error.reason]).toEqual([400, expect.any(String)])
  })

  it('is offered on the page of the request, with each fault at its place in the document', async () => {
    const shop = await openShop()
    const lacking = unique('SKU')
    const orders = [shop.order(), shop.order({ sku: lacking }), shop.order({ qty: 'two' })]
    const sent = await shop.api.post('/orders/', { orders })
    const dashboard = await openDashboard()
    const page = await dashboard.get(`/dashboard/audit-log/${idOf(sent)}/`)
    expect(wordsOf(page)).toContain('Records 3 sent: 1 created, 0 unchanged, 2 failed')
    expect(page.text).toMatch(new RegExp(`<mark>&quot;${lacking}&quot;</mark>`))
    expect(page.text).toContain('<mark>&quot;two&quot;</mark>')
    expect(page.text).toContain('Record 1: ')
    expect(page.text).toContain(`/dashboard/audit-log/${idOf(sent)}/send-again/`)
  })
})
