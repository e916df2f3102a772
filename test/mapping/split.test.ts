import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/engine/json/exact-number.ts'
import type { SavedRule } from '../../src/engine/mapping/saved-rule.ts'
import { byDepth } from '../fixtures/depth.ts'
import { map, mismatch } from '../fixtures/mapped.ts'
import { type Case, dropping } from './cases.ts'
import { type Refused, refuses } from './saved.ts'

const DROP = { unmapped: 'drop' } as const
const skus = (
  split: string,
  each = 's',
  more: SavedRule = `${each}[]`,
): Record<string, SavedRule> => ({
  'items[]': { each, split },
  'items[].sku_code': more,
})
const items = (...codes: string[]) => ({ items: codes.map((sku_code) => ({ sku_code })) })

describe('split', () => {
  it.each<Case>([
    ['makes elements of the parts', skus(' '), { s: 'A B' }, items('A', 'B')],
    ['makes one of a text without the mark', skus(','), { s: 'A B' }, items('A B')],
    ['takes a mark of several characters', skus('::'), { s: 'A::B:C' }, items('A', 'B:C')],
    ['leaves out blank parts', skus(','), { s: ',A,, ,B,' }, items('A', 'B')],
    ['keeps blanks of a part', skus(','), { s: 'A, B' }, items('A', ' B')],
    [
      'trims by text',
      skus(',', 's', { from: 's[]', text: ['trim'] }),
      { s: 'A, B' },
      items('A', 'B'),
    ],
    ['has no parts of an empty text', skus(','), { s: '' }, { items: [] }],
    ['takes the digits of a number', skus('.'), { s: 1.5 }, items('1', '5')],
    ['finds none where there is no text', skus(','), { s: null }, {}],
    [
      'splits the text of each element',
      { ...skus(' ', 'l[].s'), 'items[].notes': 'l[].n' },
      { l: [{ s: 'A B', n: 'x' }, { n: 'y' }, { s: 'C', n: 'z' }] },
      {
        items: [
          { sku_code: 'A', notes: 'x' },
          { sku_code: 'B', notes: 'x' },
          { sku_code: 'C', notes: 'z' },
        ],
      },
    ],
    [
      'makes a plain list',
      { 'metadata.tags[]': { each: 'tags', split: ',' } },
      { tags: 'a,b' },
      { metadata: { tags: ['a', 'b'] } },
    ],
    [
      'converts parts',
      { 'items[]': { each: 's', split: ',' }, 'items[].quantity': { from: 's[]', as: 'integer' } },
      { s: '1, 2' },
      { items: [{ quantity: 1 }, { quantity: 2 }] },
    ],
  ])('%s', dropping)

  it('names the path of the whole text', () => {
    const { sourceOf } = map(skus(' ', 'l[].s'), { l: [{ s: 'A' }, { s: 'B C' }] }, DROP)
    expect(sourceOf('items[2].sku_code')).toBe('l[1].s')
    const rule: SavedRule = { from: 's[]', as: 'integer' }
    const { problems } = map(
      { 'items[]': { each: 's', split: ',' }, 'items[].quantity': rule },
      { s: '1,x' },
      DROP,
    )
    expect(problems).toMatchObject([{ reason: 'CONVERSION', at: 's', found: '"x"' }])
  })

  it.each(['1-2', 1.5, true, new ExactNumber('1.50')])(
    'names the path of %s, which has no places within',
    (s) => {
      const split = typeof s === 'string' ? '-' : '.'
      const { sourceOf } = map(
        { 'metadata.tags[]': { each: 'l[].s', split } },
        { l: [{ s }] },
        DROP,
      )
      expect([sourceOf('metadata.tags[0]'), sourceOf('metadata.tags')]).toEqual(['l[0].s', 'l'])
    },
  )

  it('has the path of the text for a part beside which the rule has a default', () => {
    const rule: SavedRule = { from: 's[]', as: 'integer', default: 7 }
    const fields = { 'items[]': { each: 's', split: ',' }, 'items[].quantity': rule }
    const { value, sourceOf } = map(fields, { s: '1,2' }, DROP)
    expect(value).toEqual({ items: [{ quantity: 1 }, { quantity: 2 }] })
    expect(sourceOf('items[1].quantity')).toBe('s')
    const table: SavedRule = { from: 's[]', values: { x: 'X', '*': null }, default: 'none' }
    const other = map({ ...fields, 'items[].quantity': table }, { s: 'y,x' }, DROP)
    expect(other.value).toEqual({ items: [{ quantity: 'none' }, { quantity: 'X' }] })
    const sources = [0, 1].map((at) => other.sourceOf(`items[${at}].quantity`))
    expect(sources).toEqual([null, 's'])
  })

  it.each([
    [{ a: 1 }, 'object'],
    [['A'], 'array'],
  ])('cannot split %j', (s, kind) => {
    expect(map(skus(','), { s }, DROP).problems).toEqual([
      mismatch('items[]', 's', 'single value', kind),
    ])
  })

  it('makes no more parts than a document may have, of a text of any length', () => {
    const { problems } = map(skus(','), { s: 'A,'.repeat(400_000) }, DROP)
    expect(problems).toMatchObject([{ reason: 'TOO_LARGE' }])
    expect(map(skus(','), { s: ','.repeat(12_000_000) }, DROP).problems).toMatchObject([
      { reason: 'TOO_LARGE', unit: 'steps' },
    ])
  })

  it('gives what splitting the text gives', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '-', ' ', ','), maxLength: 12 })
    fc.assert(
      fc.property(text, fc.constantFrom(',', '-', ', ', 'ab'), (s, split) => {
        const parts = s.split(split).filter((part) => part.trim() !== '')
        expect(map(skus(split), { s }, DROP).value).toEqual(items(...parts))
      }),
      { numRuns: byDepth(300, 3000) },
    )
  })

  it.each<Refused>([
    ['an empty mark', skus('') as Refused[1], '"split" must be a text of at least 1 character.'],
    [
      'a long mark',
      skus('x'.repeat(21)) as Refused[1],
      '"split" must be a text of at most 20 characters.',
    ],
    [
      'a field of a part',
      skus(',', 's', 's[].x') as Refused[1],
      '"s[]" are parts of a text: "s[].x" leads to nothing.',
    ],
    [
      'a rule for another path',
      { notes: { from: 'a', split: ',' } },
      'Must not have "split": beside "from" a rule has only none, text, values, as, format, zone, decimal, less, times, at_zero, default, code, required.',
    ],
  ])('cannot be saved with %s', refuses)
})
