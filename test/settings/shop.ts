import { createProduct } from '../resources/warehouse.ts'
import { type Api, unique } from '../tenant.ts'

// A shop whose quantities are texts, and its mapping before and after somebody has seen that.

const FIELDS = { order_number: 'number', 'items[].sku_code': 'lines[].sku' }
export const MAPPING = { inbound: { fields: { ...FIELDS, 'items[].quantity': 'lines[].qty' } } }
export const MENDED = {
  inbound: { fields: { ...FIELDS, 'items[].quantity': { from: 'lines[].qty', as: 'integer' } } },
}

/** An order of the shop, of a product that is there. */
export async function shopOrder(api: Api, qty: unknown = '2') {
  const { sku } = await createProduct(api)
  return { number: unique('O'), lines: [{ sku, qty }] }
}
