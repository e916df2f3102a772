import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SavedRule } from '../../src/engine/mapping/saved-rule.ts'
import { byDepth } from '../fixtures/depth.ts'
import { map, unconverted } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Case, dropping } from './cases.ts'
import { type Refused, refuses } from './saved.ts'

const DROP = { unmapped: 'drop' } as const
type More = Pick<Exclude<SavedRule, string> & { from: string }, never> & Record<string, Json>

const of = (more: More, from = 'l[].q') =>
  ({ 'items[].quantity': { from, as: 'integer', ...more } }) as Record<string, SavedRule>
const below = (more: More, each = 'l[]') => ({ 'items[]': { each }, ...of(more) })
const items = (...quantities: Json[]) => ({ items: quantities.map((quantity) => ({ quantity })) })

describe('less and times', () => {
  it.each<Case>([
    ['take a field off', of({ less: ['l[].c'] }), { l: [{ q: 5, c: 2 }] }, items(3)],
    ['take texts off', of({ less: ['l[].c'] }), { l: [{ q: '5', c: ' 2.0' }] }, items(3)],
    [
      'take several off',
      of({ less: ['l[].c', 'l[].r'] }),
      {
        l: [
          { q: 5, c: 2, r: 1 },
          { q: 4, r: 3 },
        ],
      },
      items(2, 1),
    ],
    [
      'take nothing off without a value',
      of({ less: ['l[].c', 'l[].d.e', 'l[].r[].q'] }),
      { l: [{ q: 5 }, { q: 4, c: null, d: null, r: [] }, { q: 3, c: '', d: {}, r: [{}] }] },
      items(5, 4, 3),
    ],
    [
      'add up the elements of one array more',
      of({ less: ['l[].r[].q'] }),
      { l: [{ q: 5, r: [{ q: 1 }, { q: '2' }] }, { q: 5 }] },
      items(2, 5),
    ],
    [
      'add up the elements that a filter takes',
      below({ less: ["l[].r[?@.s == 'x'].q"] }),
      {
        l: [
          {
            q: 5,
            r: [
              { s: 'x', q: 1 },
              { s: 'y', q: 2 },
              { s: 'x', q: 3 },
            ],
          },
        ],
      },
      items(1),
    ],
    [
      'add up an array for one field',
      { 'metadata.x': { from: 'q', as: 'integer', less: ['r[].q'] } },
      { q: 5, r: [{ q: 1 }, { q: 2 }] },
      { metadata: { x: 2 } },
    ],
    ['multiply by a number', of({ times: 12 }), { l: [{ q: 2 }] }, items(24)],
    ['multiply by a path', of({ times: 'l[].p' }), { l: [{ q: 2, p: '6' }] }, items(12)],
    ['multiply by the same for all', of({ times: 'p' }), { p: 3, l: [{ q: 1 }] }, items(3)],
    [
      'multiply what is left',
      of({ less: ['l[].c'], times: 'l[].p' }),
      { l: [{ q: 5, c: 2, p: 10 }] },
      items(30),
    ],
    [
      'read a comma',
      of({ less: ['l[].c'], decimal: ',' }),
      { l: [{ q: '1.000', c: '1.000,00' }] },
      items(0),
    ],
    ['pass over none', of({ less: ['l[].c'], none: [-1] }), { l: [{ q: 5, c: -1 }] }, items(5)],
    ['leave a default as it is', of({ less: ['l[].c'], default: 7 }), { l: [{ c: 2 }] }, items(7)],
    [
      'read the outer element and the inner one',
      {
        'items[]': { each: 'l[].o[]' },
        'items[].quantity': { from: 'l[].q', as: 'integer', less: ['l[].o[].c'], times: 'l[].p' },
      },
      {
        l: [
          { q: 5, p: 2, o: [{ c: 1 }, { c: 2 }, {}] },
          { q: 1, p: 3, o: [{ c: 1 }] },
        ],
      },
      items(8, 6, 10, 0),
    ],
    [
      'read the elements where the rule itself repeats',
      {
        'items[]': { each: 'l[]' },
        'items[].quantity': { from: 'q', as: 'integer', less: ['l[].c'] },
      },
      { q: 5, l: [{ c: 1 }, { c: 2 }] },
      items(4, 3),
    ],
  ])('%s', dropping)

  it.each<[about: string, more: More, line: Json, at: string, expected: string, found: string]>([
    [
      'goes below zero',
      { less: ['l[].c'] },
      { q: 2, c: 3 },
      'l[0].q',
      'integer of at least 3',
      '2',
    ],
    [
      'is no integer',
      { less: ['l[].c'] },
      { q: 2, c: '1.5' },
      'l[0].c',
      'integer of at least 0',
      '"1.5"',
    ],
    [
      'is negative',
      { less: ['l[].c'] },
      { q: 2, c: -1 },
      'l[0].c',
      'integer of at least 0',
      '"-1"',
    ],
    [
      'is no integer in an array',
      { less: ['l[].r[].q'] },
      { q: 2, r: [{ q: 1 }, { q: 'x' }] },
      'l[0].r[1].q',
      'integer of at least 0',
      '"x"',
    ],
    [
      'is a factor of 0',
      { times: 'l[].p' },
      { q: 2, p: 0 },
      'l[0].p',
      'integer of at least 1',
      '"0"',
    ],
    [
      'is too large',
      { times: 'l[].p' },
      { q: 9007199254740991, p: 2 },
      'l[0].q',
      'smaller integer',
      '9007199254740991 x 2',
    ],
  ])('refuse what %s', (_, more, line, at, expected, found) => {
    expect(map(of(more), { l: [line] }, DROP).problems).toEqual([
      unconverted('items[].quantity', at, expected, found),
    ])
  })

  it('refuse a factor that is missing', () => {
    const { problems } = map(of({ times: 'l[].p' }), { l: [{ q: 2 }] }, DROP)
    expect(problems).toMatchObject([{ reason: 'SOURCE_MISSING', at: 'l[0].p' }])
  })

  it('name what is of the wrong kind', () => {
    const { problems } = map(
      of({ less: ['l[].r[].q'] }),
      { l: [{ q: 2, r: [{ q: {} }, 1] }] },
      DROP,
    )
    expect(problems).toMatchObject([
      { reason: 'TYPE_MISMATCH', at: 'l[0].r[0].q', expected: 'single value', found: 'object' },
      { reason: 'TYPE_MISMATCH', at: 'l[0].r[1]', expected: 'object', found: 'number' },
    ])
  })

  it('are errors of their row in an upload', () => {
    const { problems, value } = map(
      { 'inventory[].quantity': { from: 'l[].q', as: 'integer', less: ['l[].c'] } },
      {
        l: [
          { q: 1, c: 2 },
          { q: 2, c: 1 },
        ],
      },
      { ...DROP, resource: 'inventory' },
    )
    expect(problems).toEqual([])
    expect(value).toEqual({ inventory: [{}, { quantity: 1 }] })
  })

  it('name all paths that they read', () => {
    const fields = of({ less: ['l[].c', 'l[].r[].q'], times: 'p' })
    const { sourceOf } = map(fields, { p: 1, l: [{ q: 1 }, { q: 2, c: 1 }] }, DROP)
    expect(sourceOf('items[1].quantity')).toBe('l[1].q, l[1].c, l[1].r[].q, p')
  })

  it('are fields that the mapping reads', () => {
    const { unread } = map(
      of({ less: ['l[].c'], times: 'p' }),
      { p: 1, l: [{ q: 1, c: 0, x: 1 }] },
      DROP,
    )
    expect(unread().fields.map(({ field }) => field)).toEqual(['l[].x'])
  })
})

