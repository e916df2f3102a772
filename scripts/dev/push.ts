import { styleText } from 'node:util'
import type { Demo } from './demo.ts'
import { LOCATIONS, ORDERS, PRODUCTS, STOCK } from './samples.ts'

type Call = (method: string, path: string, body?: object) => Promise<Response>

/** The API did not take a sample; the message says which and why. */
class Refused extends Error {}

/**
 * Pushes the sample data as a partner would. The last order is the last to be created: when it is
 * there, all is, and nothing is changed; when a push was cut off, this one finishes it.
 */
export async function pushSamples(demo: Demo, life: AbortSignal): Promise<void> {
  const call = clientOf(demo, life)
  try {
    if (await isPushed(call)) return
    console.log('Pushing sample data through the API ...')
    await pushAll(call)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    // The workspace may be switched off, say: that is no reason not to serve.
    const warning = `The sample data is left as it is: ${error.message}`
    console.error(styleText('yellow', warning, { stream: process.stderr }))
  }
}

async function pushAll(call: Call): Promise<void> {
  for (const product of PRODUCTS) await create(call, 'products', product.sku, product)
  for (const location of LOCATIONS) await create(call, 'locations', location.code, location)
  await send(call, 'POST', 'inventory/', STOCK)
  for (const { order, status } of ORDERS) {
    await create(call, 'orders', order.order_number, order)
    if (status) await send(call, 'PUT', `orders/${order.order_number}/`, { status })
  }
}

async function isPushed(call: Call): Promise<boolean> {
  const last = ORDERS.at(-1)?.order.order_number
  const answer = await call('GET', `orders/${last}/`)
  if (answer.status === 404) return false
  if (!answer.ok) throw await refusalOf(answer, 'GET', 'orders/')
  return true
}

/** A record that an earlier push has created is left as it is. */
async function create(call: Call, resource: string, identifier: string, body: object) {
  const answer = await call('POST', `${resource}/`, body)
  if (answer.ok) return
  const refusal = await refusalOf(answer, 'POST', `${resource}/`)
  const existing = await call('GET', `${resource}/${identifier}/`)
  if (!existing.ok) throw refusal
}

async function send(call: Call, method: string, path: string, body: object): Promise<void> {
  const answer = await call(method, path, body)
  if (!answer.ok) throw await refusalOf(answer, method, path)
}

async function refusalOf(answer: Response, method: string, path: string): Promise<Refused> {
  return new Refused(`${method} ${path} was answered ${answer.status}: ${await answer.text()}`)
}

function clientOf({ base_url, key }: Demo, life: AbortSignal): Call {
  return (method, path, body) =>
    fetch(`${base_url}/api/integrations/v1/${path}`, {
      method,
      signal: life,
      headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    })
}
