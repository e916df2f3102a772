import { describe, expect, it } from 'vitest'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import type { SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import { type Fields, fixed, outcome, sent } from '../fixtures/mapped.ts'
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

const times = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value)

/** What each of these makes of 1,000 elements takes much more than the document that was sent. */
const GROWING: [string, Fields][] = [
  ['fields of each element', { 'metadata.x[].y': 'a[].b', 'metadata.x[].z': 'a[].b' }],
  ['objects in each element', { 'metadata.x[].c.d.e.f': 'a[].b' }],
  ['arrays in each element', { 'metadata.x[].c[0][0]': 'a[].b' }],
  ['elements of an each', { 'metadata.x[]': { each: 'a[]' }, 'metadata.x[].c.d': 'a[].b' }],
  ['arrays in arrays', { 'metadata.x[].y[].c.d': 'g[].a[].b' }],
  ['copies of an object', { 'metadata.x[]': 'o', 'metadata.x[].y': 'a[].b' }],
  ['copies of an array', { 'metadata.x[]': 'o', 'metadata.x[].l[0]': 'a[].b' }],
  ['joined texts', { 'metadata.x[]': { join: ['t', 'a[].b'] } }],
  ['a fixed text', { 'metadata.x[].y': 'a[].b', 'metadata.x[].z': fixed('t'.repeat(200)) }],
]

function documentOf(elements: number) {
  const a = times(elements, { b: 1 })
  return { a, g: [{ a }], o: { p: 1, l: times(10, 1) }, t: 't'.repeat(200) }
}

const rulesOf = (fields: Fields): SavedRules => ({ unmapped: 'drop', fields })

describe.each(GROWING)('a mapping that makes %s', (_, fields) => {
  const rules = rulesOf(fields)
  const large = sent(documentOf(1000), 'POST')

  it('is not carried on beyond the memory that there is', () => {
    const { bytes, problems } = mapDocument('orders', rules, large)
    expect(problems).toEqual([])
    expect(bytes).toBeGreaterThan(large.bytes)
    expect(mapDocument('orders', rules, large, { bytesMax: 2000 }).exceeded).toBe('memory')
  })

  it('gives the same as ever within it', () => {
    for (const [document, bytesMax] of [
      [large, 1_000_000],
      [sent(documentOf(2), 'POST'), 2000],
    ] as const) {
      const small = mapDocument('orders', rules, document, { bytesMax })
      const { value, bytes } = mapDocument('orders', rules, document)
      expect(small).toMatchObject({ value, bytes, problems: [], exceeded: null })
    }
  })
})

describe('a PUT that grows', () => {
  it('is not carried on either', () => {
    const rules = rulesOf({ 'metadata.x[].c.d.e.f': 'a[].b' })
    const document = sent(documentOf(1000), 'PUT')
    const exceeded = (bytesMax: number) =>
      mapDocument('orders', rules, document, { bytesMax }).exceeded
    expect([exceeded(2000), exceeded(1_000_000)]).toEqual(['memory', null])
  })
})

/** What each of these does with 1,000 elements, or with a text of 16,000 characters, takes some 1,000 steps. */
const LABORIOUS: [string, Fields][] = [
  ['tests elements', { 'metadata.x': 'a[?@.b == 2].b' }],
  ['lists elements', { 'metadata.x': { join: ['a[].b'] } }],
  ['reads a text', { 'metadata.x': { from: 's', as: 'string' } }],
  ['reads several texts', { 'metadata.x': { from: ['s', 'n'], as: 'string' }, 'metadata.y': 'n' }],
  ['compares texts', { 'metadata.x': 'e[?@.s == @.r].n' }],
]

describe.each(LABORIOUS)('a mapping that %s', (_, fields) => {
  const rules = rulesOf(fields)
  const [s, r] = ['\u2003'.repeat(16_000), `${'\u2003'.repeat(15_999)}x`]
  const document = { a: times(1000, { b: 1 }), s, n: 1, e: times(60, { s, r, n: 1 }) }

  it.each(['POST', 'PUT'])(
    'is not carried on beyond the steps that there are, in a %s',
    (method) => {
      const { work, exceeded, ...whole } = mapDocument('orders', rules, sent(document, method))
      expect([work > 900, work < 4000, exceeded]).toEqual([true, true, null])
      const within = mapDocument('orders', rules, sent(document, method), { workMax: work })
      expect(within).toMatchObject({ work, exceeded, value: whole.value, problems: whole.problems })
      const beyond = mapDocument('orders', rules, sent(document, method), { workMax: 500 })
      expect(beyond.exceeded).toBe('steps')
    },
  )
})
