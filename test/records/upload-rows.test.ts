import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pairsOf } from '../../src/records/inventory/pairs.ts'
import {
  checkRows,
  distinctCodes,
  firstErrors,
  isPlainRow,
} from '../../src/records/inventory/rows.ts'
import { UploadRow } from '../../src/records/inventory/schema.ts'
import { byDepth } from '../fixtures/depth.ts'
import { pace } from '../fixtures/pace.ts'

const NOBODY = { unknown: new Set<string>(), inactive: new Set<string>(), near: new Map() }

const code = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('', 'A', 'x'.repeat(255), 'x'.repeat(256), '倉'.repeat(255), '𠮷'.repeat(255)),
  fc.constantFrom('\ud800', 'a\udfffb', ' ', '\u0000'),
)
const quantity = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.constantFrom(0, -0, -1, 2_000_000_000, 2_000_000_001, 1.5, '1', null, 2 ** 53),
)
const row = fc.oneof(
  fc.record({ location_code: code, sku_code: code, quantity }, { requiredKeys: [] }),
  fc.record({ location_code: code, sku_code: code, quantity, if_quantity: quantity }),
  fc.record({ location_code: code, sku_code: code, quantity, more: fc.jsonValue() }),
  fc.jsonValue(),
)

describe('isPlainRow', () => {
  it('is true of no row that UploadRow refuses, or takes otherwise than as it is', () => {
    fc.assert(
      fc.property(row, (value) => {
        if (!isPlainRow(value)) return
        const { location_code, sku_code, quantity } = value
        const condition = 'if_quantity' in value ? { if_quantity: value.if_quantity } : {}
        expect(UploadRow.parse(value)).toEqual({
          ...{ location_code, sku_code, quantity },
          ...condition,
        })
      }),
      { numRuns: byDepth(300, 3000) },
    )
  })

  it('is true of a row as uploads have them', () => {
    expect(isPlainRow({ location_code: 'A-01', sku_code: '倉-1', quantity: 0 })).toBe(true)
    expect(isPlainRow({ location_code: 'A', sku_code: 'B', quantity: 7, unknown: {} })).toBe(true)
  })

  it.each([
    { location_code: '', sku_code: 'B', quantity: 1 },
    { location_code: 'A', sku_code: 'x'.repeat(256), quantity: 1 },
    { location_code: 'A', sku_code: 'a\ud800', quantity: 1 },
    { location_code: 'A', sku_code: 'B', quantity: -1 },
    { location_code: 'A', sku_code: 'B', quantity: 2_000_000_001 },
    { location_code: 'A', sku_code: 'B', quantity: '1' },
    { location_code: 'A', sku_code: 'B' },
    ['A', 'B', 1],
    null,
  ])('is false of %j', (value) => {
    expect(isPlainRow(value)).toBe(false)
  })
})

describe('the rows of an upload', () => {
  it('keep their positions past malformed ones', async () => {
    const good = (sku_code: string) => ({ location_code: 'A', sku_code, quantity: 1 })
    const checked = await checkRows(
      [good('known'), 7, good('lost'), { sku_code: 'x' }, good('lost')],
      pace,
    )
    expect(checked.positions).toEqual([0, 2, 4])
    const errors = firstErrors(checked, NOBODY, { ...NOBODY, unknown: new Set(['lost']) })
    expect(errors.map((error) => error.row)).toEqual([1, 2, 3, 4])
  })

  it('that are malformed have those of their codes looked up that are not, once, and of the listed ones', async () => {
    const bad = { quantity: -1 }
    const rows = [
      { location_code: 'A', sku_code: 'S', quantity: 1 },
      { ...bad, location_code: 'A', sku_code: 'T' },
      { ...bad, location_code: 'B', sku_code: 'T' },
      { location_code: 'C', sku_code: 7, quantity: 1 },
      { location_code: '', sku_code: 'x'.repeat(256), quantity: 1 },
      { location_code: 'a\ud800', quantity: 1 },
      'A',
      null,
    ]
    const known = { locations: new Map([['A', 0]]), skus: new Map([['S', 0]]) }
    const malformed = distinctCodes(await checkRows(rows, pace), known)
    expect(malformed).toEqual({ locations: new Set(['B', 'C']), skus: new Set(['T']) })
    const many = Array.from({ length: 2000 }, (_, at) => ({ ...bad, location_code: `L${at}` }))
    expect(distinctCodes(await checkRows(many, pace), known).locations.size).toBe(1000)
  })

  it('of 255 characters of two units each are taken, though they are not plain', async () => {
    const value = { location_code: '𠮷'.repeat(255), sku_code: 'B', quantity: 1 }
    expect(isPlainRow(value)).toBe(false)
    expect(await checkRows([value], pace)).toMatchObject({ valid: [value], failed: 0 })
  })
})

describe('the slices of an upload', () => {
  const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

  it.each([
    ['short', 'A-01'],
    ['of three bytes each', '倉'.repeat(255)],
    ['that JSON escapes', '\u0001'.repeat(255)],
  ])('list less than a row of D1 holds, with codes of locations %s', async (_, location_code) => {
    const rows = Array.from({ length: 25_000 }, (_, index) => {
      return { location_code, sku_code: `S${index}`, quantity: 2_000_000_000 }
    })
    const { slices } = await pairsOf(rows, pace, true)
    const listed = slices.map((slice) => {
      const [pairs = {}] = Object.values<Record<string, number>>(JSON.parse(slice))
      return Object.entries(pairs).map(([sku, asked]) => [location_code, sku, asked, 1])
    })
    expect(listed.flat()).toHaveLength(rows.length)
    for (const pairs of listed) expect(bytesOf(pairs)).toBeLessThan(2_000_000)
  })
})
