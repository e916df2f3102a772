import { describe, expect, it } from 'vitest'
import { ENDPOINTS, requestOf } from '../fixtures/endpoints.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { AUDIT } from '../fixtures/settings.ts'
import { openAdmin, unique } from '../fixtures/tenant.ts'
import { createOrder, createProduct, path } from '../fixtures/warehouse.ts'
import { sideBySide } from '../releases/callers.ts'

// P4 (docs/ARCHITECTURE.md): a query parameter that an endpoint does not know is refused by lists, whose rows would be
// others than those that were asked for, and named in `warnings` by all other endpoints.

const unknown = (field: string) => ({
  field,
  message: 'Unknown query parameter: it had no effect.',
})

const withQuery = (where: string, query: string) =>
  `${where}${where.includes('?') ? '&' : '?'}${query}`

const admin = await openAdmin()

describe.each(ENDPOINTS)('$method $path', (endpoint) => {
  it('names a query parameter that it does not know, once, however often it is given', async () => {
    const [method, where, body] = await requestOf(endpoint, admin)
    const isList = method === 'GET' && Array.isArray((await admin.get(where)).body.data)
    const asked = withQuery(where, 'surplus=1&a.b=&surplus=2')
    const answer = await admin.call(method, asked, body)
    if (isList) {
      expectInvalid(answer, 'surplus', "['a.b']")
      expect((await admin.call('HEAD', asked)).status).toBe(400)
    } else {
      expect(answer.status).toBeLessThan(300)
      expect(answer.body.warnings).toEqual([unknown('surplus'), unknown("['a.b']")])
    }
  })
})

describe('a list with a query parameter that it does not know', () => {
  it.each([
    ['/products/?page=2', 'page', null, 'limit, cursor, sku, is_active, without_stock'],
    ['/products/?skus=A', 'skus', 'sku', 'limit, cursor, sku, is_active, without_stock'],
    ['/locations/?zone=A', 'zone', null, 'limit, cursor, code, is_active'],
    [
      '/orders/?status[]=pending',
      "['status[]']",
      'status',
      'limit, cursor, status, order_number, external_order_id, partner_id, created_from, created_to',
    ],
    [
      '/inventory/?sku=A',
      'sku',
      'sku_code',
      'limit, cursor, location_code, sku_code, quantity_below',
    ],
    ['/inventory/A/?location_code=A', 'location_code', null, 'by'],
    [
      '/inventory/A/history/?sku=A',
      'sku',
      'sku_code',
      'limit, cursor, by, location_code, sku_code',
    ],
    ['/changes/?from=now&since=1', 'since', null, 'from, limit, cursor, resource, wait'],
  ])(
    'is 400 and names it, the nearest one, and all it takes: %s',
    async (where, name, near, all) => {
      const answer = await admin.get(where)
      expectInvalid(answer, name)
      const hint = near === null ? '' : ` Did you mean ${near}?`
      expect(answer.body.error.fields[name]).toEqual([
        `Unknown query parameter.${hint} This path takes ${all}.`,
      ])
    },
  )

  it('is 400 with what else is wrong, in every format', async () => {
    expectInvalid(await admin.get('/orders/?stats=pending&limit=0'), 'limit', 'stats')
    const csv = { headers: { Accept: 'text/csv' } }
    expectInvalid(await admin.get('/orders/?stats=pending', csv), 'stats')
    expectInvalid(await admin.get(`${AUDIT}?format=csv&orders=1`), 'orders')
  })

  it('is 400 for a dry run, which a list does not have', async () => {
    const answer = await admin.get('/orders/?dry_run=true')
    expectInvalid(answer, 'dry_run')
    expect(answer.body.error.message).toMatch(
      /^dry_run: Only POST, PUT and DELETE have a dry run\./,
    )
  })

  it('is 400 where it is called like a member of every object', async () => {
    const answer = await admin.get('/products/?__proto__=1&constructor=2&=3')
    expect(Object.keys(answer.body.error.fields)).toEqual(['__proto__', 'constructor', "['']"])
  })

  it('names twenty of a hundred, and counts the rest', async () => {
    const many = Array.from({ length: 99 }, (_, at) => `p${at}=1`).join('&')
    const { body } = await admin.get(`/orders/?limit=1&${many}`)
    const { fields } = body.error
    expect(Object.keys(fields)).toHaveLength(21)
    expect(fields.parameters).toEqual(['79 more are unknown.'])
  })

  it('is 400 where a known one is given twice', async () => {
    const answer = await admin.get('/orders/?limit=1&limit=1')
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error.fields).toEqual({ limit: ['Give this parameter once.'] })
  })
})

