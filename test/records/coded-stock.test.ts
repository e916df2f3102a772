import { describe, expect, it } from 'vitest'
import { admin } from '../fixtures/opened.ts'
import { openCoded } from '../fixtures/partner.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { createLocation, createProduct } from '../fixtures/warehouse.ts'

// Uploads of stock, products and locations whose documents have the partner's own numbers.

const FIELDS = {
  'inventory[].location_code': { from: 'rows[].at', code: { of: 'locations', or_own: true } },
  'inventory[].sku_code': { from: 'rows[].id', as: 'string', code: 'products' },
  'inventory[].quantity': 'rows[].n',
  'inventory[].if_quantity': 'rows[].if',
}
const STOCK = { inventory: { inbound: { unmapped: 'drop', fields: FIELDS } } }

const openShop = async (codes: Record<string, [string, number?]>, mappings: object = STOCK) =>
  await openCoded(codes, mappings as Record<string, object>)

const row = (at: string, id: unknown, n: number, more: object = {}) => ({ at, id, n, ...more })
const stockAt = async (location: string) =>
  Object.fromEntries(
    (await admin.get(`/inventory/${location}/`)).body.data.map((one: Json) => [
      one.sku_code,
      one.quantity,
    ]),
  )

describe('POST /inventory/ with item codes', () => {
  it('stores what the codes stand for, and multiplies by their units', async () => {
    const [{ sku }, { code }] = [await createProduct(admin), await createLocation(admin)]
    const other = await createLocation(admin)
    const { api, at } = await openShop({ 4711: [sku, 12] })
    await admin.put(`${at}locations/W1/`, { location_code: code })
    const rows = [row('W1', 4711, 2), row(other.code, 4711, 1)]
    const { body } = await api.post('/inventory/', { rows })
    expect(body.data).toMatchObject({ total: 2, created: 2, failed: 0, errors: [] })
    expect([await stockAt(code), await stockAt(other.code)]).toEqual([{ [sku]: 24 }, { [sku]: 12 }])
  })

  it('adds up rows of different codes, and lets the last row of one code count', async () => {
    const [{ sku }, { code }] = [await createProduct(admin), await createLocation(admin)]
    const { api } = await openShop({ K1: [sku], K12: [sku, 12] })
    const rows = [row(code, 'K1', 5), row(code, 'K12', 9), row(code, 'K12', 2), row(code, 'K1', 3)]
    const { body } = await api.post('/inventory/', { rows })
    expect(body.data).toMatchObject({ total: 4, failed: 0 })
    expect(body.warnings).toBeUndefined()
    expect(await stockAt(code)).toEqual({ [sku]: 27 })
  })

  it('warns of rows that repeat one code, as without codes', async () => {
    const [{ sku }, { code }] = [await createProduct(admin), await createLocation(admin)]
    const { api } = await openShop({ K1: [sku, 2] })
    const { body } = await api.post('/inventory/', {
      rows: [row(code, 'K1', 5), row(code, 'K1', 3)],
    })
    expect(body.warnings).toMatchObject([{ code: 'PAIR_REPEATED' }])
    expect(await stockAt(code)).toEqual({ [sku]: 6 })
  })

  it('fails a row with an unknown code alone, by the path of the partner', async () => {
    const [{ sku }, { code }] = [await createProduct(admin), await createLocation(admin)]
    const { api } = await openShop({ K1: [sku] })
    const { body } = await api.post('/inventory/', {
      rows: [row(code, 'K9', 1), row(code, 'K1', 3)],
    })
    expect(body.data).toMatchObject({
      total: 2,
      failed: 1,
      errors: [
        {
          row: 0,
          product_id: 'K9',
          errors: { sku_code: [expect.stringContaining('no item code "K9"')] },
          source: { sku_code: 'rows[0].id' },
        },
      ],
    })
    expect(await stockAt(code)).toEqual({ [sku]: 3 })
  })

  it.each([
    ['a quantity', [row('', 'K', 2001)], 'quantity', '2001 x 1000000'],
    ['a sum', [row('', 'K', 2000), row('', 'K1', 1)], 'quantity', '2 codes give 2000000001'],
    [
      'a condition beside other codes',
      [row('', 'K', 1), row('', 'K1', 1, { if: 5 })],
      'if_quantity',
      'several item codes',
    ],
  ])('refuses %s that cannot be', async (_, given, field, message) => {
    const [{ sku }, { code }] = [await createProduct(admin), await createLocation(admin)]
    const { api } = await openShop({ K: [sku, 1_000_000], K1: [sku] })
    const rows = given.map((one) => ({ ...one, at: code }))
    const { body } = await api.post('/inventory/', { rows })
    expect(body.data.failed).toBeGreaterThan(0)
    expect(body.data.errors[0].errors[field][0]).toContain(message)
  })

  it('compares a condition in our own units', async () => {
    const [{ sku }, { code }] = [await createProduct(admin), await createLocation(admin)]
    const { api } = await openShop({ K12: [sku, 12] })
    await api.post('/inventory/', { rows: [row(code, 'K12', 2)] })
    await api.post('/inventory/', { rows: [row(code, 'K12', 3, { if: 2 })] })
    expect(await stockAt(code)).toEqual({ [sku]: 36 })
  })

  it('answers a dry run as the upload', async () => {
    const [{ sku }, { code }] = [await createProduct(admin), await createLocation(admin)]
    const { api } = await openShop({ K12: [sku, 12] })
    const rows = [row(code, 'K12', 2), row(code, 'K9', 1)]
    const dry = await api.post('/inventory/?dry_run=true', { rows })
    expect(dry.body.data).toMatchObject({
      created: 1,
      failed: 1,
      changes: [{ from: null, to: 24 }],
    })
    expect(await stockAt(code)).toEqual({})
  })

  it('is refused and runs again if the codes change after they are read', async () => {
    const [{ sku }, { code }] = [await createProduct(admin), await createLocation(admin)]
    const other = await createProduct(admin)
    const { api, at } = await openShop({ K1: [sku] })
    const { env } = await import('cloudflare:workers')
    let batches = 0
    const DB_DEMO = {
      prepare: env.DB_DEMO.prepare.bind(env.DB_DEMO),
      async batch(statements: D1PreparedStatement[]) {
        const results = await env.DB_DEMO.batch(statements)
        batches += 1
        if (batches === 1) await admin.put(`${at}products/K1/`, { sku_code: other.sku })
        return results
      },
    }
    await api.get('/orders/')
    const bindings = { ...env, DB_DEMO }
    const { status } = await api.post('/inventory/', { rows: [row(code, 'K1', 4)] }, { bindings })
    expect(status).toBe(200)
    expect(await stockAt(code)).toEqual({ [other.sku]: 4 })
  })

  it('shows in a preview which rows would fail', async () => {
    const { code } = await createLocation(admin)
    const { id } = await openShop({})
    const { body } = await admin.post(
      `/api/settings/v1/partners/${id}/mappings/inventory/preview/`,
      { payload: { rows: [row(code, 'K9', 1)] } },
    )
    expect(body.data.errors).toMatchObject([
      { field: 'inventory[0].sku_code', source: 'rows[0].id' },
    ])
  })
})

