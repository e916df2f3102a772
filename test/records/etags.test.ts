import { describe, expect, it } from 'vitest'
import { api, db } from '../fixtures/opened.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import {
  aMoment,
  createLocation,
  createOrder,
  createProduct,
  expectError,
  path,
  stock,
} from '../fixtures/warehouse.ts'
import { etagOf, VERSIONED, versionOf } from './versioned.ts'

const withHeader = (name: string, value: string) => ({ headers: { [name]: value } })
const unless = (etag: string) => withHeader('If-None-Match', etag)

describe.each(VERSIONED)('ETags of $resource', ({ resource, pathOfNew, change }) => {
  it('are the same in the answers to POST and GET, and count each change', async () => {
    const at = await pathOfNew(api)
    const first = await api.get(at)
    expect(versionOf(first)).toBe(1)
    const put = await api.put(at, change('one'))
    expect([put.status, versionOf(put)]).toEqual([200, 2])
    expect(etagOf(await api.get(at))).toBe(etagOf(put))
    await api.delete(at)
    expect(versionOf(await api.get(at))).toBe(3)
  })

  it('stay when a PUT or a DELETE leaves the record as it was, as does updated_at', async () => {
    const at = await pathOfNew(api)
    await api.put(at, change('same'))
    const [before, row] = [await api.get(at), await rowAt(resource, at)]
    await aMoment()
    for (const body of [change('same'), {}, undefined]) {
      const put = await api.put(at, body)
      expect([put.status, put.body.data, etagOf(put)]).toEqual([
        200,
        before.body.data,
        etagOf(before),
      ])
    }
    expect(await rowAt(resource, at)).toEqual(row)

    await api.delete(at)
    const ended = await rowAt(resource, at)
    await aMoment()
    expect((await api.delete(at)).status).toBe(200)
    expect(await rowAt(resource, at)).toEqual(ended)
  })

  it('are not in lists, refusals and the answers to DELETE', async () => {
    const at = await pathOfNew(api)
    const others = [
      await api.get(`/${resource}/`),
      await api.put(at, '[]'),
      await api.get(path(resource, unique('none'))),
      await api.delete(at),
    ]
    expect(others.map(({ headers }) => headers.get('ETag'))).toEqual([null, null, null, null])
    expect(JSON.stringify(others.map(({ body }) => body))).not.toContain('"version"')
  })

  it('answer GET with 304 and no body if If-None-Match has the one', async () => {
    const at = await pathOfNew(api)
    const etag = etagOf(await api.get(at))
    for (const named of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const answer = await api.call(method, at, undefined, unless(named))
        expect([answer.status, answer.text, etagOf(answer)]).toEqual([304, '', etag])
        expect(answer.headers.get('Content-Type')).toBeNull()
      }
    }
    await api.put(at, change('two'))
    const changed = await api.get(at, unless(etag))
    expect([changed.status, versionOf(changed)]).toEqual([200, 2])
    expect((await api.get(at, unless('"2.abc"'))).status).toBe(200)
  })

  it('answer GET with 400 for an If-None-Match that has no tags, and 404 without a record', async () => {
    const none = path(resource, unique('none'))
    expectInvalid(await api.get(none, unless('7')), 'If-None-Match')
    expectError(await api.get(none, unless('*')), 404, 'NOT_FOUND')
  })

  async function rowAt(table: string, at: string) {
    const name = { orders: 'order_number', products: 'sku', locations: 'code' }[table]
    const of = decodeURIComponent(at.split('/')[2] ?? '')
    return await db
      .prepare(`select version, updated_at from ${table} where ${name} = ?`)
      .bind(of)
      .first()
  }
})

describe('what counts as a change', () => {
  it.each<[string, Json, Json]>([
    ['a cleared field', { cost: '3.20' }, { cost: null }],
    ['another spelling of a number', { cost: '3.2' }, { cost: '3.20' }],
    [
      'an object in another order',
      { custom_fields: { a: 1, b: 2 } },
      { custom_fields: { b: 2, a: 1 } },
    ],
    ['a flag', { is_active: true }, { is_active: false }],
    ['a quantity', { quantity: 0 }, { quantity: -1 }],
  ])('is %s', async (_, from, to) => {
    const { sku } = await createProduct(api, from)
    const put = (body: Json) => api.put(path('products', sku), body)
    expect(versionOf(await put(from))).toBe(1)
    expect(versionOf(await put(to))).toBe(2)
    expect(versionOf(await put(to))).toBe(2)
    expect(versionOf(await put({ ...from, ...to }))).toBe(2)
  })

  it('is a new line status of an order, once', async () => {
    const order = await createOrder(api)
    const at = path('orders', order.order_number)
    await api.put(at, { status: 'verified' })
    expect(versionOf(await api.put(at, { status: 'verified' }))).toBe(2)
    await db
      .prepare("update order_items set verification_status = 'partial' where order_id = ?")
      .bind(order.id)
      .run()
    const [put, again] = [
      await api.put(at, { status: 'verified' }),
      await api.put(at, { status: 'verified' }),
    ]
    expect([versionOf(put), versionOf(again)]).toEqual([3, 3])
    expect(put.body.data.items[0].verification_status).toBe('verified')
  })

  it('is no upload of stock', async () => {
    const [{ sku }, { code }] = [await createProduct(api), await createLocation(api)]
    await stock(api, { location_code: code, sku_code: sku, quantity: 9 })
    const records = [await api.get(path('products', sku)), await api.get(path('locations', code))]
    expect(records.map(versionOf)).toEqual([1, 1])
    expect((await api.get(path('inventory', code))).headers.get('ETag')).toBeNull()
  })
})

describe('the ETag of a partner with an outbound mapping', () => {
  it('is another one with each mapping, at the same version', async () => {
    const { sku } = await createProduct(api)
    const at = path('products', sku)
    const plain = etagOf(await api.get(at))
    const partner = await openPartner()
    expect(etagOf(await partner.api.get(at))).toBe(plain)
    const tags = new Set([plain])
    for (const field of ['article', 'item']) {
      const outbound = { fields: { [field]: 'sku' } }
      await saveMapping(partner.admin, partner.id, 'products', { outbound })
      const answer = await partner.api.get(at, unless([...tags].join()))
      expect([answer.status, answer.body.data[field], versionOf(answer)]).toEqual([200, sku, 1])
      tags.add(etagOf(answer))
      expect((await partner.api.get(at, unless(etagOf(answer)))).status).toBe(304)
    }
    expect(tags.size).toBe(3)
    const put = await partner.api.put(at, { quantity: 5 }, withHeader('If-Match', plain))
    expect([put.status, versionOf(put)]).toEqual([200, 2])
  })
})

describe('a GET that is answered 304', () => {
  it('has one audit row, and settings hold for it', async () => {
    const { admin, key, api: own } = await openPartner()
    const { sku } = await createProduct(api)
    const etag = etagOf(await own.get(path('products', sku)))
    const answer = await own.get(path('products', sku), unless(etag))
    const id = answer.headers.get('X-Request-Id')
    const rows = await db
      .prepare('select status, record_name, error_code from audit_log where request_id = ?')
      .bind(id)
      .all()
    expect(rows.results).toEqual([{ status: 304, record_name: sku, error_code: null }])
    await admin.delete(`/api/settings/v1/api-keys/${key.id}/`)
    expect((await own.get(path('products', sku), unless(etag))).status).toBe(401)
  })
})
