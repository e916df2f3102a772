import { describe, expect, it } from 'vitest'
import type { SavedRule } from '../../src/engine/mapping/saved-rule.ts'
import { conflict, fixed, mismatch, missing, outcome } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Case, dropping } from './cases.ts'

const DROP = { unmapped: 'drop' } as const
const PUT = { unmapped: 'drop', method: 'PUT' } as const

describe('values', () => {
  const status: Record<string, SavedRule> = {
    status: { from: 'state', values: { processing: 'pending', 'on-hold': 'draft' } },
  }
  const texts: Record<string, SavedRule> = {
    'metadata.x': {
      from: 'a',
      values: { '1': 'one', '1.5': 'more', true: 'yes', false: 'no', ' ': 'blank', '[]': 'list' },
    },
  }
  const star: Record<string, SavedRule> = {
    status: { from: 'state', values: { done: 'shipped', '*': 'pending' } },
  }
  const unmapped = (found: string) => [
    { reason: 'UNMAPPED_VALUE', rule: 'metadata.x', at: 'a', found },
  ]

  it.each<Case>([
    ['a text', status, { state: 'on-hold' }, { status: 'draft' }],
    ['a number', texts, { a: 1 }, { metadata: { x: 'one' } }],
    ['a fraction', texts, { a: 1.5 }, { metadata: { x: 'more' } }],
    ['true', texts, { a: true }, { metadata: { x: 'yes' } }],
    ['false', texts, { a: false }, { metadata: { x: 'no' } }],
    ['white space, exactly', texts, { a: ' ' }, { metadata: { x: 'blank' } }],
    ['any other, by *', star, { state: 'new' }, { status: 'pending' }],
    ['one that has an entry beside *', star, { state: 'done' }, { status: 'shipped' }],
    ['a text that is * itself', star, { state: '*' }, { status: 'pending' }],
    [
      'any kind of result',
      { 'metadata.x': { from: 'a', values: { a: 1, b: true, c: 'x' } } },
      { a: 'b' },
      { metadata: { x: true } },
    ],
    [
      'a result that is then converted',
      { 'metadata.x': { from: 'a', values: { a: '7' }, as: 'integer' } },
      { a: 'a' },
      { metadata: { x: 7 } },
    ],
    [
      'a name that an object inherits',
      { 'metadata.x': { from: 'a', values: { toString: 'own', '*': 'other' } } },
      { a: 'valueOf' },
      { metadata: { x: 'other' } },
    ],
    [
      'in a line',
      { 'items[].notes': { from: 'l[].k', values: { a: 'A', b: 'B' } } },
      { l: [{ k: 'b' }, { k: 'a' }, {}] },
      { items: [{ notes: 'B' }, { notes: 'A' }, {}] },
    ],
    [
      'a joined text',
      { notes: { join: ['a', 'b'], with: '/', values: { 'x/y': 'z' } } },
      { a: 'x', b: 'y' },
      { notes: 'z' },
    ],
  ])('takes %s', dropping)

  it.each<Case>([
    ['upper case for lower', texts, { a: 'TRUE' }, unmapped('"TRUE"')],
    ['another number', texts, { a: 2 }, unmapped('"2"')],
    ['white space around', texts, { a: '1 ' }, unmapped('"1 "')],
    ['a long text', texts, { a: 'x'.repeat(100) }, unmapped(`"${'x'.repeat(60)}..."`)],
    ['a name that an object inherits', texts, { a: 'constructor' }, unmapped('"constructor"')],
    ['an object', texts, { a: {} }, [mismatch('metadata.x', 'a', 'single value', 'object')]],
    ['an array', star, { state: ['done'] }, [mismatch('status', 'state', 'single value', 'array')]],
  ])('refuses %s', dropping)

  it.each<Json>([{}, { state: null }, { state: '' }])(
    'lets no value past the table: %j',
    (payload) => {
      expect(outcome(status, payload, DROP)).toEqual({})
      const rule = { from: 'state', values: { x: 'pending' }, default: 'draft' }
      expect(outcome({ status: rule }, payload, DROP)).toEqual({ status: 'draft' })
      expect(outcome(star, payload, DROP)).toEqual({})
    },
  )

  it.each([null, ''])('may say that a value is none: %j', (none) => {
    const rule = { from: 'a', values: { x: none, '*': 'other' } }
    expect(outcome({ notes: rule }, { a: 'x' }, DROP)).toEqual({})
    expect(outcome({ notes: { ...rule, default: 'd' } }, { a: 'x' }, DROP)).toEqual({ notes: 'd' })
    expect(outcome({ notes: { ...rule, required: true } }, { a: 'x' }, DROP)).toMatchObject([
      { reason: 'SOURCE_MISSING', at: 'a' },
    ])
  })
})

