import { createOrder, createProduct, dataOf, path } from '../resources/warehouse.ts'
import type { Api } from '../tenant.ts'

export const newOrderPath = async (admin: Api) =>
  path('orders', (await createOrder(admin)).order_number)

export const shippedOrderPath = async (admin: Api) => {
  const at = await newOrderPath(admin)
  dataOf(await admin.put(at, { status: 'shipped' }), 200)
  return at
}

export const newProductPath = async (admin: Api) =>
  path('products', (await createProduct(admin)).sku)
