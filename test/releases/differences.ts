import type { Api } from '../fixtures/tenant.ts'
import { createOrder, createProduct, dataOf, path } from '../fixtures/warehouse.ts'

export const newOrderPath = async (admin: Api) =>
  path('orders', (await createOrder(admin)).order_number)

export const shippedOrderPath = async (admin: Api) => {
  const at = await newOrderPath(admin)
  dataOf(await admin.put(at, { status: 'shipped' }), 200)
  return at
}

export const newProductPath = async (admin: Api) =>
  path('products', (await createProduct(admin)).sku)
