import { describe, expect, it } from 'vitest'
import type { Json } from '../tenant.ts'
import { type Fields, fixed, type Options, outcome } from './mapped.ts'

type Case = [about: string, fields: Fields, payload: Json, expected: Json, options?: Options]

const check = (_: string, fields: Fields, payload: Json, expected: Json, options?: Options) => {
  expect(outcome(fields, payload, options)).toStrictEqual(expected)
}

const conflict = (rule: string, at: string, expected: string, found: string, source?: string) => [
  { reason: 'TARGET_CONFLICT', rule, at, expected, found, ...(source && { source }) },
]

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
    ['text', both, { p: 'x', c: 1 }, conflict(child, 'customer_info', 'object', 'string', 'p')],
    ['a number', both, { p: 0, c: 1 }, conflict(child, 'customer_info', 'object', 'number', 'p')],
    ['null', both, { p: null, c: 1 }, conflict(child, 'customer_info', 'object', 'null', 'p')],
    [
      'null, for a null',
      both,
      { p: null, c: null },
      conflict(child, 'customer_info', 'object', 'null', 'p'),
    ],
    [
      'an array',
      both,
      { p: [1], c: 1 },
      conflict(child, 'customer_info', 'object', 'array of 1', 'p'),
    ],
    [
      'text, below an object',
      deep,
      { p: { a: 'x' }, c: 1 },
      conflict('customer_info.a.b', 'customer_info.a', 'object', 'string', 'p.a'),
    ],
    [
      'an element',
      { 'items[]': 'a[]', 'items[].notes': 'm' },
      { a: [{}, 'x'], m: 1 },
      conflict('items[].notes', 'items[1]', 'object', 'string', 'a[1]'),
    ],
    [
      'text where an array is made',
      array,
      { p: { x: 1 }, a: [5] },
      conflict('metadata.x[]', 'metadata.x', 'array of 1', 'number', 'p.x'),
    ],
    [
      'an array of another length',
      array,
      { p: { x: [1] }, a: [5, 6] },
      conflict('metadata.x[]', 'metadata.x', 'array of 2', 'array of 1', 'p.x'),
    ],
    [
      'text where indexes are made',
      { metadata: 'p', 'metadata.x[0]': 'a' },
      { p: { x: 'q' }, a: 5 },
      conflict('metadata.x[0]', 'metadata.x', 'array', 'string', 'p.x'),
    ],
    [
      'an element of a parent',
      { metadata: 'p', 'metadata.x[].n': 'a[]' },
      { p: { x: [{}, 1] }, a: [5, 6] },
      conflict('metadata.x[].n', 'metadata.x[1]', 'object', 'number', 'p.x[1]'),
    ],
    [
      'a member of a fixed value',
      { metadata: fixed({ x: 1 }), 'metadata.x.y': 'c' },
      { c: 2 },
      conflict('metadata.x.y', 'metadata.x', 'object', 'number'),
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

describe('a field that no rule reads', () => {
  const reading = { notes: 'header.number' }
  const drop: Options = { unmapped: 'drop' }
  const reject: Options = { unmapped: 'reject' }
  const refused = (...at: string[]) => at.map((place) => ({ reason: 'UNMAPPED_FIELD', at: place }))

  it.each<Case>([
    [
      'of any kind',
      {},
      { a: 1, b: [null], c: { d: {} }, e: null },
      { a: 1, b: [null], c: { d: {} }, e: null },
    ],
    ['beside what is read', reading, { header: { number: 1 }, a: 2 }, { notes: 1, a: 2 }],
    ['of our own name', reading, { header: {}, items: [1] }, { items: [1] }],
    ['with an ugly name', {}, { '': 1, "it's": 2, 'a.b': 3 }, { '': 1, "it's": 2, 'a.b': 3 }],
  ])('goes through by "keep": %s', check)

  it.each<Case>([
    ['by a rename', { notes: 'a' }, { a: 1, notes: 2 }, { notes: 1 }],
    [
      'whole, by a member',
      { 'customer_info.x': 'a' },
      { a: 1, customer_info: { y: 2 } },
      {
        customer_info: { x: 1 },
      },
    ],
    [
      'whole, by an array',
      { 'items[].notes': 'a[]' },
      { a: [1], items: [{ quantity: 1 }, {}] },
      {
        items: [{ notes: 1 }],
      },
    ],
    ['by a fixed value', { notes: fixed('x') }, { notes: 'y' }, { notes: 'x' }],
    [
      'by a fixed member',
      { 'metadata.x': fixed(1) },
      { metadata: { y: 2 } },
      { metadata: { x: 1 } },
    ],
    ['by a rule that finds nothing', { notes: 'a' }, { notes: 'y' }, {}],
  ])('is replaced where a rule writes its name: %s', check)

  it.each<Case>([
    [
      'nothing but the rules',
      reading,
      { header: { number: 1 }, a: 2, notes: 3 },
      { notes: 1 },
      drop,
    ],
    ['nothing at all without rules', {}, { a: 1, notes: 2 }, {}, drop],
    ['fixed values', { source: fixed('x') }, { a: 1 }, { source: 'x' }, drop],
  ])('is left out by "drop", which gives %s', check)

  it.each<Case>([
    ['one', reading, { header: { number: 1 }, a: 2 }, refused('a'), reject],
    ['several', reading, { a: 1, header: {}, b: null }, refused('a', 'b'), reject],
    ['one of a written name', reading, { notes: 1 }, refused('notes'), reject],
    ['one with an ugly name', {}, { "it's": 1 }, refused("['it\\'s']"), reject],
    ['none', reading, { header: { number: 1, other: 2 } }, { notes: 1 }, reject],
    ['none in an empty document', reading, {}, {}, reject],
  ])('is an UNMAPPED_FIELD by "reject": %s', check)

  it('is named by no more than 300 characters', () => {
    const [{ at }] = outcome({}, { ['x'.repeat(100_000)]: 1 }, reject)
    expect(at).toBe('x'.repeat(300))
  })

  it('is refused beside other problems', () => {
    const problems = outcome({ notes: 'a.b' }, { a: 1, c: 2 }, reject)
    expect(problems.map(({ reason }: Json) => reason).sort()).toEqual([
      'TYPE_MISMATCH',
      'UNMAPPED_FIELD',
    ])
  })

  it('goes through as a member and nothing else where it is called __proto__', () => {
    const payload = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"x":1}}}')
    const mapped = outcome({ notes: 'a' }, payload)
    expect(JSON.stringify(mapped)).toBe(JSON.stringify(payload))
    expect(Object.getPrototypeOf(mapped)).toBe(Object.prototype)
    expect(mapped.polluted).toBeUndefined()
  })
})

