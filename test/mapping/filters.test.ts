import { describe, expect, it } from 'vitest'
import { type Fields, map, mismatch, type Options } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Case, dropping } from './cases.ts'

describe('a filter that picks', () => {
  const gift = { 'metadata.gift': "n[?@.name == 'gift'].value" }
  const ambiguous = (rule: string, at: string, found: string) => [
    { reason: 'AMBIGUOUS', rule, at, found },
  ]

  it.each<Case>([
    [
      'the element',
      gift,
      {
        n: [
          { name: 'a', value: 1 },
          { name: 'gift', value: 2 },
        ],
      },
      { metadata: { gift: 2 } },
    ],
    ['null at its end', gift, { n: [{ name: 'gift', value: null }] }, { metadata: { gift: null } }],
    ['none', gift, { n: [{ name: 'a' }] }, {}],
    ['none of an empty array', gift, { n: [] }, {}],
    ['none without the array', gift, { n: null }, {}],
    ['a value itself', { notes: "tags[?@ == 'x']" }, { tags: ['a', 'x'] }, { notes: 'x' }],
    [
      'by two filters',
      { notes: 'a[?@.k == 1].b[?@.k == 2].v' },
      { a: [{ k: 1, b: [{ k: 1 }, { k: 2, v: 'x' }] }] },
      { notes: 'x' },
    ],
    [
      'within a line',
      { 'items[].notes': "l[].p[?@.n == 'e'].v" },
      { l: [{ p: [{ n: 'e', v: 1 }] }, { p: [] }, {}] },
      { items: [{ notes: 1 }, {}, {}] },
    ],
    [
      'before a line',
      { 'items[].notes': "w[?@.k == 'x'].l[].v" },
      { w: [{ k: 'y' }, { k: 'x', l: [{ v: 1 }] }] },
      { items: [{ notes: 1 }] },
    ],
    ['of the document', { notes: "$[?@.k == 'x'].v" }, [{ k: 'x', v: 1 }] as Json, { notes: 1 }],
    [
      'in the older syntax',
      { notes: '$.a[?(@.y == 1)].v' },
      { a: [{ y: 1, v: 'x' }] },
      { notes: 'x' },
    ],
  ])('takes %s', dropping)

  it.each<Case>([
    [
      'two',
      gift,
      { n: [{ name: 'gift' }, {}, { name: 'gift' }, { name: 'gift' }] },
      ambiguous('metadata.gift', 'n[0]', 'n[2]'),
    ],
    [
      'two in a line',
      { 'items[].notes': 'l[].p[?@.n].v' },
      { l: [{}, { p: [{}, { n: 1 }, { n: 2 }] }] },
      ambiguous('items[].notes', 'l[1].p[1]', 'l[1].p[2]'),
    ],
    [
      'two that are the same',
      gift,
      {
        n: [
          { name: 'gift', value: 1 },
          { name: 'gift', value: 1 },
        ],
      },
      ambiguous('metadata.gift', 'n[0]', 'n[1]'),
    ],
    [
      'two of the document',
      { notes: '$[?@.k].v' },
      [{ k: 1 }, { k: 2 }] as Json,
      ambiguous('notes', '$[0]', '$[1]'),
    ],
    ['a text', gift, { n: 'gift' }, [mismatch('metadata.gift', 'n', 'array', 'string')]],
    [
      'two, whatever the default',
      { notes: { from: 'n[?@.k].v', default: 'd' } },
      { n: [{ k: 1 }, { k: 2 }] },
      ambiguous('notes', 'n[0]', 'n[1]'),
    ],
    [
      'two, in a list that could go on',
      { notes: { from: ['n[?@.k].v', 'b'] } },
      { b: 1, n: [{ k: 1 }, { k: 2 }] },
      ambiguous('notes', 'n[0]', 'n[1]'),
    ],
  ])('refuses %s', dropping)
})

const DROP: Options = { unmapped: 'drop' }

/** Elements that are passed over; with `all`, then the other fields that no rule reads. */
function warned(source: Fields, payload: Json, options: Options = DROP, all = false) {
  const { unread, problems } = map(source, payload, options)
  expect(problems).toEqual([])
  const { passedOver, fields } = unread()
  return all ? [...passedOver, ...fields] : passedOver
}
const names = (...given: Parameters<typeof warned>) => warned(...given).map(({ field }) => field)

