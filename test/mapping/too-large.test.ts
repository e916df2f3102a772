import { describe, expect, it } from 'vitest'
import { fixed, outcome } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'

const many = (count: number) => Array.from({ length: count }, (_, at) => at)

describe('a mapping that multiplies a document', () => {
  const spread = (count: number) =>
    Object.fromEntries(many(count).map((at) => [`metadata.x[].f${at}`, 'm']))

  it('is TOO_LARGE beyond a million values', () => {
    const fields = { 'metadata.x[].s': 'a[]', ...spread(198) }
    const problems = outcome(fields, { a: many(5001), m: 'x' })
    expect(problems).toEqual([
      expect.objectContaining({
        reason: 'TOO_LARGE',
        rule: 'metadata.x[].s',
        at: 'metadata.x',
        expected: 1_000_000,
      }),
    ])
  })

  it('is TOO_LARGE by one value, and not before', () => {
    const fields = { 'metadata.x[].s': 'a[]', 'metadata.x[].f': 'm', 'metadata.x[].g': fixed(1) }
    const mapped = outcome(fields, { a: many(250_000), m: 'x' })
    expect(mapped.metadata.x[249_999]).toEqual({ s: 249_999, f: 'x', g: 1 })
    expect(outcome(fields, { a: many(250_001), m: 'x' })).toEqual([
      expect.objectContaining({ reason: 'TOO_LARGE', expected: 1_000_000 }),
    ])
  })

  it('is TOO_LARGE beyond 300,000 objects and arrays, which long targets make', () => {
    const fields = { 'metadata.x[].y.z[0]': 'a[]' }
    const mapped = outcome(fields, { a: many(100_000) })
    expect(mapped.metadata.x[99_999]).toEqual({ y: { z: [99_999] } })
    expect(outcome(fields, { a: many(100_001) })).toEqual([
      expect.objectContaining({
        reason: 'TOO_LARGE',
        at: 'metadata.x',
        expected: 300_000,
        unit: 'objects',
      }),
    ])
  })

  it('is TOO_LARGE where one long value goes to every element', () => {
    const lines = { 'metadata.x[].s': 'a[]' }
    const long = 'x'.repeat(1_000_000)
    for (const fields of [
      { ...lines, 'metadata.x[].m': 'm' },
      { ...lines, 'metadata.x[].m': 'm.n' },
      { ...lines, 'metadata.x[].m': fixed(long.slice(0, 60_000)) },
      { ...lines, 'metadata.x[].y.m': 'm' },
    ]) {
      const m =
        'metadata.x[].m' in fields && fields['metadata.x[].m'] === 'm.n' ? { n: long } : long
      const problems = outcome(fields, { a: many(50_000), m })
      expect(problems).toEqual([expect.objectContaining({ reason: 'TOO_LARGE' })])
    }
  })

  it('is none where a short value goes to every element', () => {
    const fields = { 'items[].s': 'a[]', 'items[].m': 'm', 'items[].n': fixed('x'.repeat(40)) }
    const mapped = outcome(fields, { a: many(100_000), m: 'y'.repeat(40) })
    expect(mapped.items[99_999]).toEqual({ s: 99_999, m: 'y'.repeat(40), n: 'x'.repeat(40) })
  })

  it('is none of a long value that goes to one place', () => {
    const long = 'x'.repeat(9_000_000)
    expect(outcome({ notes: 'm' }, { m: long }).notes).toBe(long)
  })

  it('is TOO_LARGE where a parent is copied into every element', () => {
    const m = Object.fromEntries(many(1000).map((at) => [`f${at}`, at]))
    const fields = { 'items[]': 'm', 'items[].s': 'a[]' }
    expect(outcome(fields, { a: many(5000), m })).toEqual([
      expect.objectContaining({ reason: 'TOO_LARGE' }),
    ])
  })

  it('is TOO_LARGE where an array of a parent is copied into every element', () => {
    const fields = { 'items[]': 'm', 'items[].l[0]': 'a[]' }
    const problems = outcome(fields, { a: many(5000), m: { l: many(1000) } })
    expect(new Set(problems.map(({ reason }: Json) => reason))).toEqual(new Set(['TOO_LARGE']))
  })

  it('is TOO_LARGE with the place at which it is found', () => {
    const fields = { 'metadata.w[]': 'a[]', 'metadata.x[].y[]': 'b[].c[]', 'metadata.z[]': 'd[]' }
    const b = (length: number) => many(5).map((at) => ({ c: many(at === 3 ? length : 2) }))
    expect(outcome(fields, { a: [1, 2], b: b(1_000_001), d: [] })).toContainEqual(
      expect.objectContaining({ reason: 'TOO_LARGE', at: 'metadata.x[3].y', source: 'b[3].c[]' }),
    )
    expect(outcome(fields, { a: [1, 2], b: b(2), d: many(1_000_001) })).toEqual([
      expect.objectContaining({ reason: 'TOO_LARGE', at: 'metadata.z', source: 'd[]' }),
    ])
  })

  it('is TOO_LARGE where one array goes to many places', () => {
    const fields = Object.fromEntries(many(200).map((at) => [`metadata.x${at}[]`, 'a[]']))
    const problems = outcome(fields, { a: many(100_000) })
    expect(new Set(problems.map(({ reason }: Json) => reason))).toEqual(new Set(['TOO_LARGE']))
    expect(problems).toHaveLength(20)
  })

  it('is TOO_LARGE where inner arrays add up', () => {
    const fields = {
      'metadata.x[].y[].s': 'a[][]',
      'metadata.x[].y[].t': 'm',
      'metadata.x[].n': 'm',
    }
    const problems = outcome(fields, { a: many(700).map(() => many(700)), m: 'x' })
    expect(new Set(problems.map(({ reason }: Json) => reason))).toEqual(new Set(['TOO_LARGE']))
  })

  it('is none of the largest upload that fits into a body', () => {
    const fields = {
      'inventory[].location_code': 'a[].l',
      'inventory[].sku_code': 'a[].s',
      'inventory[].quantity': 'a[].q',
    }
    const a = many(180_000).map((q) => ({ l: 'A', s: 'S', q }))
    const mapped = outcome(fields, { a }, { resource: 'inventory' })
    expect(mapped.inventory).toHaveLength(180_000)
    expect(mapped.inventory[179_999]).toEqual({
      location_code: 'A',
      sku_code: 'S',
      quantity: 179_999,
    })
  })
})
