import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { IDENTIFIERS } from '../../src/mapping/identifier.ts'
import { SCOPES } from '../../src/scopes.ts'
import { ENDPOINTS, type Endpoint, requestOf, strayRequestOf } from '../endpoints.ts'
import { openPartner } from '../partner.ts'
import { issueKey } from '../settings/settings.ts'
import {
  type Answer,
  type Api,
  type CallOptions,
  client,
  createKey,
  type Json,
  openAdmin,
  unique,
} from '../tenant.ts'
import { faultsOf, OPERATIONS, operationAt, resolve, responseOf, templateOf } from './document.ts'

// Real answers of every endpoint, held against what the documents say of them.

const ALL = ['integrations.*', 'settings.*']
const PAST = '2026-01-01T00:00:00.000Z'
const SETTINGS = '/api/settings/v1'

/** Of the errors that are documented, those that were met: `POST /path/ 400 SERVICE_ERROR`. */
const met = new Set<string>()

let admin: Api
let keys: Record<'expired' | 'powerless' | 'pinned' | 'outlived' | 'spent', string>

beforeAll(async () => {
  admin = await openAdmin()
  keys = {
    expired: (await createKey(ALL, { expires_at: PAST })).value,
    powerless: (await createKey([])).value,
    pinned: (await issueKey(admin, { release: '1.0' })).key,
    outlived: await keyOfRelease('0.9'),
    spent: (await issueKey(admin, { scopes: ALL, rate_limit: 1 })).key,
  }
})

/** Of a release that is no longer known. */
async function keyOfRelease(release: string): Promise<string> {
  const { id, value } = await createKey(ALL)
  await env.DB_DEMO.prepare('update api_keys set "release" = ? where id = ?')
    .bind(release, id)
    .run()
  return value
}

type Requested = [method: string, path: string, body?: Json]

/** The answer is documented, to its last field and header. */
function expectDocumented(
  endpoint: Pick<Endpoint, 'method' | 'path'>,
  answer: Answer,
  status: number,
) {
  const operation = operationAt(endpoint.method, endpoint.path)
  const title = `${endpoint.method} ${templateOf(endpoint.path)} ${answer.status}`
  expect([answer.status, answer.text.slice(0, 500)]).toEqual([status, expect.anything()])
  const response = responseOf(operation, status)
  expect(response, `${title} is documented`).toBeDefined()
  const { schema } = response.content['application/json']
  expect(faultsOf(operation.document, schema, answer.body), title).toEqual([])
  const [documented, sent] = [Object.keys(response.headers), [...answer.headers.keys()]]
  const isDue = (name: string) =>
    name === 'Server-Timing'
      ? ![401, 403, 500, 503].includes(status)
      : resolve(operation.document, response.headers[name]).required
  const due = documented.filter(isDue).map((name) => name.toLowerCase())
  expect(sent, title).toEqual(expect.arrayContaining([...due, 'content-type']))
  const known = [...documented.map((name) => name.toLowerCase()), 'content-type']
  expect(known, title).toEqual(expect.arrayContaining(sent))
  expect(answer.headers.get('Content-Type')).toMatch(/^application\/json\b/)
  if (status >= 400) met.add(`${title} ${answer.body.error.code}`)
}

function brokenBindings(message: string): object {
  const batch = async () => {
    throw new Error(message)
  }
  return { ...env, DB_DEMO: { prepare: env.DB_DEMO.prepare.bind(env.DB_DEMO), batch } }
}

function call(api: Api, [method, path, body]: Requested, options: CallOptions = {}) {
  return api.call(method, path, body, options)
}

/** What the document says of a field of an endpoint's body, or of each of its elements. */
function schemaOf(method: string, path: string, field: string): Json {
  const { operation, document } = operationAt(method, path)
  const { schema } = operation.requestBody.content['application/json']
  const told = resolve(document, resolve(document, schema).properties[field])
  return resolve(document, told.items ?? told)
}

const isLookup = ({ path }: Endpoint) => path.includes(':')
/** DELETE reads a body, too, be it only to name what in it has no effect. */
const takesBody = ({ method }: Endpoint) => method !== 'GET'
const isList = ({ method, path }: Endpoint) =>
  method === 'GET' &&
  responseOf(operationAt(method, path), 200).content['application/json'].schema.properties
    .pagination
