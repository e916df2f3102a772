import { describe, expect, it } from 'vitest'
import { fixed, map } from '../fixtures/mapped.ts'
import { type Case, check } from './provenance.ts'

describe('sourceOf an element', () => {
  const lines = { 'items[].notes': 'a.b[].c', 'items[].sku_code': 'm' }
  const two = { 'metadata.x[].y[].z': 'a[].b[].c', 'metadata.x[].n': 'a[].n' }
  const payload = { a: [{ b: [{ c: 1 }, { c: 2 }], n: 3 }, { b: [{ c: 4 }] }] }

  it.each<Case>([
    [
      'one level',
      lines,
      { a: { b: [{ c: 1 }, { c: 2 }] }, m: 'x' },
      {
        'items[1].notes': 'a.b[1].c',
        'items[1]': 'a.b[1]',
        items: 'a.b',
      },
    ],
    ['any element', lines, { a: { b: [] } }, { 'items[].notes': 'a.b[].c', 'items[]': 'a.b[]' }],
    [
      'a broadcast',
      lines,
      { a: { b: [{}, {}] }, m: 'x' },
      {
        'items[1].sku_code': 'm',
        'items[].sku_code': 'm',
      },
    ],
    [
      'two levels',
      two,
      payload,
      {
        'metadata.x[0].y[1].z': 'a[0].b[1].c',
        'metadata.x[1].y[0].z': 'a[1].b[0].c',
        'metadata.x[0].y[1]': 'a[0].b[1]',
        'metadata.x[0].y': 'a[0].b',
        'metadata.x[0].n': 'a[0].n',
        'metadata.x[1]': 'a[1]',
        'metadata.x': 'a',
      },
    ],
    [
      'any element of two levels',
      two,
      payload,
      {
        'metadata.x[].y[].z': 'a[].b[].c',
        'metadata.x[1].y[].z': 'a[1].b[].c',
        'metadata.x[].y': 'a[].b',
      },
    ],
    [
      'arrays of arrays',
      { 'metadata.x[][]': 'a[][]' },
      { a: [[1], [2, 3]] },
      {
        'metadata.x[1][0]': 'a[1][0]',
        'metadata.x[1]': 'a[1]',
        'metadata.x': 'a',
      },
    ],
    [
      'a scalar',
      { 'metadata.x[]': 'a[].b' },
      { a: [{ b: 1 }, {}] },
      {
        'metadata.x[0]': 'a[0].b',
        'metadata.x[1]': 'a[1].b',
        'metadata.x': 'a',
      },
    ],
    [
      'the element as it is',
      { 'items[]': 'a[]' },
      { a: [{ b: 1 }] },
      {
        'items[0]': 'a[0]',
        'items[0].b': 'a[0].b',
        'items[0].sku_code': 'a[0].sku_code',
      },
    ],
    [
      'below an index',
      { 'items[].notes': 'a[1].b[]' },
      { a: [0, { b: [1, 2] }] },
      {
        'items[1].notes': 'a[1].b[1]',
        items: 'a[1].b',
      },
    ],
    [
      'below [-1]',
      { 'items[].notes': 'a[-1].b[].c' },
      { a: [0, { b: [{}, {}] }] },
      {
        'items[1].notes': 'a[1].b[1].c',
        items: 'a[1].b',
      },
    ],
    [
      '[-1] of each',
      { 'items[].notes': 'a[].b[-1]' },
      { a: [{ b: [1, 2] }, { b: [3] }] },
      {
        'items[0].notes': 'a[0].b[1]',
        'items[1].notes': 'a[1].b[0]',
      },
    ],
    [
      'the array as a whole',
      { items: 'a.b' },
      { a: { b: [{ c: 1 }] } },
      {
        items: 'a.b',
        'items[0].c': 'a.b[0].c',
        'items[].c': 'a.b[].c',
      },
    ],
    [
      'zipped arrays',
      { 'items[].notes': 'a[]', 'items[].sku_code': 'b[].c' },
      { a: [1], b: [{ c: 2 }] },
      {
        'items[0].notes': 'a[0]',
        'items[0].sku_code': 'b[0].c',
      },
    ],
    [
      'zipped arrays of which the first is missing',
      { 'items[].notes': 'a[]', 'items[].q': 'b[].c' },
      {
        b: [{ c: 2 }],
      },
      { items: 'b', 'items[0]': 'b[0]' },
    ],
    [
      'zipped arrays of which the first is null',
      { 'items[].notes': 'a[]', 'items[].q': 'b[].c' },
      { a: null, b: [{ c: 2 }] },
      { items: 'b', 'items[0]': 'b[0]' },
    ],
    [
      'an array within a target index',
      { 'metadata.x[0].y[]': 'a[]' },
      { a: [1, 2] },
      {
        'metadata.x[0].y[1]': 'a[1]',
        'metadata.x[0].y': 'a',
      },
    ],
    [
      'beyond the thousandth',
      { 'items[].notes': 'a[].b' },
      { a: [] },
      {
        'items[123456].notes': 'a[123456].b',
      },
    ],
  ])('is in the array that drives it: %s', check)
})

