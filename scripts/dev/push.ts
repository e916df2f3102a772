import { type Call, clientOf, refusalOf, send } from './client.ts'
import type { Demo } from './demo.ts'
import { LOCATIONS, ORDERS, PRODUCTS, STOCK } from './samples.ts'

const API = 'integrations/v1'

/**
 * Pushes the sample data as a partner would. The last order is created last: if it exists, nothing is left to
 * do. Otherwise this completes a push that was interrupted.
 */
export async function pushSamples(demo: Demo, life: AbortSignal): Promise<void> {
  const call = clientOf(demo, demo.key, life)
  if (await isPushed(call)) return
  for (const product of PRODUCTS) await create(call, 'products', product.sku, product)
  for (const location of LOCATIONS) await create(call, 'locations', location.code, location)
  await send(call, 'POST', `${API}/inventory/`, STOCK)
  for (const { order, status } of ORDERS) {
    await create(call, 'orders', order.order_number, order)
    if (status) await send(call, 'PUT', `${API}/orders/${order.order_number}/`, { status })
  }
}

async function isPushed(call: Call): Promise<boolean> {
  const path = `${API}/orders/${ORDERS.at(-1)?.order.order_number}/`
  const answer = await call('GET', path)
  if (answer.status === 404) return false
  if (!answer.ok) throw await refusalOf(answer, 'GET', path)
  return true
}

/** Creates the record unless an earlier push has created it. */
async function create(call: Call, resource: string, identifier: string, body: object) {
  const path = `${API}/${resource}/`
  const answer = await call('POST', path, body)
  if (answer.ok) return
  const refusal = await refusalOf(answer, 'POST', path)
  const existing = await call('GET', `${path}${identifier}/`)
  if (!existing.ok) throw refusal
}