describe('a field that a rule reads', () => {
  it.each<Case>([
    ['whole', { notes: 'a' }, { a: 1 }, { notes: 1 }],
    ['in part, the rest goes with it', { notes: 'a.b' }, { a: { b: 1, c: 2 } }, { notes: 1 }],
    ['by index', { notes: 'a[0]' }, { a: [1, 2] }, { notes: 1 }],
    ['by wildcard', { 'items[].notes': 'a[].b' }, { a: [{ c: 1 }] }, { items: [{}] }],
    ['in vain', { notes: 'a.b' }, { a: {} }, {}],
    ['of our own name', { notes: 'customer_name' }, { customer_name: 'x' }, { notes: 'x' }],
    ['into itself', { notes: 'notes' }, { notes: 'x' }, { notes: 'x' }],
    [
      'into two targets',
      { notes: 'a', customer_name: 'a' },
      { a: 'x' },
      { notes: 'x', customer_name: 'x' },
    ],
  ])('is consumed: %s', check)

  it.each<Case>([
    ['two fields', { name: 'zone', zone: 'name' }, { name: 1, zone: 2 }, { name: 2, zone: 1 }],
    [
      'three in a ring',
      { name: 'zone', zone: 'aisle', aisle: 'name' },
      { name: 1, zone: 2, aisle: 3 },
      {
        name: 2,
        zone: 3,
        aisle: 1,
      },
    ],
    ['one of them missing', { name: 'zone', zone: 'name' }, { name: 1 }, { zone: 1 }],
    [
      'members',
      { 'metadata.a': 'metadata.b', 'metadata.b': 'metadata.a' },
      { metadata: { a: 1, b: 2 } },
      {
        metadata: { a: 2, b: 1 },
      },
    ],
    [
      'fields of elements',
      { 'items[].p': 'items[].q', 'items[].q': 'items[].p' },
      { items: [{ p: 1, q: 2 }] },
      {
        items: [{ p: 2, q: 1 }],
      },
    ],
    [
      'a whole and its member',
      { metadata: 'notes', notes: 'metadata.a' },
      { metadata: { a: 1 }, notes: {} },
      {
        metadata: {},
        notes: 1,
      },
    ],
  ])('is read from the original, so that it can be swapped: %s', check)
})

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
  const one = { 'custom_fields.channel': fixed('acme') }
  const beside = { ...one, 'custom_fields.size': 's' }
  const spread = { 'custom_fields.x[].n': 'a[].n', 'custom_fields.x[].unit': fixed('kg') }
  const indexed = { 'custom_fields.x[0]': fixed('acme'), 'custom_fields.x[1]': 'tag' }

  it.each<Case>([
    ['alone', one, {}, {}, put],
    ['beside other fields', { ...one, quantity: 'q' }, { q: 3 }, { quantity: 3 }, put],
    ['whole', { quantity: fixed(7) }, {}, {}, put],
    ['beside a rule that finds nothing', beside, { t: 1 }, { t: 1 }, put],
    ['beside a field that goes through', { ...one }, { custom_fields: { a: 1 } }, {}, put],
    ['in the elements of a missing array', spread, {}, {}, put],
    ['below a parent that is missing', { custom_fields: 'p', ...one }, {}, {}, put],
    [
      'as a parent of what is missing',
      { custom_fields: fixed({ a: 1 }), 'custom_fields.b': 'b' },
      {},
      {},
      put,
    ],
    ['at an index before what is missing', indexed, {}, {}, put],
  ])('is not written where nothing else writes its top-level field: %s', check)

  it.each<Case>([
    ['beside a rule', beside, { s: 1 }, { custom_fields: { channel: 'acme', size: 1 } }, put],
    ['beside a null', beside, { s: null }, { custom_fields: { channel: 'acme', size: null } }, put],
    [
      'in every element',
      spread,
      { a: [{ n: 1 }, {}] },
      {
        custom_fields: { x: [{ n: 1, unit: 'kg' }, { unit: 'kg' }] },
      },
      put,
    ],
    [
      'beside an empty array',
      { ...one, 'custom_fields.x[]': 'a[]' },
      { a: [] },
      {
        custom_fields: { channel: 'acme', x: [] },
      },
      put,
    ],
    [
      'beside an array',
      { ...one, ...spread },
      { a: [{}] },
      {
        custom_fields: { channel: 'acme', x: [{ unit: 'kg' }] },
      },
      put,
    ],
    [
      'below a parent',
      { custom_fields: 'p', ...one },
      { p: { a: 1 } },
      {
        custom_fields: { a: 1, channel: 'acme' },
      },
      put,
    ],
    [
      'as a parent',
      { custom_fields: fixed({ a: 1, b: 2 }), 'custom_fields.b': 'b' },
      { b: 3 },
      {
        custom_fields: { a: 1, b: 3 },
      },
      put,
    ],
    [
      'deep',
      { 'custom_fields.a.b': fixed(1), 'custom_fields.c.d': 'd' },
      { d: 2 },
      {
        custom_fields: { a: { b: 1 }, c: { d: 2 } },
      },
      put,
    ],
    [
      'at an index before another',
      indexed,
      { tag: 'x' },
      { custom_fields: { x: ['acme', 'x'] } },
      put,
    ],
    [
      'at an index after another',
      { 'custom_fields.x[0]': 'tag', 'custom_fields.x[1]': fixed('acme') },
      {
        tag: 'x',
      },
      { custom_fields: { x: ['x', 'acme'] } },
      put,
    ],
    [
      'in one of two fields',
      { ...one, 'custom_fields.size': 's', quantity: fixed(7) },
      { s: 1 },
      {
        custom_fields: { channel: 'acme', size: 1 },
      },
      put,
    ],
  ])('is written where something else writes its top-level field: %s', check)

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