describe('sourceOf a field of a parent and a child', () => {
  const both = { customer_info: 'p', 'customer_info.x': 'c' }
  const deep = { metadata: 'p', 'metadata.a': 'q', 'metadata.a.b': 'r' }

  it.each<Case>([
    [
      'both there',
      both,
      { p: { x: 1, y: 2 }, c: 3 },
      {
        customer_info: 'p',
        'customer_info.x': 'c',
        'customer_info.y': 'p.y',
        'customer_info.z': 'p.z',
      },
    ],
    ['the child null', both, { p: { x: 1 }, c: null }, { 'customer_info.x': 'c' }],
    ['the child missing', both, { p: { x: 1 } }, { 'customer_info.x': 'p.x' }],
    ['the child missing, in the parent too', both, { p: { y: 1 } }, { 'customer_info.x': 'c' }],
    [
      'the parent missing',
      both,
      { c: { d: 3 } },
      { 'customer_info.x': 'c', 'customer_info.x.d': 'c.d' },
    ],
    ['neither', both, {}, { 'customer_info.x': 'c', customer_info: 'p' }],
    [
      'three generations',
      deep,
      { p: { d: 1 }, q: { e: 2 }, r: 3 },
      {
        'metadata.a.b': 'r',
        'metadata.a.e': 'q.e',
        'metadata.d': 'p.d',
      },
    ],
    [
      'three, the second missing',
      deep,
      { p: { a: { e: 1 } }, r: 3 },
      {
        'metadata.a.b': 'r',
        'metadata.a.e': 'p.a.e',
      },
    ],
    [
      'an element',
      { 'items[]': 'a[]', 'items[].notes': 'a[].n' },
      { a: [{ n: 1 }, { notes: 0 }] },
      {
        'items[0].notes': 'a[0].n',
        'items[1].notes': 'a[1].notes',
        'items[0].quantity': 'a[0].quantity',
      },
    ],
    [
      'an array below',
      { metadata: 'p', 'metadata.x[].n': 'a[]' },
      { p: { x: [{ m: 1 }], y: 1 }, a: [5] },
      {
        'metadata.x[0].n': 'a[0]',
        'metadata.x[0].m': 'p.x[0].m',
        'metadata.y': 'p.y',
      },
    ],
    [
      'an array below, missing',
      { metadata: 'p', 'metadata.x[].n': 'a[]' },
      { p: { x: [{ n: 1 }] } },
      {
        'metadata.x[0].n': 'p.x[0].n',
        'metadata.x': 'p.x',
      },
    ],
    [
      'a fixed parent',
      { metadata: fixed({ x: 1, y: 2 }), 'metadata.x': 'c' },
      { c: 3 },
      {
        'metadata.x': 'c',
        'metadata.y': null,
        metadata: null,
      },
    ],
  ])('is where the value comes from: %s', check)

  it.each([null, undefined])('is the parent where the array of the child is %s', (a) => {
    const fields = { metadata: 'p', 'metadata.x[]': 'a[]' }
    const { value, sourceOf } = map(fields, { p: { x: [1] }, ...(a === null && { a }) })
    expect(value).toEqual({ metadata: { x: [1] } })
    expect(sourceOf('metadata.x')).toBe('p.x')
  })

  it('is the parent where the element of the child has nothing to write', () => {
    const fields = { metadata: 'p', 'metadata.x[].n': 'a[].n' }
    const { value, sourceOf } = map(fields, { p: { x: [7] }, a: [{}] })
    expect(value).toEqual({ metadata: { x: [7] } })
    expect(sourceOf('metadata.x[0]')).toBe('p.x[0]')
  })

  it('is the parent where the array of the child is missing, and what goes to its elements with it', () => {
    const fields = {
      metadata: 'p',
      'metadata.x[].n': 'a[]',
      'metadata.x[].f': fixed(1),
      'metadata.x[].m': 'm',
    }
    const { value, sourceOf } = map(fields, { p: { x: [{ f: 7, m: 8 }] }, m: 9 })
    expect(value).toEqual({ metadata: { x: [{ f: 7, m: 8 }] } })
    expect(sourceOf('metadata.x[0].f')).toBe('p.x[0].f')
    expect(sourceOf('metadata.x[0].m')).toBe('p.x[0].m')
  })

  it('is the inner array where an element is an array of its own', () => {
    const fields = { 'metadata.x[][]': 'a[].b[]' }
    const { value, sourceOf } = map(fields, { a: [{ b: [1] }, { b: [] }] })
    expect(value).toEqual({ metadata: { x: [[1], []] } })
    expect(sourceOf('metadata.x[0][0]')).toBe('a[0].b[0]')
    expect(sourceOf('metadata.x[1]')).toBe('a[1].b')
  })

  it('is not where a value would be that the child has replaced whole', () => {
    const payload = { p: { a: { e: 1 } }, q: { d: 2 } }
    const { value, sourceOf } = map({ metadata: 'p', 'metadata.a': 'q' }, payload)
    expect(value).toEqual({ metadata: { a: { d: 2 } } })
    expect(sourceOf('metadata.a.e')).toBe('q.e')
  })

  it('is null where a fixed parent gives what the child lacks', () => {
    const { value, sourceOf } = map({ metadata: fixed({ x: 1 }), 'metadata.x': 'c' }, {})
    expect(value).toEqual({ metadata: { x: 1 } })
    expect(sourceOf('metadata.x')).toBeNull()
  })
})
