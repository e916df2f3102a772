import { describe, expect, it } from 'vitest'
import { openPartner } from '../fixtures/partner.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import {
  type Api,
  createLocation,
  createOrder,
  createProduct,
  dataOf,
  expectError,
  openApi,
  path,
  warnedFields,
} from '../fixtures/warehouse.ts'

// src/engine/body/fixed.ts: what records show and no body sets.

const KINDS: [string, string, (api: Api) => Promise<Json>][] = [
  ['orders', 'order_number', createOrder],
  ['products', 'sku', createProduct],
  ['locations', 'code', createLocation],
]

const api = await openApi()

describe.each(KINDS)('PUT /%s/ of a key without a mapping', (resource, name, create) => {
  it('takes every field of the record, and says nothing while they are equal', async () => {
    const at = path(resource, (await create(api))[name])
    const read = dataOf(await api.get(at), 200)
    const answer = await api.put(at, read)
    expect([dataOf(answer, 200), answer.body.warnings]).toEqual([read, undefined])
  })

  it('refuses another id and another name, and warns of other times', async () => {
    const at = path(resource, (await create(api))[name])
    const read = dataOf(await api.get(at), 200)
    const other = { ...read, id: crypto.randomUUID(), [name]: unique('X') }
    expectError(await api.put(at, other), 400, 'VALIDATION_ERROR', ['id', name])
    const later = await api.put(at, { ...read, created_at: '2020-01-01T00:00:00.000Z' })
    expect([later.status, warnedFields(later)]).toEqual([200, ['created_at']])
  })
})

describe("a shop's own id and status, which its mapping only lets through", () => {
  const fields = {
    order_number: 'nr',
    'items[].sku_code': 'lines[].sku',
    'items[].quantity': 'lines[].qty',
  }

  async function openShop() {
    const shop = await openPartner({ mappings: { orders: { inbound: { fields } } } })
    const { sku } = await createProduct(api)
    const document = (more: object) => ({ nr: unique('N'), lines: [{ sku, qty: 1 }], ...more })
    return { shop: shop.api, document }
  }

  it('is not taken for ours: another id is no other record', async () => {
    const { shop, document } = await openShop()
    const sent = document({ id: 4711 })
    dataOf(await shop.post('/orders/', sent), 201)
    expect((await shop.put(path('orders', sent.nr), sent)).status).toBe(200)
  })

  it.each(['cancelled', 'shipped'])('makes no order to pick of one that is %s', async (status) => {
    const { shop, document } = await openShop()
    const sent = document({ status })
    const refused = await shop.post('/orders/', sent)
    expect([refused.status, refused.body.error.source]).toEqual([400, { status: 'status' }])
    expect(refused.body.detail).toContain('if it was sent before, change it by PUT')
    expect((await shop.get(path('orders', sent.nr))).status).toBe(404)
    dataOf(await shop.post('/orders/', { ...sent, status: 'processing' }), 201)
    // The way out that the message names.
    expect(dataOf(await shop.put(path('orders', sent.nr), sent), 200).status).toBe(status)
  })
})