describe('default', () => {
  const fields: Record<string, SavedRule> = { notes: { from: 'a.b', default: 'none' } }

  it.each<Case>([
    ['missing', fields, {}, { notes: 'none' }],
    ['missing on the way', fields, { a: null }, { notes: 'none' }],
    ['null', fields, { a: { b: null } }, { notes: 'none' }],
    ['an empty text', fields, { a: { b: '' } }, { notes: 'none' }],
    [
      'written as it is',
      { 'metadata.x': { from: 'a', as: 'string', default: { y: [1] } } },
      {},
      { metadata: { x: { y: [1] } } },
    ],
    [
      'white space under as',
      { 'metadata.x': { from: 'a', as: 'integer', default: 1 } },
      { a: ' ' },
      { metadata: { x: 1 } },
    ],
    ['none in a list', { notes: { from: ['a', 'b'], default: 'd' } }, { b: '' }, { notes: 'd' }],
    [
      'no text in a join',
      { notes: { join: ['a', { value: '-' }], default: 'd' } },
      { a: '' },
      { notes: 'd' },
    ],
    [
      'in elements',
      { 'items[].quantity': { from: 'l[].q', default: 1 } },
      { l: [{}, { q: 2 }, { q: null }] },
      { items: [{ quantity: 1 }, { quantity: 2 }, { quantity: 1 }] },
    ],
    [
      'no elements',
      { 'items[].quantity': { from: 'l[].q', default: 1 } },
      { l: [] },
      { items: [] },
    ],
    ['no array', { 'items[].quantity': { from: 'l[].q', default: 1 } }, {}, {}],
  ])('is written where there is no value: %s', dropping)

  it.each<[string, Json, Json]>([
    ['a value', { a: { b: 'x' } }, { notes: 'x' }],
    ['false', { a: { b: false } }, { notes: false }],
    ['0', { a: { b: 0 } }, { notes: 0 }],
    ['white space', { a: { b: ' ' } }, { notes: ' ' }],
  ])('is not written for %s', (_, payload, expected) => {
    expect(outcome(fields, payload, DROP)).toEqual(expected)
  })

  it('does not stand in for a value of the wrong kind on the way', () => {
    expect(outcome(fields, { a: 'x' }, DROP)).toEqual([mismatch('notes', 'a', 'object', 'string')])
  })

  it('is written on PUT only into a field that something else writes', () => {
    const rules = { 'metadata.kind': { from: 'kind', default: 'k' }, 'metadata.x': 'x' }
    expect(outcome(rules, {}, PUT)).toEqual({})
    expect(outcome(rules, { kind: '' }, PUT)).toEqual({})
    expect(outcome(rules, { x: 1 }, PUT)).toEqual({ metadata: { kind: 'k', x: 1 } })
    expect(outcome(rules, { kind: 'y' }, PUT)).toEqual({ metadata: { kind: 'y' } })
    expect(outcome(fields, {}, PUT)).toEqual({})
  })
})

