import { describe, expect, it } from 'vitest'
import { fixed, mismatch, outcome } from '../fixtures/mapped.ts'
import { type Case, check } from './cases.ts'

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
