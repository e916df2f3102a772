import { describe, expect, it } from 'vitest'
import { mapRecord } from '../../src/mapping/outbound.ts'
import type { SavedRules } from '../../src/mapping/rules.ts'
import type { Json } from '../tenant.ts'
import { type Fields, fixed } from './mapped.ts'

const record = {
  id: '1',
  order_number: 'A-1',
  notes: null,
  metadata: { ref: 7, tags: 'x', p: [1, 2], q: [1] },
  items: [{ sku: { sku: 'S1' }, quantity: 2 }, { sku: { sku: 'S2' } }],
}

const shown = (fields: Fields, unmapped: SavedRules['unmapped'] = 'drop') =>
  mapRecord({ unmapped, fields }, record)

describe('a record that goes out', () => {
  it.each<[about: string, fields: Fields, expected: Json]>([
    ['a rename', { no: 'order_number' }, { no: 'A-1' }],
    [
      'a path',
      { 'head.no': 'order_number', 'head.ref': 'metadata.ref' },
      { head: { no: 'A-1', ref: 7 } },
    ],
    ['an array', { 'lines[].sku': 'items[].sku.sku' }, { lines: [{ sku: 'S1' }, { sku: 'S2' }] }],
    [
      'an element',
      { first: 'items[0].sku.sku', last: 'items[-1].sku.sku' },
      { first: 'S1', last: 'S2' },
    ],
    ['a fixed value', { source: fixed('wms') }, { source: 'wms' }],
    ['a null', { memo: 'notes' }, { memo: null }],
  ])('is written by %s', (_, fields, expected) => {
    expect(shown(fields)).toStrictEqual(expected)
  })

  it.each<[about: string, fields: Fields, expected: Json]>([
    ['what is missing', { no: 'order_number', a: 'metadata.b.c' }, { no: 'A-1' }],
    ['what is behind a null', { no: 'order_number', a: 'notes.b' }, { no: 'A-1' }],
    ['what is of a wrong kind', { no: 'order_number', a: 'metadata.tags[0]' }, { no: 'A-1' }],
    ['an array that is none', { no: 'order_number', 'a[].b': 'metadata.tags[]' }, { no: 'A-1' }],
    ['a field of an element', { 'a[].q': 'items[].quantity' }, { a: [{ q: 2 }, {}] }],
    [
      'arrays of different lengths',
      { no: 'order_number', 'a[].p': 'metadata.p[]', 'a[].q': 'metadata.q[]' },
      { no: 'A-1' },
    ],
    ['a gap', { no: 'order_number', 'a[0]': 'metadata.b', 'a[1]': 'id' }, { no: 'A-1' }],
  ])('leaves out %s', (_, fields, expected) => {
    expect(shown(fields)).toStrictEqual(expected)
  })

  it('keeps what no rule reads or writes where the mapping says so', () => {
    expect(shown({ no: 'order_number', id: fixed('x') }, 'keep')).toEqual({
      no: 'A-1',
      id: 'x',
      notes: null,
      metadata: record.metadata,
      items: record.items,
    })
  })

  it('is itself left as it is', () => {
    const before = JSON.stringify(record)
    shown({ metadata: 'metadata', 'metadata.ref': fixed(8) })
    expect(JSON.stringify(record)).toBe(before)
  })
})
