import { describe, expect, it } from 'vitest'
import { rowFaultsOf } from '../../src/engine/mapping/row-faults.ts'
import { asJson, type Fields, map, mismatch, missing, unconverted } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'

const STOCK: Fields = {
  'inventory[].location_code': 's[].l',
  'inventory[].sku_code': 's[].k',
  'inventory[].quantity': { from: 's[].q', as: 'integer' },
}

const upload = (fields: Fields, payload: Json) =>
  map(fields, payload, { resource: 'inventory', unmapped: 'drop' })

/** The rows that have problems, by their number; fails if the request has one. */
function faultsOf(fields: Fields, payload: Json): Json {
  const { value, problems } = upload(fields, payload)
  expect(asJson(problems)).toEqual([])
  const rows = value.inventory as object[]
  const faulty = rows.flatMap((row, at) => {
    const faults = rowFaultsOf(row)
    return faults ? [[at, Object.fromEntries(faults)]] : []
  })
  return asJson(Object.fromEntries(faulty))
}

const conversion = (at: string, found: string) => ({
  quantity: unconverted('inventory[].quantity', at, 'integer', found),
})

describe('in the rows of an upload', () => {
  it('a value that cannot be converted is an error of its row', () => {
    const s = [{ q: '1' }, { q: 'x' }, { q: 3 }, { q: 1.5 }]
    expect(faultsOf(STOCK, { s })).toEqual({
      1: conversion('s[1].q', '"x"'),
      3: conversion('s[3].q', '1.5'),
    })
  })

  it('a value that is in no table is one', () => {
    const fields = { ...STOCK, 'inventory[].location_code': { from: 's[].l', values: { a: 'A' } } }
    expect(faultsOf(fields, { s: [{ l: 'a' }, { l: 'b' }] })).toEqual({
      1: {
        location_code: {
          reason: 'UNMAPPED_VALUE',
          rule: 'inventory[].location_code',
          at: 's[1].l',
          found: '"b"',
        },
      },
    })
  })

  it('a filter that takes two is one', () => {
    const fields = { ...STOCK, 'inventory[].sku_code': "s[].ids[?@.t == 'sku'].v" }
    const twice = { ids: [{ t: 'sku' }, { t: 'ean' }, { t: 'sku' }] }
    expect(faultsOf(fields, { s: [{ ids: [{ t: 'sku', v: 'x' }] }, twice] })).toEqual({
      1: {
        sku_code: {
          reason: 'AMBIGUOUS',
          rule: 'inventory[].sku_code',
          at: 's[1].ids[0]',
          found: 's[1].ids[2]',
        },
      },
    })
  })

  it('a required value that is missing or null is one', () => {
    const fields = { ...STOCK, 'inventory[].sku_code': { from: 's[].k', required: true } }
    const fault = (at: string, found: string) => ({
      sku_code: missing('inventory[].sku_code', at, found),
    })
    expect(faultsOf(fields, { s: [{ k: 'a' }, {}, { k: null }] })).toEqual({
      1: fault('s[1].k', 'nothing'),
      2: fault('s[2].k', 'null'),
    })
  })

  it('several of one row are told together', () => {
    const fields = {
      ...STOCK,
      'inventory[].sku_code': { from: 's[].k', as: 'string' as const, required: true },
    }
    expect(Object.keys(faultsOf(fields, { s: [{ q: 'x' }] })[0])).toEqual(['sku_code', 'quantity'])
  })

  it('the row keeps its other fields and its place', () => {
    const s = [
      { l: 'A', k: 'a', q: 'x' },
      { l: 'B', k: 'b', q: 2 },
    ]
    expect(asJson(upload(STOCK, { s }).value)).toEqual({
      inventory: [
        { location_code: 'A', sku_code: 'a' },
        { location_code: 'B', sku_code: 'b', quantity: 2 },
      ],
    })
  })

  it('the default never stands in for a value that cannot be converted, in however many rows', () => {
    const fields = {
      ...STOCK,
      'inventory[].quantity': { from: 's[].q', as: 'integer' as const, default: 0 },
    }
    const rows = upload(fields, {
      s: Array.from({ length: 1500 }, () => ({ l: 'A', k: 'a', q: 'x' })),
    }).value.inventory as object[]
    expect(rows.filter((row) => 'quantity' in row)).toEqual([])
    expect(rows.every((row) => rowFaultsOf(row) !== undefined)).toBe(true)
    expect(rows.map((row) => rowFaultsOf(row)?.size).indexOf(0)).toBe(1000)
  })

  it('a value that goes into every row is an error of every row', () => {
    const fields = { ...STOCK, 'inventory[].quantity': { from: 'q', as: 'integer' as const } }
    const faults = faultsOf(fields, { q: 'x', s: [{}, {}, {}] })
    expect(faults).toEqual({
      0: conversion('q', '"x"'),
      1: conversion('q', '"x"'),
      2: conversion('q', '"x"'),
    })
  })

  it('is the same below an each, by the index in the document', () => {
    const fields: Fields = {
      'inventory[]': { each: 'w[].s[?@.on]' },
      'inventory[].quantity': { from: 'w[].s[].q', as: 'integer' },
    }
    const payload = { w: [{ s: [{}] }, { s: [{ on: 1, q: 1 }, {}, { on: 1, q: 'x' }] }] }
    expect(faultsOf(fields, payload)).toEqual({ 1: conversion('w[1].s[2].q', '"x"') })
  })

  it('is the same where rows are written by index', () => {
    const fields: Fields = {
      'inventory[0].sku_code': 'k0',
      'inventory[0].quantity': { from: 'q0', as: 'integer' },
      'inventory[1].quantity': { from: 'q1', as: 'integer' },
    }
    const fault = (row: number, found: string) => ({
      quantity: { ...conversion(`q${row}`, found).quantity, rule: `inventory[${row}].quantity` },
    })
    expect(faultsOf(fields, { k0: 'a', q0: 'x', q1: 'y' })).toEqual({
      0: fault(0, '"x"'),
      1: fault(1, '"y"'),
    })
    expect(faultsOf(fields, { k0: 'a', q0: 'x', q1: 2 })).toEqual({ 0: fault(0, '"x"') })
    expect(faultsOf(fields, { k0: 'a', q0: 1, q1: 'y' })).toEqual({ 1: fault(1, '"y"') })
  })
})