const titled = ENDPOINTS.map(
  (endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const,
)
const those = (which: (endpoint: Endpoint) => unknown) => titled.filter(([, one]) => which(one))

describe('a success', () => {
  it.each(titled)('%s', async (_, endpoint) => {
    const answer = await call(admin, await requestOf(endpoint, admin))
    expectDocumented(endpoint, answer, answer.status)
    expect(answer.body.success).toBe(true)
  })

  it.each(those(takesBody))('with a warning, %s', async (_, endpoint) => {
    const [method, path, body] = await requestOf(endpoint, admin)
    const answer = await admin.call(method, path, { ...body, colour: 'red' })
    expectDocumented(endpoint, answer, answer.status)
    expect(answer.body.warnings).toMatchObject([{ field: 'colour' }])
  })

  it.each(those(isList))('of a page that is not the last, %s', async (_, endpoint) => {
    const [, path] = await requestOf(endpoint, admin)
    const answer = await admin.get(`${path}?limit=1&colour=red`)
    expectDocumented(endpoint, answer, 200)
    expect(answer.body.data).toHaveLength(1)
  })
})

describe.concurrent('an error that any endpoint may give', () => {
  it.each(titled)('%s', async (_, endpoint) => {
    const request = await requestOf(endpoint, admin)
    const busy = { bindings: brokenBindings('D1 DB is overloaded') }
    const broken = { bindings: brokenBindings('no such table') }
    const refusals = [
      [403, 'KEY_MISSING', call(client(null), request)],
      [401, 'KEY_INVALID', call(client('secret'), request)],
      [401, 'KEY_EXPIRED', call(client(keys.expired), request)],
      [403, 'SCOPE_MISSING', call(client(keys.powerless), request)],
      [503, 'UNAVAILABLE', call(admin, request, busy)],
      [500, 'INTERNAL_ERROR', call(admin, request, broken)],
    ] as const
    for (const [status, code, answer] of refusals) {
      const told = await answer
      expectDocumented(endpoint, told, status)
      expect(told.body.error.code).toBe(code)
    }
  })
})

describe('a key that has made the requests of its minute', () => {
  beforeAll(async () => {
    await client(keys.spent).get('/orders/')
  })

  it.each(titled)('gets 429, %s', async (_, endpoint) => {
    const request = await requestOf(endpoint, admin)
    expectDocumented(endpoint, await call(client(keys.spent), request), 429)
  })
})

describe('a key that is pinned to a release', () => {
  const integrations = those(({ area }) => area === 'integrations')

  it.each(integrations)('that has ended gets 410, %s', async (_, endpoint) => {
    const request = await requestOf(endpoint, admin)
    expectDocumented(endpoint, await call(client(keys.outlived), request), 410)
  })

  it('that is deprecated gets headers that are documented', async () => {
    const endpoint = { method: 'POST', path: '/api/integrations/v1/products/' }
    const answer = await client(keys.pinned).post('/products/', { sku: unique('S') })
    expectDocumented(endpoint, answer, 201)
    expect(answer.headers.has('Sunset')).toBe(true)
  })
})

describe('the off-switch', () => {
  it('closes every endpoint of the integrations API', async () => {
    await admin.put(`${SETTINGS}/workspace/`, { integration_enabled: false })
    const closed = ENDPOINTS.filter(({ area }) => area === 'integrations')
    const answers = await Promise.all(
      closed.map(async (endpoint) => {
        const [method, path] = await strayRequestOf({ ...endpoint, body: () => ({}) }, admin)
        return admin.call(method, path, takesBody(endpoint) ? {} : undefined)
      }),
    )
    await admin.put(`${SETTINGS}/workspace/`, { integration_enabled: true })
    for (const [index, endpoint] of closed.entries()) {
      expectDocumented(endpoint, answers[index] as Answer, 403)
    }
  })
})

describe('a body that cannot be read', () => {
  it.each(those(takesBody))('%s', async (_, endpoint) => {
    const [method, path] = await requestOf(endpoint, admin)
    expectDocumented(endpoint, await admin.call(method, path, '[1]'), 400)
    const text = { headers: { 'Content-Type': 'text/plain' } }
    expectDocumented(endpoint, await admin.call(method, path, '{}', text), 415)
    const long = { headers: { 'Content-Length': '20000000' } }
    expectDocumented(endpoint, await admin.call(method, path, '{}', long), 413)
  })
})

describe('a record that does not exist', () => {
  it.each(those(isLookup))('%s', async (_, endpoint) => {
    const answer = await call(admin, await strayRequestOf(endpoint, admin))
    expectDocumented(endpoint, answer, endpoint.path.includes('inventory/:') ? 200 : 404)
  })
})

describe('the limit of a page', () => {
  it.each(those(isList))('%s', async (_, { method, path }) => {
    const { operation, document } = operationAt(method, path)
    const { schema } = operation.parameters
      .map((one: Json) => resolve(document, one))
      .find(({ name }: Json) => name === 'limit')
    expect((await admin.get(path)).body.pagination.limit).toBe(schema.default)
    for (const [limit, status] of [
      [schema.minimum - 1, 400],
      [schema.minimum, 200],
      [schema.maximum, 200],
      [schema.maximum + 1, 400],
    ]) {
      expect([limit, (await admin.get(`${path}?limit=${limit}`)).status]).toEqual([limit, status])
    }
  })
})

describe('a list of values that zod cannot tell', () => {
  it('has every scope that a key may have, and no other', async () => {
    const areas = [...SCOPES].flatMap((scope) =>
      Array.from(scope.matchAll(/\./g), ({ index }) => `${scope.slice(0, index)}.*`),
    )
    const scopes = schemaOf('POST', `${SETTINGS}/api-keys/`, 'scopes').enum
    expect(scopes.toSorted()).toEqual([...new Set([...SCOPES, ...areas])].toSorted())
    const { status } = await admin.post(`${SETTINGS}/api-keys/`, { name: unique('key'), scopes })
    expect(status).toBe(201)
  })

  it('has every field that may identify a record, and no other', async () => {
    const fields = schemaOf('POST', `${SETTINGS}/partners/`, 'default_identifier_field').enum
    const known = Object.values(IDENTIFIERS).flatMap((of) => [...of.fields])
    expect(fields.toSorted()).toEqual([...new Set(known), null].toSorted())
  })
})

describe('a body', () => {
  const bodies = those(({ method, path }) => operationAt(method, path).operation.requestBody)

  it.each(bodies)('is required where nothing comes of none: %s', async (_, endpoint) => {
    const { operation } = operationAt(endpoint.method, endpoint.path)
    const [method, path] = await requestOf(endpoint, admin)
    const { status } = await admin.call(method, path)
    expect([200, 201, 400]).toContain(status)
    expect(status === 400).toBe(operation.requestBody.required)
  })
})

describe('a bad query', () => {
  it.each(those(({ method }) => method === 'GET'))('%s', async (_, endpoint) => {
    const [, path] = await requestOf(endpoint, admin)
    const answer = await admin.get(`${path}?limit=0`)
    expectDocumented(endpoint, answer, isList(endpoint) ? 400 : 200)
  })

  it('of a stock look-up', async () => {
    const endpoint = { method: 'GET', path: '/api/integrations/v1/inventory/:identifier/' }
    expectDocumented(endpoint, await admin.get('/inventory/A/?by=colour'), 400)
    expectDocumented(endpoint, await admin.get('/inventory/A/?colour=red'), 200)
  })
})

/** Checks an answer of an endpoint of the integrations API, or of one below /api. */
async function documented(
  method: string,
  path: string,
  status: number,
  code: string,
  answer: Promise<Answer>,
) {
  const route = path.startsWith('/api') ? path : `/api/integrations/v1${path}`
  const told = await answer
  expectDocumented({ method, path: route }, told, status)
  expect(told.body.error?.code ?? 'success').toBe(code)
  return told.body.data
}

describe('what a rule refuses', () => {
  const ORDER = '/orders/:identifier/'
  const order = async (fields: object = {}) => {
    const sku = (await admin.post('/products/', { sku: unique('S') })).body.data.sku
    return { order_number: unique('O'), items: [{ sku_code: sku, quantity: 1 }], ...fields }
  }

  it('of orders', async () => {
    const body = await order()
    await admin.post('/orders/', body)
    const { order_number } = body
    const [post, at] = ['/orders/', `/orders/${order_number}/`]
    await documented('POST', post, 400, 'VALIDATION_ERROR', admin.post(post, body))
    const unknown = await order({ items: [{ sku_code: 'none', quantity: 1 }] })
    await documented('POST', post, 400, 'SERVICE_ERROR', admin.post(post, unknown))
    await documented('PUT', ORDER, 400, 'VALIDATION_ERROR', admin.put(at, { status: 'lost' }))
    await documented('PUT', ORDER, 200, 'success', admin.put(at, { status: 'shipped' }))
    await documented('PUT', ORDER, 400, 'SERVICE_ERROR', admin.put(at, { status: 'pending' }))
    await documented('DELETE', ORDER, 400, 'SERVICE_ERROR', admin.delete(at))
    await documented('DELETE', ORDER, 400, 'VALIDATION_ERROR', admin.delete(at, { reason: 1 }))
  })

  it('of an order with an inactive product, by a warning', async () => {
    const body = await order()
    await admin.delete(`/products/${body.items[0]?.sku_code}/`)
    const answer = await admin.post('/orders/', body)
    expectDocumented({ method: 'POST', path: '/api/integrations/v1/orders/' }, answer, 201)
    expect(answer.body.warnings).toHaveLength(1)
  })

  it.each([
    ['/products/', 'sku'],
    ['/locations/', 'code'],
  ])('of %s', async (path, name) => {
    const body = { [name]: unique('X') }
    await admin.post(path, body)
    await documented('POST', path, 409, 'DUPLICATE', admin.post(path, body))
    await documented('POST', path, 400, 'VALIDATION_ERROR', admin.post(path, {}))
    const [at, one] = [`${path}:identifier/`, `${path}${body[name]}/`]
    await documented('PUT', at, 400, 'VALIDATION_ERROR', admin.put(one, { is_active: null }))
    await documented('GET', at, 200, 'success', admin.get(one))
  })

  it('of an identifier that several records have', async () => {
    const { api } = await openPartner({
      mappings: {
        orders: { identifier_field: 'external_order_id' },
        products: { identifier_field: 'cost' },
        locations: { identifier_field: 'zone' },
      },
    })
    for (const name of ['a', 'b']) {
      await api.post('/orders/', await order({ external_order_id: 'same' }))
      await api.post('/products/', { sku: unique(name), cost: '77.77' })
      await api.post('/locations/', { code: unique(name), zone: 'same' })
    }
    for (const [path, at] of [
      [ORDER, '/orders/same/'],
      ['/products/:identifier/', '/products/77.77/'],
      ['/locations/:identifier/', '/locations/same/'],
    ] as const) {
      await documented('GET', path, 400, 'SERVICE_ERROR', api.get(at))
      await documented('PUT', path, 400, 'SERVICE_ERROR', api.put(at, {}))
      await documented('DELETE', path, 400, 'SERVICE_ERROR', api.delete(at))
    }
  })

  it('of an upload, row by row', async () => {
    const rows = [{ location_code: 'none', sku_code: 1, quantity: -1 }, 'row', {}]
    const answer = admin.post('/inventory/', { inventory: rows, source: null })
    const { errors } = await documented('POST', '/inventory/', 200, 'success', answer)
    expect(errors).toHaveLength(3)
  })

  it('of keys', async () => {
    const [KEYS, KEY] = [`${SETTINGS}/api-keys/`, `${SETTINGS}/api-keys/:id/`]
    const other = await openAdmin('other')
    const { id } = (await other.get(KEYS)).body.data[0]
    const at = `${KEYS}${id}/`
    await documented(
      'PUT',
      KEY,
      400,
      'SERVICE_ERROR',
      other.put(at, { scopes: ['integrations.*'] }),
    )
    await documented('DELETE', KEY, 400, 'SERVICE_ERROR', other.delete(at))
    await documented('PUT', KEY, 400, 'VALIDATION_ERROR', other.put(at, { expires_at: PAST }))
    const made = (await admin.post(KEYS, { name: unique('key') })).body.data
    await documented('DELETE', KEY, 200, 'success', admin.delete(`${KEYS}${made.id}/`))
    const rotated = admin.call('POST', `${KEYS}${made.id}/rotate/`, {})
    await documented('POST', `${KEY}rotate/`, 400, 'SERVICE_ERROR', rotated)
    await documented('POST', KEYS, 400, 'VALIDATION_ERROR', admin.post(KEYS, { scopes: ['x'] }))
  })

  it('of partners', async () => {
    const [PARTNERS, PARTNER] = [`${SETTINGS}/partners/`, `${SETTINGS}/partners/:id/`]
    const { id, name } = await openPartner()
    const another = (await admin.post(PARTNERS, { name: unique('partner') })).body.data.id
    await documented('POST', PARTNERS, 409, 'DUPLICATE', admin.post(PARTNERS, { name }))
    await documented(
      'PUT',
      PARTNER,
      409,
      'DUPLICATE',
      admin.put(`${PARTNERS}${another}/`, { name }),
    )
    await documented('DELETE', PARTNER, 409, 'IN_USE', admin.delete(`${PARTNERS}${id}/`))
  })
})

describe('a partner', () => {
  it('gets 422 for a document that its mapping does not fit', async () => {
    const inbound = { unmapped: 'reject', fields: {} }
    const fields: Json = {
      orders: { notes: 'a.b' },
      products: { cost: 'a.b' },
      locations: { name: 'a.b' },
      inventory: { notes: 'a.b' },
    }
    const mappings = Object.fromEntries(
      Object.entries(fields).map(([name, rules]) => [
        name,
        { inbound: { ...inbound, fields: rules } },
      ]),
    )
    const { api } = await openPartner({ mappings })
    for (const resource of Object.keys(fields)) {
      const path = `/${resource}/`
      const body = { a: 'text', more: 1 }
      await documented('POST', path, 422, 'MAPPING_ERROR', api.post(path, body))
      if (resource === 'inventory') continue
      const at = `${path}x/`
      await documented('PUT', `${path}:identifier/`, 422, 'MAPPING_ERROR', api.put(at, body))
    }
  })

  it('finds its own paths in errors, row errors and warnings', async () => {
    const { api } = await openPartner({
      mappings: {
        orders: { inbound: { fields: { order_number: 'no', 'items[].quantity': 'lines[].n' } } },
        inventory: { inbound: { fields: { 'inventory[].quantity': 'stock[].n' } } },
      },
    })
    const refused = await api.post('/orders/', { no: 1, lines: [{ n: '2' }] })
    expectDocumented({ method: 'POST', path: '/api/integrations/v1/orders/' }, refused, 400)
    expect(refused.body.error.source).toHaveProperty('order_number', 'no')
    const rows = await api.post('/inventory/', { stock: [{ n: '2', x: 1 }] })
    expectDocumented({ method: 'POST', path: '/api/integrations/v1/inventory/' }, rows, 200)
    expect(rows.body.data.errors[0].source).toHaveProperty('quantity', 'stock[0].n')
  })

  it('has mappings in both directions, and previews of their faults', async () => {
    const outbound = { fields: { number: 'order_number', fixed: { value: null } } }
    const inbound = { fields: { order_number: { from: 'no', required: true }, notes: 'a.b' } }
    const { id } = await openPartner({ mappings: { orders: { inbound, outbound } } })
    const at = `${SETTINGS}/partners/${id}/mappings/orders/`
    const MAPPING = `${SETTINGS}/partners/:id/mappings/:resource/`
    await documented('GET', MAPPING, 200, 'success', admin.get(at))
    for (const payload of [{}, { no: 1 }, { no: 'A', a: 1 }]) {
      const answer = admin.post(`${at}preview/`, { payload })
      await documented('POST', `${MAPPING}preview/`, 200, 'success', answer)
    }
    const bad = { inbound: { fields: { 'items[].x': 'y' } } }
    await documented('PUT', MAPPING, 400, 'VALIDATION_ERROR', admin.put(at, bad))
  })
})

describe('the example of a request', () => {
  const examples = OPERATIONS.flatMap(({ method, path, operation }) => {
    const example = operation.requestBody?.content['application/json'].example
    return example ? [[`${method} ${path}`, method, path, example] as const] : []
  })

  it.each(examples)('is taken: %s', async (_, method, path, example) => {
    // What the examples are about.
    await admin.post('/products/', { sku: 'TEA-EARLGREY-100' })
    for (const code of ['A-01-1', 'Z-99-9']) await admin.post('/locations/', { code })
    const endpoint = ENDPOINTS.find((one) => one.method === method && templateOf(one.path) === path)
    const [, at] = await requestOf(endpoint as Endpoint, admin)
    const { body } = await admin.call(method, at, example)
    const { success, error, warnings, data } = body
    expect({ success, error, warnings }).toEqual({ success: true })
    expect(data.failed ?? 0).toBe(0)
  })
})

describe('every error that is documented', () => {
  it('has been met above', () => {
    const documentedErrors = OPERATIONS.flatMap((one) => {
      const statuses = Object.keys(one.operation.responses).filter(
        (status) => Number(status) >= 400,
      )
      return statuses.flatMap((status) => {
        const { examples } = responseOf(one, status).content['application/json']
        return Object.keys(examples).map((code) => `${one.method} ${one.path} ${status} ${code}`)
      })
    })
    expect(documentedErrors.filter((error) => !met.has(error))).toEqual([])
  })
})
