import { describe, expect, it } from 'vitest'
import { fixed, type Options, outcome } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Case, check } from './cases.ts'

describe('a value', () => {
  it.each<[kind: string, value: Json]>([
    ['a number as text', '2'],
    ['text as a number', 2],
    ['true', true],
    ['an array of one', ['x']],
    ['an object', { x: 1 }],
    ['empty text', ''],
    ['a date', '01/03/2026'],
    ['a large number', 1e21],
    ['white space', ' x '],
  ])('is never converted: %s', (_, value) => {
    const fields = { notes: 'a', 'items[].quantity': 'b[].q', 'metadata.x': fixed(value) }
    expect(outcome(fields, { a: value, b: [{ q: value }] })).toStrictEqual({
      notes: value,
      items: [{ quantity: value }],
      metadata: { x: value },
    })
  })
})

describe('a fixed value on PUT', () => {
  const put: Options = { method: 'PUT', resource: 'products' }
  const checkPut = (...[about, fields, payload, expected]: Case) =>
    check(about, fields, payload, expected, put)
  const one = { 'custom_fields.channel': fixed('acme') }
  const beside = { ...one, 'custom_fields.size': 's' }
  const spread = { 'custom_fields.x[].n': 'a[].n', 'custom_fields.x[].unit': fixed('kg') }
  const indexed = { 'custom_fields.x[0]': fixed('acme'), 'custom_fields.x[1]': 'tag' }

  it.each<Case>([
    ['alone', one, {}, {}],
    ['beside other fields', { ...one, quantity: 'q' }, { q: 3 }, { quantity: 3 }],
    ['whole', { quantity: fixed(7) }, {}, {}],
    ['beside a rule that finds nothing', beside, { t: 1 }, { t: 1 }],
    ['beside a field that goes through', { ...one }, { custom_fields: { a: 1 } }, {}],
    ['in the elements of a missing array', spread, {}, {}],
    ['below a parent that is missing', { custom_fields: 'p', ...one }, {}, {}],
    [
      'as a parent of what is missing',
      { custom_fields: fixed({ a: 1 }), 'custom_fields.b': 'b' },
      {},
      {},
    ],
    ['at an index before what is missing', indexed, {}, {}],
  ])('is not written where nothing else writes its top-level field: %s', checkPut)

  it.each<Case>([
    ['beside a rule', beside, { s: 1 }, { custom_fields: { channel: 'acme', size: 1 } }],
    ['beside a null', beside, { s: null }, { custom_fields: { channel: 'acme', size: null } }],
    [
      'in every element',
      spread,
      { a: [{ n: 1 }, {}] },
      {
        custom_fields: { x: [{ n: 1, unit: 'kg' }, { unit: 'kg' }] },
      },
    ],
    [
      'beside an empty array',
      { ...one, 'custom_fields.x[]': 'a[]' },
      { a: [] },
      {
        custom_fields: { channel: 'acme', x: [] },
      },
    ],
    [
      'beside an array',
      { ...one, ...spread },
      { a: [{}] },
      {
        custom_fields: { channel: 'acme', x: [{ unit: 'kg' }] },
      },
    ],
    [
      'below a parent',
      { custom_fields: 'p', ...one },
      { p: { a: 1 } },
      {
        custom_fields: { a: 1, channel: 'acme' },
      },
    ],
    [
      'as a parent',
      { custom_fields: fixed({ a: 1, b: 2 }), 'custom_fields.b': 'b' },
      { b: 3 },
      {
        custom_fields: { a: 1, b: 3 },
      },
    ],
    [
      'deep',
      { 'custom_fields.a.b': fixed(1), 'custom_fields.c.d': 'd' },
      { d: 2 },
      {
        custom_fields: { a: { b: 1 }, c: { d: 2 } },
      },
    ],
    ['at an index before another', indexed, { tag: 'x' }, { custom_fields: { x: ['acme', 'x'] } }],
    [
      'at an index after another',
      { 'custom_fields.x[0]': 'tag', 'custom_fields.x[1]': fixed('acme') },
      {
        tag: 'x',
      },
      { custom_fields: { x: ['x', 'acme'] } },
    ],
    [
      'in one of two fields',
      { ...one, 'custom_fields.size': 's', quantity: fixed(7) },
      { s: 1 },
      {
        custom_fields: { channel: 'acme', size: 1 },
      },
    ],
  ])('is written where something else writes its top-level field: %s', checkPut)

  it('is written on POST in any case', () => {
    expect(outcome(one, {}, { resource: 'products' })).toEqual({
      custom_fields: { channel: 'acme' },
    })
  })

  it('raises its problems once', () => {
    const fields = { ...one, 'custom_fields.a': 'p.q', 'custom_fields.b': 'b' }
    expect(outcome(fields, { p: 1, b: 2 }, put)).toHaveLength(1)
  })
})

describe('no rules', () => {
  it('leave the document as it is', () => {
    const payload = { a: [{ b: null }], items: [] }
    for (const method of ['POST', 'PUT'] as const) {
      expect(outcome({}, payload, { method })).toEqual(payload)
    }
  })
})
