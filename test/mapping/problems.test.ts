import { describe, expect, it } from 'vitest'
import { mappingError, type Problem } from '../../src/engine/mapping/problem.ts'
import { fixed, mismatch, missing, type Options, outcome, required } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'
import { type Case, check } from './cases.ts'

const many = (count: number) => Array.from({ length: count }, (_, at) => at)

describe('a required source', () => {
  const name = { notes: required('a.b') }
  const field = { 'items[].notes': required('a[].b') }
  const inner = { 'metadata.x[].y[].z': required('a[].b[].c') }
  const spread = { 'items[].sku_code': 'a[].s', 'items[].notes': required('m.n') }
  const rows = { 'inventory[].quantity': required('a[].q') }
  const both = { 'metadata.x': 'a', 'metadata.y': required('b') }
  const stock: Options = { resource: 'inventory' }
  const PUT: Options = { method: 'PUT' }

  it.each<Case>([
    ['a name', name, { a: {} }, [missing('notes', 'a.b')]],
    ['a null', name, { a: { b: null } }, [missing('notes', 'a.b', 'null')]],
    ['the first name', name, {}, [missing('notes', 'a.b')]],
    ['a null before the end', name, { a: null }, [missing('notes', 'a.b')]],
    ['an index', { notes: required('a[2]') }, { a: [1] }, [missing('notes', 'a[2]')]],
    [
      '[-1] of an empty array',
      { notes: required('a[-1]') },
      { a: [] },
      [missing('notes', 'a[-1]')],
    ],
    [
      'a field of [-1]',
      { notes: required('a[-1].b') },
      { a: [1, {}] },
      [missing('notes', 'a[1].b')],
    ],
    ['a field of an element', field, { a: [{ b: 1 }, {}] }, [missing('items[].notes', 'a[1].b')]],
    [
      'fields of elements',
      field,
      { a: [{}, { b: 1 }, null] },
      [missing('items[].notes', 'a[0].b'), missing('items[].notes', 'a[2].b')],
    ],
    ['an array', field, {}, [missing('items[].notes', 'a')]],
    ['an array that is null', field, { a: null }, [missing('items[].notes', 'a')]],
    ['the outer array of two', inner, {}, [missing('metadata.x[].y[].z', 'a')]],
    [
      'the inner array of two',
      inner,
      { a: [{ b: [] }, {}] },
      [missing('metadata.x[].y[].z', 'a[1].b')],
    ],
    [
      'a field of the inner array',
      inner,
      { a: [{ b: [] }, { b: [{ c: 1 }, {}] }] },
      [missing('metadata.x[].y[].z', 'a[1].b[1].c')],
    ],
    ['a broadcast', spread, { a: [{}, {}] }, [missing('items[].notes', 'm.n')]],
    ['a broadcast into a missing array', spread, {}, [missing('items[].notes', 'm.n')]],
    [
      'one of two',
      { notes: required('a'), customer_name: required('b') },
      { b: 1 },
      [missing('notes', 'a')],
    ],
    [
      'several',
      { notes: required('a'), customer_name: required('b') },
      {},
      [missing('notes', 'a'), missing('customer_name', 'b')],
    ],
    [
      'two fields of a missing array',
      { ...field, 'items[].quantity': required('a[].q') },
      {},
      [missing('items[].notes', 'a'), missing('items[].quantity', 'a')],
    ],
    [
      'a child whose parent is there',
      { metadata: 'p', 'metadata.x': required('c') },
      {
        p: { x: 1 },
      },
      [missing('metadata.x', 'c')],
    ],
    [
      'a parent whose child is there',
      { metadata: required('p'), 'metadata.x': 'c' },
      { c: 1 },
      [missing('metadata', 'p')],
    ],
    ['one on PUT, beside what is written', both, { a: 1 }, [missing('metadata.y', 'b')], PUT],
    ['one on PUT, of an element', field, { a: [{}] }, [missing('items[].notes', 'a[0].b')], PUT],
    ['one of an upload as a whole', { notes: required('a') }, {}, [missing('notes', 'a')], stock],
  ])('that is missing is a SOURCE_MISSING: %s', check)

  it.each<Case>([
    ['a value', name, { a: { b: 1 } }, { notes: 1 }],
    ['false', name, { a: { b: false } }, { notes: false }],
    ['empty text', name, { a: { b: '' } }, { notes: '' }],
    ['an array without elements', field, { a: [] }, { items: [] }],
    [
      'an inner array without elements',
      inner,
      { a: [{ b: [] }] },
      { metadata: { x: [{ y: [] }] } },
    ],
    [
      'a row of an upload without the field',
      rows,
      { a: [{ q: 1 }, {}, null] },
      {
        inventory: [{ quantity: 1 }, {}, {}],
      },
      stock,
    ],
    ['an upload without rows', rows, {}, {}, stock],
    ['a PUT that does not write its field', { ...both, notes: 'n' }, { n: 1 }, { notes: 1 }, PUT],
    ['a PUT without the array', { ...field, notes: 'n' }, { n: 1 }, { notes: 1 }, PUT],
  ])('raises nothing for %s', check)

  it('that meets a wrong kind is that problem alone', () => {
    expect(outcome(name, { a: 1 })).toEqual([mismatch('notes', 'a', 'object', 'number')])
    expect(outcome(field, { a: 1 })).toEqual([mismatch('items[].notes', 'a', 'array', 'number')])
    expect(outcome(field, { a: [1] })).toEqual([
      mismatch('items[].notes', 'a[0]', 'object', 'number'),
    ])
  })

  it('that a zipped array lacks is missing in every element', () => {
    const zip = { 'items[].sku_code': 'a[]', 'items[].quantity': required('b[]') }
    expect(outcome(zip, { a: [1, 2] })).toEqual([
      missing('items[].quantity', 'b[0]'),
      missing('items[].quantity', 'b[1]'),
    ])
  })

  it('of an upload still fails it where the structure is wrong', () => {
    expect(outcome(rows, { a: [{ q: 1 }, 7] }, stock)).toEqual([
      mismatch('inventory[].quantity', 'a[1]', 'object', 'number'),
    ])
  })
})

