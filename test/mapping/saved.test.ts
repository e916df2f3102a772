import { describe, expect, it } from 'vitest'
import { IDENTIFIERS, RESOURCES, type Resource } from '../../src/mapping/identifier.ts'
import { SaveMapping } from '../../src/settings/mappings/schema.ts'
import type { Json } from '../tenant.ts'
import { fixed, refusals, refusedRules, required } from './mapped.ts'

/** What is said about the rules of an inbound mapping, by rule. */
function words(fields: unknown, resource: Resource = 'orders'): Record<string, string> {
  const found = refusals(resource, { inbound: { fields } })
  return Object.fromEntries(found.map(([place, message]) => [place.at(-1), message]))
}

const rulesOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`metadata.f${at}`, 'a']))

const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })

describe('a mapping that is saved', () => {
  it('is whole without any part', () => {
    for (const resource of RESOURCES) {
      expect(SaveMapping(resource).parse({})).toEqual({
        identifier_field: null,
        inbound: null,
        outbound: null,
      })
    }
  })

  it('keeps what a mapping does not name coming in, and drops it going out', () => {
    const mapping = { inbound: { fields: {} }, outbound: { fields: { no: 'order_number' } } }
    expect(SaveMapping('orders').parse(mapping)).toEqual({
      identifier_field: null,
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
      [target]: expect.stringMatching(/^There is no field "[^"]+": there are \w+/),
    })
  })

  it('says which fields there are', () => {
    expect(words({ colour: 'a' }, 'locations')).toEqual({
      colour: 'There is no field "colour": there are code, name, zone, aisle, metadata, is_active.',
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
    ['an element of text', 'orders', 'notes[]', 'a[]', /"notes" is no array/],
    ['an indexed element of text', 'orders', 'notes[0]', 'a', /"notes" is no array/],
    ['an element of a decimal', 'products', 'cost[]', 'a[]', /"cost" is no array/],
    ['an element of an object', 'orders', 'metadata[]', 'a[]', /"metadata" is no array/],
    [
      'an indexed element of one',
      'products',
      'custom_fields[0]',
      'a',
      /"custom_fields" is no array/,
    ],
    ['an element of an element', 'orders', 'items[][]', 'a[][]', /"items\[\]" is no array/],
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
      [target]: expect.stringMatching(/^The source has \d of \[\] and the target \d/),
    })
  })

  const FORM = /^Must be a path, \{"from"/
  const EITHER = 'Must have either "from" or "value", not both.'
  it.each<[rule: Json, said: string | RegExp]>([
    [7, FORM],
    [null, FORM],
    [true, FORM],
    [['a'], FORM],
    [{}, EITHER],
    [{ required: true }, EITHER],
    [{ from: 'a', value: 1 }, EITHER],
    [{ from: 'a', value: null }, EITHER],
    [{ from: null }, '"from" must be a path.'],
    [{ from: 7 }, '"from" must be a path.'],
    [{ from: ['a'] }, '"from" must be a path.'],
    [{ from: 'a', required: 1 }, '"required" must be true or false.'],
    [{ from: 'a', required: null }, '"required" must be true or false.'],
    [{ value: 1, required: true }, 'A fixed value takes no "required".'],
    [{ value: 1, required: false }, 'A fixed value takes no "required".'],
    [{ from: 'a', default: 'x' }, /^Must not have "default"/],
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
    ['metadata.x[-1]', /^A target has no \[-1\]/],
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

describe('rules that contradict each other', () => {
  it.each<[about: string, fields: Json, refused: string, said: RegExp]>([
    [
      'one target twice',
      { 'items[].notes': 'a[]', 'items[*].notes': 'b[]' },
      'items[*].notes',
      /same target as "items\[\]\.notes"/,
    ],
    [
      'one target in quotes',
      { notes: 'a', "['notes']": 'b' },
      "['notes']",
      /same target as "notes"/,
    ],
    ['one target with $.', { notes: 'a', '$.notes': 'b' }, '$.notes', /same target/],
    [
      '[] and an index',
      { 'items[].notes': 'a[]', 'items[0].notes': 'b' },
      'items[0].notes',
      /both by index and by \[\]/,
    ],
    [
      'an index and []',
      { 'items[0].notes': 'b', 'items[].notes': 'a[]' },
      'items[].notes',
      /both by index and by \[\]/,
    ],
    [
      'an inner [] and an index',
      { 'metadata.x[].y[]': 'a[].b[]', 'metadata.x[].y[0]': 'c' },
      'metadata.x[].y[0]',
      /both by index/,
    ],
    [
      'an array and an object',
      { 'metadata.x[]': 'a[]', 'metadata.x.y': 'b' },
      'metadata.x.y',
      /makes "metadata.x" an array, this one an object/,
    ],
    [
      'an object and an array',
      { 'metadata.x.y': 'b', 'metadata.x[0]': 'a' },
      'metadata.x[0]',
      /makes "metadata.x" an object, this one an array/,
    ],
    [
      'an array and what is in it',
      { items: 'a', 'items[].notes': 'b[]' },
      'items[].notes',
      /gives the array as a whole/,
    ],
    [
      'an array and an index',
      { items: 'a', 'items[0].notes': 'b' },
      'items[0].notes',
      /gives the array as a whole/,
    ],
    [
      'a fixed text and a member',
      { 'metadata.x': fixed('a'), 'metadata.x.y': 'b' },
      'metadata.x.y',
      /is a fixed value, and no object/,
    ],
    [
      'a fixed null and a member',
      { metadata: fixed(null), 'metadata.x': 'b' },
      'metadata.x',
      /is a fixed value, and no object/,
    ],
    [
      'a fixed list and a member',
      { 'metadata.x': fixed([]), 'metadata.x.y': 'b' },
      'metadata.x.y',
      /is a fixed value, and no object/,
    ],
    [
      'a gap between indexes',
      { 'metadata.x[0]': 'a', 'metadata.x[2]': 'b' },
      'metadata.x[2]',
      /no rule writes "metadata\.x\[1\]"/,
    ],
    [
      'a gap before the first',
      { 'items[1].notes': 'a' },
      'items[1].notes',
      /no rule writes "items\[0\]"/,
    ],
    [
      'an array of unknown length',
      { 'items[].notes': 'a' },
      'items[].notes',
      /Nothing says how long "items" is/,
    ],
    [
      'an array of fixed values',
      { 'metadata.x[]': fixed(1) },
      'metadata.x[]',
      /Nothing says how long "metadata\.x" is/,
    ],
    [
      'an inner array of unknown length',
      { 'metadata.x[].s': 'a[]', 'metadata.x[].y[]': 'b' },
      'metadata.x[].y[]',
      /how long "metadata\.x\[\]\.y" is/,
    ],
  ])('are refused: %s', (_, fields, refused, said) => {
    expect(words(fields)).toEqual({ [refused]: expect.stringMatching(said) })
  })

  it('are refused in outbound as well', () => {
    const outbound = {
      fields: { a: 'id', '$.a': 'notes', 'b[0].c': 'id', 'b[].d': 'items[].id' },
    }
    expect(refusals('orders', { outbound }).map(([place]) => place)).toEqual([
      ['outbound', 'fields', '$.a'],
      ['outbound', 'fields', 'b[].d'],
    ])
  })
})

describe('several bad rules', () => {
  it('are all refused at once, each by its name', () => {
    const fields = {
      order_number: 'a',
      '__proto__.x': 'a',
      'a b': 'a',
      colour: 'a',
      notes: 'a[',
      customer_name: 'a[]',
      'items.sku_code': 'a',
      'metadata.x': { from: 'a', default: 1 },
      status: fixed('lost'),
      'customer_info.x': 'a',
      "customer_info['x']": 'b',
      'metadata.y[]': fixed(1),
      'metadata.z[1]': 'a',
    }
    const good = ['order_number', 'customer_info.x']
    expect(new Set(refusedRules('orders', fields))).toEqual(
      new Set(Object.keys(fields).filter((rule) => !good.includes(rule))),
    )
  })

  it('are not blamed for an array that another bad rule was to complete', () => {
    const fields = { 'items[].sku_code': 'a[', 'items[].quantity': fixed(1), 'items[].notes': 'b' }
    expect(refusedRules('orders', fields)).toEqual(['items[].sku_code'])
    const gap = { 'items[0].notes': 'a[', 'items[1].notes': 'b', 'items[3].notes': 'b' }
    expect(refusedRules('orders', gap)).toEqual(['items[0].notes'])
  })

  it('are blamed for an array of their own', () => {
    const fields = { 'items[].quantity': fixed(1), 'metadata.items[].x': 'a[', notes: 'a[' }
    expect(new Set(refusedRules('orders', fields))).toEqual(new Set(Object.keys(fields)))
  })

  it('of both directions are refused at once', () => {
    const mapping = {
      identifier_field: 'colour',
      inbound: { unmapped: 'pass', fields: { colour: 'a' } },
      outbound: { fields: { a: '..' } },
    }
    expect(refusals('orders', mapping).map(([place]) => place.join('.'))).toEqual([
      'identifier_field',
      'inbound.unmapped',
      'inbound.fields.colour',
      'outbound.fields.a',
    ])
  })
})

describe('the size of a mapping', () => {
  it('is 200 rules and not one more', () => {
    expect(words(rulesOf(200))).toEqual({})
    expect(words(rulesOf(201))).toEqual({ 'metadata.f200': 'A mapping has at most 200 fields.' })
    expect(Object.keys(words(rulesOf(1000)))).toEqual(['metadata.f200'])
  })

  it('is 64 KB as JSON and not one byte more', () => {
    const frame = JSON.stringify({ 'metadata.x': fixed('') }).length
    const ofBytes = (bytes: number) => ({ 'metadata.x': fixed('x'.repeat(bytes - frame)) })
    expect(words(ofBytes(65_536))).toEqual({})
    expect(refusals('orders', { inbound: { fields: ofBytes(65_537) } })).toEqual([
      [['inbound', 'fields'], 'Must be at most 65536 bytes as JSON.'],
    ])
    expect(refusals('orders', { outbound: { fields: ofBytes(65_536) } })).toEqual([])
  })

  it('is 16 levels and not one more', () => {
    expect(words({ metadata: fixed(nested(14)) })).toEqual({})
    expect(refusals('orders', { inbound: { fields: { metadata: fixed(nested(15)) } } })).toEqual([
      [['inbound', 'fields'], 'Must not be nested deeper than 16 levels.'],
    ])
  })

  it('leaves no room for numbers beyond all bounds', () => {
    const fields = JSON.parse('{"metadata":{"value":{"a":1e400}}}')
    expect(refusals('orders', { inbound: { fields } }).map(([place]) => place)).toEqual([
      ['inbound', 'fields'],
    ])
  })
})

describe('an outbound rule', () => {
  it.each(['no', 'a.b', "['order no']", 'lines[].sku', 'toString'])(
    'writes any target: %s',
    (target) => {
      const source = target.includes('[]') ? 'items[].quantity' : 'order_number'
      expect(refusals('orders', { outbound: { fields: { [target]: source } } })).toEqual([])
    },
  )

  it.each<[resource: Resource, source: string]>([
    ['orders', 'id'],
    ['orders', 'created_at'],
    ['orders', 'status'],
    ['orders', 'items'],
    ['orders', 'items[0].sku.sku'],
    ['orders', 'items[-1].quantity'],
    ['orders', 'metadata.a.b[0]'],
    ['orders', "customer_info['a key']"],
    ['products', 'custom_fields.a'],
    ['products', 'cost'],
    ['locations', 'is_active'],
    ['inventory', 'quantity'],
    ['inventory', 'location_code'],
  ])('reads of %s what a record has: %s', (resource, source) => {
    expect(refusals(resource, { outbound: { fields: { a: source } } })).toEqual([])
  })

  it.each<[resource: Resource, source: string]>([
    ['orders', 'colour'],
    ['orders', 'toString'],
    ['orders', 'order_number.x'],
    ['orders', 'notes[0]'],
    ['orders', 'items.sku'],
    ['orders', 'items[0].colour'],
    ['orders', 'metadata[0]'],
    ['products', 'order_number'],
    ['products', 'cost.amount'],
    ['locations', 'sku'],
    ['inventory', 'inventory[0].quantity'],
  ])('refuses of %s what no record has: %s', (resource, source) => {
    expect(refusals(resource, { outbound: { fields: { a: source } } })).toEqual([
      [['outbound', 'fields', 'a'], expect.stringMatching(/\S/)],
    ])
  })

  it('takes no "required"', () => {
    const fields = { a: required('id'), b: { from: 'id', required: false }, c: fixed(1) }
    expect(refusals('orders', { outbound: { fields } })).toEqual([
      [['outbound', 'fields', 'a'], expect.stringMatching(/takes no "required"/)],
    ])
  })

  it('may keep or drop the rest', () => {
    for (const unmapped of ['keep', 'drop']) {
      expect(refusals('orders', { outbound: { unmapped, fields: {} } })).toEqual([])
    }
  })
})

describe('identifier_field', () => {
  const fieldsOf = (resource: keyof typeof IDENTIFIERS) =>
    IDENTIFIERS[resource].fields.map((field) => [resource, field] as const)

  it.each<readonly [resource: Resource, field: string]>([
    ...fieldsOf('orders'),
    ...fieldsOf('products'),
    ...fieldsOf('locations'),
    ['orders', 'metadata.erp_id'],
    ['products', 'custom_fields.erp-id'],
    ['locations', 'metadata.größe1'],
    ['orders', `metadata.${'x'.repeat(64)}`],
  ])('of %s may be %s', (resource, field) => {
    expect(refusals(resource, { identifier_field: field })).toEqual([])
  })

  it.each<[resource: Resource, field: string]>([
    ['orders', ''],
    ['orders', 'sku'],
    ['orders', 'colour'],
    ['orders', 'items'],
    ['orders', 'metadata'],
    ['orders', 'metadata.'],
    ['orders', 'metadata.a.b'],
    ['orders', 'metadata.a b'],
    ['orders', "metadata['a']"],
    ['orders', 'metadata.a[0]'],
    ['orders', `metadata.${'x'.repeat(65)}`],
    ['orders', 'custom_fields.a'],
    ['orders', 'customer_info.a'],
    ['orders', 'toString'],
    ['products', 'order_number'],
    ['products', 'metadata.a'],
    ['products', 'custom_fields'],
    ['locations', 'sku'],
    ['locations', 'custom_fields.a'],
    ['locations', ' code'],
  ])('of %s must not be "%s"', (resource, field) => {
    const { object } = IDENTIFIERS[resource as keyof typeof IDENTIFIERS]
    expect(refusals(resource, { identifier_field: field })).toEqual([
      [['identifier_field'], expect.stringContaining(`${object}.<key>`)],
    ])
  })

  it.each(['id', 'sku_code', 'location_code', 'metadata.a', ''])(
    'of inventory must not be "%s", nor anything else',
    (field) => {
      expect(refusals('inventory', { identifier_field: field })).toEqual([
        [['identifier_field'], expect.stringMatching(/^Inventory is addressed by/)],
      ])
    },
  )

  it('may be null', () => {
    for (const resource of RESOURCES)
      expect(refusals(resource, { identifier_field: null })).toEqual([])
  })
})
