import { describe, expect, it } from 'vitest'
import type { SavedPart, SavedRule } from '../../src/engine/mapping/saved-rule.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { map, mismatch } from '../fixtures/mapped.ts'
import { type Case, dropping } from './cases.ts'
import { type Refused, refuses } from './saved.ts'

const DROP = { unmapped: 'drop' } as const
const of = (...join: SavedPart[]): Record<string, SavedRule> => ({ notes: { join, with: ', ' } })
const options = of({ pair: ['o[].n', 'o[].v'] })
const lines: Record<string, SavedRule> = {
  'items[].sku_code': 'l[].sku',
  'items[].notes': { join: [{ pair: ['l[].o[].n', 'l[].o[].v'], with: '=' }], with: '; ' },
}

describe('pairs of a join', () => {
  it.each<Case>([
    [
      'stand in order',
      options,
      {
        o: [
          { n: 'colour', v: 'red' },
          { n: 'size', v: 7 },
        ],
      },
      { notes: 'colour: red, size: 7' },
    ],
    [
      'are their value alone without a label',
      options,
      { o: [{ n: '', v: 'red' }, { v: 'XL' }] },
      { notes: 'red, XL' },
    ],
    ['are nothing without a value', options, { o: [{ n: 'colour' }, { n: 'size', v: null }] }, {}],
    [
      'stand beside other parts',
      of('a', { value: 'Options' }, { pair: ['b.n', 'b.v'] }),
      { a: 'x', b: { n: 'colour', v: 'red' } },
      { notes: 'x, Options, colour: red' },
    ],
    [
      'are of the line at hand',
      lines,
      {
        l: [
          {
            sku: 'A',
            o: [
              { n: 'x', v: 1 },
              { n: 'y', v: 2 },
            ],
          },
          { sku: 'B', o: [] },
          { sku: 'C', o: [{ v: 3 }] },
        ],
      },
      {
        items: [
          { sku_code: 'A', notes: 'x=1; y=2' },
          { sku_code: 'B' },
          { sku_code: 'C', notes: '3' },
        ],
      },
    ],
    [
      'are of the line itself',
      { 'items[].notes': { join: [{ pair: ['l[].n', 'l[].v'] }] } },
      { l: [{ n: 'x', v: 1 }, { v: 2 }] },
      { items: [{ notes: 'x: 1' }, { notes: '2' }] },
    ],
    [
      'are those that a filter takes',
      of({ pair: ['o[?@.shown == true].n', 'o[?@.shown == true].v'] }),
      {
        o: [
          { n: 'a', v: 1 },
          { n: 'b', v: 2, shown: true },
        ],
      },
      { notes: 'b: 2' },
    ],
    [
      'are the same for all lines of a document',
      { 'items[].sku_code': 'l[].sku', 'items[].notes': { join: [{ pair: ['m.n', 'm.v'] }] } },
      { m: { n: 'gift', v: 'yes' }, l: [{ sku: 'A' }, { sku: 'B' }] },
      {
        items: [
          { sku_code: 'A', notes: 'gift: yes' },
          { sku_code: 'B', notes: 'gift: yes' },
        ],
      },
    ],
    [
      'pass over what is none',
      { notes: { join: [{ pair: ['o[].n', 'o[].v'] }], none: ['-'] } },
      {
        o: [
          { n: '-', v: 'x' },
          { n: 'y', v: '-' },
        ],
      },
      { notes: 'x' },
    ],
    [
      'are looked up',
      { notes: { join: [{ pair: ['a', 'b'] }], values: { 'x: y': 'z' } } },
      { a: 'x', b: 'y' },
      { notes: 'z' },
    ],
  ])('%s', dropping)

  it('name both paths', () => {
    const { sourceOf } = map(lines, { l: [{ o: [] }, { o: [{ n: 'x', v: 1 }] }] }, DROP)
    expect(sourceOf('items[1].notes')).toBe('l[1].o[].n, l[1].o[].v')
  })

  it('have the name of the default where they find nothing', () => {
    const rule: SavedRule = { join: [{ pair: ['o[].n', 'o[].v'] }], default: 'none' }
    expect(map({ notes: rule }, { o: [{ n: 'x' }] }, DROP).sourceOf('notes')).toBeNull()
    expect(map({ notes: rule }, { o: [{ v: 'x' }] }, DROP).sourceOf('notes')).toBe('o[].n, o[].v')
  })

  it('cannot have an object as label or value', () => {
    const { problems } = map(
      lines,
      {
        l: [
          {
            o: [
              { n: {}, v: 1 },
              { n: 'x', v: [1] },
            ],
          },
        ],
      },
      DROP,
    )
    expect(problems).toEqual([
      mismatch('items[].notes', 'l[0].o[0].n', 'single value', 'object'),
      mismatch('items[].notes', 'l[0].o[1].v', 'single value', 'array'),
    ])
  })

  it('are fields that the mapping reads', () => {
    const { unread } = map(options, { o: [{ n: 'x', v: 1, more: 1 }] }, DROP)
    expect(unread().fields.map(({ field }) => field)).toEqual(['o[].more'])
  })

  inDeepPass(() => {
    it('count their elements', () => {
      const o = Array.from({ length: 3000 }, () => ({}))
      const l = Array.from({ length: 4000 }, () => ({}))
      const rules: Record<string, SavedRule> = {
        'items[]': { each: 'w[].l[]' },
        'items[].notes': { join: ['w[].l[].x', { pair: ['w[].l[].o[].n', 'w[].l[].o[].v'] }] },
      }
      const shared = l.map(() => ({ o }))
      expect(map(rules, { w: [{ l: shared }] }, DROP).problems).toMatchObject([
        { reason: 'TOO_LARGE', unit: 'steps' },
      ])
    })
  })

  const two = '"pair" must be two paths: that of the label and that of the value.'
  const join = (part: unknown) => ({ notes: { join: [part] } }) as Refused[1]
  it.each<Refused>([
    ['one path', join({ pair: ['a'] }), two],
    ['three', join({ pair: ['a', 'b', 'c'] }), two],
    ['a number', join({ pair: ['a', 1] }), two],
    [
      'another member',
      join({ pair: ['a', 'b'], value: 'x' }),
      'A "pair" cannot have "value": it has only "with".',
    ],
    [
      'a long text between',
      join({ pair: ['a', 'b'], with: 'x'.repeat(21) }),
      '"with" must be a text of at most 20 characters.',
    ],
    [
      'different arrays',
      join({ pair: ['a[].n', 'b[].v'] }),
      'Both paths of a "pair" must go through the same arrays.',
    ],
    [
      'different filters',
      join({ pair: ['a[?@.x].n', 'a[?@.y].v'] }),
      'Both paths of a "pair" must go through the same arrays.',
    ],
    [
      'one array',
      join({ pair: ['a.n', 'a[].v'] }),
      'Both paths of a "pair" must go through the same arrays.',
    ],
    [
      'a header',
      join({ pair: ["$header['A']", 'b'] }),
      'A "pair" reads the document: headers and parameters are parts of their own.',
    ],
    [
      'an odd part',
      join({ text: 'x' }),
      'A part of "join" must be a path, {"value": text} or {"pair": [path, path]}.',
    ],
  ])('cannot be saved with %s', refuses)
})
