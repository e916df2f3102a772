import { describe, expect, it } from 'vitest'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import { fixed, mismatch, outcome, sent } from '../fixtures/mapped.ts'
import { type Case, check } from './cases.ts'

describe('a missing source', () => {
  const rename = { notes: 'a' }
  const deep = { notes: 'a.b.c' }
  const index = { notes: 'a[1].b' }
  const last = { notes: 'a[-1]' }

  it.each<Case>([
    ['a name is absent', rename, {}, {}],
    ['a name on the way is absent', deep, { a: {} }, {}],
    ['the first name is absent', deep, {}, {}],
    ['a name at the end is absent', deep, { a: { b: {} } }, {}],
    ['an index is out of range', index, { a: [{ b: 1 }] }, {}],
    ['the array of an index is absent', index, {}, {}],
    ['an element lacks the name', index, { a: [0, {}] }, {}],
    ['[-1] of an empty array', last, { a: [] }, {}],
    ['a null before the end', deep, { a: null }, {}],
    ['a null just before the end', deep, { a: { b: null } }, {}],
    ['a null where an array is indexed', index, { a: null }, {}],
    ['a null element on the way', index, { a: [null, null] }, {}],
    ['a null where [-1] is asked', last, { a: null }, {}],
    ['one of two', { notes: 'a', customer_name: 'b' }, { b: 'x' }, { customer_name: 'x' }],
    ['within an object', { 'metadata.x': 'a.x', 'metadata.y': 'a.y' }, { a: {} }, {}],
  ])('writes nothing: %s', check)

  it.each(['toString', 'valueOf', 'hasOwnProperty'])(
    'writes nothing for %s, which an object only inherits',
    (name) => {
      expect(outcome({ notes: name, customer_name: `a.${name}` }, { a: {} })).toEqual({})
      expect(outcome({ notes: name }, { [name]: 1 })).toEqual({ notes: 1 })
    },
  )

  it.each(['length', 'at'])('does not take %s of an array or a text for a member', (name) => {
    for (const [a, kind] of [
      [[1], 'array'],
      ['x', 'string'],
    ] as const) {
      expect(outcome({ notes: `a.${name}` }, { a })).toEqual([
        mismatch('notes', 'a', 'object', kind),
      ])
    }
  })
})

describe('a null at the end', () => {
  it.each<Case>([
    ['of a name', { notes: 'a' }, { a: null }, { notes: null }],
    ['of a path', { notes: 'a.b' }, { a: { b: null } }, { notes: null }],
    ['of an index', { notes: 'a[0]' }, { a: [null] }, { notes: null }],
    ['of [-1]', { notes: 'a[-1]' }, { a: [1, null] }, { notes: null }],
    ['of an element', { 'items[].notes': 'a[]' }, { a: [null] }, { items: [{ notes: null }] }],
    [
      'of a field of an element',
      { 'items[].notes': 'a[].b' },
      { a: [{ b: null }] },
      { items: [{ notes: null }] },
    ],
    [
      'of a broadcast',
      { 'metadata.x[].n': 'a', 'metadata.x[].m': 'b[]' },
      { a: null, b: [1] },
      {
        metadata: { x: [{ n: null, m: 1 }] },
      },
    ],
    ['fixed', { 'metadata.x': fixed(null) }, {}, { metadata: { x: null } }],
  ])('is a value and is written: %s', check)
})

describe('a wrong kind on the way', () => {
  const name = { notes: 'a.b.c' }
  const index = { notes: 'a.b[0]' }
  const each = { 'items[].notes': 'a.b[].c' }

  it.each<Case>([
    ['a name on text', name, { a: { b: 'x' } }, [mismatch('notes', 'a.b', 'object', 'string')]],
    ['a name on empty text', name, { a: '' }, [mismatch('notes', 'a', 'object', 'string')]],
    ['a name on a number', name, { a: 0 }, [mismatch('notes', 'a', 'object', 'number')]],
    ['a name on false', name, { a: false }, [mismatch('notes', 'a', 'object', 'boolean')]],
    ['a name on an array', name, { a: [{ b: 1 }] }, [mismatch('notes', 'a', 'object', 'array')]],
    [
      'an index on an object',
      index,
      { a: { b: { 0: 'x' } } },
      [mismatch('notes', 'a.b', 'array', 'object')],
    ],
    ['an index on text', index, { a: { b: 'x' } }, [mismatch('notes', 'a.b', 'array', 'string')]],
    [
      '[-1] on an object',
      { notes: 'a[-1]' },
      { a: {} },
      [mismatch('notes', 'a', 'array', 'object')],
    ],
    [
      '[] on an object',
      each,
      { a: { b: { c: 'x' } } },
      [mismatch('items[].notes', 'a.b', 'array', 'object')],
    ],
    ['[] on text', each, { a: { b: 'x' } }, [mismatch('items[].notes', 'a.b', 'array', 'string')]],
    ['a name before []', each, { a: 7 }, [mismatch('items[].notes', 'a', 'object', 'number')]],
    [
      'a name within an element',
      each,
      { a: { b: [{}, 'x', {}] } },
      [mismatch('items[].notes', 'a.b[1]', 'object', 'string')],
    ],
    [
      'the inner [] of two',
      { 'metadata.x[].y[]': 'a[].b[]' },
      { a: [{ b: [] }, { b: {} }] },
      [mismatch('metadata.x[].y[]', 'a[1].b', 'array', 'object')],
    ],
    [
      'within the inner of two',
      { 'metadata.x[].y[]': 'a[].b[].c' },
      { a: [{ b: [{}, 1] }] },
      [mismatch('metadata.x[].y[]', 'a[0].b[1]', 'object', 'number')],
    ],
    [
      'within [-1]',
      { notes: 'a[-1].b' },
      { a: [1, 'x'] },
      [mismatch('notes', 'a[1]', 'object', 'string')],
    ],
    [
      'under a name with a dot',
      { notes: "a['b.c'].d" },
      { a: { 'b.c': 1 } },
      [mismatch('notes', "a['b.c']", 'object', 'number')],
    ],
  ])('is a TYPE_MISMATCH: %s', check)

  it('is none of a value at the end: validation judges it', () => {
    const payload = { a: { b: { c: [{ d: 'x' }] } } }
    expect(outcome(name, payload)).toEqual({ notes: [{ d: 'x' }] })
  })

  it('is none where nothing asks: [] of a null writes nothing', () => {
    expect(outcome(each, { a: { b: null } })).toEqual({})
  })
})

