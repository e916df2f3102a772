import { describe, expect, it } from 'vitest'
import { conflict, mismatch, missing, outcome, unconverted } from '../fixtures/mapped.ts'
import { type Case, check } from './cases.ts'

const each = (path: string) => ({ each: path })
const DROP = { unmapped: 'drop' } as const

describe('an each with rules below it', () => {
  const lines = { 'items[]': each('lines[]'), 'items[].sku_code': 'lines[].sku' }
  const real = {
    'items[]': each('lines[?@.qty > 0 && @.type != "shipping"]'),
    'items[].sku_code': 'lines[].sku',
  }

  it.each<Case>([
    [
      'every element',
      lines,
      { lines: [{ sku: 'a' }, { sku: 'b' }] },
      { items: [{ sku_code: 'a' }, { sku_code: 'b' }] },
    ],
    [
      'those that the filter takes',
      real,
      {
        lines: [
          { sku: 'a', qty: 1 },
          { sku: 'b', qty: 0 },
          { sku: 'c', qty: 2, type: 'shipping' },
          { sku: 'd', qty: 1 },
        ],
      },
      { items: [{ sku_code: 'a' }, { sku_code: 'd' }] },
    ],
    ['none that the filter takes', real, { lines: [{ sku: 'a' }] }, { items: [] }],
    ['an empty array', lines, { lines: [] }, { items: [] }],
    [
      'an element without the field',
      lines,
      { lines: [{}, { sku: 'b' }] },
      { items: [{}, { sku_code: 'b' }] },
    ],
    ['a null element', lines, { lines: [null, { sku: 'b' }] }, { items: [{}, { sku_code: 'b' }] }],
    [
      'a null that the filter leaves out',
      real,
      { lines: [null, 1, 'x', { sku: 'b', qty: 1 }] },
      { items: [{ sku_code: 'b' }] },
    ],
    ['no array', lines, {}, {}],
    ['null instead of the array', lines, { lines: null }, {}],
    [
      'an array below null',
      { 'items[]': each('a.lines[]'), 'items[].sku_code': 'a.lines[].sku' },
      { a: null },
      {},
    ],
    [
      'elements that are values',
      { 'items[]': each("skus[?@ != '']"), 'items[].sku_code': 'skus[]' },
      { skus: ['a', '', 'b'] },
      { items: [{ sku_code: 'a' }, { sku_code: 'b' }] },
    ],
    [
      'the element as a whole',
      { 'metadata.lines[]': each('lines[]'), 'metadata.lines[].raw': 'lines[]' },
      { lines: [{ a: 1 }] },
      { metadata: { lines: [{ raw: { a: 1 } }] } },
    ],
    [
      'a fixed value',
      { ...lines, 'items[].quantity': { value: 1 } },
      { lines: [{ sku: 'a' }] },
      { items: [{ sku_code: 'a', quantity: 1 }] },
    ],
    [
      'a value from elsewhere, repeated',
      { ...lines, 'items[].notes': 'memo' },
      { memo: 'm', lines: [{ sku: 'a' }, { sku: 'b' }] },
      {
        items: [
          { sku_code: 'a', notes: 'm' },
          { sku_code: 'b', notes: 'm' },
        ],
      },
    ],
    [
      'only values from elsewhere',
      { 'items[]': each('lines[]'), 'items[].notes': 'memo' },
      { memo: 'm', lines: [1, 2] },
      { items: [{ notes: 'm' }, { notes: 'm' }] },
    ],
    [
      'an index within the element',
      { 'items[]': each('lines[]'), 'items[].sku_code': 'lines[].codes[0]' },
      { lines: [{ codes: ['a', 'x'] }, { codes: [] }] },
      { items: [{ sku_code: 'a' }, {}] },
    ],
    [
      'a target index within the element',
      { 'metadata.x[]': each('lines[]'), 'metadata.x[].y[0]': 'lines[].a' },
      { lines: [{ a: 1 }] },
      { metadata: { x: [{ y: [1] }] } },
    ],
    [
      '[*] for []',
      { 'items[*]': each('lines[*]'), 'items[].sku_code': '$.lines[*].sku' },
      { lines: [{ sku: 'a' }] },
      { items: [{ sku_code: 'a' }] },
    ],
    [
      'a parent that gives the array too',
      { metadata: 'extra', 'metadata.x[]': each('lines[]'), 'metadata.x[].a': 'lines[].a' },
      { extra: { x: [7, 8], y: 1 }, lines: [{ a: 1 }] },
      { metadata: { x: [{ a: 1 }], y: 1 } },
    ],
    [
      'a parent that is null',
      { metadata: 'extra', 'metadata.x[]': each('lines[]'), 'metadata.x[].a': 'lines[].a' },
      { extra: null, lines: [{ a: 1 }] },
      { metadata: { x: [{ a: 1 }] } },
    ],
    [
      'a parent that is no object',
      { metadata: 'extra', 'metadata.x[]': each('lines[]'), 'metadata.x[].a': 'lines[].a' },
      { extra: 'text', lines: [{ a: 1 }] },
      [conflict('metadata.x[]', 'metadata', 'object', 'string', 'extra')],
    ],
  ])('makes an element of %s', check)

  it('is read after a swap of names: rules see the original document', () => {
    const fields = { 'items[]': each('notes[]'), 'items[].sku_code': 'notes[].s', notes: 'items' }
    expect(outcome(fields, { notes: [{ s: 'a' }], items: 'n' })).toEqual({
      items: [{ sku_code: 'a' }],
      notes: 'n',
    })
  })

  it('reads the same array for two targets, with a filter each', () => {
    const fields = {
      'items[]': each("lines[?@.kind == 'line']"),
      'items[].sku_code': 'lines[].sku',
      'metadata.costs[]': each("lines[?@.kind != 'line']"),
      'metadata.costs[].amount': 'lines[].amount',
    }
    const payload = {
      lines: [
        { kind: 'cost', amount: 5 },
        { kind: 'line', sku: 'a' },
      ],
    }
    expect(outcome(fields, payload)).toEqual({
      items: [{ sku_code: 'a' }],
      metadata: { costs: [{ amount: 5 }] },
    })
  })
})

