import { describe, expect, it } from 'vitest'
import { api, db } from '../fixtures/opened.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid } from '../fixtures/refusal.ts'
import { type Answer, unique } from '../fixtures/tenant.ts'
import {
  createOrder,
  createProduct,
  expectError,
  path,
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
    expect(await auditRows(late)).toEqual([{ status: 412, error_code: 'PRECONDITION_FAILED' }])
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

async function auditRows({ headers }: Answer) {
  const select = db.prepare('select status, error_code from audit_log where request_id = ?')
  return (await select.bind(headers.get('X-Request-Id')).all()).results
}