describe('required', () => {
  const plain = { notes: { from: 'a.b', required: true } }
  const converted = { notes: { from: 'a.b', as: 'string' as const, required: true } }

  it.each<[string, Record<string, SavedRule>, Json, string, string]>([
    ['missing', plain, {}, 'a.b', 'nothing'],
    ['null', plain, { a: { b: null } }, 'a.b', 'null'],
    ['null before the end', plain, { a: null }, 'a.b', 'nothing'],
    ['an empty text under as', converted, { a: { b: '' } }, 'a.b', 'nothing'],
    ['null under as', converted, { a: { b: null } }, 'a.b', 'nothing'],
    [
      'no text in a join',
      { notes: { join: ['a.b', 'c'], required: true } },
      { c: '' },
      'a.b',
      'nothing',
    ],
    [
      'none of a list',
      { notes: { from: ['a.b', 'c'], required: true } },
      { c: '' },
      'a.b',
      'nothing',
    ],
    [
      'none that a filter takes',
      { notes: { from: 'a[?@.x].b', required: true } },
      { a: [] },
      'a[?@.x].b',
      'nothing',
    ],
  ])('refuses %s', (_, fields, payload, at, found) => {
    expect(outcome(fields, payload, DROP)).toEqual([missing('notes', at, found)])
  })

  it.each<Json>(['', false, 0, [], {}])('takes %j of a plain path', (b) => {
    expect(outcome(plain, { a: { b } }, DROP)).toEqual({ notes: b })
  })

  it('is one problem, not two, where the value cannot be converted', () => {
    const fields = { 'metadata.x': { from: 'a', as: 'integer' as const, required: true } }
    expect(outcome(fields, { a: 'x' }, DROP)).toMatchObject([{ reason: 'CONVERSION' }])
  })

  it('refuses null on PUT, and does not ask for what is not sent', () => {
    expect(outcome(plain, {}, PUT)).toEqual({})
    expect(outcome(plain, { a: { b: null } }, PUT)).toEqual([missing('notes', 'a.b', 'null')])
    const nested = { 'metadata.x': { from: 'x', required: true }, 'metadata.y': 'y' }
    expect(outcome(nested, { x: null }, PUT)).toEqual([missing('metadata.x', 'x', 'null')])
    expect(outcome(nested, { y: 1 }, PUT)).toEqual([missing('metadata.x', 'x')])
  })
})

describe('the order of the steps', () => {
  it('is values, as, default, required', () => {
    const rule = {
      from: ['a', 'b'],
      values: { one: '1', none: null, '*': 'x' },
      as: 'integer',
      default: 9,
    } as const
    const of = (payload: Json) => outcome({ 'metadata.x': rule as never }, payload, DROP)
    expect(of({ a: '', b: 'one' })).toEqual({ metadata: { x: 1 } })
    expect(of({ a: 'none', b: 'one' })).toEqual({ metadata: { x: 9 } })
    expect(of({})).toEqual({ metadata: { x: 9 } })
    expect(of({ a: 'two' })).toMatchObject([{ reason: 'CONVERSION', found: '"x"' }])
  })
})