describe('an each through nested arrays', () => {
  const two = {
    'metadata.rows[]': each('warehouses[].stock[]'),
    'metadata.rows[].place': 'warehouses[].code',
    'metadata.rows[].item': 'warehouses[].stock[].item',
    'metadata.rows[].batch': 'batch',
  }
  const three = {
    'metadata.rows[]': each('a[?@.on].b[].c[?@.n > 1]'),
    'metadata.rows[].a': 'a[].n',
    'metadata.rows[].b': 'a[].b[].n',
    'metadata.rows[].c': 'a[].b[].c[].n',
  }
  const rows = (...elements: object[]) => ({ metadata: { rows: elements } })

  it.each<Case>([
    [
      'two arrays, with ancestors',
      two,
      {
        batch: 7,
        warehouses: [
          { code: 'A', stock: [{ item: 1 }, { item: 2 }] },
          { code: 'B', stock: [{ item: 3 }] },
        ],
      },
      rows(
        { place: 'A', item: 1, batch: 7 },
        { place: 'A', item: 2, batch: 7 },
        { place: 'B', item: 3, batch: 7 },
      ),
    ],
    [
      'three arrays, with filters',
      three,
      {
        a: [
          { n: 0, b: [{ c: [{ n: 9 }] }] },
          {
            on: 1,
            n: 1,
            b: [
              { n: 2, c: [{ n: 1 }, { n: 3 }] },
              { n: 4, c: [{ n: 5 }] },
            ],
          },
        ],
      },
      rows({ a: 1, b: 2, c: 3 }, { a: 1, b: 4, c: 5 }),
    ],
    [
      'an outer element without the inner array',
      two,
      {
        warehouses: [
          { code: 'A' },
          { code: 'B', stock: null },
          { code: 'C', stock: [{ item: 3 }] },
        ],
      },
      rows({ place: 'C', item: 3 }),
    ],
    ['inner arrays that are empty', two, { warehouses: [{ stock: [] }, { stock: [] }] }, rows()],
    ['no outer elements', two, { warehouses: [] }, rows()],
    ['a null outer element', two, { warehouses: [null, { stock: [{}] }] }, rows({})],
    [
      'arrays directly in arrays',
      { 'metadata.rows[]': each('grid[][]'), 'metadata.rows[].v': 'grid[][]' },
      { grid: [[1, 2], [], [3]] },
      rows({ v: 1 }, { v: 2 }, { v: 3 }),
    ],
    [
      'an inner value that is no array',
      two,
      { warehouses: [{ stock: [{}] }, { stock: 'x' }, { stock: {} }] },
      [
        mismatch('metadata.rows[]', 'warehouses[1].stock', 'array', 'string'),
        mismatch('metadata.rows[]', 'warehouses[2].stock', 'array', 'object'),
      ],
    ],
    [
      'an outer value that is no array',
      two,
      { warehouses: { stock: [] } },
      [mismatch('metadata.rows[]', 'warehouses', 'array', 'object')],
    ],
    [
      'a wrong kind between the arrays',
      two,
      { warehouses: [7] },
      [mismatch('metadata.rows[]', 'warehouses[0]', 'object', 'number')],
    ],
    [
      'a wrong kind in the element',
      two,
      { warehouses: [{ stock: [{ item: 1 }, 'x'] }] },
      [mismatch('metadata.rows[].item', 'warehouses[0].stock[1]', 'object', 'string')],
    ],
  ])('makes one array of %s', check)

  it('names the element of the document in problems, whatever the filter leaves out', () => {
    const fields = {
      'items[]': each('a[?@.on].b[?@.on]'),
      'items[].sku_code': { from: 'a[].b[].sku', required: true },
      'items[].quantity': { from: 'a[].b[].qty', as: 'integer' as const },
    }
    const payload = { a: [{}, { on: 1, b: [{}, { on: 1, qty: 'x' }] }] }
    expect(outcome(fields, payload)).toEqual([
      missing('items[].sku_code', 'a[1].b[1].sku'),
      unconverted('items[].quantity', 'a[1].b[1].qty', 'integer', '"x"'),
    ])
  })
})

