import { describe, expect, it } from 'vitest'
import { refusedRules } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Refused, refuses, words } from './saved.ts'

const LINES = { 'items[]': { each: 'l[]' } }

describe('a rule', () => {
  const ONE_OF =
    'Must be a path, {"from": path}, {"join": [paths]}, {"each": path} or {"value": any JSON}.'

  it.each<Refused>([
    ['a number', { notes: 1 }, ONE_OF],
    ['a list', { notes: ['a', 'b'] }, ONE_OF],
    ['null', { notes: null }, ONE_OF],
    ['nothing', { notes: {} }, 'Must have "from", "join", "each" or "value".'],
    ['steps alone', { notes: { as: 'string' } }, 'Must have "from", "join", "each" or "value".'],
    [
      'another member',
      { notes: { path: 'a' } },
      'Must not have "path": a rule has "from", "join", "each" or "value".',
    ],
    [
      'two origins',
      { notes: { from: 'a', join: ['b'] } },
      'Must have either "from" or "join", not both.',
    ],
    [
      'each and value',
      { 'items[]': { each: 'l[]', value: 1 } },
      'Must have either "each" or "value", not both.',
    ],
    [
      'a member that from has not',
      { notes: { from: 'a', with: '-' } },
      'Must not have "with": beside "from" a rule has only none, text, values, as, format, zone, decimal, less, times, at_zero, default, code, required.',
    ],
    [
      'a member that join has not',
      { notes: { join: ['a'], sep: '-' } },
      'Must not have "sep": beside "join" a rule has only with, none, text, values, as, format, zone, decimal, less, times, at_zero, default, code, required.',
    ],
    [
      'a member that each has not',
      { 'items[]': { each: 'l[]', required: true } },
      'Must not have "required": beside "each" a rule has only split.',
    ],
    [
      'a converted fixed value',
      { notes: { value: 1, as: 'string' } },
      'A fixed value cannot have "as".',
    ],
    [
      'required that is no boolean',
      { notes: { from: 'a', as: 'string', required: 1 } },
      '"required" must be true or false.',
    ],
    ['an empty list', { notes: { from: [] } }, '"from" must have at least 1 path.'],
    [
      'a list of other things',
      { notes: { from: ['a', 1] } },
      'Each entry of "from" must be a path.',
    ],
    ['nine paths', { notes: { from: [...'abcdefghi'] } }, '"from" must have at most 8 paths.'],
    [
      'a bad path in a list',
      { notes: { from: ['a', 'b c'] } },
      'The source "b c" is not a path from " c" on (write a.b, a[0], a[] or a[\'any key\']).',
    ],
    ['each that is no path', { 'items[]': { each: ['l[]'] } }, '"each" must be a path.'],
  ])('is refused when saved: %s', refuses)

  it.each<[string, Record<string, Json>]>([
    ['a list of eight', { notes: { from: [...'abcdefgh'] } }],
    ['a join of eight', { notes: { join: [...'abcdefgh'] } }],
    ['a separator of 20', { notes: { join: ['a', 'b'], with: '-'.repeat(20) } }],
    ['a fixed part of 1000', { notes: { join: ['a', { value: 'x'.repeat(1000) }] } }],
    ['no separator', { notes: { join: ['a', 'b'], with: '' } }],
    [
      '200 values',
      {
        notes: {
          from: 'a',
          values: Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`${n}`, 'x'])),
        },
      },
    ],
    [
      'each of three arrays',
      { 'items[]': { each: 'a[].b[?@.x].c[]' }, 'items[].sku_code': 'a[].b[].c[].d' },
    ],
    [
      'every member at once',
      {
        order_date: {
          from: ['a', 'b'],
          values: { x: '1' },
          as: 'datetime',
          format: 'epoch_seconds',
          default: '2020-01-01',
        },
      },
    ],
    ['a format for each way', { order_date: { join: ['a', 'b'], as: 'datetime', required: true } }],
  ])('is saved: %s', (_, fields) => {
    expect(words(fields)).toEqual({})
  })
})

describe('a join', () => {
  it.each<Refused>([
    ['no list', { notes: { join: 'a' } }, '"join" must be a list of paths and of {"value": text}.'],
    [
      'no path',
      { notes: { join: [{ value: 'x' }] } },
      '"join" must have a path: a fixed text alone is {"value": text}.',
    ],
    [
      'nothing',
      { notes: { join: [] } },
      '"join" must have a path: a fixed text alone is {"value": text}.',
    ],
    ['nine parts', { notes: { join: [...'abcdefghi'] } }, '"join" must have at most 8 parts.'],
    [
      'a part that is a number',
      { notes: { join: ['a', 1] } },
      'A part of "join" must be a path, {"value": text} or {"pair": [path, path]}.',
    ],
    [
      'a fixed part that is a number',
      { notes: { join: ['a', { value: 1 }] } },
      'A part of "join" must be a path, {"value": text} or {"pair": [path, path]}.',
    ],
    [
      'a fixed part with more',
      { notes: { join: ['a', { value: 'x', as: 'string' }] } },
      'A part of "join" must be a path, {"value": text} or {"pair": [path, path]}.',
    ],
    [
      'a long fixed part',
      { notes: { join: ['a', { value: 'x'.repeat(1001) }] } },
      'A fixed part of "join" must have at most 1000 characters.',
    ],
    [
      'a separator that is null',
      { notes: { join: ['a', 'b'], with: null } },
      '"with" must be a text of at most 20 characters.',
    ],
    [
      'a long separator',
      { notes: { join: ['a', 'b'], with: '-'.repeat(21) } },
      '"with" must be a text of at most 20 characters.',
    ],
    [
      'four arrays',
      { notes: { join: ['a[].b[].c[?@.x].d[]'] } },
      'The source "a[].b[].c[?@.x].d[]" has more than 3 wildcards and filters.',
    ],
    [
      'other arrays for the same lines',
      { 'items[].notes': { join: ['l[].a', 'm[].b'] } },
      'All parts of "join" must go through the same arrays.',
    ],
    [
      'a filter at the array of the lines',
      { 'items[].notes': { join: ['l[?@.x].o[].v'] } },
      'A filter that chooses the elements of the target stands in an "each".',
    ],
    [
      'fewer arrays than the target',
      { 'metadata.x[].y[]': { join: ['l[].a'] } },
      'The source has 1 [] and the target 2: write the same number in both, or an index in the source.',
    ],
    [
      'into a number',
      { 'items[].quantity': { join: ['l[].a', 'l[].b'] } },
      'The rule gives a text, which "items[].quantity" does not take.',
    ],
    [
      'into an array',
      { items: { join: ['a', 'b'] } },
      'The rule gives a text, which "items" does not take.',
    ],
    [
      'another array below an each',
      { ...LINES, 'items[].notes': { join: ['m[].v'] } },
      'Goes through "m[]", but the "each" above through "l[]".',
    ],
    [
      'another array below an each, by a filter',
      { ...LINES, 'items[].notes': { join: ['m[?@.x].v'] } },
      'Goes through "m[?@.x]", but the "each" above through "l[]".',
    ],
    [
      "an ancestor's other array",
      { 'items[]': { each: 'w[].s[]' }, 'items[].notes': { join: ['w[].t[?@.x].v'] } },
      'Goes through "w[].t[?@.x]", but the "each" above through "w[].s[]".',
    ],
  ])('is refused when saved: %s', refuses)
})

