import { describe, expect, it } from 'vitest'
import { api } from '../fixtures/opened-api.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { unique } from '../fixtures/tenant.ts'
import {
  bodyWith,
  createProduct,
  dataOf,
  expectData,
  expectError,
  ID,
  path,
  stock,
} from '../fixtures/warehouse.ts'
import {
  booleans,
  decimals,
  identifiers,
  integers,
  notNull,
  objects,
  orNull,
  testField,
} from './samples.ts'

describe('POST /products/', () => {
  it('creates a product with all its fields', async () => {
    const sku = unique('SKU')
    const custom_fields = { colour: 'red', sizes: [1, 2], origin: { country: 'NO' } }
    const product = { sku, quantity: 7, is_active: true, cost: '12.50', custom_fields }
    const answer = await api.post('/products/', product)
    expectData(answer, 201, {
      id: ID,
      sku,
      quantity: 7,
      is_active: true,
      cost: '12.50',
      custom_fields,
    })
  })

  it('fills in quantity 0, is_active true, cost null and empty custom_fields', async () => {
    const sku = unique('SKU')
    const answer = await api.post('/products/', { sku })
    expectData(answer, 201, {
      id: ID,
      sku,
      quantity: 0,
      is_active: true,
      cost: null,
      custom_fields: {},
    })
  })

  it('creates an inactive product with is_active false', async () => {
    const { sku } = await createProduct(api, { is_active: false })
    expect(dataOf(await api.get(path('products', sku)), 200).is_active).toBe(false)
  })

  it('takes a negative quantity as a backorder', async () => {
    expect((await createProduct(api, { quantity: -3 })).quantity).toBe(-3)
  })

  it('names every bad field at once', async () => {
    const bad = { sku: '', quantity: '1', is_active: 1, cost: true, custom_fields: [] }
    expectInvalid(await api.post('/products/', bad), ...Object.keys(bad))
  })

  it('takes a media type with parameters, and none at all', async () => {
    for (const type of ['application/json; charset=utf-8', 'application/vnd.erp+json', '']) {
      const headers = { 'Content-Type': type }
      dataOf(await api.post('/products/', { sku: unique('SKU') }, { headers }), 201)
    }
  })

  it('answers 400 VALIDATION_ERROR for a body that is not UTF-8', async () => {
    const bytes = new Uint8Array([...new TextEncoder().encode('{"sku":"'), 0xff, 0x22, 0x7d])
    expectError(await api.post('/products/', bytes), 400, 'VALIDATION_ERROR')
  })

  const send = (field: string) => (json: string) =>
    api.post('/products/', bodyWith({ sku: unique('SKU') }, field, json))
  testField('sku', notNull(identifiers()), send('sku'))
  testField('quantity', notNull(integers(-2_000_000_000)), send('quantity'))
  testField('is_active', notNull(booleans()), send('is_active'))
  testField('cost', orNull(decimals()), send('cost'))
  testField('custom_fields', notNull(objects()), send('custom_fields'))
})

describe('GET /products/', () => {
  it('shows each product as POST answered it', async () => {
    const product = await createProduct(api, { cost: '0.10', custom_fields: { a: 1 } })
    const answer = await api.get('/products/?limit=1')
    expectData(answer, 200, [product], {
      pagination: { limit: 1, next_cursor: answer.body.pagination.next_cursor },
    })
  })
})

describe('GET /products/{sku}/', () => {
  it('does not count inventory into quantity', async () => {
    const { sku } = await createProduct(api, { quantity: 5 })
    await stock(api, { sku_code: sku, quantity: 40 })
    expect(dataOf(await api.get(path('products', sku)), 200).quantity).toBe(5)
  })
})

describe('PUT /products/{sku}/', () => {
  it('clears cost with null', async () => {
    const { sku } = await createProduct(api, { cost: '1.5' })
    expect(dataOf(await api.put(path('products', sku), { cost: null }), 200).cost).toBeNull()
  })

  const send = (field: string) => async (json: string) => {
    const { sku } = await createProduct(api)
    return await api.put(path('products', sku), bodyWith({}, field, json))
  }
  testField('quantity', notNull(integers(-2_000_000_000)), send('quantity'))
  testField('is_active', notNull(booleans()), send('is_active'))
  testField('cost', orNull(decimals()), send('cost'))
  testField('custom_fields', notNull(objects()), send('custom_fields'))
})
