import { describe, expect, it } from 'vitest'
import type { Json } from '../tenant.ts'
import { type Fields, fixed, mismatch, outcome, required } from './mapped.ts'

type Case = [about: string, fields: Fields, payload: Json, expected: Json]

const check = (_: string, fields: Fields, payload: Json, expected: Json) => {
  expect(outcome(fields, payload)).toStrictEqual(expected)
}

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
    ['of a required one', { notes: required('a') }, { a: null }, { notes: null }],
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

describe('as many wildcards on both sides', () => {
  const one = { 'items[].notes': 'a[].b' }
  const two = { 'metadata.x[].y[].z': 'a[].b[].c' }
  const grid = { 'metadata.x[][]': 'a[][]' }

  it.each<Case>([
    ['one level', one, { a: [{ b: 1 }, { b: 2 }] }, { items: [{ notes: 1 }, { notes: 2 }] }],
    ['an empty array', one, { a: [] }, { items: [] }],
    ['a missing array', one, {}, {}],
    ['a null array', one, { a: null }, {}],
    ['one element', one, { a: [{ b: 1 }] }, { items: [{ notes: 1 }] }],
    [
      'scalars',
      { 'metadata.x[]': 'a[]' },
      { a: [1, 'x', null, true] },
      {
        metadata: { x: [1, 'x', null, true] },
      },
    ],
    [
      'elements as they are',
      { 'items[]': 'a[]' },
      { a: [{ b: 1 }, [2], 3] },
      {
        items: [{ b: 1 }, [2], 3],
      },
    ],
    [
      'one of each element',
      { 'items[].notes': 'a[].b[-1]' },
      { a: [{ b: [1, 2] }, { b: [3] }] },
      {
        items: [{ notes: 2 }, { notes: 3 }],
      },
    ],
    [
      'an array below an index',
      { 'items[].notes': 'a[1].b[].c' },
      { a: [0, { b: [{ c: 1 }] }] },
      {
        items: [{ notes: 1 }],
      },
    ],
    [
      'an array below [-1]',
      { 'items[].notes': 'a[-1][]' },
      { a: [0, [1, 2]] },
      {
        items: [{ notes: 1 }, { notes: 2 }],
      },
    ],
    [
      'two levels',
      two,
      { a: [{ b: [{ c: 1 }, { c: 2 }] }, { b: [{ c: 3 }] }] },
      {
        metadata: { x: [{ y: [{ z: 1 }, { z: 2 }] }, { y: [{ z: 3 }] }] },
      },
    ],
    [
      'two levels, inner ones empty or missing',
      two,
      { a: [{ b: [] }, {}, { b: null }] },
      {
        metadata: { x: [{ y: [] }, {}, {}] },
      },
    ],
    ['two levels, the outer one empty', two, { a: [] }, { metadata: { x: [] } }],
    ['two levels, the outer one missing', two, {}, {}],
    ['arrays of arrays', grid, { a: [[1, 2], [], [3]] }, { metadata: { x: [[1, 2], [], [3]] } }],
    ['arrays of arrays, one missing', grid, { a: [[1], null] }, { metadata: { x: [[1], null] } }],
    [
      'rules of one and of two levels',
      { 'metadata.x[].n': 'a[].n', ...two },
      {
        a: [{ n: 'p', b: [{ c: 1 }] }, { n: 'q' }],
      },
      { metadata: { x: [{ n: 'p', y: [{ z: 1 }] }, { n: 'q' }] } },
    ],
    [
      'two rules on two inner arrays',
      { ...two, 'metadata.x[].w[]': 'a[].d[]' },
      {
        a: [{ b: [{ c: 1 }], d: [7, 8] }],
      },
      { metadata: { x: [{ y: [{ z: 1 }], w: [7, 8] }] } },
    ],
    [
      'the same array for two targets',
      { 'metadata.x[]': 'a[]', 'items[].notes': 'a[]' },
      {
        a: [1],
      },
      { metadata: { x: [1] }, items: [{ notes: 1 }] },
    ],
  ])('keep length and positions: %s', check)

  it('keep the length of an array beyond the thousandth element', () => {
    const a = Array.from({ length: 2500 }, (_, b) => ({ b }))
    const mapped = outcome(one, { a })
    expect(mapped.items).toHaveLength(2500)
    expect(mapped.items[2400]).toEqual({ notes: 2400 })
  })
})

