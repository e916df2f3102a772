import { describe, expect, it } from 'vitest'
import { loggedRow } from '../fixtures/audit-rows.ts'
import { db } from '../fixtures/opened.ts'
import { api } from '../fixtures/opened-api.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { type Answer, type Json, unique } from '../fixtures/tenant.ts'
import {
  aMoment,
  createLocation,
  createOrder,
  createProduct,
  expectError,
  path,
  stock,
  warnedFields,
} from '../fixtures/warehouse.ts'
import { etagOf, tagAt, VERSIONED, versionOf } from './versioned.ts'

const matching = (tags: string) => ({ headers: { 'If-Match': tags } })

function expectRefused(answer: Answer, version: number) {
  expectError(answer, 412, 'PRECONDITION_FAILED')
  expect(versionOf(answer)).toBe(version)
}

describe.each(VERSIONED)('If-Match of $resource', ({ resource, pathOfNew, change, textOf }) => {
  it('lets a PUT change the record at its version, and none that comes later', async () => {
    const at = await pathOfNew(api)
    const etag = etagOf(await api.get(at))
    const put = await api.put(at, change('first'), matching(etag))
    expect([put.status, versionOf(put)]).toEqual([200, 2])

    const late = await api.put(at, change('late'), matching(etag))
    expectRefused(late, 2)
    expect(etagOf(late)).toBe(etagOf(put))
    expect(await loggedRow(late, 'status, error_code')).toEqual({
      status: 412,
      error_code: 'PRECONDITION_FAILED',
    })
    const read = await api.get(at)
    expect([textOf(read.body.data), etagOf(read)]).toEqual(['first', etagOf(put)])
  })

  it('lets a DELETE end the record at its version only', async () => {
    const at = await pathOfNew(api)
    const etag = etagOf(await api.get(at))
    await api.put(at, change('first'))
    expectRefused(await api.delete(at, undefined, matching(etag)), 2)
    const put = await api.put(at, change('second'))
    expect(versionOf(put)).toBe(3)
    expect((await api.delete(at, undefined, matching(etagOf(put)))).status).toBe(200)
    expectRefused(await api.delete(at, undefined, matching(etagOf(put))), 4)
  })

  it('may be a list, weak, of another shape, or *', async () => {
    const at = await pathOfNew(api)
    const etag = etagOf(await api.get(at))
    const [first, second] = [tagAt(1, etag), tagAt(2, etag)]
    const third = tagAt(3, etag).replace('.a"', '.another-shape"')
    for (const tags of [`${tagAt(9, etag)}, ${first}`, `W/${second}`, third, '*']) {
      expect((await api.put(at, change(tags), matching(tags))).status).toBe(200)
    }
    expectRefused(await api.put(at, change('late'), matching(`${first}, "x", "5"`)), 5)
  })

  it('names a record: a tag of another one at the same version matches nothing', async () => {
    const [at, other] = [await pathOfNew(api), await pathOfNew(api)]
    const etag = etagOf(await api.get(other))
    const refused = await api.put(at, change('late'), matching(etag))
    expectRefused(refused, 1)
    expect(etagOf(refused)).toBe(etagOf(await api.get(at)))
    expect((await api.get(at, { headers: { 'If-None-Match': etag } })).status).toBe(200)
    expectRefused(await api.delete(at, undefined, matching(etag)), 1)
  })

  it('is 412 also for a PUT that would change nothing, and for its own repetition', async () => {
    const at = await pathOfNew(api)
    const etag = etagOf(await api.get(at))
    await api.put(at, change('first'), matching(etag))
    expectRefused(await api.put(at, change('first'), matching(etag)), 2)
    expectRefused(await api.put(at, {}, matching(etag)), 2)
  })

  it('is 400 if it has no tags, before anything else of the request is judged', async () => {
    const none = path(resource, unique('none'))
    for (const tags of ['1', '', '"1.a', '*, "1.a"']) {
      for (const answer of [
        await api.put(none, 'no JSON', matching(tags)),
        await api.delete(none, undefined, matching(tags)),
      ]) {
        expectInvalid(answer, 'If-Match')
      }
    }
  })

  it('is judged after the body and after the identifier', async () => {
    const at = await pathOfNew(api)
    const invalid = await api.put(at, { is_active: 5, status: 5 }, matching('"9.a"'))
    expect(invalid.body.error.code).toBe('VALIDATION_ERROR')
    const none = path(resource, unique('none'))
    for (const tags of ['"9.a"', '*']) {
      expectError(await api.put(none, {}, matching(tags)), 404, 'NOT_FOUND')
      expectError(await api.delete(none, undefined, matching(tags)), 404, 'NOT_FOUND')
    }
  })

  it('has no effect on POST and GET, and no other condition has one on PUT: warnings say so', async () => {
    const at = await pathOfNew(api)
    const headers = {
      'If-Match': tagAt(1, etagOf(await api.get(at))),
      'If-None-Match': '*',
      'If-Modified-Since': 'Sat, 29 Oct 1994 19:43:31 GMT',
      'If-Unmodified-Since': 'Sat, 29 Oct 1994 19:43:31 GMT',
    }
    const { 'If-Match': _, ...others } = headers
    const { 'If-None-Match': __, ...ofRead } = headers
    const put = await api.put(at, change('first'), { headers })
    expect([put.status, warnedFields(put)]).toEqual([200, Object.keys(others)])
    expect(warnedFields(await api.get(at, { headers: ofRead }))).toEqual(Object.keys(ofRead))
    const list = await api.get(`/${resource}/`, { headers })
    expect(warnedFields(list)).toEqual(Object.keys(headers))
  })
})

