import { describe, expect, it } from 'vitest'
import { EACH, type Path } from '../../src/engine/json/path.ts'
import { fixed, map, required } from '../fixtures/mapped.ts'
import { type Case, check } from './provenance.ts'

describe('sourceOf a field', () => {
  it.each<Case>([
    ['of its own rule', { notes: 'a' }, { a: 1 }, { notes: 'a' }],
    ['of a path', { notes: 'a.b.c' }, { a: { b: { c: 1 } } }, { notes: 'a.b.c' }],
    [
      'written another way',
      { "$.metadata['x']": "$['a b']" },
      { 'a b': 1 },
      { 'metadata.x': "['a b']" },
    ],
    [
      'with an ugly source',
      { notes: "a['it\\'s']" },
      { a: { "it's": 1 } },
      { notes: "a['it\\'s']" },
    ],
    ['by index', { notes: 'a[2].b' }, { a: [0, 0, { b: 1 }] }, { notes: 'a[2].b' }],
    ['by [-1]', { notes: 'a[-1].b' }, { a: [0, 0, { b: 1 }] }, { notes: 'a[2].b' }],
    ['by [-1], twice', { notes: 'a[-1][-1]' }, { a: [0, [1, 2, 3]] }, { notes: 'a[1][2]' }],
    ['by [-1] of an empty array', { notes: 'a[-1]' }, { a: [] }, { notes: 'a[-1]' }],
    ['by [-1] of nothing', { notes: 'a[-1].b' }, {}, { notes: 'a[-1].b' }],
    [
      'below its rule',
      { metadata: 'a' },
      { a: { b: [{ c: 1 }] } },
      {
        metadata: 'a',
        'metadata.b': 'a.b',
        'metadata.b[0].c': 'a.b[0].c',
      },
    ],
    [
      'below its rule, by [-1]',
      { metadata: 'a[-1]' },
      { a: [0, { b: 1 }] },
      { 'metadata.b': 'a[1].b' },
    ],
    [
      'of two rules',
      { notes: 'a', customer_name: 'a' },
      { a: 1 },
      { notes: 'a', customer_name: 'a' },
    ],
    [
      'of a swap',
      { name: 'zone', zone: 'name' },
      { name: 1, zone: 2 },
      { name: 'zone', zone: 'name' },
    ],
    ['that is null', { notes: 'a.b' }, { a: { b: null } }, { notes: 'a.b' }],
    [
      'of a target index',
      { 'items[0].notes': 'a', 'items[1].notes': 'b' },
      { a: 1, b: 2 },
      {
        'items[0].notes': 'a',
        'items[1].notes': 'b',
      },
    ],
    [
      'below a target index',
      { 'metadata.x[0]': 'a' },
      { a: { b: 1 } },
      { 'metadata.x[0].b': 'a.b' },
    ],
  ])('is where it was found: %s', check)

  it.each<Case>([
    ['a name', { notes: 'a.b' }, { a: {} }, { notes: 'a.b' }],
    ['a top-level name', { notes: required('a') }, {}, { notes: 'a' }],
    ['an index', { notes: 'a[3]' }, { a: [1] }, { notes: 'a[3]' }],
    ['behind a null', { notes: 'a.b.c' }, { a: null }, { notes: 'a.b.c' }],
    ['an element', { 'items[].notes': 'a[].b' }, { a: [{}] }, { 'items[0].notes': 'a[0].b' }],
    [
      'an element beyond the end',
      { 'items[].notes': 'a[].b' },
      { a: [] },
      {
        'items[7].notes': 'a[7].b',
      },
    ],
    [
      'an array',
      { 'items[].notes': 'a.b[].c' },
      {},
      { items: 'a.b', 'items[0].notes': 'a.b[0].c' },
    ],
    ['below a rule', { metadata: 'a' }, { a: {} }, { 'metadata.x.y': 'a.x.y' }],
  ])('is where it should have been where nothing is: %s', check)

  it.each<Case>([
    ['a fixed value', { notes: fixed(1) }, { notes: 2 }, { notes: null }],
    [
      'below a fixed value',
      { metadata: fixed({ a: 1 }) },
      { metadata: { a: 2 } },
      { 'metadata.a': null },
    ],
    [
      'a fixed value of elements',
      { 'items[].s': 'a[]', 'items[].q': fixed(1) },
      { a: [1] },
      {
        'items[0].q': null,
        'items[].q': null,
      },
    ],
    [
      'a fixed child',
      { metadata: 'a', 'metadata.x': fixed(1) },
      { a: { x: 2, y: 3 } },
      {
        'metadata.x': null,
        'metadata.y': 'a.y',
      },
    ],
    [
      'an object of several rules',
      { 'metadata.x': 'a', 'metadata.y': 'b' },
      { a: 1, b: 2 },
      {
        metadata: null,
        'metadata.z': null,
        'metadata.x': 'a',
      },
    ],
    [
      'a member that no rule writes',
      { 'items[].notes': 'a[].b' },
      { a: [{}] },
      {
        'items[0].quantity': null,
      },
    ],
    [
      'a field that was consumed',
      { notes: 'customer_name' },
      { customer_name: 1 },
      {
        customer_name: null,
        'customer_name.x': null,
      },
    ],
    ['an array by index', { 'items[0].notes': 'a' }, { a: 1 }, { items: null, 'items[0]': null }],
  ])('is null: %s', check)

  it.each<Case>([
    ['of the payload', { notes: 'a' }, { customer_name: 1 }, { customer_name: 'customer_name' }],
    ['below it', {}, { items: [{ x: 1 }] }, { 'items[0].x': 'items[0].x' }],
    ['that is missing', { notes: 'a' }, {}, { 'items[0].sku_code': 'items[0].sku_code' }],
    ['with an ugly name', {}, { "it's": 1 }, { "['it\\'s']": "['it\\'s']" }],
  ])('is its own name where no rule writes or reads it: %s', check)

  it.each(['drop', 'reject'] as const)('is null by "%s" where no rule writes it', (unmapped) => {
    expect(map({ notes: 'a' }, {}, { unmapped }).sourceOf('order_number')).toBeNull()
  })
})

describe('sourceOf a text', () => {
  it.each(['', 'a b', 'a.', 'a[', '[', '..', "customer_info['x", 'a[x]'])(
    'is null for "%s", which is no path',
    (field) => {
      expect(map({ notes: 'a' }, { a: 1 }).sourceOf(field)).toBeNull()
    },
  )

  it.each(['__proto__', 'constructor.prototype', 'notes.__proto__', '[0]', '[]'])(
    'answers %s and never throws',
    (field) => {
      const { sourceOf } = map({ notes: 'a' }, { a: 1 })
      expect([null, field, field.replace('notes', 'a')]).toContain(sourceOf(field))
    },
  )
})

describe('sourceOfPath', () => {
  it('is null of the document as a whole', () => {
    expect(map({ notes: 'a' }, { a: 1 }).sourceOfPath([])).toBeNull()
  })

  it('takes any member for what it is', () => {
    const payload = JSON.parse('{"a":{"__proto__":{"x":1}}}')
    const { sourceOfPath } = map({ metadata: 'a' }, payload)
    const path: Path = ['metadata', '__proto__', 'x']
    expect(sourceOfPath(path)).toBe('a.__proto__.x')
    expect(sourceOfPath(['metadata', EACH])).toBe('a[]')
  })
})
