import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { byDepth } from '../fixtures/depth.ts'
import { ENDPOINTS, type Endpoint, requestOf } from '../fixtures/endpoints.ts'
import { openPartner } from '../fixtures/partner.ts'
import {
  type Answer,
  type Api,
  client,
  createKey,
  type Json,
  openAdmin,
} from '../fixtures/tenant.ts'
import { operationAt, responseOf } from '../openapi/document.ts'
import { bodies, headerSets } from './generators.ts'

// 5,000 requests of this file have a body that a generator has made, and one in six odd headers too.

const TOGETHER = 25

const INTERNALS = /SQLITE|D1_ERROR|sqlite|\bat .+\.[tj]s:\d+|\bselect\b.+\bfrom\b|\binsert into\b/

interface Target {
  endpoint: Endpoint
  path: string
  valid: Json
}

const takesBody = ({ method }: Endpoint) => method !== 'GET'
const area = (which: Endpoint['area']) =>
  ENDPOINTS.filter((one) => one.area === which && takesBody(one))

/** Every endpoint that reads a body, at a record that exists, with a body that it takes. */
async function targetsOf(which: Endpoint['area'], admin: Api): Promise<Target[]> {
  const targets = []
  for (const endpoint of area(which)) {
    const [, path, valid = {}] = await requestOf(endpoint, admin)
    targets.push({ endpoint, path, valid })
  }
  return targets
}

/** One whole envelope, with a status that the endpoint may give, and nothing of the machinery. */
function expectWellAnswered({ method, path }: Pick<Endpoint, 'method' | 'path'>, answer: Answer) {
  const { status, text, body, headers } = answer
  expect([500, 503]).not.toContain(status)
  expect(responseOf(operationAt(method, path), status), `${method} ${path} ${status}`).toBeDefined()
  expectEnvelope(answer)
  expect(headers.get('Content-Type')).toMatch(/^application\/json\b/)
  if (status === 200 || status === 201) expect(body.data).toBeTypeOf('object')
  expect(text).not.toContain(':Infinity')
}

function expectEnvelope({ status, text, body, headers }: Answer) {
  expect(status).not.toBe(500)
  const id = headers.get('X-Request-Id')
  expect(id).toMatch(/^[0-9a-f-]{36}$/)
  expect(body?.success).toBe(status < 300)
  expect(text).not.toMatch(INTERNALS)
  if (status < 300) return
  expect(body).toEqual({
    success: false,
    error: expect.objectContaining({ code: expect.stringMatching(/^[A-Z_]+$/) }),
    detail: body.error.message,
    request_id: id,
  })
  expect(body.detail).toMatch(/\S/)
}

/** Exactly `total` requests, 25 at a time. */
async function everyOf<T>(
  request: fc.Arbitrary<T>,
  total: number,
  send: (all: T[]) => Promise<void>,
) {
  const together = fc.array(request, { minLength: TOGETHER, maxLength: TOGETHER })
  await fc.assert(fc.asyncProperty(together, send), { numRuns: total / TOGETHER })
}

/** One in six is generated, the others are empty. */
const inSix = <T>(generated: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: generated })

const requestsOf = (targets: Target[], wrap?: (text: string, target: Target) => string) =>
  fc.oneof(
    ...targets.map((target) =>
      fc.record({
        target: fc.constant(target),
        body: bodies(target.valid, wrap && ((text) => wrap(text, target))),
        headers: inSix(headerSets),
      }),
    ),
  )

function push(api: Api, target: Target, body: string | Uint8Array, headers = {}) {
  return api.call(target.endpoint.method, target.path, body, { headers })
}

