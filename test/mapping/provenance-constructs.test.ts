import { describe, expect, it } from 'vitest'
import { ExactNumber } from '../../src/engine/json/exact-number.ts'
import { map } from '../fixtures/mapped.ts'
import { type Case, check } from './provenance.ts'

const each = (path: string) => ({ each: path })

describe('the provenance of an each', () => {
  it('keeps the indexes of the document', () => {
    const { sourceOf } = map(
      {
        'metadata.rows[]': each('a[?@.on].b[?@.n > 1]'),
        'metadata.rows[].a': 'a[].n',
        'metadata.rows[].b': 'a[].b[].n',
        'metadata.rows[].memo': 'memo',
        'metadata.rows[].kind': { value: 'k' },
        'metadata.tags[]': each("tags[?@.kind == 'x'].name"),
      },
      {
        memo: 'm',
        a: [{ n: 0 }, { on: 1, n: 1, b: [{ n: 1 }, { n: 2 }] }],
        tags: [{ kind: 'y' }, { kind: 'x', name: 't' }],
      },
    )
    expect(sourceOf('metadata.rows[0].a')).toBe('a[1].n')
    expect(sourceOf('metadata.rows[0].b')).toBe('a[1].b[1].n')
    expect(sourceOf('metadata.rows[0].memo')).toBe('memo')
    expect(sourceOf('metadata.rows[0].kind')).toBeNull()
    expect(sourceOf('metadata.rows[0]')).toBe('a[1].b[1]')
    expect(sourceOf('metadata.rows')).toBe('a')
    expect(sourceOf('metadata.tags[0]')).toBe('tags[1].name')
    expect(sourceOf('metadata.tags')).toBe('tags')
  })

  it('names where a field should be that an element lacks', () => {
    const { sourceOf } = map(
      { 'items[]': each('lines[?@.on]'), 'items[].sku_code': 'lines[].sku' },
      { lines: [{}, { on: 1 }] },
    )
    expect(sourceOf('items[0].sku_code')).toBe('lines[1].sku')
  })
})

describe('the provenance of a filter that picks', () => {
  const notes = { 'metadata.gift': "notes[?@.name == 'gift'].value" }

  it.each<Case>([
    [
      'is the element that it takes',
      notes,
      { notes: [{ name: 'a' }, { name: 'gift', value: 1 }] },
      { 'metadata.gift': 'notes[1].value' },
    ],
    [
      'is the filter where it takes none',
      notes,
      { notes: [] },
      { 'metadata.gift': "notes[?@.name == 'gift'].value" },
    ],
    [
      'is the filter where there is no array',
      notes,
      {},
      { 'metadata.gift': "notes[?@.name == 'gift'].value" },
    ],
    [
      'is within a line',
      { 'items[].notes': "lines[].p[?@.n == 'e'].v" },
      { lines: [{ p: [] }, { p: [{ n: 'x' }, { n: 'e', v: 1 }] }] },
      { 'items[1].notes': 'lines[1].p[1].v', 'items[0].notes': "lines[0].p[?@.n == 'e'].v" },
    ],
    [
      'is in a document that is an array',
      { notes: '$[?@.a == 1].b' },
      [{}, { a: 1, b: 'x' }],
      { notes: '$[1].b' },
    ],
  ])('%s', check)
})

describe('the provenance of a list in from', () => {
  const first = { notes: { from: ['a', 'b.c', 'd'] } }
  const lines = {
    'items[].sku_code': { from: ['lines[].sku', 'lines[].id'], as: 'string' as const },
  }

  it.each<Case>([
    ['is the first that has a value', first, { a: '', b: { c: 'x' }, d: 'y' }, { notes: 'b.c' }],
    ['is the first path if none has', first, { a: null }, { notes: 'a' }],
    [
      'is told for each line',
      lines,
      {
        lines: [
          { sku: 'a', id: 1 },
          { sku: ' ', id: 2 },
        ],
      },
      { 'items[0].sku_code': 'lines[0].sku', 'items[1].sku_code': 'lines[1].id' },
    ],
    [
      'passes over a date that is none',
      { order_date: { from: ['a', 'b'], as: 'datetime' } },
      { a: '0000-00-00', b: '2020-01-01' },
      { order_date: 'b' },
    ],
  ])('%s', check)
})

