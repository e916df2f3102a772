import { describe, expect, it } from 'vitest'
import { RESOURCES, type Resource } from '../../src/engine/mapping/identifier.ts'
import { SaveMapping } from '../../src/settings/mappings/schema.ts'
import { fixed, refusals, refusedRules, required } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { words } from './saved.ts'

describe('a mapping that is saved', () => {
  it('may name no part, and one of them', () => {
    for (const resource of RESOURCES) {
      expect(SaveMapping(resource).parse({})).toStrictEqual({})
      const part = { identifier_field: null }
      expect(SaveMapping(resource).parse(part)).toStrictEqual(part)
    }
  })

  it('may be written back as it was read', () => {
    const read = { resource: 'orders', identifier_field: null, inbound: null, outbound: null }
    const { resource, ...mapping } = read
    const body = { ...read, updated_at: '2026-03-01T00:00:00.000Z' }
    expect(SaveMapping('orders').parse(body)).toStrictEqual(mapping)
  })

  it.each<[place: string, mapping: Json, advice: string]>([
    ['fields', { fields: { notes: 'memo' } }, '"fields" and "unmapped" stand below inbound'],
    ['unmapped', { unmapped: 'drop' }, '"fields" and "unmapped" stand below inbound'],
    ['Inbound', { Inbound: { fields: {} } }, 'identifier_field, inbound and outbound'],
    ['inbound.notes', { inbound: { fields: {}, notes: 'memo' } }, 'stand below "fields"'],
    ['outbound.number', { outbound: { fields: {}, number: 'sku' } }, 'stand below "fields"'],
  ])('has no member %s', (place, mapping, advice) => {
    const [refusal, ...others] = refusals('products', mapping)
    expect([refusal?.[0].join('.'), others]).toEqual([place, []])
    expect(refusal?.[1]).toContain(advice)
  })

  it('keeps what a mapping does not name coming in, and drops it going out', () => {
    const mapping = { inbound: { fields: {} }, outbound: { fields: { no: 'order_number' } } }
    expect(SaveMapping('orders').parse(mapping)).toEqual({
      inbound: { unmapped: 'keep', fields: {} },
      outbound: { unmapped: 'drop', fields: { no: 'order_number' } },
    })
  })

  it.each<[about: string, mapping: Json, place: string]>([
    ['an unknown mode', { inbound: { unmapped: 'pass', fields: {} } }, 'inbound.unmapped'],
    ['fields that are missing', { inbound: {} }, 'inbound.fields'],
    ['fields that are a list', { inbound: { fields: [] } }, 'inbound.fields'],
    ['fields that are null', { outbound: { fields: null } }, 'outbound.fields'],
    ['a direction that is a list', { inbound: [] }, 'inbound'],
    ['a direction that is text', { outbound: 'a' }, 'outbound'],
    ['"reject" going out', { outbound: { unmapped: 'reject', fields: {} } }, 'outbound.unmapped'],
    ['an identifier that is no text', { identifier_field: 7 }, 'identifier_field'],
  ])('refuses %s', (_, mapping, place) => {
    expect(refusals('orders', mapping).map(([at]) => at.join('.'))).toEqual([place])
  })
})

