import { api } from '../fixtures/opened-api.ts'
import type { Json } from '../fixtures/tenant.ts'
import { createOrder, dataOf, path } from '../fixtures/warehouse.ts'

export const HEADER = {
  customer_name: 'Ada Lovelace',
  customer_info: { phone: '+44 1', address: { city: 'London', lines: ['1 St James'] } },
  notes: 'Leave at the door.',
  due_date: '2026-03-05T12:00:00.000Z',
  metadata: { channel: 'web', tags: ['a', 'b'] },
}

/** An order that has come to this status by PUT. */
export async function orderWith(status: string, fields: object = {}): Promise<Json> {
  const { order_number } = await createOrder(api, fields)
  return dataOf(await api.put(path('orders', order_number), { status }), 200)
}

export async function readOrder(order: Json): Promise<Json> {
  return dataOf(await api.get(path('orders', order.order_number)), 200)
}