describe('whatever body comes is answered in one envelope, never with a 500', () => {
  it('of a pass-through key', async () => {
    const api = await openAdmin()
    const request = requestsOf(await targetsOf('integrations', api))
    await everyOf(request, byDepth(50, 2200), async (requests) => {
      const sent = requests.map(async ({ target, body, headers }) =>
        expectWellAnswered(target.endpoint, await push(api, target, body, headers)),
      )
      await Promise.all(sent)
    })
  }, 120_000)

  it("in a partner's own words", async () => {
    const { api, admin } = await openPartner({ mappings: MAPPINGS })
    const request = requestsOf(await targetsOf('integrations', admin), (text, { endpoint }) =>
      endpoint.method === 'DELETE' ? text : `{"doc":${text},"more":[1]}`,
    )
    await everyOf(request, byDepth(50, 2200), async (requests) => {
      const sent = requests.map(async ({ target, body, headers }) =>
        expectWellAnswered(target.endpoint, await push(api, target, body, headers)),
      )
      await Promise.all(sent)
    })
  }, 120_000)

  // One after the other: settings that change twice during a request are a 503, and rightly.
  it('of settings', async () => {
    const api = await openAdmin('other')
    const request = requestsOf(await targetsOf('settings', api))
    await everyOf(request, byDepth(25, 600), async (requests) => {
      for (const { target, body, headers } of requests) {
        expectWellAnswered(target.endpoint, await push(api, target, body, headers))
      }
    })
  }, 120_000)
})

const FIELDS: Record<string, string[]> = {
  orders: [
    ...['order_number', 'external_order_id', 'notes', 'metadata', 'customer_info', 'due_date'],
    ...['items[].sku_code', 'items[].quantity', 'items[].notes', 'status'],
  ],
  products: ['sku', 'quantity', 'is_active', 'cost', 'custom_fields'],
  locations: ['code', 'name', 'zone', 'metadata', 'is_active'],
  inventory: [
    ...['inventory[].location_code', 'inventory[].sku_code', 'inventory[].quantity', 'source'],
  ],
}

/** Of a partner that has our fields below `doc`. */
const MAPPINGS = Object.fromEntries(
  Object.entries(FIELDS).map(([resource, names]) => [
    resource,
    { inbound: { fields: Object.fromEntries(names.map((name) => [name, `doc.${name}`])) } },
  ]),
)

describe('whatever path or query comes', () => {
  it('is answered in one envelope, never with a 500', async () => {
    const api = await openAdmin()
    const text = fc.string({ unit: 'grapheme', minLength: 1 }).map(encodeURIComponent)
    const broken = fc.constantFrom('%', '%zz', '%ff', '%00', '%2F', '..%2f', 'a%0ab', '%F0%9F')
    const resource = fc.constantFrom('orders', 'products', 'locations', 'inventory')
    const request = fc.tuple(resource, fc.oneof(text, broken), fc.oneof(text, broken))
    await everyOf(request, byDepth(25, 300), async (requests) => {
      const answers = requests.flatMap(([name, identifier, query]) => [
        api.get(`/${name}/${identifier}/?by=sku&limit=${query}&cursor=${query}`),
        api.get(`/${name}/?limit=${query}`),
        api.get(`/${name}/?cursor=${query}&${query}=1`),
      ])
      for (const answer of await Promise.all(answers)) expectEnvelope(answer)
    })
  }, 120_000)
})

describe('whatever key comes', () => {
  it('is 401 or 403, unless it is one', async () => {
    const { value } = await createKey()
    const close = fc.tuple(fc.nat({ max: 60 }), fc.string({ unit: 'grapheme-ascii', maxLength: 2 }))
    const key = fc.oneof(
      fc.string({ unit: 'grapheme-ascii' }),
      close.map(([at, put]) => value.slice(0, at) + put + value.slice(at + 1)),
    )
    await everyOf(
      key.filter((text) => text.trim() !== value),
      byDepth(25, 500),
      async (keys) => {
        for (const answer of await Promise.all(keys.map((text) => client(text).get('/orders/')))) {
          expect([401, 403]).toContain(answer.status)
          expectEnvelope(answer)
        }
      },
    )
  }, 120_000)
})
