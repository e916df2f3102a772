import { describe, expect, it } from 'vitest'
import { Location } from '../../src/engine/model/location.ts'
import { Product } from '../../src/engine/model/product.ts'
import { OrderRecord } from '../../src/records/orders/schema.ts'
import { type Api, openAdmin, unique } from '../fixtures/tenant.ts'

// What the schemas of records say is what the API shows: outbound mappings are checked by them.

const whole = {
  products: async (api: Api) => {
    const sku = unique('S')
    const custom_fields = { colour: 'red' }
    return (await api.post('/products/', { sku, cost: '1.50', custom_fields })).body.data
  },
  locations: async (api: Api) => {
    const code = unique('L')
    await api.post('/locations/', { code, name: 'n', zone: 'z', metadata: { a: 1 } })
    return (await api.get(`/locations/${code}/`)).body.data
  },
  orders: async (api: Api) => {
    const { sku } = await whole.products(api)
    const order = {
      order_number: unique('O'),
      customer_info: { city: 'Oslo' },
      items: [{ sku_code: sku, quantity: 1 }],
    }
    return (await api.post('/orders/', order)).body.data
  },
}

describe.each([
  ['orders', OrderRecord, whole.orders],
  ['products', Product.Shown, whole.products],
  ['locations', Location.Shown, whole.locations],
] as const)('a record of %s', (_, Record, make) => {
  it('has the fields that its schema names and no others', async () => {
    const record = await make(await openAdmin())
    expect(Record.parse(record)).toEqual(record)
    expect(Object.keys(record).toSorted()).toEqual(Object.keys(Record.shape).toSorted())
  })
})
