import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { intercept, type Watch } from '../bindings.ts'
import { REFUSED } from '../mapping/examples.ts'
import { openPartner, saveMapping } from '../partner.ts'
import { expectInvalid, expectRefusal } from '../security/refusal.ts'
import {
  type Answer,
  client,
  createKey,
  type Json,
  openAdmin,
  openTenant,
  unique,
} from '../tenant.ts'
import { type Api, AUDIT, utc } from './settings.ts'

const PARTNERS = '/api/settings/v1/partners/'
const RESOURCES = ['orders', 'products', 'locations', 'inventory']
const MANY = 200

let db: D1Database
let admin: Api

beforeAll(async () => {
  db = await openTenant()
  admin = await openAdmin()
})

const fieldsWarned = ({ body }: Answer) => body.warnings?.map(({ field }: Json) => field)
const at = (id: string, resource = '') => `${PARTNERS}${id}/mappings/${resource && `${resource}/`}`

async function makePartner(): Promise<string> {
  const { status, body } = await admin.post(PARTNERS, { name: unique('partner') })
  expect(status).toBe(201)
  return body.data.id
}

async function savedOf(id: string): Promise<Json[]> {
  const rows = await db
    .prepare('select * from field_mappings where partner_id = ? order by resource')
    .bind(id)
    .all()
  return rows.results
}

/** Saves rules of one resource for a new partner. */
async function putFields(fields: object, resource = 'orders', direction = 'inbound') {
  const id = await makePartner()
  const answer = await admin.put(at(id, resource), { [direction]: { fields } })
  expect((await savedOf(id)).length).toBe(answer.status === 200 ? 1 : 0)
  return answer
}