describe('"at_zero": "leave_out"', () => {
  const rules: Record<string, SavedRule> = {
    ...below({ less: ['l[].c'], at_zero: 'leave_out' }, "l[?@.s != 'x']"),
    'items[].sku_code': 'l[].sku',
    'items[].notes': { from: 'l[].n', as: 'integer' },
  }

  it('leaves out the line with all of its problems', () => {
    const l = [
      { s: 'x', q: 1, sku: 'A' },
      { q: 1, c: 1, sku: 'B', n: 'no integer' },
      { q: 2, c: 1, sku: 'C' },
      { q: 0, sku: 'D' },
      { q: 3, sku: 'E' },
    ]
    const { value, problems, sourceOf } = map(rules, { l }, DROP)
    expect([problems, value]).toEqual([
      [],
      {
        items: [
          { quantity: 1, sku_code: 'C' },
          { quantity: 3, sku_code: 'E' },
        ],
      },
    ])
    expect(sourceOf('items[0].sku_code')).toBe('l[2].sku')
    expect(sourceOf('items[1].quantity')).toBe('l[4].q, l[4].c')
  })

  it('notes the problem of a quantity once', () => {
    const { problems } = map(rules, { l: [{ q: 1, c: 2 }] }, DROP)
    expect(problems).toHaveLength(1)
  })

  it('keeps a line without a quantity, which is then refused', () => {
    expect(map(rules, { l: [{ sku: 'A' }] }, DROP).value).toEqual({ items: [{ sku_code: 'A' }] })
  })

  it('leaves what a naive way leaves, and knows where each line comes from', () => {
    const count = fc.integer({ min: 0, max: 3 })
    const line = fc.record({ q: count, c: count, s: fc.constantFrom('x', 'y'), sku: fc.nat() })
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), (l) => {
        const kept = l.flatMap((one, at) => (one.s !== 'x' && one.q > one.c ? [{ one, at }] : []))
        fc.pre(l.every(({ s, q, c }) => s === 'x' || q >= c))
        const { value, problems, sourceOf } = map(rules, { l }, DROP)
        expect(problems).toEqual([])
        expect(value).toEqual({
          items: kept.map(({ one }) => ({ sku_code: one.sku, quantity: one.q - one.c })),
        })
        for (const [index, { at }] of kept.entries()) {
          expect(sourceOf(`items[${index}].sku_code`)).toBe(`l[${at}].sku`)
        }
      }),
      { numRuns: byDepth(200, 3000) },
    )
  })
})