describe('If-Match', () => {
  it('is judged before the rules', async () => {
    const at = path('orders', (await createOrder(api)).order_number)
    const shipped = await api.put(at, { status: 'shipped' })
    const body = { status: 'pending' }
    const old = tagAt(1, etagOf(shipped))
    expectRefused(await api.put(at, body, matching(old)), 2)
    expectRefused(await api.delete(at, undefined, matching(old)), 2)
    const ruled = await api.put(at, body, matching(etagOf(shipped)))
    expectError(ruled, 400, 'SERVICE_ERROR', ['status'])
  })

  it('of a POST is named in warnings', async () => {
    const answer = await api.post('/products/', { sku: unique('S') }, matching('nonsense'))
    expect([answer.status, warnedFields(answer), versionOf(answer)]).toEqual([201, ['If-Match'], 1])
    const upload = await api.post('/inventory/', { inventory: [{}] }, matching('"1.a"'))
    expect(warnedFields(upload)).toEqual(['If-Match'])
  })

  it('tells nothing of an order that the key does not see', async () => {
    const [shop, other] = [await openPartner({ own_orders_only: true }), await openPartner()]
    const { sku } = await createProduct(api)
    const order = { order_number: unique('O'), items: [{ sku_code: sku, quantity: 1 }] }
    await other.api.post('/orders/', order)
    const answer = await shop.api.put(path('orders', order.order_number), {}, matching('"9.a"'))
    expectError(answer, 404, 'NOT_FOUND')
    expect(answer.headers.get('ETag')).toBeNull()
  })

  it('finds the record by the field that the settings name', async () => {
    const partner = await openPartner({ default_identifier_field: 'external_order_id' })
    const ref = unique('ref')
    const { sku } = await createProduct(api)
    const items = [{ sku_code: sku, quantity: 1 }]
    const made = { order_number: unique('O'), external_order_id: ref, items }
    const etag = etagOf(await partner.api.post('/orders/', made))
    const at = path('orders', ref)
    expect((await partner.api.put(at, { notes: 'a' }, matching(etag))).status).toBe(200)
    expectRefused(await partner.api.put(at, { notes: 'b' }, matching(etag)), 2)
  })
})

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
    const row = await loggedRow(answer, 'status, record_name, error_code')
    expect(row).toEqual({ status: 304, record_name: sku, error_code: null })
    await admin.delete(`/api/settings/v1/api-keys/${key.id}/`)
    expect((await own.get(path('products', sku), unless(etag))).status).toBe(401)
  })
})