describe('a list in from', () => {
  it.each<Refused>([
    [
      'other arrays',
      { 'items[].notes': { from: ['l[].a', 'm[].b'] } },
      'All paths of "from" must go through the same arrays.',
    ],
    [
      'an array and none',
      { 'items[].notes': { from: ['l[].a', 'memo'] } },
      'All paths of "from" must go through the same arrays.',
    ],
    [
      'an array into one value',
      { notes: { from: ['a', 'l[].b'] } },
      'The source has 1 [] and the target 0: write the same number in both, or an index in the source, or "join" to put several values into one text.',
    ],
  ])('is refused when saved: %s', refuses)
})

describe('an each', () => {
  it.each<Refused>([
    [
      'a target that is no array',
      { items: { each: 'l[]' } },
      '"each" is for a target that ends in []: write "items[]".',
    ],
    [
      'a target within elements',
      { 'items[].metadata[]': { each: 'l[]' }, 'items[].sku_code': 'm[].s' },
      'The target of "each" cannot lie in an element of another array.',
    ],
    [
      'a target by index',
      { 'metadata.x[0].y[]': { each: 'l[]' } },
      'The target of "each" cannot lie in an element of another array.',
    ],
    [
      'no array in its path',
      { 'items[]': { each: 'l' } },
      '"each" needs a path with [] or a filter [?...], such as "lines[]".',
    ],
    [
      'four arrays',
      { 'metadata.x[]': { each: 'a[].b[].c[].d[]' } },
      'The source "a[].b[].c[].d[]" has more than 3 wildcards and filters.',
    ],
    [
      'a target that is no list of ours',
      { 'notes[]': { each: 'l[]' } },
      '"notes" is not an array.',
    ],
    [
      'a rule with another array',
      { ...LINES, 'items[].sku_code': 'm[].s' },
      'Goes through "m[]", but the "each" above through "l[]".',
    ],
    [
      'a rule with more arrays',
      { ...LINES, 'items[].sku_code': 'l[].o[].s' },
      'Goes through "l[].o[]", but the "each" above through "l[]".',
    ],
    [
      'a rule with the inner array alone',
      { 'items[]': { each: 'w[].s[]' }, 'items[].sku_code': 's[].k' },
      'Goes through "s[]", but the "each" above through "w[]".',
    ],
    [
      'a rule that repeats the filter',
      { 'items[]': { each: 'l[?@.x]' }, 'items[].sku_code': 'l[?@.x].s' },
      'Repeats the filter of "each": write "l[]".',
    ],
    [
      'a rule that filters again',
      { 'items[]': { each: 'l[?@.x]' }, 'items[].sku_code': 'l[?@.y].s' },
      'Repeats the filter of "each": write "l[]".',
    ],
    [
      'a join that repeats the filter',
      { 'items[]': { each: 'l[?@.x]' }, 'items[].notes': { join: ['l[?@.x].o[].v'] } },
      'Repeats the filter of "each": write "l[]".',
    ],
    [
      'an array within its elements',
      { 'metadata.x[]': { each: 'l[]' }, 'metadata.x[].y[]': 'l[].a' },
      'Below "metadata.x[]" a target has no further []: write an index.',
    ],
    [
      'beside a rule for the whole array',
      { metadata: 'm', 'metadata.x': 'x', 'metadata.x[]': { each: 'l[]' } },
      '"metadata.x" writes the whole array: no other rule can write into it.',
    ],
    [
      'beside indexes',
      { 'metadata.x[]': { each: 'l[]' }, 'metadata.x[0]': 'a' },
      '"metadata.x" is written both by index and by [].',
    ],
    [
      'twice',
      { 'metadata.x[]': { each: 'l[]' }, 'metadata.x[*]': 'm[]' },
      'Writes the same target as "metadata.x[]".',
    ],
  ])('is refused when saved: %s', refuses)

  it('is no place for each below another', () => {
    const fields = { 'metadata.x[]': { each: 'l[]' }, 'metadata.x[].y[]': { each: 'm[]' } }
    expect(refusedRules('orders', fields)).toContain('metadata.x[].y[]')
  })
})