describe('an element without the field', () => {
  const object = { 'items[].notes': 'a[].b', 'items[].quantity': 'a[].c' }
  const scalar = { 'metadata.x[]': 'a[].b' }

  it.each<Case>([
    [
      'in an object',
      object,
      { a: [{ b: 1, c: 2 }, { c: 3 }, { b: 4 }] },
      {
        items: [{ notes: 1, quantity: 2 }, { quantity: 3 }, { notes: 4 }],
      },
    ],
    ['without all fields', object, { a: [{}, { b: 1 }] }, { items: [{}, { notes: 1 }] }],
    ['that is null', object, { a: [null, { b: 1 }] }, { items: [{}, { notes: 1 }] }],
    [
      'in a scalar target',
      scalar,
      { a: [{ b: 1 }, {}, null] },
      { metadata: { x: [1, null, null] } },
    ],
    [
      'in an inner scalar target',
      { 'metadata.x[].y[]': 'a[].b[].c' },
      { a: [{ b: [{}] }] },
      {
        metadata: { x: [{ y: [null] }] },
      },
    ],
    [
      'in an indexed member',
      { 'metadata.x[].y[0]': 'a[].b' },
      { a: [{}, { b: 1 }] },
      {
        metadata: { x: [{}, { y: [1] }] },
      },
    ],
  ])('stays: %s', check)
})

describe('a source without wildcard for a target with', () => {
  const lines = { 'items[].sku_code': 'a[].s' }
  const cells = { 'metadata.x[].y[].z': 'a[].b[]' }

  it.each<Case>([
    [
      'a field',
      { ...lines, 'items[].notes': 'm' },
      { a: [{ s: 1 }, {}], m: 'x' },
      {
        items: [{ sku_code: 1, notes: 'x' }, { notes: 'x' }],
      },
    ],
    [
      'a field of an index',
      { ...lines, 'items[].notes': 'm[-1].n' },
      {
        a: [{ s: 1 }, { s: 2 }],
        m: [{ n: 0 }, { n: 'x' }],
      },
      {
        items: [
          { sku_code: 1, notes: 'x' },
          { sku_code: 2, notes: 'x' },
        ],
      },
    ],
    [
      'an object',
      { ...lines, 'items[].x': 'm' },
      { a: [{}], m: { n: 1 } },
      {
        items: [{ x: { n: 1 } }],
      },
    ],
    [
      'a missing field',
      { ...lines, 'items[].notes': 'm' },
      { a: [{ s: 1 }] },
      {
        items: [{ sku_code: 1 }],
      },
    ],
    [
      'a fixed value',
      { ...lines, 'items[].quantity': fixed(1) },
      { a: [{ s: 1 }, {}] },
      {
        items: [{ sku_code: 1, quantity: 1 }, { quantity: 1 }],
      },
    ],
    ['into an empty array', { ...lines, 'items[].quantity': fixed(1) }, { a: [] }, { items: [] }],
    ['into a missing array', { ...lines, 'items[].quantity': fixed(1) }, {}, {}],
    ['into a missing array, from a field', { ...lines, 'items[].notes': 'm' }, { m: 'x' }, {}],
    [
      'at the second level',
      { ...cells, 'metadata.x[].y[].n': 'm' },
      { a: [{ b: [1, 2] }], m: 'q' },
      {
        metadata: {
          x: [
            {
              y: [
                { z: 1, n: 'q' },
                { z: 2, n: 'q' },
              ],
            },
          ],
        },
      },
    ],
    [
      'fixed at the second level',
      { ...cells, 'metadata.x[].y[].n': fixed(0) },
      {
        a: [{ b: [1] }, {}, { b: [] }],
      },
      { metadata: { x: [{ y: [{ z: 1, n: 0 }] }, {}, { y: [] }] } },
    ],
    [
      'at the first of two levels',
      { ...cells, 'metadata.x[].n': 'm' },
      { a: [{ b: [1] }, {}], m: 2 },
      {
        metadata: { x: [{ y: [{ z: 1 }], n: 2 }, { n: 2 }] },
      },
    ],
    [
      'fixed at the first of two levels',
      { ...cells, 'metadata.x[].n': fixed(2) },
      { a: [{}] },
      {
        metadata: { x: [{ n: 2 }] },
      },
    ],
    [
      'a wrong kind is one problem',
      { ...lines, 'items[].notes': 'm.n' },
      { a: [{}, {}], m: 1 },
      [mismatch('items[].notes', 'm', 'object', 'number')],
    ],
  ])('goes to every element: %s', check)
})