describe('POST /products/ and /locations/ with item codes', () => {
  const mappings = {
    products: {
      inbound: {
        unmapped: 'drop',
        fields: { sku: { from: 'id', code: 'products' }, quantity: 'n' },
      },
    },
    locations: {
      inbound: { unmapped: 'drop', fields: { code: { from: 'id', code: 'locations' } } },
    },
  }

  it('names the record by what the code stands for', async () => {
    const [sku, code] = [unique('S'), unique('L')]
    const { api, at } = await openShop({ K1: [sku] }, mappings)
    await admin.put(`${at}locations/W1/`, { location_code: code })
    expect((await api.post('/products/', { id: 'K1', n: 3 })).status).toBe(201)
    expect((await api.post('/locations/', { id: 'W1' })).status).toBe(201)
    expect((await admin.get(`/products/${sku}/`)).body.data.quantity).toBe(3)
    expect((await admin.get(`/locations/${code}/`)).status).toBe(200)
    const changed = await api.put(`/products/${sku}/`, { id: 'K1', n: 4 })
    expect([changed.status, changed.body.data.quantity]).toEqual([200, 4])
  })

  it('refuses an unknown code, also in a preview', async () => {
    const { api, id } = await openShop({}, mappings)
    const { status, body } = await api.post('/products/', { id: 'K9' })
    expect([status, body.error.reason]).toEqual([400, 'UNKNOWN_CODE'])
    expect(body.error.source).toEqual({ sku: 'id' })
    const place = `/api/settings/v1/partners/${id}/mappings/products/preview/`
    const previewed = await admin.post(place, { payload: { id: 'K9' } })
    expect(previewed.body.data.would_answer).toEqual({ status: 400, code: 'SERVICE_ERROR' })
  })
})
