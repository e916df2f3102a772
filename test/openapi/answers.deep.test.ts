import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { brokenBindings } from '../fixtures/bindings.ts'
import { asked, ENDPOINTS, newPerson, requestOf, strayRequestOf } from '../fixtures/endpoints.ts'
import { fillFields, fillKeys, fillPartners, unfill } from '../fixtures/full-workspace.ts'
import { admin } from '../fixtures/opened.ts'
import { givingUpFields, openPartner } from '../fixtures/partner.ts'
import { issueKey } from '../fixtures/settings.ts'
import { execute } from '../fixtures/sql.ts'
import { type Answer, client, createKey, type Json, openAdmin, unique } from '../fixtures/tenant.ts'
import { openWebhook, SHOP_RULES, shopDocument, WEBHOOKS } from '../fixtures/webhooks.ts'
import { operationAt, resolve } from './document.ts'
import {
  call,
  documented,
  documentedErrors,
  expectDocumented,
  isList,
  isLookup,
  KEYS,
  keys,
  met,
  PAST,
  SETTINGS,
  takesBody,
  those,
  titled,
} from './documented.ts'
import { describeEarlierRequests } from './earlier-requests.ts'

const WEBHOOK = `${WEBHOOKS}/:id/`
const PEOPLE = `${SETTINGS}/people/`

function webhookBody({ name, partner_id, rules }: Json) {
  return { name, partner_id, rules }
}

// Real answers of every endpoint, held against what the documents say of them.

describe.concurrent('an error that any endpoint may give', () => {
  it.each(titled)('%s', async (_, endpoint) => {
    const request = await requestOf(endpoint, admin)
    const busy = { bindings: brokenBindings('D1 DB is overloaded') }
    const broken = { bindings: brokenBindings('no such table') }
    const refusals = [
      [403, 'KEY_MISSING', call(client(null), request)],
      [403, 'HTTPS_REQUIRED', call(client(null, { origin: 'http://demo.example' }), request)],
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
    const text = { headers: { 'Content-Type': 'text/html' } }
    expectDocumented(endpoint, await admin.call(method, path, '{}', text), 415)
    const long = { headers: { 'Content-Length': '20000000' } }
    expectDocumented(endpoint, await admin.call(method, path, '{}', long), 413)
    expectDocumented(endpoint, await stalled(method, path), 408)
  })

  async function stalled(method: string, path: string): Promise<Answer> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answer = admin.call(method, path, new ReadableStream())
    await scheduler.wait(20)
    vi.advanceTimersByTime(60_000)
    vi.useRealTimers()
    return await answer
  }
})

describe('an X-Read-After that no write has told', () => {
  it.each(those(({ method }) => method === 'GET'))('%s', async (_, endpoint) => {
    const [method, path] = await requestOf(endpoint, admin)
    const bad = { headers: { 'X-Read-After': 'x' } }
    const answer = await admin.call(method, path, undefined, bad)
    expectDocumented(endpoint, answer, 400)
    expect(Object.keys(answer.body.error.fields)).toEqual(['X-Read-After'])
  })
})

describe('a write of a tenant that has a key with near reads', () => {
  it('tells how to read it, as documented', async () => {
    const near = await issueKey(admin, { reads: 'near' })
    const endpoint = { method: 'POST', path: '/api/integrations/v1/products/' }
    const answer = await admin.post('/products/', { sku: unique('S') })
    expectDocumented(endpoint, answer, 201)
    expect(answer.headers.has('X-Read-After')).toBe(true)
    await admin.delete(`${KEYS}${near.id}/`)
  })
})

describe('a record that does not exist', () => {
  it.each(those(isLookup))('%s', async (_, endpoint) => {
    const answer = await call(admin, await strayRequestOf(endpoint, admin))
    expectDocumented(endpoint, answer, endpoint.path.includes('inventory/:') ? 200 : 404)
  })
})

