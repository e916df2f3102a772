import { beforeAll, describe, expect, it } from 'vitest'
import { app } from '../../src/app.ts'
import { countedBindings } from '../metering.ts'
import { client, createKey, type Json, send, unique } from '../tenant.ts'

// DESIGN, promise 1. Every endpoint on its happy path, by a warm isolate: one D1 batch, no KV read.

let api: ReturnType<typeof client>
let key: string
let id: string

const sku = unique('SKU')
const code = unique('LOC')
const number = unique('ORD')
const order = () => ({ order_number: unique('ORD'), items: [{ sku_code: sku, quantity: 1 }] })
const stock = { inventory: [{ location_code: code, sku_code: sku, quantity: 3 }] }
const newKey = { name: 'counted' }

const integrations = '/api/integrations/v1'
const settings = '/api/settings/v1'

type Row = [method: string, route: string, path: () => string, body?: () => Json]

const ENDPOINTS: Row[] = [
  ['POST', `${integrations}/orders/`, () => '/orders/', order],
  ['GET', `${integrations}/orders/`, () => '/orders/'],
  ['GET', `${integrations}/orders/:identifier/`, () => `/orders/${number}/`],
  [
    'PUT',
    `${integrations}/orders/:identifier/`,
    () => `/orders/${number}/`,
    () => ({ notes: 'n' }),
  ],
  ['DELETE', `${integrations}/orders/:identifier/`, () => `/orders/${number}/`],
  ['POST', `${integrations}/products/`, () => '/products/', () => ({ sku: unique('SKU') })],
  ['GET', `${integrations}/products/`, () => '/products/'],
  ['GET', `${integrations}/products/:identifier/`, () => `/products/${sku}/`],
  [
    'PUT',
    `${integrations}/products/:identifier/`,
    () => `/products/${sku}/`,
    () => ({ quantity: 2 }),
  ],
  ['DELETE', `${integrations}/products/:identifier/`, () => `/products/${sku}/`],
  ['POST', `${integrations}/locations/`, () => '/locations/', () => ({ code: unique('LOC') })],
  ['GET', `${integrations}/locations/`, () => '/locations/'],
  ['GET', `${integrations}/locations/:identifier/`, () => `/locations/${code}/`],
  [
    'PUT',
    `${integrations}/locations/:identifier/`,
    () => `/locations/${code}/`,
    () => ({ name: 'n' }),
  ],
  ['DELETE', `${integrations}/locations/:identifier/`, () => `/locations/${code}/`],
  ['POST', `${integrations}/inventory/`, () => '/inventory/', () => stock],
  ['GET', `${integrations}/inventory/`, () => '/inventory/'],
  ['GET', `${integrations}/inventory/:identifier/`, () => `/inventory/${code}/`],
  ['GET', `${settings}/workspace/`, () => `${settings}/workspace/`],
  ['PUT', `${settings}/workspace/`, () => `${settings}/workspace/`, () => ({ name: 'Counted' })],
  ['POST', `${settings}/api-keys/`, () => `${settings}/api-keys/`, () => newKey],
  ['GET', `${settings}/api-keys/`, () => `${settings}/api-keys/`],
  ['GET', `${settings}/api-keys/:id/`, () => `${settings}/api-keys/${id}/`],
  ['PUT', `${settings}/api-keys/:id/`, () => `${settings}/api-keys/${id}/`, () => ({ name: 'm' })],
  ['POST', `${settings}/api-keys/:id/rotate/`, () => `${settings}/api-keys/${id}/rotate/`],
  ['DELETE', `${settings}/api-keys/:id/`, () => `${settings}/api-keys/${id}/`],
  ['GET', `${settings}/audit-log/`, () => `${settings}/audit-log/`],
]

beforeAll(async () => {
  key = (await createKey(['integrations.*', 'settings.*'])).value
  api = client(key)
  await api.post('/products/', { sku })
  await api.post('/locations/', { code })
  await api.post('/orders/', { ...order(), order_number: number })
})

describe('the steady state', () => {
  it('is measured for every endpoint there is', () => {
    const routes = app.routes.filter(({ method }) => method !== 'ALL')
    const known = new Set(routes.map(({ method, path }) => `${method} ${path}`))
    expect(new Set(ENDPOINTS.map(([method, route]) => `${method} ${route}`))).toEqual(known)
  })

  it.each(ENDPOINTS)(
    '%s %s is one D1 round trip and no KV read',
    async (method, route, path, body) => {
      if (route.includes(':id')) {
        id = (await api.post(`${settings}/api-keys/`, newKey)).body.data.id
      }
      await api.get(`${settings}/workspace/`)

      const { bindings, calls } = countedBindings()
      const { answer, before } = await callAndCount(method, path(), body?.(), bindings, calls)

      expect(answer.status).toBeLessThan(300)
      expect(before).toEqual({ d1: 1, kv_reads: 0 })
      expect(answer.headers.get('Server-Timing')).toMatch(/key;desc="isolate".*round trips 1,/)
    },
  )
})

/** `before` is what was called by the time of the answer: audit rows of reads come after it. */
async function callAndCount(
  method: string,
  path: string,
  body: Json,
  bindings: object,
  calls: { d1: number; kv_reads: number },
) {
  let before = { ...calls }
  const worker = {
    async fetch(request: Request, env: object, context: ExecutionContext) {
      const response = (await app.fetch(request, env as Json, context)) as Response
      before = { ...calls }
      return response
    },
  }
  const answer = await client(key, { bindings, worker }).call(method, path, body)
  return { answer, before }
}

describe('the first request of a key', () => {
  it('reads KV once, then D1 once, and the isolate never asks KV again', async () => {
    const fresh = (await createKey()).value
    const { bindings, calls } = countedBindings()
    const first = await send(requestWith(fresh), { bindings })
    expect(first.status).toBe(200)
    expect(calls.kv_reads).toBe(1)
    const second = await send(requestWith(fresh), { bindings })
    expect(second.status).toBe(200)
    expect(calls.kv_reads).toBe(1)
  })
})

function requestWith(value: string): Request {
  const headers = { 'X-API-Key': value }
  return new Request('https://demo.example/api/integrations/v1/orders/', { headers })
}