/** 400 that names these rules and nothing else, each with a sentence. */
function expectRefusedRules(answer: Answer, direction: string, ...rules: string[]) {
  expectRefusal(answer, 400, 'VALIDATION_ERROR')
  const { fields } = answer.body.error
  const names = rules.map((rule) => `${direction}.fields.${rule}`)
  expect(Object.keys(fields).toSorted()).toEqual(names.toSorted())
  for (const [message] of Object.values(fields) as [string][]) {
    expect(message).toMatch(/^["\p{L}].*[.:]/su)
    expect(message).not.toMatch(/undefined|\[object|Symbol/)
  }
}

const FULL = {
  identifier_field: 'external_order_id',
  inbound: {
    unmapped: 'reject',
    fields: {
      order_number: 'header.number',
      external_order_id: { from: 'header.id', required: true },
      'items[].sku_code': '$.lines[*].article.code',
      'items[].quantity': { from: 'lines[].qty', required: false },
      "metadata['a key.with odd-chars']": 'refs[-1].id',
      'metadata.source': { value: { a: [1, null, 'é'] } },
      notes: { value: null },
    },
  },
  outbound: {
    unmapped: 'keep',
    fields: { nummer: 'order_number', 'zeilen[].menge': 'items[].quantity' },
  },
}

describe('PUT /partners/{id}/mappings/{resource}/', () => {
  it('answers exactly the record, as it was sent', async () => {
    const id = await makePartner()
    const answer = await admin.put(at(id, 'orders'), FULL)
    const data = { resource: 'orders', ...FULL, updated_at: utc }
    expect([answer.status, answer.body]).toEqual([200, { success: true, data }])
    expect(Object.keys(answer.body.data)).toEqual(Object.keys(data))
    expect((await admin.get(at(id, 'orders'))).body).toEqual(answer.body)
  })

  it('fills in what is left out', async () => {
    const id = await makePartner()
    const mapping = {
      inbound: { fields: { notes: 'memo' } },
      outbound: { fields: { memo: 'notes' } },
    }
    expect(await saveMapping(admin, id, 'orders', mapping)).toEqual({
      resource: 'orders',
      identifier_field: null,
      inbound: { unmapped: 'keep', fields: { notes: 'memo' } },
      outbound: { unmapped: 'drop', fields: { memo: 'notes' } },
      updated_at: utc,
    })
  })

  it.each([
    ['nothing', undefined],
    ['an empty object', {}],
    ['null for each member', { identifier_field: null, inbound: null, outbound: null }],
  ])('takes %s, which maps nothing', async (_, mapping) => {
    const id = await makePartner()
    const { status, body } = await admin.put(at(id, 'products'), mapping)
    expect([status, body.data]).toEqual([
      200,
      {
        resource: 'products',
        identifier_field: null,
        inbound: null,
        outbound: null,
        updated_at: utc,
      },
    ])
  })

  it('replaces the mapping as a whole', async () => {
    const id = await makePartner()
    await saveMapping(admin, id, 'orders', FULL)
    const second = await saveMapping(admin, id, 'orders', {
      inbound: { fields: { notes: 'memo' } },
    })
    expect(second).toMatchObject({
      identifier_field: null,
      inbound: { unmapped: 'keep', fields: { notes: 'memo' } },
      outbound: null,
    })
    expect(Object.keys(second.inbound.fields)).toEqual(['notes'])
    const third = await saveMapping(admin, id, 'orders', { identifier_field: 'notes' })
    expect(third).toMatchObject({ identifier_field: 'notes', inbound: null, outbound: null })
    expect((await admin.get(at(id, 'orders'))).body.data).toEqual(third)
    expect(await savedOf(id)).toHaveLength(1)
  })

  it('moves updated_at', async () => {
    const id = await makePartner()
    const first = await saveMapping(admin, id, 'orders', FULL)
    await scheduler.wait(5)
    const second = await saveMapping(admin, id, 'orders', FULL)
    expect(second.updated_at > first.updated_at).toBe(true)
  })

  it("leaves the partner's other mappings and other partners' alone", async () => {
    const [id, other] = [await makePartner(), await makePartner()]
    const products = await saveMapping(admin, id, 'products', {
      inbound: { fields: { sku: 'nr' } },
    })
    const orders = await saveMapping(admin, other, 'orders', FULL)
    await saveMapping(admin, id, 'orders', {})
    expect((await admin.get(at(id, 'products'))).body.data).toEqual(products)
    expect((await admin.get(at(other, 'orders'))).body.data).toEqual(orders)
  })

  it('leaves what is saved alone when it refuses the new one', async () => {
    const id = await makePartner()
    await saveMapping(admin, id, 'orders', FULL)
    const before = await savedOf(id)
    const bad = {
      inbound: { fields: { notes: 'memo', nonsense: 'x' } },
      identifier_field: 'status',
    }
    expectRefusedRules(await admin.put(at(id, 'orders'), bad), 'inbound', 'nonsense')
    expect(await savedOf(id)).toEqual(before)
  })

  it('keeps the rules as they were written, in their order', async () => {
    const id = await makePartner()
    const fields = {
      zone: 'b',
      name: '$.a',
      "metadata['x y']": "$['odd key'].c",
      'metadata.list[]': 'rows[*].name',
      'metadata.__proto': 'd',
      aisle: { from: 'e', required: true },
    }
    const { inbound } = await saveMapping(admin, id, 'locations', { inbound: { fields } })
    expect(JSON.stringify(inbound.fields)).toBe(JSON.stringify(fields))
  })

  it("holds from the very next request of the partner's keys", async () => {
    const { id, api } = await openPartner()
    expectInvalid(await api.post('/products/', { nr: unique('S') }), 'sku')
    await saveMapping(admin, id, 'products', { inbound: { fields: { sku: 'nr' } } })
    const sku = unique('S')
    expect((await api.post('/products/', { nr: sku })).body.data.sku).toBe(sku)
    await saveMapping(admin, id, 'products', { inbound: { fields: { sku: 'ean' } } })
    expect((await api.post('/products/', { ean: unique('S') })).status).toBe(201)
    expectRefusal(
      await client((await createKey()).value).post('/products/', { ean: 'x' }),
      400,
      'VALIDATION_ERROR',
    )
  })

  it('names what it does not know', async () => {
    const id = await makePartner()
    const inbound = { fields: { notes: 'memo' }, colour: 1, required: true }
    const outbound = { fields: {}, colour: 1 }
    const extra = { resource: 'x', updated_at: 'x', partner_id: 'x', unmapped: 'drop', fields: {} }
    const answer = await admin.put(at(id, 'orders'), { inbound, outbound, ...extra })
    expect(answer.status).toBe(200)
    expect(fieldsWarned(answer).toSorted()).toEqual(
      [...Object.keys(extra), 'inbound.colour', 'inbound.required', 'outbound.colour'].toSorted(),
    )
    expect(answer.body.data.inbound).toEqual({ unmapped: 'keep', fields: { notes: 'memo' } })
  })

  it.each([
    ['inbound', 'text', 'inbound'],
    ['inbound', [], 'inbound'],
    ['inbound', 7, 'inbound'],
    ['inbound', {}, 'inbound.fields'],
    ['inbound', { fields: null }, 'inbound.fields'],
    ['inbound', { fields: [] }, 'inbound.fields'],
    ['inbound', { fields: ['notes'] }, 'inbound.fields'],
    ['inbound', { fields: 'notes' }, 'inbound.fields'],
    ['inbound', { fields: {}, unmapped: 'ignore' }, 'inbound.unmapped'],
    ['inbound', { fields: {}, unmapped: null }, 'inbound.unmapped'],
    ['inbound', { fields: {}, unmapped: 'KEEP' }, 'inbound.unmapped'],
    ['inbound', { fields: {}, unmapped: true }, 'inbound.unmapped'],
    ['outbound', 'text', 'outbound'],
    ['outbound', {}, 'outbound.fields'],
    ['outbound', { fields: [] }, 'outbound.fields'],
    ['outbound', { fields: {}, unmapped: 'reject' }, 'outbound.unmapped'],
    ['outbound', { fields: {}, unmapped: 'nothing' }, 'outbound.unmapped'],
    ['identifier_field', 7, 'identifier_field'],
    ['identifier_field', [], 'identifier_field'],
  ])('refuses %s that is %j by name', async (member, value, field) => {
    const id = await makePartner()
    expectInvalid(await admin.put(at(id, 'orders'), { [member]: value }), field)
    expect(await savedOf(id)).toEqual([])
  })

  it.each([
    ['no JSON', '{"inbound":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['text', '"inbound"'],
  ])('refuses a body that is %s', async (_, text) => {
    const id = await makePartner()
    expectRefusal(await admin.put(at(id, 'orders'), text), 400, 'VALIDATION_ERROR')
  })

  it('takes every mode of unmapped', async () => {
    const id = await makePartner()
    for (const unmapped of ['keep', 'drop', 'reject']) {
      const saved = await saveMapping(admin, id, 'orders', { inbound: { unmapped, fields: {} } })
      expect(saved.inbound).toEqual({ unmapped, fields: {} })
    }
    for (const unmapped of ['keep', 'drop']) {
      const saved = await saveMapping(admin, id, 'orders', { outbound: { unmapped, fields: {} } })
      expect(saved.outbound).toEqual({ unmapped, fields: {} })
    }
  })

  it('has a row in the audit log, about the partner', async () => {
    const id = await makePartner()
    const { headers } = await admin.put(at(id, 'orders'), FULL)
    const request_id = headers.get('X-Request-Id')
    const { body } = await admin.get(`${AUDIT}?request_id=${request_id}`)
    expect(body.data).toEqual([
      expect.objectContaining({
        method: 'PUT',
        path: at(id, 'orders'),
        status: 200,
        partner: null,
      }),
    ])
    const row = await db
      .prepare('select record_id from audit_log where request_id = ?')
      .bind(request_id)
      .first()
    expect(row).toEqual({ record_id: id })
  })
})

/** Each rule by itself is wrong, whatever the payload. */
const BAD_RULES: [about: string, fields: Record<string, Json>, rule: string, resource?: string][] =
  [
    ...REFUSED.map(({ about, fields, rule }): [string, Json, string] => [about, fields, rule]),
    ['a field that orders have not', { order_no: 'x' }, 'order_no'],
    ['a field of another resource', { sku: 'x' }, 'sku'],
    ['a read-only field', { id: 'x' }, 'id'],
    ['a field that an order line has not', { 'items[].sku': 'lines[].sku' }, 'items[].sku'],
    ['a member of a single value', { 'notes.text': 'x' }, 'notes.text'],
    ['an element of a single value', { 'notes[0]': 'x' }, 'notes[0]'],
    ['elements of a single value', { 'notes[]': 'x[]' }, 'notes[]'],
    ['elements of an object', { 'customer_info[]': 'x[]' }, 'customer_info[]'],
    ['an element of an object', { 'metadata[0]': 'x' }, 'metadata[0]'],
    ['a member of an array', { 'items.sku_code': 'lines[].sku' }, 'items.sku_code'],
    ['an empty target', { '': 'x' }, ''],
    ['a target that is a dot', { '.': 'x' }, '.'],
    ['a target that ends in a dot', { 'metadata.': 'x' }, 'metadata.'],
    ['a target with two dots', { 'metadata..x': 'x' }, 'metadata..x'],
    ['a target with an open bracket', { 'items[.sku_code': 'x' }, 'items[.sku_code'],
    ['a target with a blank', { 'metadata.a b': 'x' }, 'metadata.a b'],
    ['a target with double quotes', { 'metadata["a"]': 'x' }, 'metadata["a"]'],
    ['a target that begins with an index', { '[0].notes': 'x' }, '[0].notes'],
    ['a target at index -1', { 'items[-1].sku_code': 'x' }, 'items[-1].sku_code'],
    ['an empty source', { notes: '' }, 'notes'],
    ['a source that is a dot', { notes: '.' }, 'notes'],
    ['a source that begins with []', { notes: '[0]' }, 'notes'],
    ['a source at index -2', { notes: 'x[-2]' }, 'notes'],
    ['a source at a slice', { notes: 'x[0:2]' }, 'notes'],
    ['a source with a filter', { notes: 'x[?(@.a)]' }, 'notes'],
    ['a source with recursion', { notes: 'x..y' }, 'notes'],
    ['a source with an expression', { notes: 'a + b' }, 'notes'],
    ['a source that is a template', { notes: '{{ memo }}' }, 'notes'],
    ['a source that is $ alone', { notes: '$' }, 'notes'],
    ['a source in braces', { notes: '{{memo}}' }, 'notes'],
    ['a sum of sources', { notes: 'first+last' }, 'notes'],
    ['a function of a source', { notes: 'upper(memo)' }, 'notes'],
    ['one source or another', { notes: 'memo||text' }, 'notes'],
    ['a condition', { notes: 'memo?text' }, 'notes'],
    ['a target that every object has', { toString: 'x' }, 'toString'],
    ['a member that every object has', { 'items[].valueOf': 'lines[].x' }, 'items[].valueOf'],
    ['an index above 999', { notes: 'x[1000]' }, 'notes'],
    ['an index with leading zeros', { notes: 'x[007]' }, 'notes'],
    ['a source of 257 characters', { notes: 'x'.repeat(257) }, 'notes'],
    ['a source of 17 steps', { notes: 'a.'.repeat(16).concat('a') }, 'notes'],
    ['a target of 17 steps', { [`metadata${'.a'.repeat(16)}`]: 'x' }, `metadata${'.a'.repeat(16)}`],
    ['a wildcard too many in the source', { notes: 'x[]' }, 'notes'],
    ['two wildcards into one', { 'metadata.a[]': 'x[].y[]' }, 'metadata.a[]'],
    ['one wildcard into two', { 'metadata.a[][]': 'x[]' }, 'metadata.a[][]'],
    ['three wildcards', { 'metadata.a[][][]': 'x[][][]' }, 'metadata.a[][][]'],
    ['an index where the array takes wildcards', { 'metadata.a': 'x[]' }, 'metadata.a'],
    ['a rule that is a number', { notes: 7 }, 'notes'],
    ['a rule that is null', { notes: null }, 'notes'],
    ['a rule that is a list', { notes: ['memo'] }, 'notes'],
    ['a rule that is true', { notes: true }, 'notes'],
    ['a rule without from and value', { notes: {} }, 'notes'],
    ['a rule with required alone', { notes: { required: true } }, 'notes'],
    ['a from that is null', { notes: { from: null } }, 'notes'],
    ['a from that is a number', { notes: { from: 7 } }, 'notes'],
    ['a from that is empty', { notes: { from: '' } }, 'notes'],
    ['a required that is text', { notes: { from: 'x', required: 'yes' } }, 'notes'],
    ['a required that is null', { notes: { from: 'x', required: null } }, 'notes'],
    ['a fixed value that is required', { notes: { value: 'x', required: true } }, 'notes'],
    ['a default', { notes: { from: 'x', default: 'y' } }, 'notes'],
    ['an enum', { notes: { from: 'x', enum: { a: 'b' } } }, 'notes'],
    ['a type', { notes: { from: 'x', type: 'string' } }, 'notes'],
    ['a wrap', { notes: { from: 'x', wrap: true } }, 'notes'],
    [
      'a fixed text for a quantity',
      { 'items[].sku_code': 'l[].s', 'items[].quantity': { value: '1' } },
      'items[].quantity',
    ],
    [
      'a fixed quantity below 1',
      { 'items[].sku_code': 'l[].s', 'items[].quantity': { value: 0 } },
      'items[].quantity',
    ],
    ['a fixed status that is none', { status: { value: 'lost' } }, 'status'],
    ['a fixed date that is none', { due_date: { value: 'soon' } }, 'due_date'],
    ['a fixed text for an object', { customer_info: { value: 'Oslo' } }, 'customer_info'],
    ['a fixed number for an array', { items: { value: 7 } }, 'items'],
    ['a fixed object for a text', { customer_name: { value: { first: 'Kim' } } }, 'customer_name'],
    ['a fixed list for a text', { notes: { value: ['a'] } }, 'notes'],
    ['a fixed list for an object', { metadata: { value: [] } }, 'metadata'],
    ['a fixed null for what takes none', { order_number: { value: null } }, 'order_number'],
    ['a fixed object for an array', { items: { value: {} } }, 'items'],
    ['fixed lines of which there are none', { items: { value: [] } }, 'items'],
    [
      'a fixed null for custom_fields',
      { custom_fields: { value: null } },
      'custom_fields',
      'products',
    ],
    [
      'the same target written differently',
      { 'metadata.a': 'x', '$.metadata.a': 'y' },
      '$.metadata.a',
    ],
    ['the same target in quotes', { 'metadata.a': 'x', "metadata['a']": 'y' }, "metadata['a']"],
    [
      'the same elements written differently',
      { 'items[].notes': 'l[].a', 'items[*].notes': 'l[].b' },
      'items[*].notes',
    ],
    [
      'a gap between target indexes',
      { 'items[0].sku_code': 'a', 'items[2].sku_code': 'b' },
      'items[2].sku_code',
    ],
    ['target indexes that begin above 0', { 'items[1].sku_code': 'a' }, 'items[1].sku_code'],
    [
      'an array and an object at one place',
      { 'metadata.a.b': 'x', 'metadata.a[]': 'y[]' },
      'metadata.a[]',
    ],
    [
      'an array as a whole and an element of it',
      { items: 'lines', 'items[].quantity': 'q[]' },
      'items[].quantity',
    ],
    [
      'a member below a fixed single value',
      { 'metadata.a': { value: 1 }, 'metadata.a.b': 'x' },
      'metadata.a.b',
    ],
    ['a broadcast to an array of unknown length', { 'items[].notes': 'memo' }, 'items[].notes'],
    ['a fixed quantity of no integer', { quantity: { value: 1.5 } }, 'quantity', 'products'],
    ['a fixed cost that is no decimal', { cost: { value: 'cheap' } }, 'cost', 'products'],
    ['a fixed is_active that is text', { is_active: { value: 'yes' } }, 'is_active', 'products'],
    ['order fields of a product', { order_number: 'x' }, 'order_number', 'products'],
    ['a location name that is a number', { name: { value: 7 } }, 'name', 'locations'],
    ['a stock field outside its row', { location_code: 'x' }, 'location_code', 'inventory'],
    [
      'a field that a stock row has not',
      { 'inventory[].bin': 'stock[].bin' },
      'inventory[].bin',
      'inventory',
    ],
    ['a fixed source that is none', { source: { value: 'sap' } }, 'source', 'inventory'],
    [
      'a fixed quantity below 0',
      { 'inventory[].sku_code': 's[].i', 'inventory[].quantity': { value: -1 } },
      'inventory[].quantity',
      'inventory',
    ],
  ]

const UNSAFE = ['__proto__', 'prototype', 'constructor']
const UNSAFE_RULES = UNSAFE.flatMap((name): [string, string][] => [
  [name, 'a'],
  [`${name}.x`, 'a'],
  [`metadata.${name}`, 'a'],
  [`metadata['${name}']`, 'a'],
  [`metadata.a[].${name}`, 'a[].b'],
  ['notes', name],
  ['notes', `a.${name}`],
  ['notes', `$['${name}'].a`],
  ['metadata.a[]', `a[].${name}`],
])

describe('a rule that can never work', () => {
  it.each(BAD_RULES)('is refused by its target: %s', async (_, fields, rule, resource) => {
    expectRefusedRules(await putFields(fields, resource), 'inbound', rule)
  })

  it.each(UNSAFE_RULES)('is refused by its target: %s from %s', async (target, source) => {
    const fields = Object.fromEntries([[target, source]])
    expectRefusedRules(await putFields(fields), 'inbound', target)
    expect(Object.hasOwn(Object.prototype, 'x')).toBe(false)
  })

  it.each([
    '{"inbound":{"fields":{"__proto__":"a"}}}',
    '{"inbound":{"fields":{"__proto__":{"value":{"polluted":true}}}}}',
    '{"inbound":{"fields":{"__proto__":{"from":"a"},"notes":"memo"}}}',
  ])('is refused by its target: %s', async (text) => {
    const id = await makePartner()
    expectRefusedRules(await admin.put(at(id, 'orders'), text), 'inbound', '__proto__')
    expect(await savedOf(id)).toEqual([])
    expect(Reflect.get({}, 'polluted')).toBeUndefined()
  })

  it('takes nothing from a rule that comes as __proto__', async () => {
    const texts = [
      '{"inbound":{"fields":{"notes":{"__proto__":{"from":"memo"}}}}}',
      '{"inbound":{"fields":{"notes":{"from":"memo","__proto__":{"required":true}}}}}',
    ]
    for (const text of texts) {
      const id = await makePartner()
      expectRefusedRules(await admin.put(at(id, 'orders'), text), 'inbound', 'notes')
    }
  })

  it('is refused with every other one at once', async () => {
    const fields = {
      order_no: 'x',
      notes: 'lines[].text',
      customer_name: { from: 'a', value: 'b' },
      'items[].quantity': { from: 'lines[].qty' },
      due_date: { value: 'soon' },
      "metadata['__proto__']": 'a',
      'metadata.fine': 'b',
    }
    expectRefusedRules(
      await putFields(fields),
      'inbound',
      'order_no',
      'notes',
      'customer_name',
      'due_date',
      "metadata['__proto__']",
    )
  })

  it('is refused with faults of the outbound rules and of identifier_field at once', async () => {
    const id = await makePartner()
    const mapping = {
      identifier_field: 'sku',
      inbound: { unmapped: 'none', fields: { order_no: 'x' } },
      outbound: { fields: { a: { from: 'notes', required: true }, 'b[]': 'notes' } },
    }
    const answer = await admin.put(at(id, 'orders'), mapping)
    expectRefusal(answer, 400, 'VALIDATION_ERROR')
    expect(Object.keys(answer.body.error.fields).toSorted()).toEqual([
      'identifier_field',
      'inbound.fields.order_no',
      'inbound.unmapped',
      'outbound.fields.a',
      'outbound.fields.b[]',
    ])
  })

  it('is refused with all of the faults between rules at once', async () => {
    const fields = {
      'items[].notes': 'memo',
      'metadata.a': 'x',
      "metadata['a']": 'y',
      'metadata.b[1]': 'z',
    }
    expectRefusedRules(
      await putFields(fields),
      'inbound',
      'items[].notes',
      "metadata['a']",
      'metadata.b[1]',
    )
  })

  it.each([
    ['order_no', { order_no: 'x' }, 'There is no field "order_no": there are order_number, '],
    [
      'items[].sku',
      { 'items[].sku': 'l[].s' },
      'There is no field "items[].sku": there are sku_code, quantity, notes.',
    ],
    ['items.sku_code', { 'items.sku_code': 'x' }, '"items" is an array: write "items[].sku_code".'],
    ['notes.text', { 'notes.text': 'x' }, '"notes" is a single value: it has no "text".'],
    ['notes[]', { 'notes[]': 'x[]' }, '"notes" is no array.'],
    ['notes', { notes: 'x[]' }, 'The source has 1 of [] and the target 0'],
    ['notes', { notes: 'x..y' }, 'The source "x..y" is not a path from "..y" on'],
    ['notes', { notes: 'a.__proto__' }, 'must not name "__proto__"'],
    [
      'notes',
      { notes: { from: 'x', default: 1 } },
      'Must not have "default": there are from, required, value.',
    ],
    ['status', { status: { value: 'lost' } }, 'The fixed value is refused: Must be one of: '],
    ['items[].notes', { 'items[].notes': 'memo' }, 'Nothing says how long "items" is'],
  ])('tells its author about %s what to do', async (rule, fields, message) => {
    const { body } = await putFields(fields)
    expect(body.error.fields[`inbound.fields.${rule}`].join()).toContain(message)
  })
})

describe('the limits of a mapping', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, turn) => [`metadata.f${turn}`, 'notes']))

  it.each(['inbound', 'outbound'])(`are ${MANY} %s fields`, async (direction) => {
    const saved = await putFields(many(MANY), 'orders', direction)
    expect([saved.status, saved.body.error]).toEqual([200, undefined])
    const refused = await putFields(many(MANY + 1), 'orders', direction)
    expectRefusedRules(refused, direction, `metadata.f${MANY}`)
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

  it('are 256 characters, 16 steps, index 999 and two wildcards a path', async () => {
    const fields = {
      notes: 'x'.repeat(256),
      customer_name: 'a.'.repeat(15).concat('a'),
      [`metadata${'.a'.repeat(15)}`]: 'x',
      order_number: 'x[999]',
      'customer_info.a[].b[]': 'x[].y[]',
    }
    const answer = await putFields(fields)
    expect([answer.status, answer.body.error]).toEqual([200, undefined])
  })
})

describe('outbound rules', () => {
  it.each<[string, Record<string, Json>, string]>([
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
  ])('are refused by their target: %s', async (_, fields, rule) => {
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
  it.each([
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
  ])('of %s may be %s', async (resource, identifier_field) => {
    const id = await makePartner()
    const saved = await saveMapping(admin, id, resource, { identifier_field })
    expect(saved.identifier_field).toBe(identifier_field)
  })

  it.each([
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
  ])('of %s must not be "%s"', async (resource, identifier_field) => {
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
    const indexes = await db
      .prepare("select sql from sqlite_master where type = 'index' and tbl_name = 'locations'")
      .all<{ sql: string }>()
    expect(indexes.results.filter(({ sql }) => sql?.includes(key))).toHaveLength(1)
  })
})

describe('GET /partners/{id}/mappings/', () => {
  it('lists those that are saved, in the order of the resources', async () => {
    const id = await makePartner()
    expect((await admin.get(at(id))).body).toEqual({ success: true, data: [] })
    const saved: Record<string, Json> = {}
    for (const resource of ['inventory', 'locations', 'orders', 'products']) {
      saved[resource] = await saveMapping(admin, id, resource, { inbound: { fields: {} } })
      const { status, body } = await admin.get(at(id))
      const expected = RESOURCES.filter((name) => name in saved).map((name) => saved[name])
      expect([status, body]).toEqual([200, { success: true, data: expected }])
    }
  })

  it("lists no other partner's", async () => {
    const [id, other] = [await makePartner(), await makePartner()]
    await saveMapping(admin, other, 'orders', FULL)
    expect((await admin.get(at(id))).body.data).toEqual([])
  })
})

describe('DELETE /partners/{id}/mappings/{resource}/', () => {
  it('ends the mapping; repeated it is 404', async () => {
    const id = await makePartner()
    await saveMapping(admin, id, 'orders', FULL)
    const kept = await saveMapping(admin, id, 'products', { inbound: { fields: { sku: 'nr' } } })
    const { status, body } = await admin.delete(at(id, 'orders'))
    expect([status, body]).toEqual([200, { success: true, data: { resource: 'orders' } }])
    const message = 'The partner has no mapping of orders.'
    expectRefusal(await admin.delete(at(id, 'orders')), 404, 'NOT_FOUND', message)
    expectRefusal(await admin.get(at(id, 'orders')), 404, 'NOT_FOUND', message)
    expect((await admin.get(at(id))).body.data).toEqual([kept])
    expect(await savedOf(id)).toHaveLength(1)
  })

  it("leaves another partner's mapping of the same resource", async () => {
    const [id, other] = [await makePartner(), await makePartner()]
    await saveMapping(admin, id, 'orders', FULL)
    const kept = await saveMapping(admin, other, 'orders', FULL)
    await admin.delete(at(id, 'orders'))
    expect((await admin.get(at(other, 'orders'))).body.data).toEqual(kept)
  })

  it("lets bodies through as they are from the very next request of the partner's keys", async () => {
    const inbound = { fields: { sku: 'nr' } }
    const { id, api } = await openPartner({ mappings: { products: { inbound } } })
    expect((await api.post('/products/', { nr: unique('S') })).status).toBe(201)
    await admin.delete(at(id, 'products'))
    expectInvalid(await api.post('/products/', { nr: unique('S') }), 'sku')
    expect((await api.post('/products/', { sku: unique('S') })).status).toBe(201)
  })

  it('lets the mapping be saved again', async () => {
    const id = await makePartner()
    await saveMapping(admin, id, 'orders', FULL)
    await admin.delete(at(id, 'orders'))
    await saveMapping(admin, id, 'orders', {})
    expect((await admin.get(at(id, 'orders'))).body.data.inbound).toBeNull()
  })

  it('names what has no effect in a body', async () => {
    const id = await makePartner()
    await saveMapping(admin, id, 'orders', FULL)
    const answer = await admin.delete(at(id, 'orders'), { inbound: null })
    expect([answer.status, fieldsWarned(answer)]).toEqual([200, ['inbound']])
  })
})

describe('a mapping that is not there', () => {
  it.each(RESOURCES)('is 404 for %s', async (resource) => {
    const id = await makePartner()
    const message = `The partner has no mapping of ${resource}.`
    expectRefusal(await admin.get(at(id, resource)), 404, 'NOT_FOUND', message)
    expectRefusal(await admin.delete(at(id, resource)), 404, 'NOT_FOUND', message)
  })

  it.each(['returns', 'order', 'Orders', 'orders2', 'api-keys', '__proto__', 'constructor', '%00'])(
    'is 404 for the resource %s',
    async (resource) => {
      const id = await makePartner()
      for (const answer of [
        await admin.get(at(id, resource)),
        await admin.put(at(id, resource), { inbound: { fields: {} } }),
        await admin.delete(at(id, resource)),
        await admin.post(`${at(id, resource)}preview/`, { payload: {} }),
      ]) {
        expectRefusal(answer, 404, 'NOT_FOUND')
      }
      expect(await savedOf(id)).toEqual([])
    },
  )

  it.each(['unknown', "another tenant's"])('is 404 for a partner that is %s', async (kind) => {
    const foreign = async () =>
      (await openPartner({ tenant: 'other', mappings: { orders: FULL } })).id
    const id = kind === 'unknown' ? crypto.randomUUID() : await foreign()
    const message = `No partner has the id "${id}".`
    for (const answer of [
      await admin.get(at(id)),
      await admin.get(at(id, 'orders')),
      await admin.put(at(id, 'orders'), { inbound: { fields: { notes: 'x' } } }),
      await admin.put(at(id, 'products'), { identifier_field: 'custom_fields.ean' }),
      await admin.delete(at(id, 'orders')),
      await admin.post(`${at(id, 'orders')}preview/`, { payload: {} }),
    ]) {
      expectRefusal(answer, 404, 'NOT_FOUND', message)
    }
    expect(await savedOf(id)).toEqual([])
  })

  it("leaves another tenant's mapping as it is", async () => {
    const { id, admin: other } = await openPartner({ tenant: 'other', mappings: { orders: FULL } })
    const before = (await other.get(at(id))).body.data
    await admin.put(at(id, 'orders'), {})
    await admin.delete(at(id, 'orders'))
    expect((await other.get(at(id))).body.data).toEqual(before)
    expect(before).toHaveLength(1)
  })

  it('answers GET, PUT and DELETE and nothing else', async () => {
    const id = await makePartner()
    const answer = await admin.post(at(id, 'orders'), {})
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED')
    expect(answer.headers.get('Allow')?.split(', ').toSorted()).toEqual(
      expect.arrayContaining(['DELETE', 'GET', 'PUT']),
    )
  })
})

describe('settings_version', () => {
  const version = async () =>
    (await db
      .prepare('select settings_version from workspace')
      .first<number>('settings_version')) ?? 0

  it.each<[string, number, number, (id: string) => Promise<Answer>]>([
    ['goes up when a mapping is saved', 200, 1, (id) => admin.put(at(id, 'products'), {})],
    ['goes up when a mapping is replaced', 200, 1, (id) => admin.put(at(id, 'orders'), {})],
    ['goes up when a mapping is deleted', 200, 1, (id) => admin.delete(at(id, 'orders'))],
    ['stays when mappings are listed', 200, 0, (id) => admin.get(at(id))],
    ['stays when a mapping is read', 200, 0, (id) => admin.get(at(id, 'orders'))],
    [
      'stays when a mapping is tried',
      200,
      0,
      (id) => admin.post(`${at(id, 'orders')}preview/`, { payload: {} }),
    ],
    [
      'stays when a mapping is refused',
      400,
      0,
      (id) => admin.put(at(id, 'orders'), { inbound: 1 }),
    ],
    ['stays when there is none to delete', 404, 0, (id) => admin.delete(at(id, 'products'))],
  ])('%s', async (_, status, raise, request) => {
    const id = await makePartner()
    await saveMapping(admin, id, 'orders', FULL)
    const before = await version()
    expect((await request(id)).status).toBe(status)
    expect((await version()) - before).toBe(raise)
  })
})

describe('PUT /partners/{id}/mappings/{resource}/ whose answer is lost while another request deletes it', () => {
  it('answers what it has saved', async () => {
    const id = await makePartner()
    let isLost = false
    const batch: Watch = async (call) => {
      const results = await call()
      if (isLost || (await savedOf(id)).length === 0) return results
      isLost = true
      await admin.delete(at(id, 'orders'))
      throw new Error('D1_ERROR: Network connection lost.')
    }
    const bindings = { ...env, DB_DEMO: intercept(env.DB_DEMO, { batch }) }
    const mapping = { inbound: { fields: { notes: 'remark' } } }
    const { status, body } = await admin.put(at(id, 'orders'), mapping, { bindings })
    expect([isLost, status]).toEqual([true, 200])
    expect(body.data).toMatchObject({ resource: 'orders', inbound: mapping.inbound })
    expect(await savedOf(id)).toEqual([])
  })
})