describe('the provenance of a joined text', () => {
  it.each<Case>([
    [
      'is every path',
      { customer_name: { join: ['a.first', { value: 'von' }, 'a.last'] } },
      { a: { last: 'X' } },
      { customer_name: 'a.first, a.last' },
    ],
    [
      'has the indexes of the line',
      { 'items[].notes': { join: ['lines[].o[].v', 'memo'] } },
      { lines: [{}, { o: [{ v: 1 }] }] },
      { 'items[1].notes': 'lines[1].o[].v, memo' },
    ],
    [
      'has filters as they are written',
      { notes: { join: ["a[?@.b == 'c'].d"] } },
      { a: [{ b: 'c', d: 1 }] },
      { notes: "a[?@.b == 'c'].d" },
    ],
    [
      'has the element of an each',
      { 'items[]': each('l[?@.on]'), 'items[].notes': { join: ['l[].a', 'l[].o[].v'] } },
      { l: [{}, { on: 1, a: 'x' }] },
      { 'items[0].notes': 'l[1].a, l[1].o[].v' },
    ],
  ])('%s', check)
})

describe('the provenance of what a rule converts, looks up or adds', () => {
  it.each<Case>([
    [
      'of a conversion',
      { 'metadata.n': { from: 'a.n', as: 'string' } },
      { a: { n: 1 } },
      { 'metadata.n': 'a.n' },
    ],
    [
      'of a value in a table',
      { status: { from: 's', values: { x: 'pending' } } },
      { s: 'x' },
      { status: 's' },
    ],
    ['of a default', { notes: { from: 'a', default: 'none' } }, {}, { notes: null }],
    [
      'of a default for an empty text',
      { notes: { from: 'a', default: 'none' } },
      { a: '' },
      { notes: null },
    ],
    [
      'of a value where there is a default',
      { notes: { from: 'a', default: 'none' } },
      { a: 'x' },
      { notes: 'a' },
    ],
    [
      'of a default in a line',
      { 'items[].notes': { from: 'l[].a', default: 'none' } },
      { l: [{ a: 'x' }, {}] },
      { 'items[0].notes': 'l[0].a', 'items[1].notes': null },
    ],
    [
      'of a default for a date that is none',
      { order_date: { from: 'a', as: 'datetime', default: '2020-01-01' } },
      { a: '0001-01-01T00:00:00' },
      { order_date: null },
    ],
    [
      'of a default for a value that the table makes none',
      { notes: { from: 'a', values: { x: null }, default: 'none' } },
      { a: 'x' },
      { notes: null },
    ],
    [
      'of a default where a join has no text',
      { notes: { join: ['a', 'b'], default: 'none' } },
      { b: '' },
      { notes: null },
    ],
    [
      'of a number by its digits',
      { 'metadata.n': { from: 'n', as: 'string' } },
      { n: new ExactNumber('820982911946154508') },
      { 'metadata.n': 'n' },
    ],
  ])('%s', check)
})

describe('the provenance of a joined list in a target with an index', () => {
  it('does not take that index for one of the list', () => {
    const { sourceOf } = map({ 'metadata.x[0]': { join: ['c[].v'] } }, { c: [{}, { v: 1 }] })
    expect(sourceOf('metadata.x[0]')).toBe('c[].v')
  })
})

describe('the provenance of a joined part that is the same for every line', () => {
  const fields = { 'items[].notes': { join: ['memo[?@.x].v', 'l[].a'] } }

  it('does not take the number of the line for an index of its own', () => {
    const { sourceOf } = map(fields, { memo: [{ x: 1, v: 'm' }], l: [{}, { a: 1 }] })
    expect(sourceOf('items[1].notes')).toBe('memo[?@.x].v, l[1].a')
  })

  it('does not either in a problem', () => {
    const { problems } = map(fields, { memo: [{}, { x: 1, v: {} }], l: [{ a: 1 }] })
    expect(problems).toMatchObject([{ at: 'memo[1].v' }])
  })
})