describe('problems', () => {
  it('are all listed at once, of every kind', () => {
    const fields = {
      notes: required('a'),
      customer_name: 'b.c',
      'items[].sku_code': 'd[]',
      'items[].quantity': 'e[]',
      'metadata.x[0]': 'f',
      'metadata.x[1]': 'g',
      customer_info: 'h',
      'customer_info.y': 'i',
    }
    const payload = { b: 1, d: [1], e: [], g: 1, h: 'x', i: 1, j: 1 }
    const problems = outcome(fields, payload, { unmapped: 'reject' })
    expect(problems.map(({ reason }: Json) => reason).sort()).toEqual([
      'ARRAY_HOLE',
      'LENGTH_MISMATCH',
      'SOURCE_MISSING',
      'TARGET_CONFLICT',
      'TYPE_MISMATCH',
      'UNMAPPED_FIELD',
    ])
  })

  it.each([19, 20, 21, 5000])('are at most 20 at once: of %i', (count) => {
    const problems = outcome({ 'items[].notes': 'a[].b' }, { a: many(count) })
    const places = many(Math.min(count, 20)).map((at) => `a[${at}]`)
    expect(problems.map(({ at }: Json) => at)).toEqual(places)
  })

  it('are at most 20 fields that no rule reads', () => {
    const payload = Object.fromEntries(many(50).map((at) => [`f${at}`, at]))
    expect(outcome({}, payload, { unmapped: 'reject' })).toHaveLength(20)
  })

  it.each<Case>([
    [
      'a broadcast of a wrong kind',
      { 'items[].s': 'a[]', 'items[].n': 'm.n' },
      { a: many(9), m: 1 },
      [mismatch('items[].n', 'm', 'object', 'number')],
    ],
    [
      'a required broadcast',
      { 'items[].s': 'a[]', 'items[].n': required('m') },
      { a: many(9) },
      [missing('items[].n', 'm')],
    ],
    [
      'a broadcast at the second level',
      { 'metadata.x[].y[].s': 'a[][]', 'metadata.x[].y[].n': 'm.n' },
      {
        a: [many(3), [], many(3)],
        m: 1,
      },
      [mismatch('metadata.x[].y[].n', 'm', 'object', 'number')],
    ],
    [
      'a required broadcast into missing inner arrays',
      {
        'metadata.x[].y[].s': 'a[].b[]',
        'metadata.x[].y[].n': required('m'),
      },
      { a: [{}, {}] },
      [missing('metadata.x[].y[].n', 'm')],
    ],
    [
      'an array that two rules go through',
      { 'items[].p': 'a[].p', 'items[].q': 'a[].q' },
      { a: 1 },
      [mismatch('items[].p', 'a', 'array', 'number')],
    ],
    [
      'a field written on PUT',
      { 'metadata.x': fixed(1), 'metadata.y': 'a.b', 'metadata.z': 'c' },
      {
        a: 1,
        c: 2,
      },
      [mismatch('metadata.y', 'a', 'object', 'number')],
      { method: 'PUT' },
    ],
  ])('are listed once: %s', check)

  it('are one for each rule that meets it', () => {
    expect(outcome({ notes: 'a.b', customer_name: 'a.c' }, { a: 1 })).toEqual([
      mismatch('notes', 'a', 'object', 'number'),
      mismatch('customer_name', 'a', 'object', 'number'),
    ])
  })

  it('name the rule as its author wrote it', () => {
    expect(outcome({ "$.metadata['x']": 'a.b' }, { a: 1 })).toEqual([
      mismatch("$.metadata['x']", 'a', 'object', 'number'),
    ])
  })
})