describe('target indexes', () => {
  const pair = { 'items[0].sku_code': 'a', 'items[1].sku_code': 'b' }
  const scalars = { 'metadata.x[0]': 'a', 'metadata.x[1]': 'b', 'metadata.x[2]': 'c' }
  const hole = (rule: string, source: string, at = rule) => [
    { reason: 'ARRAY_HOLE', rule, at, source },
  ]

  it.each<Case>([
    ['all there', pair, { a: 1, b: 2 }, { items: [{ sku_code: 1 }, { sku_code: 2 }] }],
    ['the last missing', pair, { a: 1 }, { items: [{ sku_code: 1 }] }],
    ['all missing', pair, {}, {}],
    ['scalars', scalars, { a: 1, b: null, c: 3 }, { metadata: { x: [1, null, 3] } }],
    ['trailing ones missing', scalars, { a: 1 }, { metadata: { x: [1] } }],
    [
      'in any order',
      { 'metadata.x[1]': 'b', 'metadata.x[0]': 'a' },
      { a: 1, b: 2 },
      {
        metadata: { x: [1, 2] },
      },
    ],
    [
      'many',
      Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`metadata.x[${at}]`, `a[${at}]`])),
      {
        a: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      },
      { metadata: { x: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] } },
    ],
    [
      'with an array within',
      { 'metadata.x[0].y[]': 'a[]', 'metadata.x[1].z': 'b' },
      { a: [], b: 1 },
      {
        metadata: { x: [{ y: [] }, { z: 1 }] },
      },
    ],
    [
      'within an element',
      { 'metadata.x[].y[0]': 'a[].p', 'metadata.x[].y[1]': 'a[].q' },
      {
        a: [{ p: 1, q: 2 }, { p: 3 }],
      },
      { metadata: { x: [{ y: [1, 2] }, { y: [3] }] } },
    ],
    [
      'from an array by index',
      { 'metadata.x[0]': 'a[1]', 'metadata.x[1]': 'a[0]' },
      { a: [1, 2] },
      {
        metadata: { x: [2, 1] },
      },
    ],
  ])('make an array: %s', check)

  it.each<Case>([
    ['the first missing', pair, { b: 2 }, hole('items[0].sku_code', 'a', 'items[0]')],
    ['one in the middle missing', scalars, { a: 1, c: 3 }, hole('metadata.x[1]', 'b')],
    [
      'within an element',
      { 'metadata.x[].y[0]': 'a[].p', 'metadata.x[].y[1]': 'a[].q' },
      {
        a: [{ p: 1 }, { q: 2 }],
      },
      [
        {
          reason: 'ARRAY_HOLE',
          rule: 'metadata.x[].y[0]',
          at: 'metadata.x[1].y[0]',
          source: 'a[1].p',
        },
      ],
    ],
  ])('are an ARRAY_HOLE where there is a gap: %s', check)
})

// Paths cannot have `__proto__`, `constructor` or `prototype`.
const NAMES = ['toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf']

const mapped = (name: string, lines: unknown[]) =>
  mapDocument(
    'orders',
    { unmapped: 'drop', fields: { 'items[].notes': `lines[].${name}` } },
    sent({ lines }, 'POST'),
  ).value

describe.each(NAMES)('a rule that reads %s of each element', (name) => {
  it('reads nothing where an object only inherits it', () => {
    expect(mapped(name, [{ other: 1 }, {}])).toEqual({ items: [{}, {}] })
  })

  it('reads what the document itself says there', () => {
    const line: unknown = JSON.parse(`{"${name}":"said"}`)
    expect(mapped(name, [line])).toEqual({ items: [{ notes: 'said' }] })
  })
})
