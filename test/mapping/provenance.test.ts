import { describe, expect, it } from 'vitest'
import { EACH, type Path, readPath } from '../../src/path.ts'
import type { Json } from '../tenant.ts'
import { type Fields, fixed, map, type Options, required } from './mapped.ts'

type Case = [about: string, fields: Fields, payload: Json, sources: Record<string, string | null>]

const check = (_: string, fields: Fields, payload: Json, sources: Case[3]) => {
  const { sourceOfPath, sourceOf } = map(fields, payload)
  const targets = Object.keys(sources)
  const found = Object.fromEntries(targets.map((target) => [target, sourceOf(target)]))
  expect(found).toEqual(sources)
  for (const target of targets) expect(sourceOfPath(readPath(target))).toBe(sources[target])
}

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

describe('the fields that had no effect', () => {
  const lines = { 'items[].notes': 'a[].b' }
  const drop: Options = { unmapped: 'drop' }
  const unread = (fields: Fields, payload: Json, options?: Options) =>
    map(fields, payload, options)
      .unread()
      .map(({ field }) => field)

  type Unread = [about: string, fields: Fields, payload: Json, fields: string[], options?: Options]
  it.each<Unread>([
    ['none', { notes: 'a' }, { a: 1 }, []],
    ['none of an empty document', { notes: 'a' }, {}, []],
    ['none that go through', { notes: 'a' }, { a: 1, b: 2, items: [{ c: 1 }] }, []],
    ['what is dropped', { notes: 'a' }, { a: 1, b: 2, c: { d: 1 } }, ['b', 'c'], drop],
    ['what a rule replaces', { notes: 'a' }, { a: 1, notes: 2 }, ['notes']],
    [
      'what a rule replaces in part',
      { 'metadata.x': 'a' },
      { a: 1, metadata: { y: 1 } },
      ['metadata'],
    ],
    ['what a fixed value replaces', { notes: fixed(1) }, { notes: 2 }, ['notes']],
    ['members beside what is read', { notes: 'a.b' }, { a: { b: 1, c: 2, d: 3 } }, ['a.c', 'a.d']],
    ['deep members', { notes: 'a.b.c' }, { a: { b: { c: 1, d: 2 } } }, ['a.b.d']],
    ['none of what is read whole', { notes: 'a' }, { a: { b: { c: [1] } } }, []],
    [
      'none of what is read whole and in part',
      { notes: 'a.b', metadata: 'a' },
      { a: { b: 1, c: 2 } },
      [],
    ],
    [
      'members of elements, once',
      lines,
      {
        a: [
          { b: 1, c: 2 },
          { c: 3, d: 4 },
        ],
      },
      ['a[].c', 'a[].d'],
    ],
    ['none of whole elements', { 'items[]': 'a[]' }, { a: [{ b: 1 }] }, []],
    ['elements that no index reads', { notes: 'a[0]' }, { a: [1, 2, 3] }, ['a[]']],
    ['none where every index is read', { notes: 'a[0]', 'metadata.x': 'a[1]' }, { a: [1, 2] }, []],
    ['none where [-1] reads the only one', { notes: 'a[-1]' }, { a: [1] }, []],
    ['what [-1] leaves', { notes: 'a[-1]' }, { a: [1, 2] }, ['a[]']],
    [
      'none of members that [] and an index share',
      { 'items[].notes': 'a[].b.c', notes: 'a[0].b.d' },
      { a: [{ b: { c: 1, d: 2 } }] },
      [],
    ],
    [
      'none of an element that an index reads whole',
      { 'items[].notes': 'a[].b', notes: 'a[0]' },
      { a: [{ b: 1, c: 2 }] },
      [],
    ],
    [
      'members that the rule of another index reads',
      { notes: 'a[0].b', 'metadata.x': 'a[1].c' },
      { a: [{ b: 1, c: 2 }, { c: 3 }] },
      ['a[].c'],
    ],
    [
      'none of an element that [0] and [-1] share',
      { notes: 'a[0].b', 'metadata.x': 'a[-1].c' },
      { a: [{ b: 1, c: 2 }] },
      [],
    ],
    [
      'none of what [] and an index read together',
      { 'items[].notes': 'a[].b', notes: 'a[0].c' },
      { a: [{ b: 1, c: 2 }, { b: 1 }] },
      [],
    ],
    [
      'what [] leaves where an index does not help',
      { 'items[].notes': 'a[].b', notes: 'a[0].c' },
      { a: [{ c: 2 }, { c: 3 }] },
      ['a[].c'],
    ],
    ['members of an indexed element', { notes: 'a[0].b' }, { a: [{ b: 1, c: 2 }] }, ['a[].c']],
    [
      'members at the second level',
      { 'metadata.x[].y[]': 'a[].b[].c' },
      { a: [{ b: [{ c: 1, d: 2 }], e: 3 }] },
      ['a[].b[].d', 'a[].e'],
    ],
    ['members of what should be an array', lines, { a: { b: 1 } }, ['a.b']],
    ['elements of what should be an object', { notes: 'a.b' }, { a: [{ b: 1 }] }, ['a[]']],
    ['none of a scalar', { notes: 'a.b' }, { a: 'x' }, []],
    ['none of a null', lines, { a: null }, []],
    ['null members', { notes: 'a.b' }, { a: { b: 1, c: null } }, ['a.c']],
    [
      'ugly names',
      { notes: 'a.b' },
      { a: { "it's": 1, 'x.y': 2 }, 'p q': 3 },
      ["a['it\\'s']", "a['x.y']", "['p q']"],
      drop,
    ],
    [
      'inherited names',
      {},
      { toString: 1, hasOwnProperty: 2 },
      ['toString', 'hasOwnProperty'],
      drop,
    ],
    [
      'unsafe names',
      {},
      JSON.parse('{"__proto__":{"a":1},"constructor":2}'),
      ['__proto__', 'constructor'],
      drop,
    ],
  ])('are %s', (_, fields, payload, expected, options) => {
    expect(unread(fields, payload, options)).toEqual(expected)
  })

  it('are named once, however many elements have them', () => {
    const a = Array.from({ length: 5000 }, () => ({ b: 1, c: 2, d: { e: 3 } }))
    expect(unread(lines, { a })).toEqual(['a[].c', 'a[].d'])
  })

  it('are looked for up to a thousand', () => {
    const payload = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`f${at}`, at]))
    expect(unread({ notes: 'a' }, { a: 1, ...payload }, drop)).toHaveLength(1000)
    expect(unread({ notes: 'a.b' }, { a: payload })).toHaveLength(1000)
  })

  it('say so', () => {
    expect(map({ notes: 'a.b' }, { a: { c: 1 } }).unread()).toEqual([
      { field: 'a.c', message: expect.stringMatching(/mapping does not read it.*no effect/) },
    ])
  })
})