describe('a rule that is saved', () => {
  it.each<Refused>([
    [
      'less without an integer',
      { notes: { from: 'a', less: ['b'] } },
      '"less", "times" and "at_zero" need "as": "integer".',
    ],
    ['less that is no list', of({ less: 'l[].c' }), '"less" must be a list of at most 8 paths.'],
    [
      'nine paths',
      of({ less: Array(9).fill('l[].c') }),
      '"less" must be a list of at most 8 paths.',
    ],
    ['a factor of 0', of({ times: 0 }), '"times" must be a path or an integer from 1 to 1000000.'],
    [
      'a factor of 1.5',
      of({ times: 1.5 }),
      '"times" must be a path or an integer from 1 to 1000000.',
    ],
    ['another word at zero', below({ at_zero: 'keep' }), '"at_zero" can only be "leave_out".'],
    [
      'at_zero without an each',
      of({ at_zero: 'leave_out' }),
      '"at_zero" is for "items[].quantity" below an "each" of "items[]".',
    ],
    [
      'an odd path',
      of({ less: ['l[] c'] }),
      'The source "l[] c" is not a path from " c" on (write a.b, a[0], a[] or a[\'any key\']).',
    ],
    [
      'two arrays more',
      of({ less: ['l[].r[].s[]'] }),
      '"less" adds up the elements of one array: "l[].r[].s[]" goes through more.',
    ],
    ['another array', of({ less: ['m[].c'] }), '"m[].c" must go through "l[]", as the rule does.'],
    [
      'an array as factor',
      of({ times: 'l[].r[].q' }),
      '"times" takes one value: "l[].r[].q" leads to several.',
    ],
    [
      'two arrays more below an each',
      below({ less: ['l[].r[].s[]'] }),
      '"less" adds up the elements of one array: "l[].r[].s[]" goes through more.',
    ],
    [
      'another array below an each',
      below({ less: ['m[].c'] }),
      'Goes through "m[]", but the "each" above through "l[]".',
    ],
  ])('cannot have %s', refuses)
})
