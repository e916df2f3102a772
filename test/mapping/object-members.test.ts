import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bodyFault, mapDocument } from '../../src/engine/mapping/inbound.ts'
import type { SavedRule, SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import { byDepth } from '../fixtures/depth.ts'
import { map, mismatch, refusals, sent } from '../fixtures/mapped.ts'
import { type Case, dropping } from './cases.ts'
import { type Refused, refuses } from './saved.ts'

const DROP = { unmapped: 'drop' } as const
const lines: Record<string, SavedRule> = {
  'items[]': { each: 'l[*]' },
  'items[].sku_code': 'l[*]~',
  'items[].quantity': 'l[*].q',
}

describe('[*]', () => {
  it.each<Case>([
    [
      'takes the members of an object, with their names',
      lines,
      { l: { A: { q: 1 }, B: { q: 2 } } },
      {
        items: [
          { sku_code: 'A', quantity: 1 },
          { sku_code: 'B', quantity: 2 },
        ],
      },
    ],
    [
      'takes them without an each',
      { 'items[].sku_code': 'l[*]~', 'items[].quantity': 'l[*]' },
      { l: { A: 1, B: 2 } },
      {
        items: [
          { sku_code: 'A', quantity: 1 },
          { sku_code: 'B', quantity: 2 },
        ],
      },
    ],
    [
      'takes names alone',
      { 'metadata.tags[]': { each: 'l[*]~' } },
      { l: { a: 1, b: 2 } },
      { metadata: { tags: ['a', 'b'] } },
    ],
    [
      'takes an array, too',
      { 'items[].quantity': 'l[*].q' },
      { l: [{ q: 1 }] },
      { items: [{ quantity: 1 }] },
    ],
    ['finds none in an empty object', lines, { l: {} }, { items: [] }],
    [
      'has names like integers first',
      { 'metadata.tags[]': { each: 'l[*]~' } },
      JSON.parse('{"l": {"b": 1, "10": 2, "9": 3}}'),
      { metadata: { tags: ['9', '10', 'b'] } },
    ],
    [
      'takes members of members',
      {
        'inventory[]': { each: 'w[*].s[*]' },
        'inventory[].location_code': 'w[*]~',
        'inventory[].sku_code': { from: ['w[*].s[*].sku', 'w[*].s[*]~'] },
        'inventory[].quantity': 'w[*].s[*].q',
      },
      { w: { L1: { s: { A: { q: 1 }, B: { q: 2, sku: 'C' } } }, L2: { s: { A: { q: 3 } } } } },
      {
        inventory: [
          { location_code: 'L1', sku_code: 'A', quantity: 1 },
          { location_code: 'L1', sku_code: 'C', quantity: 2 },
          { location_code: 'L2', sku_code: 'A', quantity: 3 },
        ],
      },
      { resource: 'inventory' },
    ],
    [
      'joins names and pairs of names',
      {
        notes: { join: ['p[*]~'] },
        'metadata.x': { join: [{ pair: ['p[*]~', 'p[*]'] }], with: ', ' },
      },
      { p: { colour: 'red', size: 'XL', more: null } },
      { notes: 'colour size more', metadata: { x: 'colour: red, size: XL' } },
    ],
    [
      'joins names of the line at hand',
      {
        ...lines,
        'items[].notes': { join: ['l[*]~', { pair: ['l[*]~', 'l[*].q'] }, 'l[*].p[*]~'] },
      },
      { l: { A: { q: 1, p: { x: 1, y: 2 } } } },
      { items: [{ sku_code: 'A', quantity: 1, notes: 'A A: 1 x y' }] },
    ],
    [
      'reads steps of a name',
      { 'items[].sku_code': { from: 'l[*]~', text: [{ after: '-' }], default: 'none' } },
      { l: { 'x-A': 1 } },
      { items: [{ sku_code: 'A' }] },
    ],
    [
      'adds up members',
      { 'metadata.x': { from: 'q', as: 'integer', less: ['c[*]'] } },
      { q: 9, c: { a: 1, b: 2 } },
      { metadata: { x: 6 } },
    ],
  ])('%s', dropping)

  it.each<Case>([
    [
      'chooses members',
      { 'items[]': { each: "d[?@.tag == 'line']" }, 'items[].sku_code': 'd[*].sku' },
      { d: { h: { tag: 'header' }, a: { tag: 'line', sku: 'A' }, b: { tag: 'line', sku: 'B' } } },
      { items: [{ sku_code: 'A' }, { sku_code: 'B' }] },
    ],
    [
      'picks one member',
      { notes: "d[?@.tag == 'header'].no" },
      { d: { h: { tag: 'header', no: 7 }, a: { tag: 'line' } } },
      { notes: 7 },
    ],
    ['picks no member', { notes: 'd[?@.x].no' }, { d: { h: {} } }, {}],
  ])('a filter %s', dropping)

  it('names both members that a filter takes', () => {
    const { problems } = map({ notes: 'd[?@.x].no' }, { d: { 'a b': { x: 1 }, c: { x: 1 } } }, DROP)
    expect(problems).toMatchObject([{ reason: 'AMBIGUOUS', at: "d['a b']", found: 'd.c' }])
  })

  it('names members in paths, also where it reads their names', () => {
    const fields = { ...lines, 'items[].notes': "l[*].p[?@.k == 'x'].v" } as Record<
      string,
      SavedRule
    >
    const l = { A: { q: 1 }, 'b c': { q: 2, more: 1, p: { z: { k: 'x', v: 'y' } } } }
    const { sourceOf, unread } = map(fields, { l }, DROP)
    expect(sourceOf('items[1].sku_code')).toBe("l['b c']")
    expect(sourceOf('items[1].quantity')).toBe("l['b c'].q")
    expect(sourceOf('items[1].notes')).toBe("l['b c'].p.z.v")
    expect(unread().fields.map(({ field }) => field)).toEqual(['l[].more'])
    const faulty = map(
      { 'items[].quantity': { from: 'l[*].q', as: 'integer' } },
      { l: { A: { q: 'x' } } },
      DROP,
    )
    expect(faulty.problems).toMatchObject([{ reason: 'CONVERSION', at: 'l.A.q' }])
  })

  it.each<[about: string, fields: Record<string, SavedRule>]>([
    ['[] of an object', { 'items[].quantity': 'l[].q' }],
    ['[] of an object in an each', { 'items[]': { each: 'l[]' }, 'items[].quantity': 'l[].q' }],
    ['[] of an object in a join', { 'items[]': { each: 'm[]' }, notes: { join: ['l[].q'] } }],
    ['an index of an object', { notes: 'l[0].q' }],
  ])('is needed: %s is of the wrong kind', (_, fields) => {
    const { problems } = map(fields, { l: { A: { q: 1 } }, m: [] }, DROP)
    expect(problems).toMatchObject([
      { reason: 'TYPE_MISMATCH', at: 'l', expected: 'array', found: 'object' },
    ])
  })

  it('has no names in an array', () => {
    expect(map({ 'items[].sku_code': 'l[*]~' }, { l: [1] }, DROP).problems).toEqual([
      mismatch('items[].sku_code', 'l', 'object', 'array'),
    ])
    expect(map({ notes: { join: ['l[*]~'] } }, { l: [1] }, DROP).problems).toEqual([
      mismatch('notes', 'l', 'object', 'array'),
    ])
  })

  it('reads a document that is such an object', () => {
    const fields: Record<string, SavedRule> = {
      'inventory[].sku_code': '$[*]~',
      'inventory[].quantity': '$[*]',
    }
    const rules: SavedRules = { unmapped: 'drop', fields }
    expect(bodyFault('inventory', rules, { A: 1 })).toBeNull()
    const { value, sourceOf } = mapDocument('inventory', rules, sent({ A: 1 }, 'POST'))
    expect(value).toEqual({ inventory: [{ sku_code: 'A', quantity: 1 }] })
    expect(sourceOf('inventory[0].quantity')).toBe('A')
    const ofArray: SavedRules = { unmapped: 'drop', fields: { 'inventory[].quantity': '$[].q' } }
    expect(bodyFault('inventory', ofArray, { A: 1 })).toContain(
      'must be an array, of JSON or the rows of a CSV',
    )
  })

  it('follows no names of prototypes', () => {
    const l = JSON.parse('{"__proto__": {"q": 1}, "constructor": {"q": 2}}')
    expect(map(lines, { l }, DROP).value).toEqual({
      items: [
        { sku_code: '__proto__', quantity: 1 },
        { sku_code: 'constructor', quantity: 2 },
      ],
    })
  })

  it('gives what the array of the members gives', () => {
    const element = fc.record({ q: fc.nat({ max: 5 }), k: fc.constantFrom('x', 'y') })
    const name = fc.string({ minLength: 1, maxLength: 3 }).filter((one) => !/^\d+$/.test(one))
    const filter = fc.constantFrom('[*]', "[?@.k == 'x']", '[?@.q > 2]')
    fc.assert(
      fc.property(fc.dictionary(name, element, { noNullPrototype: true }), filter, (l, step) => {
        const fields = { 'items[]': { each: `l${step}` }, 'items[].quantity': 'l[*].q' }
        const [one, other] = [map(fields, { l }, DROP), map(fields, { l: Object.values(l) }, DROP)]
        expect(one.value).toEqual(other.value)
        expect(one.problems).toEqual([])
      }),
      { numRuns: byDepth(200, 3000) },
    )
  })
})

describe('~', () => {
  it.each<Refused>([
    [
      'after a name',
      { notes: { join: ['a[0]~'] } },
      'The source "a[0]~" has "~" without [*] before it: "stock[*]~" is the name of a member.',
    ],
    ['in a target', { 'items[]~': 'a[].b' }, 'The target has "~": only a source may have it.'],
    [
      'for one value',
      { notes: 'a[*]~' },
      'The source has 1 [] and the target 0: write the same number in both, or an index in the source, or "join" to put several values into one text.',
    ],
  ])('cannot be saved %s', refuses)

  it('is a part of a name elsewhere, and is not written out', () => {
    expect(map({ notes: 'a~' }, { 'a~': 'x' }).value).toEqual({ notes: 'x' })
    expect(refusals('orders', { outbound: { fields: { 'a[]': 'items[*]~' } } })).toEqual([
      [['outbound', 'fields', 'a[]'], 'Only inbound rules read the names of members ("~").'],
    ])
  })
})
