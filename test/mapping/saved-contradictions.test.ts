import { describe, expect, it } from 'vitest'
import { fixed, refusals, refusedRules } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { words } from './saved.ts'

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
      /writes the whole array/,
    ],
    [
      'an array and an index',
      { items: 'a', 'items[0].notes': 'b' },
      'items[0].notes',
      /writes the whole array/,
    ],
    [
      'a fixed text and a member',
      { 'metadata.x': fixed('a'), 'metadata.x.y': 'b' },
      'metadata.x.y',
      /is a fixed value that is not an object/,
    ],
    [
      'a fixed null and a member',
      { metadata: fixed(null), 'metadata.x': 'b' },
      'metadata.x',
      /is a fixed value that is not an object/,
    ],
    [
      'a fixed list and a member',
      { 'metadata.x': fixed([]), 'metadata.x.y': 'b' },
      'metadata.x.y',
      /is a fixed value that is not an object/,
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
      /Nothing sets the length of "items"/,
    ],
    [
      'an array of fixed values',
      { 'metadata.x[]': fixed(1) },
      'metadata.x[]',
      /Nothing sets the length of "metadata\.x"/,
    ],
    [
      'an inner array of unknown length',
      { 'metadata.x[].s': 'a[]', 'metadata.x[].y[]': 'b' },
      'metadata.x[].y[]',
      /the length of "metadata\.x\[\]\.y"/,
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
      'metadata.x': { from: 'a', enum: 1 },
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
