import { describe, it } from 'vitest'
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