describe('an each without rules below it', () => {
  it.each<Case>([
    [
      'values',
      { 'metadata.tags[]': each("tags[?@.kind == 'x'].name") },
      {
        tags: [
          { kind: 'x', name: 'a' },
          { kind: 'y', name: 'b' },
          { kind: 'x' },
          { kind: 'x', name: null },
        ],
      },
      { metadata: { tags: ['a', null, null] } },
    ],
    [
      'whole elements',
      { 'metadata.tags[]': each('tags[?@.a]') },
      { tags: [{ a: 1 }, {}, { a: 2 }] },
      { metadata: { tags: [{ a: 1 }, { a: 2 }] } },
    ],
    [
      'elements of nested arrays',
      { 'metadata.tags[]': each('a[].b[].c') },
      { a: [{ b: [{ c: 1 }] }, { b: [{ c: 2 }, { c: 3 }] }] },
      { metadata: { tags: [1, 2, 3] } },
    ],
    [
      'lines that are ours already',
      { 'items[]': each('lines[?@.sku_code]') },
      { lines: [{ sku_code: 'a', quantity: 1 }, {}] },
      { items: [{ sku_code: 'a', quantity: 1 }] },
    ],
    [
      'a wrong kind at the end',
      { 'metadata.tags[]': each('tags[].a.b') },
      { tags: [{ a: { b: 1 } }, { a: 2 }] },
      [mismatch('metadata.tags[]', 'tags[1].a', 'object', 'number')],
    ],
  ])('lists %s', check)
})

describe('required below an each', () => {
  const fields = {
    'items[]': each('lines[]'),
    'items[].sku_code': { from: 'lines[].sku', required: true },
  }
  const lacking = (at: string, found = 'nothing') => [missing('items[].sku_code', at, found)]

  it.each<Case>([
    ['in an element', fields, { lines: [{ sku: 'a' }, {}] }, lacking('lines[1].sku')],
    ['null in an element', fields, { lines: [{ sku: null }] }, lacking('lines[0].sku', 'null')],
    ['without the array', fields, {}, lacking('lines')],
  ])('is SOURCE_MISSING %s', check)

  it('is nothing to say of an empty array', () => {
    expect(outcome(fields, { lines: [] })).toEqual({ items: [] })
  })

  it('is not asked on PUT where the array is not sent', () => {
    expect(outcome(fields, {}, { method: 'PUT' })).toEqual({})
    expect(outcome(fields, { lines: [{}] }, { method: 'PUT' })).toEqual(lacking('lines[0].sku'))
  })
})

describe('an each on PUT', () => {
  it('writes fixed values and defaults only where its array is sent', () => {
    const fields = {
      'items[]': each('lines[]'),
      'items[].quantity': { value: 1 },
      'items[].notes': { from: 'lines[].memo', default: 'none' },
    }
    expect(outcome(fields, {}, { method: 'PUT', ...DROP })).toEqual({})
    expect(outcome(fields, { lines: [{}] }, { method: 'PUT', ...DROP })).toEqual({
      items: [{ quantity: 1, notes: 'none' }],
    })
  })
})
