import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { admin } from '../fixtures/opened.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { allRows } from '../fixtures/sql.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { at, expectRefusedRules, makePartner, putFields, savedOf } from './mappings.ts'

const MANY = 200

describe('the limits of a mapping', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, turn) => [`metadata.f${turn}`, 'notes']))

  it.each(['inbound', 'outbound'])(`are ${MANY} %s fields`, async (direction) => {
    const saved = await putFields(many(MANY), 'orders', direction)
    expect([saved.status, saved.body.error]).toEqual([200, undefined])
    const refused = await putFields(many(MANY + 1), 'orders', direction)
    expectRefusedRules(refused, direction, `metadata.f${MANY}`)
  })

  it('are 20 characters between joined texts, 1,000 in a fixed part, and 8 parts', async () => {
    const joined = (count: number, length: number, fixed: number) => {
      const join = [{ value: '😀'.repeat(fixed) }, ...Array.from({ length: count - 1 }, () => 'a')]
      return putFields({ notes: { join, with: '😀'.repeat(length) } })
    }
    expect((await joined(8, 20, 1000)).status).toBe(200)
    for (const [count, length, fixed] of [
      [9, 1, 1] as const,
      [2, 21, 1] as const,
      [2, 1, 1001] as const,
    ]) {
      expectRefusedRules(await joined(count, length, fixed), 'inbound', 'notes')
    }
  })

  it('are 200 entries of a table of values', async () => {
    const table = (count: number) => {
      const entries = Array.from({ length: count }, (_, index) => [`v${index}`, 'x'])
      return putFields({ notes: { from: 'a', values: Object.fromEntries(entries) } })
    }
    expect((await table(200)).status).toBe(200)
    expectRefusedRules(await table(201), 'inbound', 'notes')
  })

  it('are 64 KB of fields as JSON', async () => {
    const fields = (bytes: number) => {
      const empty = JSON.stringify({ metadata: { value: { a: '' } } }).length
      return { metadata: { value: { a: 'x'.repeat(bytes - empty) } } }
    }
    expect(JSON.stringify(fields(65_536))).toHaveLength(65_536)
    expect((await putFields(fields(65_536))).status).toBe(200)
    for (const direction of ['inbound', 'outbound']) {
      const answer = await putFields(fields(65_537), 'orders', direction)
      expectInvalid(answer, `${direction}.fields`)
    }
    expectInvalid(
      await putFields({ metadata: { value: { a: 'é'.repeat(33_000) } } }),
      'inbound.fields',
    )
  })

  it('are 16 levels of a fixed value, the rules included', async () => {
    const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) })
    expect((await putFields({ metadata: { value: nested(13) } })).status).toBe(200)
    expectInvalid(await putFields({ metadata: { value: nested(14) } }), 'inbound.fields')
  })

  it('are 256 characters, 32 steps of a source and 16 of a target, index 999 and two wildcards a path', async () => {
    const fields = {
      notes: 'x'.repeat(256),
      customer_name: 'a.'.repeat(31).concat('a'),
      [`metadata${'.a'.repeat(15)}`]: 'x',
      order_number: 'x[999]',
      'customer_info.a[].b[]': 'x[].y[]',
    }
    const answer = await putFields(fields)
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
  })
})

describe('outbound rules', () => {
  it.each(
    sample<[string, Record<string, Json>, string]>(
      [
        ['a required source', { a: { from: 'notes', required: true } }, 'a'],
        ['an unsafe target', { 'a.constructor': 'notes' }, 'a.constructor'],
        ['an unsafe source', { a: 'metadata.prototype' }, 'a'],
        ['a bad source', { a: 'notes..x' }, 'a'],
        ['a bad target', { 'a b': 'notes' }, 'a b'],
        ['a target at -1', { 'a[-1]': 'notes' }, 'a[-1]'],
        ['an array into one value', { a: 'items[].notes' }, 'a'],
        ['a source that orders have not', { a: 'order_nr' }, 'a'],
        ['a source that only other records have', { a: 'sku' }, 'a'],
        ['a source that is hidden', { a: 'partner_id' }, 'a'],
        ['a source that every object has', { a: 'toString' }, 'a'],
        ['a source that lines have only when they are sent', { 'a[]': 'items[].sku_code' }, 'a[]'],
        ['a member of a single value', { a: 'notes.text' }, 'a'],
        ['a member of an array', { a: 'items.notes' }, 'a'],
        ['an element of an object', { a: 'metadata[0]' }, 'a'],
        ['a broadcast of unknown length', { 'a[].b': 'notes' }, 'a[].b'],
        ['a fixed value for elements of unknown length', { 'a[].b': { value: 1 } }, 'a[].b'],
        ['from and value', { a: { from: 'notes', value: 1 } }, 'a'],
        ['a number', { a: 7 }, 'a'],
        ['the same target twice', { a: 'notes', "$['a']": 'status' }, "$['a']"],
        ['an index and a wildcard', { 'a[].b': 'items[].notes', 'a[0].c': 'notes' }, 'a[0].c'],
      ],
      10,
    ),
  )('are refused by their target: %s', async (_, fields, rule) => {
    expectRefusedRules(await putFields(fields, 'orders', 'outbound'), 'outbound', rule)
  })

  it('take any target, fixed values of any kind, and required false', async () => {
    const fields = {
      'kopf.nummer': 'order_number',
      'zeilen[].artikel': 'items[].sku.sku',
      'zeilen[].firma': { value: 7 },
      'zeilen[].offen': 'items[].verified_quantity',
      'kopf.quelle': 'metadata.source.name',
      'kopf.erste': 'items[0].quantity',
      'kopf.letzte': 'items[-1].quantity',
      "['odd key'].x": 'notes',
      firma: { value: ['acme'] },
      status: { from: 'status', required: false },
    }
    const answer = await putFields(fields, 'orders', 'outbound')
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
  })

  it('hold from the very next answer', async () => {
    const { id, api } = await openPartner()
    const sku = unique('S')
    expect((await api.post('/products/', { sku })).body.data.sku).toBe(sku)
    await saveMapping(admin, id, 'products', { outbound: { fields: { 'artikel.nr': 'sku' } } })
    expect((await api.get(`/products/${sku}/`)).body.data).toEqual({ artikel: { nr: sku } })
    await admin.delete(at(id, 'products'))
    expect((await api.get(`/products/${sku}/`)).body.data.sku).toBe(sku)
  })
})