describe('two source arrays for one target array', () => {
  const zip = { 'items[].sku_code': 'a[]', 'items[].quantity': 'b[].q' }
  const inner = { 'metadata.x[].y[].p': 'a[].p[]', 'metadata.x[].y[].q': 'a[].q[]' }
  const differ = (place: object) => [{ reason: 'LENGTH_MISMATCH', ...place }]

  it.each<Case>([
    [
      'equal',
      zip,
      { a: ['s', 't'], b: [{ q: 1 }, { q: 2 }] },
      {
        items: [
          { sku_code: 's', quantity: 1 },
          { sku_code: 't', quantity: 2 },
        ],
      },
    ],
    ['both empty', zip, { a: [], b: [] }, { items: [] }],
    ['both missing', zip, {}, {}],
    ['the second missing', zip, { a: ['s'] }, { items: [{ sku_code: 's' }] }],
    ['the first missing', zip, { b: [{ q: 1 }] }, { items: [{ quantity: 1 }] }],
    ['the first null', zip, { a: null, b: [{ q: 1 }] }, { items: [{ quantity: 1 }] }],
    [
      'three',
      { ...zip, 'items[].notes': 'c[]' },
      { a: ['s'], b: [{}], c: ['n'] },
      {
        items: [{ sku_code: 's', notes: 'n' }],
      },
    ],
    [
      'two of one element',
      inner,
      { a: [{ p: [1], q: [2] }] },
      {
        metadata: { x: [{ y: [{ p: 1, q: 2 }] }] },
      },
    ],
    [
      'an outer and an inner one',
      { 'metadata.x[].y[]': 'a[].b[]', 'metadata.x[].z': 'c[]' },
      {
        a: [{ b: [1] }, { b: [2, 3] }],
        c: ['p', 'q'],
      },
      {
        metadata: {
          x: [
            { y: [1], z: 'p' },
            { y: [2, 3], z: 'q' },
          ],
        },
      },
    ],
  ])('are zipped: %s', check)

  it.each<Case>([
    [
      'longer',
      zip,
      { a: ['s'], b: [{}, {}] },
      differ({
        rule: 'items[].quantity',
        at: 'items',
        source: 'b',
        expected: 1,
        found: 2,
      }),
    ],
    [
      'empty',
      zip,
      { a: ['s'], b: [] },
      differ({
        rule: 'items[].quantity',
        at: 'items',
        source: 'b',
        expected: 1,
        found: 0,
      }),
    ],
    [
      'not empty where the first one is',
      zip,
      { a: [], b: [{}] },
      differ({
        rule: 'items[].quantity',
        at: 'items',
        source: 'b',
        expected: 0,
        found: 1,
      }),
    ],
    [
      'within an element',
      inner,
      {
        a: [
          { p: [], q: [] },
          { p: [1], q: [1, 2] },
        ],
      },
      differ({
        rule: 'metadata.x[].y[].q',
        at: 'metadata.x[1].y',
        source: 'a[1].q',
        expected: 1,
        found: 2,
      }),
    ],
    [
      'the third, with the first missing',
      { ...zip, 'items[].notes': 'c[]' },
      { b: [{}], c: [] },
      differ({
        rule: 'items[].notes',
        at: 'items',
        source: 'c',
        expected: 1,
        found: 0,
      }),
    ],
  ])('are a LENGTH_MISMATCH where they differ: %s', check)
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