describe('for the whole upload', () => {
  const problemsOf = (fields: Fields, payload: Json) => asJson(upload(fields, payload).problems)

  it('what breaks the array is a problem of the request', () => {
    expect(problemsOf(STOCK, { s: 'x' })).toEqual([
      mismatch('inventory[].location_code', 's', 'array', 'string'),
    ])
    const zipped = { ...STOCK, 'inventory[].sku_code': 'k[]' }
    expect(problemsOf(zipped, { s: [{}, {}], k: ['a'] })).toMatchObject([
      { reason: 'LENGTH_MISMATCH' },
    ])
  })

  it('a value of the wrong kind on the way is one', () => {
    expect(problemsOf(STOCK, { s: [{ k: 'a' }, 7] })).toContainEqual(
      mismatch('inventory[].quantity', 's[1]', 'object', 'number'),
    )
  })

  it('a filter that takes two arrays is one', () => {
    const fields = {
      'inventory[].sku_code': 'w[?@.on].s[].k',
      'inventory[].quantity': { from: 'w[?@.on].s[].q', as: 'integer' as const },
    }
    expect(
      problemsOf(fields, {
        w: [
          { on: 1, s: [] },
          { on: 1, s: [{}] },
        ],
      }),
    ).toEqual([{ reason: 'AMBIGUOUS', rule: 'inventory[].sku_code', at: 'w[0]', found: 'w[1]' }])
    expect(upload(fields, { w: [{ on: 1, s: [{ k: 'a', q: '1' }] }, {}] }).value).toEqual({
      inventory: [{ sku_code: 'a', quantity: 1 }],
    })
  })

  it('an object as a part of a joined text is one, and no row has the text without it', () => {
    const fields = { ...STOCK, 'inventory[].location_code': { join: ['zone', 's[].l'], with: '-' } }
    expect(problemsOf(fields, { zone: {}, s: [{ l: 'A' }, { l: 'B' }] })).toEqual([
      mismatch('inventory[].location_code', 'zone', 'single value', 'object'),
    ])
  })

  it('an object where a table expects a single value is one', () => {
    const fields = { ...STOCK, 'inventory[].location_code': { from: 's[].l', values: { a: 'A' } } }
    expect(problemsOf(fields, { s: [{ l: {} }] })).toEqual([
      mismatch('inventory[].location_code', 's[0].l', 'single value', 'object'),
    ])
  })

  it('other fields of the upload are converted for the whole', () => {
    const fields = { ...STOCK, notes: { from: 'n', values: { a: 'A' } } }
    expect(problemsOf(fields, { n: 'b', s: [] })).toMatchObject([
      { reason: 'UNMAPPED_VALUE', at: 'n' },
    ])
  })
})
