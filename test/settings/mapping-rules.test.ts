import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { REFUSED } from '../fixtures/mapping-examples.ts'
import { admin } from '../fixtures/opened.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import type { Json } from '../fixtures/tenant.ts'
import { at, expectRefusedRules, makePartner, putFields, savedOf } from './mappings.ts'

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
    ['a source with a function', { notes: "x[?match(@.a, 'b')]" }, 'notes'],
    ['a target with a filter', { 'metadata.a[?@.b].c': 'x' }, 'metadata.a[?@.b].c'],
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
    ['a source of 33 steps', { notes: 'a.'.repeat(32).concat('a') }, 'notes'],
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
    ['a default of another kind', { notes: { from: 'x', default: 7 } }, 'notes'],
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
  it.each(sample(BAD_RULES, 50))(
    'is refused by its target: %s',
    async (_, fields, rule, resource) => {
      expectRefusedRules(await putFields(fields, resource), 'inbound', rule)
    },
  )

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
    [
      'order_no',
      { order_no: 'x' },
      'There is no field "order_no". The fields here are order_number, ',
    ],
    [
      'items[].sku',
      { 'items[].sku': 'l[].s' },
      'There is no field "items[].sku". The fields here are sku_code, quantity, notes.',
    ],
    ['items.sku_code', { 'items.sku_code': 'x' }, '"items" is an array: write "items[].sku_code".'],
    ['notes.text', { 'notes.text': 'x' }, '"notes" is a single value: it has no "text".'],
    ['notes[]', { 'notes[]': 'x[]' }, '"notes" is not an array.'],
    ['notes', { notes: 'x[]' }, 'The source has 1 [] and the target 0'],
    ['notes', { notes: 'x..y' }, 'The source "x..y" is not a path from "..y" on'],
    ['notes', { notes: 'a.__proto__' }, 'must not name "__proto__"'],
    [
      'notes',
      { notes: { from: 'x', enum: 1 } },
      'Must not have "enum": beside "from" a rule has only none, text, values, as, format, zone, decimal, less, times, at_zero, default, code, required.',
    ],
    ['status', { status: { value: 'lost' } }, 'The fixed value is refused: Must be one of: '],
    ['items[].notes', { 'items[].notes': 'memo' }, 'Nothing sets the length of "items"'],
  ])('tells its author about %s what to do', async (rule, fields, message) => {
    const { body } = await putFields(fields)
    expect(body.error.fields[`inbound.fields.${rule}`].join()).toContain(message)
  })
})
