import { beforeAll, describe, expect, it } from 'vitest'
import { ENDPOINTS, requestOf } from '../endpoints.ts'
import { openPartner } from '../partner.ts'
import { sideBySide } from '../releases/callers.ts'
import { createLocation, createOrder, createProduct, path } from '../resources/warehouse.ts'
import { type Api, openAdmin, unique } from '../tenant.ts'

// P4 (docs/ARCHITECTURE.md): at every endpoint, `warnings` names a query parameter that had no effect.

let admin: Api

beforeAll(async () => {
  admin = await openAdmin()
})

const unknown = (field: string) => ({
  field,
  message: 'Unknown query parameter: it had no effect.',
})

describe.each(ENDPOINTS)('$method $path', (endpoint) => {
  it('names a query parameter that it does not know, once, however often it is given', async () => {
    const [method, where, body] = await requestOf(endpoint, admin)
    const also = where.includes('?') ? '&' : '?'
    const answer = await admin.call(method, `${where}${also}surplus=1&a.b=&surplus=2`, body)
    expect(answer.status).toBeLessThan(300)
    expect(answer.body.warnings).toEqual([unknown('surplus'), unknown("['a.b']")])
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

  it('is named by a look-up of stock beside the one that it knows', async () => {
    const { code } = await createLocation(admin)
    const answer = await admin.get(`${path('inventory', code)}?by=location&page=2`)
    expect(answer.body.warnings).toEqual([unknown('page')])
  })

  it('is named where it is called like a member of every object', async () => {
    const { sku } = await createProduct(admin)
    for (const where of ['/products/', path('products', sku)]) {
      const { body } = await admin.get(`${where}?__proto__=1&constructor=2&=3`)
      expect(body.warnings).toEqual(['__proto__', 'constructor', "['']"].map(unknown))
    }
  })

  it('is 400 where it is known and given twice, and changes nothing where it is not', async () => {
    const answer = await admin.get('/orders/?limit=1&limit=1')
    expect([answer.status, answer.body.error.code]).toEqual([400, 'VALIDATION_ERROR'])
    expect(answer.body.error.fields).toEqual({ limit: ['Give this parameter once.'] })
    await createOrder(admin)
    const { body } = await admin.get('/orders/?limit=1&offset=1&offset=2')
    expect([body.data.length, body.warnings]).toEqual([1, [unknown('offset')]])
  })

  it('of thousands is named with those that are listed, and the rest are counted', async () => {
    const many = Array.from({ length: 2000 }, (_, at) => `p${at}=1`).join('&')
    const { body } = await admin.get(`/orders/?limit=1&${many}`)
    expect(body.warnings).toHaveLength(101)
    expect(body.warnings[99]).toEqual(unknown('p99'))
    expect(body.warnings[100].message).toBe('At least 900 more warnings are not listed.')
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