describe('identifier_field', () => {
  it.each(
    sample(
      [
        ['orders', 'id'],
        ['orders', 'order_number'],
        ['orders', 'external_order_id'],
        ['orders', 'customer_name'],
        ['orders', 'due_date'],
        ['orders', 'status'],
        ['orders', 'metadata.erp_id'],
        ['orders', 'metadata.größe-2'],
        ['orders', `metadata.${'x'.repeat(64)}`],
        ['products', 'sku'],
        ['products', 'cost'],
        ['products', 'custom_fields.ean'],
        ['locations', 'code'],
        ['locations', 'zone'],
        ['locations', 'metadata.gln'],
      ],
      4,
    ),
  )('of %s may be %s', async (resource, identifier_field) => {
    const id = await makePartner()
    const saved = await saveMapping(admin, id, resource, { identifier_field })
    expect(saved.identifier_field).toBe(identifier_field)
  })

  it.each(
    sample(
      [
        ['orders', ''],
        ['orders', 'sku'],
        ['orders', 'Order_Number'],
        ['orders', 'order_number '],
        ['orders', 'items'],
        ['orders', 'customer_info'],
        ['orders', 'customer_info.id'],
        ['orders', 'metadata'],
        ['orders', 'metadata.'],
        ['orders', 'metadata.a.b'],
        ['orders', 'metadata.a b'],
        ['orders', "metadata.a'b"],
        ['orders', 'metadata.a"b'],
        ['orders', 'metadata.a)'],
        ['orders', 'metadata[0]'],
        ['orders', `metadata.${'x'.repeat(65)}`],
        ['orders', 'custom_fields.ean'],
        ['orders', 'partner_id'],
        ['orders', 'seq'],
        ['orders', 'rowid'],
        ['orders', 'constructor'],
        ['orders', '__proto__'],
        ['products', 'order_number'],
        ['products', 'custom_fields'],
        ['products', 'metadata.ean'],
        ['locations', 'sku'],
        ['locations', 'metadata'],
        ['locations', 'custom_fields.gln'],
        ['inventory', 'location_code'],
        ['inventory', 'sku_code'],
        ['inventory', 'id'],
        ['inventory', ''],
      ],
      6,
    ),
  )('of %s must not be "%s"', async (resource, identifier_field) => {
    const id = await makePartner()
    expectInvalid(await admin.put(at(id, resource), { identifier_field }), 'identifier_field')
    expect(await savedOf(id)).toEqual([])
  })

  it('of inventory may be null', async () => {
    const id = await makePartner()
    const saved = await saveMapping(admin, id, 'inventory', { identifier_field: null })
    expect(saved.identifier_field).toBeNull()
  })

  it('holds from the very next request, keys apart that differ in case alone', async () => {
    const [upper, lower] = [unique('UP'), unique('low')]
    const skus = { upper: unique('S'), lower: unique('S') }
    await admin.post('/products/', { sku: skus.upper, custom_fields: { EAN: upper } })
    await admin.post('/products/', { sku: skus.lower, custom_fields: { ean: lower } })
    const { id, api } = await openPartner()
    expectRefusal(await api.get(`/products/${upper}/`), 404, 'NOT_FOUND')
    await saveMapping(admin, id, 'products', { identifier_field: 'custom_fields.EAN' })
    expect((await api.get(`/products/${upper}/`)).body.data.sku).toBe(skus.upper)
    expectRefusal(await api.get(`/products/${lower}/`), 404, 'NOT_FOUND')
    await saveMapping(admin, id, 'products', { identifier_field: 'custom_fields.ean' })
    expect((await api.get(`/products/${lower}/`)).body.data.sku).toBe(skus.lower)
    expectRefusal(await api.get(`/products/${upper}/`), 404, 'NOT_FOUND')
  })

  it('is indexed when it is saved', async () => {
    const id = await makePartner()
    const key = unique('k')
    await saveMapping(admin, id, 'locations', { identifier_field: `metadata.${key}` })
    const indexes = await allRows<{ sql: string }>(
      "select sql from sqlite_master where type = 'index' and tbl_name = 'locations'",
    )
    expect(indexes.filter(({ sql }) => sql?.includes(key))).toHaveLength(1)
  })
})