describe('elements that no rule reads because all give an index', () => {
  it.each<[string, Fields, Json, string[]]>([
    ['from the second on', { notes: 'orders[0].n' }, { orders: [{ n: 1 }, {}, {}] }, ['orders[1]']],
    ['in the middle', { notes: 'o[0]', customer_name: 'o[2]' }, { o: [1, 2, 3] }, ['o[1]']],
    ['before the last', { notes: 'refs[-1]' }, { refs: [1, 2, 3] }, ['refs[0]']],
    [
      'between the first and the last',
      { notes: 'r[0]', customer_name: 'r[-1]' },
      { r: [1, 2, 3] },
      ['r[1]'],
    ],
    ['none of one', { notes: 'r[0]' }, { r: [1] }, []],
    [
      'none where every element is read',
      { notes: 'r[0]', 'metadata.x[]': 'r[]' },
      { r: [1, 2] },
      [],
    ],
    ['in a document that is an array', { notes: '$[0].a' }, [{ a: 1 }, {}], ['$[1]']],
    [
      'in two arrays',
      { notes: 'a[0]', customer_name: 'b[0]' },
      { a: [1, 2], b: [1, 2] },
      ['a[1]', 'b[1]'],
    ],
    ['in a list of from', { notes: { from: ['a[0]', 'a[1]'] } }, { a: [1, 2, 3] }, ['a[2]']],
    ['in a join', { notes: { join: ['a[0]', 'a[2]'] } }, { a: [1, 2, 3] }, ['a[1]']],
  ])('are warned about: %s', (_, fields, payload, expected) => {
    expect(names(fields, payload)).toEqual(expected)
  })

  it.each(['keep', 'drop'] as const)('are named first, with their number, with %s', (unmapped) => {
    const payload = { other: 1, orders: [{ n: 1, m: 2 }, {}, {}] }
    const [first, ...rest] = warned({ notes: 'orders[0].n' }, payload, { unmapped }, true)
    expect(first).toEqual({
      field: 'orders[1]',
      message: 'The mapping reads this array by index: 2 elements from here on had no effect.',
    })
    expect(rest.map(({ field }) => field)).toContain('orders[].m')
  })

  it('say so of a single one', () => {
    const [warning] = warned({ notes: 'orders[0]' }, { orders: [1, 2] })
    expect(warning?.message).toBe('The mapping reads this array by index: it had no effect.')
  })
})

describe('elements that a filter leaves out', () => {
  const each: Fields = { 'items[]': { each: "l[?@.k == 'x']" }, 'items[].sku_code': 'l[].s' }

  it.each<[string, Fields, Json]>([
    ['by an each', each, { l: [{ k: 'x', s: 1 }, { k: 'y', s: 2, more: 1 }, 7] }],
    [
      'by a join',
      { notes: { join: ['l[?@.k].v'] } },
      {
        l: [
          { k: 1, v: 'a' },
          { v: 'b', more: 1 },
        ],
      },
    ],
    [
      'by a filter that picks',
      { notes: 'l[?@.k].v' },
      {
        l: [
          { k: 1, v: 'a' },
          { v: 'b', more: 1 },
        ],
      },
    ],
    [
      'by every filter of two',
      { notes: 'l[?@.k == 1].v', customer_name: 'l[?@.k == 2].v' },
      {
        l: [
          { k: 1, v: 'a' },
          { k: 3, v: 'c' },
        ],
      },
    ],
  ])('are no warning: %s', (_, fields, payload) => {
    expect(names(fields, payload, DROP, true)).toEqual([])
  })

  it('are no warning, but fields of the others are', () => {
    const payload = {
      l: [
        { k: 'x', s: 1, colour: 1 },
        { k: 'y', size: 1 },
      ],
    }
    expect(names(each, payload, DROP, true)).toEqual(['l[].colour'])
  })

  it('are a warning where a second array has other rules', () => {
    const fields: Fields = { ...each, 'metadata.tags[]': { each: 't[].name' } }
    const payload = { l: [], t: [{ name: 1, kind: 2 }] }
    expect(names(fields, payload, DROP, true)).toEqual(['t[].kind'])
  })

  it('what a filter asks for is read', () => {
    const fields = { notes: "l[?@.k == 'x' && length(@.m) > 0].v" }
    expect(names(fields, { l: [{ k: 'x', m: 'y', v: 1 }] }, DROP, true)).toEqual([])
  })
})
