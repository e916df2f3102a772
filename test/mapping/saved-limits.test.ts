import { describe, expect, it } from 'vitest'
import { IDENTIFIERS, RESOURCES, type Resource } from '../../src/engine/mapping/identifier.ts'
import { fixed, refusals, required } from '../fixtures/mapped.ts'
import { words } from './saved.ts'

const rulesOf = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`metadata.f${at}`, 'a']))

const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })

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

  it('refuses numbers that are too large', () => {
    const fields = JSON.parse('{"metadata":{"value":{"a":1e400}}}')
    expect(refusals('orders', { inbound: { fields } }).map(([place]) => place)).toEqual([
      ['inbound', 'fields', 'metadata', 'value', 'a'],
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

  it('cannot have "required"', () => {
    const fields = { a: required('id'), b: { from: 'id', required: false }, c: fixed(1) }
    expect(refusals('orders', { outbound: { fields } })).toEqual([
      [['outbound', 'fields', 'a'], expect.stringMatching(/cannot have "required"/)],
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
        [
          ['identifier_field'],
          expect.stringMatching(/^Must be null: inventory is always addressed by/),
        ],
      ])
    },
  )

  it('may be null', () => {
    for (const resource of RESOURCES)
      expect(refusals(resource, { identifier_field: null })).toEqual([])
  })
})