describe('mappingError', () => {
  const problem: Problem = {
    reason: 'TYPE_MISMATCH',
    rule: 'notes',
    at: 'a',
    expected: 'object',
    found: 'array',
  }
  const messageOf = (...problems: [Problem, ...Problem[]]) => mappingError(problems).message

  it('says the first problem in the words of the payload, and holds all', () => {
    const error = mappingError([problem, problem])
    expect([error.code, error.details.problems]).toEqual(['MAPPING_ERROR', [problem, problem]])
    expect(error.message).toMatch(
      /^a: The mapping expects an object here, not an array\. \(and 1 more/,
    )
  })

  it('names the place of the payload where there is one', () => {
    const hole: Problem = { reason: 'ARRAY_HOLE', rule: 'items[0]', at: 'items[0]', source: 'sku1' }
    expect(messageOf(hole)).toMatch(/^sku1: /)
    expect(messageOf({ reason: 'UNMAPPED_FIELD', at: 'x' })).toMatch(/^x: /)
  })

  it.each<[Problem['reason'], Partial<Problem>, RegExp]>([
    ['SOURCE_MISSING', {}, /missing/],
    ['CONVERSION', { expected: 'integer', found: 'object' }, /an integer here, not an object/],
    ['CONVERSION', { expected: 'integer', found: '"x"' }, /an integer here, not "x"/],
    ['SOURCE_MISSING', { found: 'null' }, /^a: Is null, and/],
    ['LENGTH_MISMATCH', { expected: 2, found: 1 }, /2 elements, not 1/],
    ['TARGET_CONFLICT', { expected: 'object', found: 'null' }, /an object here, not null/],
    ['TOO_LARGE', { expected: 1_000_000, unit: 'values' }, /more than 1000000 values/],
  ])('has words for %s', (reason, what, words) => {
    expect(messageOf({ reason, at: 'a', ...what })).toMatch(words)
  })
})