describe('the limit of a page', () => {
  it.each(those(isList))('%s', async (_, endpoint) => {
    const { method, path } = endpoint
    const [, at] = await requestOf(endpoint, admin)
    const { operation, document } = operationAt(method, path)
    const { schema } = operation.parameters
      .map((one: Json) => resolve(document, one))
      .find(({ name }: Json) => name === 'limit')
    // CSV has larger pages, and so no default that holds for both (test/settings/audit-log-csv.test.ts).
    const { default: usual = 50 } = schema
    const most = Math.min(schema.maximum, 200)
    expect((await admin.get(at)).body.pagination.limit).toBe(usual)
    for (const [limit, status] of [
      [schema.minimum - 1, 400],
      [schema.minimum, 200],
      [most, 200],
      [most + 1, 400],
    ]) {
      expect([limit, (await admin.get(asked(at, `limit=${limit}`))).status]).toEqual([
        limit,
        status,
      ])
    }
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
    const answer = await admin.get(`${path}${endpoint.query ? '&' : '?'}limit=0`)
    expectDocumented(endpoint, answer, Array.isArray((await admin.get(path)).body.data) ? 400 : 200)
  })

  it('of attempts without a valid key', async () => {
    const endpoint = { method: 'GET', path: `${SETTINGS}/key-attempts/` }
    expectDocumented(endpoint, await admin.get(`${endpoint.path}?reason=lost`), 400)
  })

  it('of a stock look-up', async () => {
    const endpoint = { method: 'GET', path: '/api/integrations/v1/inventory/:identifier/' }
    expectDocumented(endpoint, await admin.get('/inventory/A/?by=colour'), 400)
    expectDocumented(endpoint, await admin.get('/inventory/A/?colour=red'), 400)
  })
})

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

  it('of a condition', async () => {
    const { order_number } = (await admin.post('/orders/', await order())).body.data
    const names = { orders: order_number, products: unique('S'), locations: unique('L') }
    await admin.post('/products/', { sku: names.products })
    await admin.post('/locations/', { code: names.locations })
    for (const [resource, name] of Object.entries(names)) {
      const [path, at] = [`/${resource}/:identifier/`, `/${resource}/${name}/`]
      const other = { headers: { 'If-Match': '"9.00000000.0"' } }
      const changed = [412, 'PRECONDITION_FAILED'] as const
      await documented('PUT', path, ...changed, admin.put(at, {}, other))
      await documented('DELETE', path, ...changed, admin.delete(at, {}, other))
      const bad = { headers: { 'If-None-Match': '9.0' } }
      await documented('GET', path, 400, 'VALIDATION_ERROR', admin.get(at, bad))
    }
  })

  it('of a version of settings that has changed', async () => {
    const { id } = await openPartner({ mappings: { orders: {} } })
    const partner = `${SETTINGS}/partners/`
    const own = await createKey(['integrations.*'])
    const person = (await admin.post(PEOPLE, newPerson())).body.data
    const other = { headers: { 'If-Match': '"9.ffffffff.0"' } }
    const { webhook } = await openWebhook()
    const changed = [412, 'PRECONDITION_FAILED'] as const
    const calls: [method: string, path: string, at: string][] = [
      ['PUT', `${SETTINGS}/workspace/`, `${SETTINGS}/workspace/`],
      ['PUT', `${KEYS}:id/`, `${KEYS}${own.id}/`],
      ['DELETE', `${KEYS}:id/`, `${KEYS}${own.id}/`],
      ['POST', `${KEYS}:id/rotate/`, `${KEYS}${own.id}/rotate/`],
      ['PUT', `${PEOPLE}:id/`, `${PEOPLE}${person.id}/`],
      ['DELETE', `${PEOPLE}:id/`, `${PEOPLE}${person.id}/`],
      ['PUT', `${WEBHOOK}`, `${WEBHOOKS}/${webhook.id}/`],
      ['PUT', `${WEBHOOK}secret/`, `${WEBHOOKS}/${webhook.id}/secret/`],
      ['POST', `${WEBHOOK}rotate/`, `${WEBHOOKS}/${webhook.id}/rotate/`],
      ['DELETE', `${WEBHOOK}`, `${WEBHOOKS}/${webhook.id}/`],
      ['PUT', `${partner}:id/`, `${partner}${id}/`],
      ['DELETE', `${partner}:id/`, `${partner}${id}/`],
      ['PUT', `${partner}:id/mappings/:resource/`, `${partner}${id}/mappings/orders/`],
      ['DELETE', `${partner}:id/mappings/:resource/`, `${partner}${id}/mappings/orders/`],
    ]
    for (const [method, path, at] of calls) {
      const body = at.endsWith('/secret/') ? { secret: 'x' } : {}
      await documented(method, path, ...changed, admin.call(method, at, body, other))
    }
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

  it('of filters that do not go together', async () => {
    const [both, alone] = ['/orders/?status=draft&partner_id=x', '/inventory/?quantity_below=102']
    await documented('GET', '/orders/', 400, 'VALIDATION_ERROR', admin.get(both))
    await documented('GET', '/inventory/', 400, 'VALIDATION_ERROR', admin.get(alone))
  })

  it('of an upload, row by row', async () => {
    const rows = [{ location_code: 'none', sku_code: 1, quantity: -1 }, 'row', {}]
    const answer = admin.post('/inventory/', { inventory: rows, source: null })
    const { errors } = await documented('POST', '/inventory/', 200, 'success', answer)
    expect(errors).toHaveLength(3)
  })

  it('of keys', async () => {
    const KEY = `${KEYS}:id/`
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

  it('of webhooks', async () => {
    const { webhook, partner } = await openWebhook()
    const at = `${WEBHOOKS}/${webhook.id}/`
    const bad = { name: 'x', partner_id: partner.id, rules: { resource: 'orders' } }
    const all = `${WEBHOOKS}/`
    await documented('POST', all, 400, 'VALIDATION_ERROR', admin.post(all, bad))
    const without = { bindings: { ...env, WEBHOOK_SECRET_KEY: undefined } }
    const made = admin.post(all, { ...webhookBody(webhook), secret: 'x' }, without)
    await documented('POST', all, 503, 'UNAVAILABLE', made)
    const set = admin.put(`${at}secret/`, { secret: 'x' }, without)
    await documented('PUT', `${WEBHOOK}secret/`, 503, 'UNAVAILABLE', set)
    await documented('PUT', WEBHOOK, 400, 'VALIDATION_ERROR', admin.put(at, { partner_id: 'x' }))
    await documented(
      'PUT',
      `${WEBHOOK}secret/`,
      400,
      'VALIDATION_ERROR',
      admin.put(`${at}secret/`, {}),
    )
    await documented('DELETE', WEBHOOK, 200, 'success', admin.delete(at))
    const rotated = admin.post(`${at}rotate/`, {})
    await documented('POST', `${WEBHOOK}rotate/`, 400, 'SERVICE_ERROR', rotated)
    const { webhook: ending } = await openWebhook({ settings: { expires_at: '2099-01-01' } })
    await execute('update partners set deleted_at = ? where id = ?', PAST, ending.partner_id)
    const later = admin.put(`${WEBHOOKS}/${ending.id}/`, { expires_at: null })
    await documented('PUT', WEBHOOK, 400, 'SERVICE_ERROR', later)
  })

  it('of a workspace that is full', async () => {
    const [PARTNERS, name] = [`${SETTINGS}/partners/`, unique('name')]
    const { id } = await openPartner()
    onTestFinished(await givingUpFields())
    onTestFinished(unfill)
    await fillFields(20)
    await fillKeys(10_000)
    await fillPartners(1000)
    await documented('POST', KEYS, 400, 'SERVICE_ERROR', admin.post(KEYS, { name }))
    await documented('POST', PEOPLE, 400, 'SERVICE_ERROR', admin.post(PEOPLE, newPerson()))
    const [webhooks, body] = [`${WEBHOOKS}/`, { name, partner_id: id, rules: SHOP_RULES }]
    await documented('POST', webhooks, 400, 'SERVICE_ERROR', admin.post(webhooks, body))
    await documented('POST', PARTNERS, 400, 'SERVICE_ERROR', admin.post(PARTNERS, { name }))
    const byAisle = admin.put(`${PARTNERS}${id}/`, { default_identifier_field: 'aisle' })
    await documented('PUT', `${PARTNERS}:id/`, 400, 'SERVICE_ERROR', byAisle)
    const [MAPPING, at] = [':id', id].map((key) => `${PARTNERS}${key}/mappings/:resource/`)
    const more = { identifier_field: 'metadata.more' }
    const saved = admin.put(String(at).replace(':resource', 'orders'), more)
    await documented('PUT', String(MAPPING), 400, 'SERVICE_ERROR', saved)
  })

  it('of a person who is there already', async () => {
    const person = newPerson()
    await admin.post(PEOPLE, person)
    await documented('POST', PEOPLE, 409, 'DUPLICATE', admin.post(PEOPLE, person))
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

  it('of item codes, of which a partner has as many as it may', async () => {
    const { id } = await openPartner()
    for (const [kind, names] of [
      ['products', { sku_code: 'S' }],
      ['locations', { location_code: 'L' }],
    ] as const) {
      await execute(
        'insert into item_code_tables (partner_id, kind, codes) values (?, ?, 200000)',
        id,
        kind,
      )
      const [CODES, at] = [':id', id].map(
        (key) => `${SETTINGS}/partners/${key}/item-codes/${kind}/`,
      )
      const one = admin.put(`${at}K/`, names)
      await documented('PUT', `${CODES}:code/`, 400, 'SERVICE_ERROR', one)
      const many = admin.put(String(at), { item_codes: [{ code: 'K', ...names }] })
      await documented('PUT', String(CODES), 400, 'SERVICE_ERROR', many)
    }
  })

  it('of differing lines, which a newer document has changed', async () => {
    const shop = await openWebhook()
    const document = await shopDocument(shop.partner.api)
    await shop.deliver(document)
    const lines = document.lines.map((line: Json) => ({ ...line, qty: line.qty + 1 }))
    const modified = '2026-01-01T00:00:01Z'
    await shop.deliver({ ...document, modified, lines }, { event: 'order.updated' })
    const { id } = (await shop.partner.api.get(`/orders/${document.number}/`)).body.data
    const SEEN = `${SETTINGS}/line-differences/:id/seen/`
    const other = { request_id: crypto.randomUUID() }
    const answer = admin.post(SEEN.replace(':id', id), other)
    await documented('POST', SEEN, 409, 'IN_USE', answer)
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
    const reversed = admin.post(`${at}replay/`, { from: '2026-01-02', to: '2026-01-01' })
    await documented('POST', `${MAPPING}replay/`, 400, 'VALIDATION_ERROR', reversed)
  })
})

describeEarlierRequests()

describe('every error that is documented', () => {
  it('has been met above', () => {
    expect(documentedErrors().filter((error) => !met.has(error))).toEqual([])
  })
})
