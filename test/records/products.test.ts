import { beforeAll, describe, expect, it } from 'vitest'
import { type Json, unique } from '../fixtures/tenant.ts'
import {
  type Api,
  aMoment,
  bodyWith,
  createLocation,
  createProduct,
  dataOf,
  expectError,
  ID,
  openApi,
  path,
  stock,
  warnedFields,
} from '../fixtures/warehouse.ts'
import { testPages } from './paging.ts'
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

let api: Api
beforeAll(async () => {
  api = await openApi()
})

describe('POST /products/', () => {
  it('creates a product with all its fields', async () => {
    const sku = unique('SKU')
    const custom_fields = { colour: 'red', sizes: [1, 2], origin: { country: 'NO' } }
    const product = { sku, quantity: 7, is_active: true, cost: '12.50', custom_fields }
    const { status, body } = await api.post('/products/', product)
    expect({ status, body }).toStrictEqual({
      status: 201,
      body: {
        success: true,
        data: { id: ID, sku, quantity: 7, is_active: true, cost: '12.50', custom_fields },
      },
    })
  })

  it('fills in quantity 0, is_active true, cost null and empty custom_fields', async () => {
    const sku = unique('SKU')
    const { status, body } = await api.post('/products/', { sku })
    expect({ status, body }).toStrictEqual({
      status: 201,
      body: {
        success: true,
        data: { id: ID, sku, quantity: 0, is_active: true, cost: null, custom_fields: {} },
      },
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
    const answer = await api.post('/products/', bad)
    expectError(answer, 400, 'VALIDATION_ERROR', Object.keys(bad))
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

  it('says in DUPLICATE that PUT is_active revives an inactive product', async () => {
    const { sku } = await createProduct(api, { is_active: false })
    const answer = await api.post('/products/', { sku })
    expectError(answer, 409, 'DUPLICATE', ['sku'])
    expect(answer.body.detail).toMatch(/PUT.*is_active/)
    expect(dataOf(await api.get(path('products', sku)), 200).is_active).toBe(false)
  })

  it('names unknown and read-only fields in warnings and ignores them', async () => {
    const sku = unique('SKU')
    const answer = await api.post('/products/', {
      sku,
      id: 'mine',
      colour: 'red',
      created_at: '2020-01-01',
      custom_fields: { anything: 'goes' },
    })
    expect(dataOf(answer, 201)).toMatchObject({ id: ID, sku })
    expect(warnedFields(answer).toSorted()).toEqual(['colour', 'created_at', 'id'])
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
  testPages({
    path: '/products/',
    other: '/locations/',
    add: async (to) => (await createProduct(to)).sku,
    addToOther: (to) => createLocation(to),
    change: (to, sku) => to.put(path('products', sku), { quantity: 9 }),
    nameOf: (row) => row.sku,
  })

  it('shows each product as POST answered it', async () => {
    const product = await createProduct(api, { cost: '0.10', custom_fields: { a: 1 } })
    const { status, body } = await api.get('/products/?limit=1')
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        success: true,
        data: [product],
        pagination: { limit: 1, next_cursor: body.pagination.next_cursor },
      },
    })
  })

  it('leaves inactive products out, and shows one again that was revived', async () => {
    const before = await createProduct(api)
    const { sku } = await createProduct(api)
    await api.delete(path('products', sku))
    expect(await newest(1)).toEqual([before.sku])
    await api.put(path('products', sku), { is_active: true })
    expect(await newest(2)).toEqual([sku, before.sku])
  })

  it('goes on behind a product that was deactivated after its page', async () => {
    const skus: string[] = []
    while (skus.length < 3) skus.push((await createProduct(api)).sku)
    const first = await api.get('/products/?limit=1')
    await api.delete(path('products', skus[2]!))
    const { next_cursor } = first.body.pagination
    const second = await api.get(`/products/?limit=2&cursor=${next_cursor}`)
    expect(dataOf(second, 200).map((row: Json) => row.sku)).toEqual([skus[1], skus[0]])
  })

  async function newest(limit: number): Promise<string[]> {
    const rows = dataOf(await api.get(`/products/?limit=${limit}`), 200)
    return rows.map((row: Json) => row.sku)
  }
})

describe('GET /products/{sku}/', () => {
  it('answers the full product', async () => {
    const custom_fields = { colour: 'red' }
    const product = await createProduct(api, { quantity: 3, cost: '9.99', custom_fields })
    const { status, body } = await api.get(path('products', product.sku))
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: {
        success: true,
        data: {
          id: product.id,
          sku: product.sku,
          quantity: 3,
          is_active: true,
          cost: '9.99',
          custom_fields,
        },
      },
    })
  })

  it('answers an inactive product with is_active false', async () => {
    const { sku } = await createProduct(api)
    await api.delete(path('products', sku))
    expect(dataOf(await api.get(path('products', sku)), 200)).toMatchObject({
      sku,
      is_active: false,
    })
  })

  it('does not count inventory into quantity', async () => {
    const { sku } = await createProduct(api, { quantity: 5 })
    await stock(api, { sku_code: sku, quantity: 40 })
    expect(dataOf(await api.get(path('products', sku)), 200).quantity).toBe(5)
  })
})

describe('PUT /products/{sku}/', () => {
  it('replaces all fields and answers the full product', async () => {
    const { id, sku } = await createProduct(api, { quantity: 1, custom_fields: { old: true } })
    const fields = { quantity: -2, is_active: false, cost: '3.1', custom_fields: { new: [1] } }
    const { status, body } = await api.put(path('products', sku), fields)
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: { success: true, data: { id, sku, ...fields } },
    })
    expect(dataOf(await api.get(path('products', sku)), 200)).toStrictEqual({ id, sku, ...fields })
  })

  it('leaves fields alone that are not given', async () => {
    const product = await createProduct(api, { quantity: 4, cost: '1', custom_fields: { a: 1 } })
    const updated = dataOf(await api.put(path('products', product.sku), { quantity: 5 }), 200)
    expect(updated).toStrictEqual({ ...product, quantity: 5 })
  })

  it('replaces custom_fields as a whole', async () => {
    const { sku } = await createProduct(api, { custom_fields: { a: 1, b: { c: 2 } } })
    const updated = dataOf(await api.put(path('products', sku), { custom_fields: { b: {} } }), 200)
    expect(updated.custom_fields).toStrictEqual({ b: {} })
  })

  it('clears cost with null', async () => {
    const { sku } = await createProduct(api, { cost: '1.5' })
    expect(dataOf(await api.put(path('products', sku), { cost: null }), 200).cost).toBeNull()
  })

  it.each([true, false])('sets is_active to %s from either value', async (is_active) => {
    for (const before of [true, false]) {
      const { sku } = await createProduct(api, { is_active: before })
      const updated = dataOf(await api.put(path('products', sku), { is_active }), 200)
      expect(updated.is_active).toBe(is_active)
    }
  })

  it('answers the same when it is repeated', async () => {
    const { sku } = await createProduct(api)
    const fields = { quantity: 8, cost: 2.5, custom_fields: { a: 1 } }
    const first = dataOf(await api.put(path('products', sku), fields), 200)
    expect(dataOf(await api.put(path('products', sku), fields), 200)).toStrictEqual(first)
  })

  it('ignores unknown fields, and names them in warnings', async () => {
    const product = await createProduct(api)
    const body = { colour: 'red', quantity: 2 }
    const answer = await api.put(path('products', product.sku), body)
    expect(dataOf(answer, 200)).toStrictEqual({ ...product, quantity: 2 })
    expect(warnedFields(answer).toSorted()).toEqual(['colour'])
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

describe('DELETE /products/{sku}/', () => {
  it('deactivates the product and answers id, sku and is_active', async () => {
    const { id, sku } = await createProduct(api)
    const { status, body } = await api.delete(path('products', sku))
    expect({ status, body }).toStrictEqual({
      status: 200,
      body: { success: true, data: { id, sku, is_active: false } },
    })
  })

  it('keeps the record', async () => {
    const product = await createProduct(api, { quantity: 3, custom_fields: { a: 1 } })
    await api.delete(path('products', product.sku))
    const kept = dataOf(await api.get(path('products', product.sku)), 200)
    expect(kept).toStrictEqual({ ...product, is_active: false })
  })

  it('answers the same when it is repeated', async () => {
    const { sku } = await createProduct(api)
    const first = await api.delete(path('products', sku))
    await aMoment()
    const second = await api.delete(path('products', sku))
    expect(second.status).toBe(200)
    expect(second.body).toStrictEqual(first.body)
  })
})