describe('a rule that is saved', () => {
  it.each<[resource: Resource, target: string, rule: Json]>([
    ['orders', 'order_number', 'a'],
    ['orders', '$.order_number', '$.a'],
    ['orders', "['order_number']", { from: 'a' }],
    ['orders', 'order_number', required('a.b[-1]')],
    ['orders', 'order_number', { from: 'a', required: false }],
    ['orders', 'status', 'a'],
    ['orders', 'items', 'lines'],
    ['orders', 'items[]', 'lines[]'],
    ['orders', 'items[*].sku_code', 'lines[].s'],
    ['orders', 'items[0].sku_code', 's'],
    ['orders', 'metadata', 'a'],
    ['orders', 'metadata.a.b', 'a'],
    ['orders', 'metadata.a[].b[].c', 'a[].b[].c'],
    ['orders', "customer_info['a key'][0]", 'a'],
    ['orders', 'notes', fixed('x')],
    ['orders', 'notes', fixed(null)],
    ['orders', 'due_date', fixed('2026-03-01')],
    ['orders', 'status', fixed('shipped')],
    ['orders', 'metadata', fixed({ a: [1, { b: null }] })],
    ['orders', 'metadata.a', fixed([1])],
    ['orders', 'metadata.a', fixed(null)],
    ['orders', 'items', fixed([{ sku_code: 'S', quantity: 1 }])],
    ['products', 'custom_fields.a', fixed(7)],
    ['products', 'cost', fixed('12.50')],
    ['products', 'cost', fixed(12.5)],
    ['products', 'quantity', fixed(-1)],
    ['products', 'is_active', fixed(false)],
    ['locations', 'code', 'a'],
    ['inventory', 'inventory[].quantity', 'a[].q'],
    ['inventory', 'inventory[].if_quantity', { from: 'a[].q', as: 'integer', required: true }],
    ['inventory', 'source', fixed('erp_sync')],
  ])('of %s may be %s <- %j', (resource, target, rule) => {
    expect(words({ [target]: rule }, resource)).toEqual({})
  })

  it.each<[resource: Resource, target: string]>([
    ['orders', 'orderno'],
    ['orders', 'id'],
    ['orders', 'created_at'],
    ['orders', 'toString'],
    ['orders', 'items[].name'],
    ['orders', 'items[0].name'],
    ['orders', 'items[].toString'],
    ['products', 'name'],
    ['locations', 'notes'],
    ['inventory', 'quantity'],
    ['inventory', 'inventory[].sku'],
  ])('refuses a field that %s do not have: %s', (resource, target) => {
    const rule = target.includes('[]') ? 'a[]' : 'a'
    expect(words({ [target]: rule }, resource)).toEqual({
      [target]: expect.stringMatching(/^There is no field "[^"]+"\. The fields here are \w+/),
    })
  })

  it('says which fields there are', () => {
    expect(words({ colour: 'a' }, 'locations')).toEqual({
      colour:
        'There is no field "colour". The fields here are code, name, zone, aisle, metadata, is_active.',
    })
  })

  it.each<[about: string, resource: Resource, target: string, source: string, said: RegExp]>([
    ['a member of text', 'orders', 'notes.x', 'a', /"notes" is a single value: it has no "x"/],
    ['a member of a date', 'orders', 'due_date.x', 'a', /"due_date" is a single value/],
    ['a member of a choice', 'orders', 'status.x', 'a', /"status" is a single value/],
    ['a member of a number', 'products', 'quantity.x', 'a', /"quantity" is a single value/],
    ['a member of a decimal', 'products', 'cost.x', 'a', /"cost" is a single value/],
    ['a member of yes or no', 'products', 'is_active.x', 'a', /"is_active" is a single value/],
    ['a member of an identifier', 'locations', 'code.x', 'a', /"code" is a single value/],
    ['a member within a row', 'inventory', 'inventory[].quantity.x', 'a[]', /is a single value/],
    ['an element of text', 'orders', 'notes[]', 'a[]', /"notes" is not an array/],
    ['an indexed element of text', 'orders', 'notes[0]', 'a', /"notes" is not an array/],
    ['an element of a decimal', 'products', 'cost[]', 'a[]', /"cost" is not an array/],
    ['an element of an object', 'orders', 'metadata[]', 'a[]', /"metadata" is not an array/],
    [
      'an indexed element of one',
      'products',
      'custom_fields[0]',
      'a',
      /"custom_fields" is not an array/,
    ],
    ['an element of an element', 'orders', 'items[][]', 'a[][]', /"items\[\]" is not an array/],
    ['an array without []', 'orders', 'items.sku_code', 'a', /write "items\[\]\.sku_code"/],
    ['rows without []', 'inventory', 'inventory.quantity', 'a', /write "inventory\[\]\.quantity"/],
  ])('refuses %s', (_, resource, target, source, said) => {
    expect(words({ [target]: source }, resource)).toEqual({ [target]: expect.stringMatching(said) })
  })

  it.each<[resource: Resource, target: string, value: Json]>([
    ['orders', 'notes', 7],
    ['orders', 'notes', true],
    ['orders', 'order_number', ''],
    ['orders', 'order_number', ' x'],
    ['orders', 'order_number', 'x'.repeat(256)],
    ['orders', 'due_date', 'tomorrow'],
    ['orders', 'status', 'lost'],
    ['orders', 'metadata', 'x'],
    ['orders', 'items', 7],
    ['products', 'quantity', '7'],
    ['products', 'quantity', 1.5],
    ['products', 'cost', '-1'],
    ['products', 'is_active', 'yes'],
    ['inventory', 'source', 'acme'],
  ])('of %s refuses for %s the fixed value %j', (resource, target, value) => {
    expect(words({ [target]: fixed(value) }, resource)).toEqual({
      [target]: expect.stringMatching(/^The fixed value is refused: \S/),
    })
  })

  it.each<[resource: Resource, target: string, value: Json]>([
    ['orders', 'order_number', null],
    ['orders', 'items', null],
    ['products', 'quantity', null],
    ['products', 'is_active', null],
    ['orders', 'notes', []],
    ['orders', 'notes', {}],
    ['orders', 'metadata', [1]],
    ['orders', 'items', {}],
    ['products', 'cost', { amount: 1 }],
  ])(
    'of %s refuses for %s the fixed value %j, which no rule can mend',
    (resource, target, value) => {
      expect(words({ [target]: fixed(value) }, resource)).toEqual({
        [target]: expect.stringMatching(/^The fixed value is refused: \S/),
      })
    },
  )

  it('refuses the fixed value of an element as that of a field', () => {
    const fields = { 'items[].sku_code': 'a[]', 'items[].quantity': fixed(0) }
    expect(refusedRules('orders', fields)).toEqual(['items[].quantity'])
    expect(refusedRules('orders', { ...fields, 'items[].quantity': fixed(1) })).toEqual([])
  })

  it.each<[target: string, source: string]>([
    ['notes', 'a[]'],
    ['notes', 'a[].b[]'],
    ['items[].notes', 'a[].b[]'],
    ['metadata.x[].y[]', 'a[]'],
    ['items[0].notes', 'a[]'],
  ])('refuses another count of wildcards: %s <- %s', (target, source) => {
    expect(words({ [target]: source })).toEqual({
      [target]: expect.stringMatching(/^The source has \d \[\] and the target \d/),
    })
  })

  const FORM = /^Must be a path, \{"from"/
  const EITHER = 'Must have either "from" or "value", not both.'
  const NONE = 'Must have "from", "join", "each" or "value".'
  it.each<[rule: Json, said: string | RegExp]>([
    [7, FORM],
    [null, FORM],
    [true, FORM],
    [['a'], FORM],
    [{}, NONE],
    [{ required: true }, NONE],
    [{ from: 'a', value: 1 }, EITHER],
    [{ from: 'a', value: null }, EITHER],
    [{ from: null }, '"from" must be a path.'],
    [{ from: 7 }, '"from" must be a path.'],
    [{ from: ['a', 7] }, 'Each entry of "from" must be a path.'],
    [{ from: [] }, '"from" must have at least 1 path.'],
    [{ from: 'a', required: 1 }, '"required" must be true or false.'],
    [{ from: 'a', required: null }, '"required" must be true or false.'],
    [{ value: 1, required: true }, 'A fixed value cannot have "required".'],
    [{ value: 1, required: false }, 'A fixed value cannot have "required".'],
    [{ value: 1, default: 'x' }, 'A fixed value cannot have "default".'],
    [{ from: 'a', enum: { x: 'y' } }, /^Must not have "enum"/],
    [{ from: 'a', type: 'number' }, /^Must not have "type"/],
    [{ from: 'a', wrap: true }, /^Must not have "wrap"/],
    [{ value: 1, when: 'x' }, /^Must not have "when"/],
    [JSON.parse('{"from":"a","__proto__":{"required":true}}'), /^Must not have "__proto__"/],
    [JSON.parse('{"__proto__":{"from":"a"}}'), /^Must not have "__proto__"/],
    ['', /^The source "" is not a path/],
    ['a b', /^The source "a b" is not a path/],
    ['a.__proto__', /^The source "a.__proto__" must not name "__proto__"/],
    ['a[1000]', /^The source "a\[1000\]" has an index above 999/],
    ['[0].a', /^The source "\[0\]\.a" must begin with a name/],
    [{ from: "a['constructor']" }, /must not name "constructor"/],
  ])('cannot be %j', (rule, said) => {
    const message = typeof said === 'string' ? said : expect.stringMatching(said)
    expect(words({ notes: rule })).toEqual({ notes: message })
  })

  it.each<[target: string, said: RegExp]>([
    ['', /^The target is not a path/],
    ['metadata.a b', /^The target is not a path from " b" on/],
    ['metadata.x[-1]', /^A target cannot have \[-1\]/],
    ['metadata.x[1000]', /^The target has an index above 999/],
    ['metadata.x[][][]', /^The target has more than 2 wildcards/],
    ['metadata.__proto__', /^The target must not name "__proto__"/],
    ["metadata['prototype'].x", /^The target must not name "prototype"/],
    ['metadata.constructor.prototype', /^The target must not name "constructor"/],
    ['[0].x', /^The target must begin with a name/],
    [`metadata${'.x'.repeat(16)}`, /^The target has more than 16 steps/],
    [`metadata.${'x'.repeat(248)}`, /^The target is longer than 256 characters/],
  ])('cannot have the target %s', (target, said) => {
    expect(words({ [target]: 'a' })).toEqual({ [target]: expect.stringMatching(said) })
  })

  it('cannot have the target __proto__ of a JSON text', () => {
    const fields = JSON.parse('{"__proto__":"a","notes":"b"}')
    expect(refusals('orders', { inbound: { fields } })).toEqual([
      [['inbound', 'fields', '__proto__'], 'The target must not name "__proto__".'],
    ])
    expect(refusals('orders', { outbound: { fields: JSON.parse('{"__proto__":"id"}') } })).toEqual([
      [['outbound', 'fields', '__proto__'], 'The target must not name "__proto__".'],
    ])
  })
})