describe('a query parameter', () => {
  it('is named where the body has a field of its name', async () => {
    const order = await createOrder(admin)
    const at = path('orders', order.order_number)
    const changed = await admin.put(`${at}?notes=a`, { notes: 'b', colour: 'red' })
    expect(changed.body.data.notes).toBe('b')
    expect(changed.body.warnings.map(({ field }: { field: string }) => field)).toEqual([
      'notes',
      'colour',
    ])
    const gone = await admin.delete(`${at}?reason=x`)
    expect(gone.body.data.cancel_reason).toBeNull()
    expect(gone.body.warnings).toEqual([unknown('reason')])
  })

  it('is named without a source where a mapping reads a field of its name', async () => {
    const fields = { sku: 'article.code', quantity: 'stock' }
    const products = { inbound: { fields } }
    const { api } = await openPartner({ mappings: { products } })
    const document = { article: { code: unique('S') }, stock: 3, shelf: 7 }
    const answer = await api.post('/products/?quantity=9&shelf=8', document)
    expect(answer.body.data.quantity).toBe(3)
    expect(answer.body.warnings).toEqual([
      unknown('quantity'),
      unknown('shelf'),
      { field: 'shelf', message: 'Unknown or read-only here: it had no effect.' },
    ])
  })

  it('is named where it is called like a member of every object', async () => {
    const { sku } = await createProduct(admin)
    const { body } = await admin.get(`${path('products', sku)}?__proto__=1&constructor=2&=3`)
    expect(body.warnings).toEqual(['__proto__', 'constructor', "['']"].map(unknown))
  })

  it('of a hundred is named, each of them: an address has no more', async () => {
    const many = Array.from({ length: 100 }, (_, at) => `p${at}=1`).join('&')
    const { sku } = await createProduct(admin)
    const { body } = await admin.get(`${path('products', sku)}?${many}`)
    expect(body.warnings).toHaveLength(100)
    expect(body.warnings[99]).toEqual(unknown('p99'))
  })

  it('is named in release 1.0 too, and said to be unknown there where that is why', async () => {
    const { pinned } = await sideBySide({ default_identifier_field: 'code' })
    const { body } = await pinned.get('/locations/?limit=3&surplus=1&limit=4')
    expect(body.warnings).toEqual([
      unknown('surplus'),
      { field: 'limit', message: 'Unknown in release 1.0: it had no effect.' },
    ])
    const created = await pinned.post('/locations/?fast=true', { code: unique('L') })
    expect([created.status, created.body.warnings]).toEqual([201, [unknown('fast')]])
    const at = path('locations', created.body.data.code)
    const changed = await pinned.put(`${at}?is_active=false`, { zone: 'Z' })
    expect([changed.body.data.is_active, changed.body.warnings]).toEqual([
      true,
      [unknown('is_active')],
    ])
  })
})

describe('a range that begins in the future', () => {
  const WARNING = { message: 'Lies in the future: nothing can match.' }
  const [past, future] = [-60_000, 60_000].map((ms) => new Date(Date.now() + ms).toISOString())

  it.each([
    ['/orders/', 'created_from'],
    [AUDIT, 'from'],
  ])('is told: GET %s', async (where, field) => {
    const told = await admin.get(`${where}?${field}=${future}`)
    expect([told.status, told.body.data]).toEqual([200, []])
    expect(told.body.warnings).toEqual([{ field, ...WARNING }])
    expect((await admin.get(`${where}?${field}=${past}`)).body.warnings).toBeUndefined()
  })
})

describe('DELETE with a field that has no effect', () => {
  it('names it', async () => {
    const { sku } = await createProduct(admin)
    const answer = await admin.call('DELETE', path('products', sku), { sku, status: 'x' })
    expect(answer.body.warnings).toEqual([
      { field: 'sku', message: 'Unknown or read-only here: it had no effect.' },
      { field: 'status', message: 'Unknown or read-only here: it had no effect.' },
    ])
  })
})