describe('a list in from', () => {
  const list = (...from: string[]) => ({ notes: { from } })
  const lines = {
    'items[].sku_code': { from: ['l[].sku', 'l[].id', 'fallback'], as: 'string' as const },
  }

  it.each<Case>([
    ['the first', list('a', 'b'), { a: 'x', b: 'y' }, { notes: 'x' }],
    ['past null', list('a', 'b'), { a: null, b: 'y' }, { notes: 'y' }],
    ['past an empty text', list('a', 'b'), { a: '', b: 'y' }, { notes: 'y' }],
    ['past what is missing', list('a.x', 'b.c', 'd'), { b: null, d: 0 }, { notes: 0 }],
    ['not past false, 0 and white space', list('a', 'b'), { a: false, b: 'y' }, { notes: false }],
    [
      'past white space under as',
      { notes: { from: ['a', 'b'], as: 'string' } },
      { a: ' ', b: 'y' },
      { notes: 'y' },
    ],
    ['a list of one: an empty text is no value', list('a'), { a: '' }, {}],
    ['none', list('a', 'b'), { a: null }, {}],
    ['an index of one array, then of another', list('a[0]', 'b[-1]'), { b: [1, 2] }, { notes: 2 }],
    [
      'what a filter picks, else another',
      list("n[?@.k == 'x'].v", 'b'),
      { n: [{ k: 'y', v: 1 }], b: 2 },
      { notes: 2 },
    ],
    [
      'in each line',
      { 'items[].sku_code': { from: ['l[].sku', 'l[].id'], as: 'string' } },
      { l: [{ sku: 'a' }, { sku: '', id: 7 }, {}] },
      { items: [{ sku_code: 'a' }, { sku_code: '7' }, {}] },
    ],
    [
      'below an each, also from elsewhere',
      { 'items[]': { each: 'l[]' }, ...lines },
      { fallback: 'F', l: [{ sku: 'a' }, {}, { id: 3 }] },
      { items: [{ sku_code: 'a' }, { sku_code: 'F' }, { sku_code: '3' }] },
    ],
    [
      'repeated in every element',
      { 'items[].sku_code': 'l[].s', 'items[].notes': { from: ['a', 'b'] } },
      { b: 'y', l: [{ s: 1 }, { s: 2 }] },
      {
        items: [
          { sku_code: 1, notes: 'y' },
          { sku_code: 2, notes: 'y' },
        ],
      },
    ],
    [
      'a wrong kind on the way, not passed over',
      list('a.x', 'b'),
      { a: 1, b: 2 },
      [mismatch('notes', 'a', 'object', 'number')],
    ],
  ])('takes %s', dropping)
})

describe('a plain path keeps its meaning', () => {
  it.each<Case>([
    ['null is written', { notes: 'a' }, { a: null }, { notes: null }],
    ['an empty text is written', { notes: 'a' }, { a: '' }, { notes: '' }],
    [
      'null is written with required: false',
      { notes: { from: 'a', required: false } },
      { a: null },
      { notes: null },
    ],
    [
      'null overrides a parent',
      { customer_info: 'c', 'customer_info.x': 'a' },
      { c: { x: 1 }, a: null },
      { customer_info: { x: null } },
    ],
    [
      'no value leaves what a parent gives',
      { customer_info: 'c', 'customer_info.x': { from: 'a', as: 'string' } },
      { c: { x: 1 }, a: null },
      { customer_info: { x: 1 } },
    ],
  ])('%s', dropping)
})

describe('a parent target that is null', () => {
  const fields = {
    customer_info: 'ship',
    'customer_info.email': 'email',
    'metadata.k': fixed(1),
    metadata: 'm',
  }

  it.each<Case>([
    [
      'builds the object from its children',
      fields,
      { ship: null, email: 'e', m: null },
      { customer_info: { email: 'e' }, metadata: { k: 1 } },
    ],
    [
      'stays null where no child writes',
      { customer_info: 'ship', 'customer_info.email': 'email' },
      { ship: null },
      { customer_info: null },
    ],
    [
      'holds indexes',
      { metadata: 'm', 'metadata.x[0]': 'a' },
      { m: { x: null }, a: 1 },
      { metadata: { x: [1] } },
    ],
    [
      'holds elements',
      { metadata: 'm', 'metadata.x[].y': 'l[].y' },
      { m: { x: null }, l: [{ y: 1 }] },
      { metadata: { x: [{ y: 1 }] } },
    ],
    [
      'but not a scalar',
      fields,
      { ship: false, email: 'e' },
      [conflict('customer_info.email', 'customer_info', 'object', 'boolean', 'ship')],
    ],
    [
      'but not an array',
      fields,
      { ship: [], email: 'e' },
      [conflict('customer_info.email', 'customer_info', 'object', 'array of 0', 'ship')],
    ],
  ])('%s', dropping)
})
