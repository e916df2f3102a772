import { describe, expect, it } from 'vitest'
import { conflict, fixed, outcome } from '../fixtures/mapped.ts'
import { type Case, check } from './cases.ts'

describe('a parent and a child target', () => {
  const both = { customer_info: 'p', 'customer_info.x': 'c' }
  const deep = { customer_info: 'p', 'customer_info.a.b': 'c' }
  const three = { metadata: 'p', 'metadata.a': 'q', 'metadata.a.b': 'r' }
  const wide = { metadata: 'p', 'metadata.x': 'c', 'metadata.y.z': 'd' }
  const withFixed = { customer_info: fixed({ x: 1, y: 2 }), 'customer_info.x': 'c' }

  it.each<Case>([
    ['both there', both, { p: { x: 1, y: 2 }, c: 3 }, { customer_info: { x: 3, y: 2 } }],
    [
      'in the other order',
      { 'customer_info.x': 'c', customer_info: 'p' },
      { p: { x: 1 }, c: 3 },
      {
        customer_info: { x: 3 },
      },
    ],
    ['the parent missing', both, { c: 3 }, { customer_info: { x: 3 } }],
    ['the child missing', both, { p: { x: 1 } }, { customer_info: { x: 1 } }],
    ['both missing', both, {}, {}],
    ['the child null', both, { p: { x: 1 }, c: null }, { customer_info: { x: null } }],
    ['the parent empty', both, { p: {}, c: 3 }, { customer_info: { x: 3 } }],
    [
      'deep',
      deep,
      { p: { a: { b: 1, c: 2 }, d: 3 }, c: 9 },
      {
        customer_info: { a: { b: 9, c: 2 }, d: 3 },
      },
    ],
    [
      'deep, where the parent has no such object',
      deep,
      { p: { d: 3 }, c: 9 },
      {
        customer_info: { a: { b: 9 }, d: 3 },
      },
    ],
    [
      'three generations',
      three,
      { p: { a: { b: 1, c: 1 }, d: 1 }, q: { b: 2, e: 2 }, r: 3 },
      {
        metadata: { a: { b: 3, e: 2 }, d: 1 },
      },
    ],
    [
      'three, the second missing',
      three,
      { p: { a: { b: 1, c: 1 }, d: 1 }, r: 3 },
      {
        metadata: { a: { b: 3, c: 1 }, d: 1 },
      },
    ],
    [
      'two children',
      wide,
      { p: { x: 1, w: 1 }, c: 2, d: 3 },
      {
        metadata: { x: 2, w: 1, y: { z: 3 } },
      },
    ],
    ['a fixed parent', withFixed, { c: 3 }, { customer_info: { x: 3, y: 2 } }],
    ['a fixed parent, the child missing', withFixed, {}, { customer_info: { x: 1, y: 2 } }],
    [
      'a fixed child',
      { metadata: 'p', 'metadata.x': fixed(1) },
      { p: { x: 2, y: 3 } },
      {
        metadata: { x: 1, y: 3 },
      },
    ],
    [
      'a fixed child, the parent missing',
      { metadata: 'p', 'metadata.x': fixed(1) },
      {},
      {
        metadata: { x: 1 },
      },
    ],
    [
      'an element',
      { 'items[]': 'a[]', 'items[].notes': 'a[].n' },
      {
        a: [{ n: 1, notes: 0, q: 2 }, { notes: 0 }],
      },
      { items: [{ n: 1, notes: 1, q: 2 }, { notes: 0 }] },
    ],
    [
      'an element, from elsewhere',
      { 'items[]': 'a[]', 'items[].notes': 'm' },
      { a: [{ q: 1 }], m: 'x' },
      {
        items: [{ q: 1, notes: 'x' }],
      },
    ],
    [
      'an indexed element',
      { 'metadata.x[0]': 'p', 'metadata.x[0].y': 'c' },
      { p: { z: 1 }, c: 2 },
      {
        metadata: { x: [{ z: 1, y: 2 }] },
      },
    ],
    [
      'an array below a parent',
      { metadata: 'p', 'metadata.x[].n': 'a[]' },
      {
        p: { x: [{ m: 1 }, { n: 0 }], y: 1 },
        a: [5, 6],
      },
      { metadata: { x: [{ m: 1, n: 5 }, { n: 6 }], y: 1 } },
    ],
    [
      'an array that the parent lacks',
      { metadata: 'p', 'metadata.x[]': 'a[]' },
      { p: { y: 1 }, a: [5] },
      {
        metadata: { y: 1, x: [5] },
      },
    ],
    [
      'an array below a parent, missing',
      { metadata: 'p', 'metadata.x[]': 'a[]' },
      { p: { x: [1] } },
      {
        metadata: { x: [1] },
      },
    ],
    [
      'an array below a parent, missing, with a broadcast',
      { metadata: 'p', 'metadata.x[].n': 'a[]', 'metadata.x[].m': 'm' },
      { p: { x: [{ o: 1 }] }, m: 2 },
      { metadata: { x: [{ o: 1 }] } },
    ],
    [
      'indexes below a parent',
      { metadata: 'p', 'metadata.x[0]': 'a', 'metadata.x[1]': 'b' },
      {
        p: { x: [1, 2, 3] },
        a: 9,
      },
      { metadata: { x: [9, 2, 3] } },
    ],
    ['a child below a null', both, { p: null, c: 1 }, { customer_info: { x: 1 } }],
    ['a null below a null', both, { p: null, c: null }, { customer_info: { x: null } }],
    [
      'an array below a null',
      { metadata: 'p', 'metadata.x[]': 'a[]', 'metadata.y[0]': 'b' },
      { p: { x: null, y: null }, a: [1], b: 2 },
      { metadata: { x: [1], y: [2] } },
    ],
    [
      'a gap that the parent fills',
      { metadata: 'p', 'metadata.x[0]': 'a', 'metadata.x[1]': 'b' },
      {
        p: { x: [1, 2] },
        b: 9,
      },
      { metadata: { x: [1, 9] } },
    ],
  ])('are put together, the child above the parent: %s', check)

  const child = 'customer_info.x'
  const array = { metadata: 'p', 'metadata.x[]': 'a[]' }
  it.each<Case>([
    ['text', both, { p: 'x', c: 1 }, [conflict(child, 'customer_info', 'object', 'string', 'p')]],
    ['a number', both, { p: 0, c: 1 }, [conflict(child, 'customer_info', 'object', 'number', 'p')]],
    [
      'an array',
      both,
      { p: [1], c: 1 },
      [conflict(child, 'customer_info', 'object', 'array of 1', 'p')],
    ],
    [
      'text, below an object',
      deep,
      { p: { a: 'x' }, c: 1 },
      [conflict('customer_info.a.b', 'customer_info.a', 'object', 'string', 'p.a')],
    ],
    [
      'an element',
      { 'items[]': 'a[]', 'items[].notes': 'm' },
      { a: [{}, 'x'], m: 1 },
      [conflict('items[].notes', 'items[1]', 'object', 'string', 'a[1]')],
    ],
    [
      'text where an array is made',
      array,
      { p: { x: 1 }, a: [5] },
      [conflict('metadata.x[]', 'metadata.x', 'array of 1', 'number', 'p.x')],
    ],
    [
      'an array of another length',
      array,
      { p: { x: [1] }, a: [5, 6] },
      [conflict('metadata.x[]', 'metadata.x', 'array of 2', 'array of 1', 'p.x')],
    ],
    [
      'text where indexes are made',
      { metadata: 'p', 'metadata.x[0]': 'a' },
      { p: { x: 'q' }, a: 5 },
      [conflict('metadata.x[0]', 'metadata.x', 'array', 'string', 'p.x')],
    ],
    [
      'an element of a parent',
      { metadata: 'p', 'metadata.x[].n': 'a[]' },
      { p: { x: [{}, 1] }, a: [5, 6] },
      [conflict('metadata.x[].n', 'metadata.x[1]', 'object', 'number', 'p.x[1]')],
    ],
    [
      'a member of a fixed value',
      { metadata: fixed({ x: 1 }), 'metadata.x.y': 'c' },
      { c: 2 },
      [conflict('metadata.x.y', 'metadata.x', 'object', 'number')],
    ],
  ])('are a TARGET_CONFLICT where the parent is no object: %s', check)

  it.each<Case>([
    ['text', both, { p: 'x' }, { customer_info: 'x' }],
    ['null', both, { p: null }, { customer_info: null }],
    ['an array', both, { p: [1] }, { customer_info: [1] }],
    ['deep', deep, { p: { a: 1 } }, { customer_info: { a: 1 } }],
  ])('are the parent, of whatever kind, where the child is missing: %s', check)

  it('leave the payload and the fixed value as they are', () => {
    const payload = { p: { a: { b: 1 } }, c: 3 }
    const info = { x: 1 }
    const fields = {
      metadata: 'p',
      'metadata.a.b': 'c',
      customer_info: fixed(info),
      'customer_info.x': 'c',
    }
    expect(outcome(fields, payload)).toEqual({ metadata: { a: { b: 3 } }, customer_info: { x: 3 } })
    expect([payload, info]).toEqual([{ p: { a: { b: 1 } }, c: 3 }, { x: 1 }])
  })
})
