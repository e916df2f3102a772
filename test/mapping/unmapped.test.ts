import { describe, expect, it } from 'vitest'
import { type Fields, fixed, map, type Options, outcome } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Case, check } from './cases.ts'

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
    expect(at).toBe(`${'x'.repeat(299)}…`)
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

const unreadNames = ({ unread }: ReturnType<typeof map>) => {
  const { passedOver, fields } = unread()
  return [...passedOver, ...fields].map(({ field }) => field)
}

describe('the fields that had no effect', () => {
  const lines = { 'items[].notes': 'a[].b' }
  const drop: Options = { unmapped: 'drop' }
  const unread = (fields: Fields, payload: Json, options?: Options) =>
    unreadNames(map(fields, payload, options))

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
    ['elements that no index reads', { notes: 'a[0]' }, { a: [1, 2, 3] }, ['a[1]']],
    ['none where every index is read', { notes: 'a[0]', 'metadata.x': 'a[1]' }, { a: [1, 2] }, []],
    ['none where [-1] reads the only one', { notes: 'a[-1]' }, { a: [1] }, []],
    ['what [-1] leaves', { notes: 'a[-1]' }, { a: [1, 2] }, ['a[0]']],
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
    expect(map({ notes: 'a.b' }, { a: { c: 1 } }).unread().fields).toEqual([
      { field: 'a.c', message: expect.stringMatching(/mapping does not read it.*no effect/) },
    ])
    expect(map({ notes: 'a[0]' }, { a: [1, 2, 3] }).unread().passedOver).toEqual([
      { field: 'a[1]', message: expect.stringMatching(/2 elements from here on had no effect/) },
    ])
  })
})
