import { beforeEach, describe, expect, it } from 'vitest'
import { saveMapping } from '../fixtures/partner.ts'
import { openDashboard } from '../fixtures/session.ts'
import { type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'
import {
  openWebhook,
  SHOP_MAPPING,
  shopDocument,
  tryDue,
  type Webhook,
  waitingOf,
} from '../fixtures/webhooks.ts'

// Deliveries with the partner's own numbers wait for a code, and are applied by themselves once it is there.

let shop: Webhook
let codes: string

const mappingWith = (code: unknown) => ({
  inbound: {
    ...SHOP_MAPPING.inbound,
    fields: { ...SHOP_MAPPING.inbound.fields, 'items[].sku_code': { from: 'lines[].sku', code } },
  },
})

beforeEach(async () => {
  shop = await openWebhook()
  codes = `/api/settings/v1/partners/${shop.partner.id}/item-codes/products/`
  await saveMapping(shop.partner.admin, shop.partner.id, 'orders', mappingWith('products'))
})

const deliver = async (code: string, qty = 1) => {
  const document = await shopDocument(shop.api, { lines: [{ sku: code, qty }] })
  const { body } = await shop.deliver(document)
  return { ...body.data, number: document.number } as Json
}
const stored = async (number: string) =>
  (await shop.api.get(`/orders/${number}/`)).body.data?.items.map(({ sku, quantity }: Json) => [
    sku.sku,
    quantity,
  ])

describe('a delivery with an unknown item code', () => {
  it('waits for the code of its partner, and is applied once that is entered', async () => {
    const { sku } = await createProduct(shop.api)
    const code = unique('K')
    const { delivery_id, outcome, error, number } = await deliver(code, 2)
    expect([outcome, error.reason]).toEqual(['waiting', 'UNKNOWN_CODE'])
    expect(error.source).toEqual({ 'items[0].sku_code': 'lines[0].sku' })
    expect(await waitingOf(delivery_id)).toMatchObject({
      needs: 'product_code',
      needs_code: code,
      is_due: 0,
      due_at: null,
    })
    await shop.partner.admin.put(`${codes}${code}/`, { sku_code: sku, units: 12 })
    expect(await waitingOf(delivery_id)).toMatchObject({ is_due: 1 })
    await tryDue()
    expect(await waitingOf(delivery_id)).toBeNull()
    expect(await stored(number)).toEqual([[sku, 24]])
  })

  it('leads from its page to where the code is entered', async () => {
    const code = `${unique('K')}/1`
    const { delivery_id } = await deliver(code)
    const dashboard = await openDashboard()
    const page = await dashboard.get(`/dashboard/deliveries/${delivery_id}/`)
    const at = codes.replace('/api/settings/v1/', '/dashboard/')
    expect(page.text).toContain(`href="${at}?code=${encodeURIComponent(code)}#enter"`)
  })

  it('waits for the product then, if the code came first', async () => {
    const [sku, code] = [unique('S'), unique('K')]
    const { delivery_id, number } = await deliver(code)
    const item_codes = [{ code, sku_code: sku }]
    await shop.partner.admin.put(codes, { item_codes })
    await tryDue()
    expect(await waitingOf(delivery_id)).toMatchObject({ needs: 'product', needs_code: sku })
    await createProduct(shop.api, { sku })
    await tryDue()
    expect(await stored(number)).toEqual([[sku, 1]])
  })

  it('is tried again if its code means another product, while it waits for the first', async () => {
    const { sku } = await createProduct(shop.api)
    const code = unique('K')
    await shop.partner.admin.put(`${codes}${code}/`, { sku_code: unique('S') })
    const { delivery_id, number } = await deliver(code)
    expect(await waitingOf(delivery_id)).toMatchObject({ needs: 'product' })
    await shop.partner.admin.put(`${codes}${code}/`, { sku_code: sku })
    await tryDue()
    expect(await waitingOf(delivery_id)).toBeNull()
    expect(await stored(number)).toEqual([[sku, 1]])
  })

  it('is tried again if the units of its code were too many', async () => {
    const { sku } = await createProduct(shop.api)
    const code = unique('K')
    await shop.partner.admin.put(`${codes}${code}/`, { sku_code: sku, units: 1_000_000 })
    const { delivery_id, number } = await deliver(code, 3000)
    expect(await waitingOf(delivery_id)).toMatchObject({ needs: 'settings' })
    await shop.partner.admin.put(`${codes}${code}/`, { sku_code: sku, units: 10 })
    await tryDue()
    expect(await stored(number)).toEqual([[sku, 30_000]])
  })

  it('is freed by no code of another partner', async () => {
    const code = unique('K')
    const { delivery_id } = await deliver(code)
    const other = await openWebhook()
    const place = `/api/settings/v1/partners/${other.partner.id}/item-codes/products/${code}/`
    await other.partner.admin.put(place, { sku_code: 'A' })
    expect(await waitingOf(delivery_id)).toMatchObject({ is_due: 0 })
  })

  it('waits for our own SKU as well with or_own, and for a while by time', async () => {
    const mapping = mappingWith({ of: 'products', or_own: true })
    await saveMapping(shop.partner.admin, shop.partner.id, 'orders', mapping)
    const code = unique('K')
    const { delivery_id, number } = await deliver(code)
    const { due_at, needs } = (await waitingOf(delivery_id)) as Json
    expect(needs).toBe('product_code')
    expect(Date.parse(due_at) - Date.now()).toBeLessThan(61_000)
    await createProduct(shop.api, { sku: code })
    await tryDue()
    expect(await stored(number)).toEqual([[code, 1]])
  })
})

describe('a delivery of an order that is there, with item codes', () => {
  const noted = async (number: string) => {
    const db = await openTenant()
    return await db
      .prepare(
        `select sent, total from line_differences
          join orders on orders.id = order_id where order_number = ?`,
      )
      .bind(number)
      .first<{ sent: string; total: number }>()
  }

  it('compares lines by what their codes stand for', async () => {
    const { sku } = await createProduct(shop.api)
    const [code, other] = [unique('K'), unique('K')]
    const item_codes = [
      { code, sku_code: sku, units: 12 },
      { code: other, sku_code: sku },
    ]
    await shop.partner.admin.put(codes, { item_codes })
    const lines = [
      { sku: code, qty: 2 },
      { sku: other, qty: 3 },
    ]
    const document = await shopDocument(shop.api, { lines })
    await shop.deliver(document)
    const same = await shop.deliver(document)
    expect([same.body.data.outcome, same.body.warnings]).toEqual(['unchanged', undefined])
    expect(await noted(document.number)).toBeNull()
    await shop.deliver({ ...document, lines: [{ sku: code, qty: 3 }] })
    expect(await noted(document.number)).toEqual({ sent: JSON.stringify([[sku, 36]]), total: 1 })
  })
})

describe('rows of an upload with an unknown item code', () => {
  const mapping = {
    inbound: {
      unmapped: 'drop',
      fields: {
        'inventory[].location_code': 'rows[].at',
        'inventory[].sku_code': { from: 'rows[].id', code: 'products' },
        'inventory[].quantity': 'rows[].n',
      },
    },
  }
  const rules = {
    resource: 'inventory',
    ...{ actions: {}, event: null, take_if: null, cancel_if: null, changed_at: null },
  }

  it('wait one by one, and are applied once the code is entered, and then its product', async () => {
    shop = await openWebhook({ rules, mappings: { inventory: mapping } })
    codes = `/api/settings/v1/partners/${shop.partner.id}/item-codes/products/`
    const { admin } = shop.partner
    const { code: at } = await createLocation(shop.api)
    const [code, sku] = [unique('K'), unique('S')]
    const { body } = await shop.deliver({ rows: [{ at, id: code, n: 2 }] })
    expect(body.error).toBeUndefined()
    expect(body.data).toMatchObject({ outcome: 'uploaded', upload: { failed: 1 }, waiting: 1 })
    const db = await openTenant()
    const waiting = () =>
      db.prepare('select * from waiting_deliveries where api_key_id = ?').bind(shop.id).all<Json>()
    expect((await waiting()).results).toMatchObject([
      { needs: 'product_code', needs_code: code, position: 1_000_000 },
    ])
    // Its product is named like the code: it is tried, and waits on.
    await createProduct(admin, { sku: code })
    await tryDue()
    expect((await waiting()).results).toMatchObject([{ needs: 'product_code', tries: 1 }])
    await admin.put(`${codes}${code}/`, { sku_code: sku, units: 6 })
    await tryDue()
    expect((await waiting()).results).toMatchObject([{ needs: 'product', needs_code: sku }])
    await createProduct(admin, { sku })
    await tryDue()
    expect((await waiting()).results).toEqual([])
    const { data } = (await admin.get(`/inventory/${at}/`)).body
    expect(data).toMatchObject([{ sku_code: sku, quantity: 12 }])
  })
})
