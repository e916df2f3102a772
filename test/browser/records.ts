import { call } from './editor.ts'

/** A partner with orders of TEA-01 and TEA-02, and stock at a location of its own. */
export async function layRecords(name: string) {
  const partner = (await call('POST', 'settings/v1/partners/', { name })).data
  const linked = { name: `Key of ${name}`, partner_id: partner.id }
  const { key } = (await call('POST', 'settings/v1/api-keys/', linked)).data
  const code = `${name}-A`
  const location = (await call('POST', 'integrations/v1/locations/', { code })).data
  const items = [
    { sku_code: 'TEA-01', quantity: 4, notes: 'gift' },
    { sku_code: 'TEA-02', quantity: 1 },
  ]
  const orders: string[] = []
  for (const n of [1, 2]) {
    const order = {
      order_number: `${name}-${n}`,
      customer_name: 'Ada Lund',
      metadata: { channel: 'web', tags: ['a', 'b'] },
      items,
    }
    orders.push((await call('POST', 'integrations/v1/orders/', order, key)).data.id)
  }
  const rows = [
    { location_code: code, sku_code: 'TEA-01', quantity: 3 },
    { location_code: code, sku_code: 'TEA-02', quantity: 300 },
  ]
  await call('POST', 'integrations/v1/inventory/', { inventory: rows }, key)
  const { id } = (await call('GET', 'integrations/v1/products/TEA-01/')).data
  return { orders, location: location.id as string, product: id as string }
}
