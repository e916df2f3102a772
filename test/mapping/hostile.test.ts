import { afterEach, describe, expect, it, vi } from 'vitest'
import { ExactNumber } from '../../src/engine/json/exact-number.ts'
import { Filter } from '../../src/engine/json/filter/filter.ts'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import { CONVERSION_KINDS } from '../../src/engine/mapping/saved-rule.ts'
import { inDeepPass, sample } from '../fixtures/depth.ts'
import type { Fields } from '../fixtures/mapped.ts'
import type { Json } from '../fixtures/tenant.ts'

const BODY = 10 * 1024 * 1024

/** As a body of the largest size: measuring these documents as JSON would take longer than to map them. */
const map = (fields: Fields, payload: Json, resource: 'orders' | 'inventory' = 'orders') =>
  mapDocument(resource, { unmapped: 'drop', fields }, { method: 'POST', payload, bytes: BODY })

function many<T>(length: number, make: (index: number) => T): T[] {
  return Array.from({ length }, (_, index) => make(index))
}

const rules = (count: number, rule: (index: number) => [string, Fields[string]]): Fields =>
  Object.fromEntries(many(count, rule))

const tooLarge = (fields: Fields, payload: Json, unit: string) => {
  const { problems } = map(fields, payload)
  expect(problems[0]).toMatchObject({ reason: 'TOO_LARGE', unit })
  expect(problems.length).toBeLessThanOrEqual(20)
}

const numbers = many(999_000, (index) => index)

describe('a hostile mapping of a large document', () => {
  it('stops at a million values: 200 rules below an each through three arrays', () => {
    const fields: Fields = {
      'metadata.x[]': { each: 'a[].b[].c[]' },
      ...rules(199, (rule) => [`metadata.x[].y${rule}`, 'a[].b[].c[].v']),
    }
    const c = many(45, () => ({ v: 1 }))
    tooLarge(fields, { a: many(100, () => ({ b: many(100, () => ({ c })) })) }, 'values')
  })

  it('maps it where the filter leaves all out', () => {
    const fields: Fields = {
      'metadata.x[]': { each: 'a[].b[].c[?@.v == 2]' },
      ...rules(199, (rule) => [`metadata.x[].y${rule}`, 'a[].b[].c[].v']),
    }
    const c = many(45, () => ({ v: 1 }))
    const { value, problems } = map(fields, {
      a: many(100, () => ({ b: many(100, () => ({ c })) })),
    })
    expect([value, problems]).toEqual([{ metadata: { x: [] } }, []])
  })

  const terms = (term: string) => `a[?${many(48, () => term).join('||')}]`
  inDeepPass(() => {
    it.each(
      sample<[string, number, (rule: number) => string]>(
        [
          ['200 filters', 200, (rule) => `a[?@ == -${rule + 1}]`],
          ['a filter of 48 fields', 1, () => terms('@.b')],
          ['a filter of 48 comparisons', 1, () => terms('@<0')],
          ['a filter of 120 steps', 1, () => `a[?@${'.b'.repeat(120)}]`],
        ],
        1,
      ),
    )('stops at ten million steps: %s over a million elements', (_, count, path) => {
      tooLarge(
        rules(count, (rule) => [`metadata.y${rule}`, path(rule)]),
        { a: numbers },
        'steps',
      )
    })

    it('stops at ten million steps: what it compares counts', () => {
      const members = () => Object.fromEntries(many(20_000, (index) => [`k${index}`, index]))
      const nested = () => many(30_000, (index) => [[index]])
      const text = 'x'.repeat(900_000)
      const element = {
        a: members(),
        b: members(),
        c: nested(),
        d: nested(),
        t: text,
        u: `${text}y`,
      }
      for (const condition of [
        '@.a == @.b && @.z',
        '@.c == @.d && @.z',
        'length(@.t) < 0',
        '@.t > @.u',
      ]) {
        const fields = rules(200, (rule) => [`metadata.y${rule}`, `a[?${condition}].v`])
        tooLarge(fields, { a: [element] }, 'steps')
      }
    })

    it('joins 10,000 elements, and stops at the largest size of a body', () => {
      const { value } = map({ notes: { join: ['a[]'], with: '' } }, { a: many(10_000, () => 'x') })
      expect(value.notes).toBe('x'.repeat(10_000))
      const all = (rule: number): [string, Fields[string]] => [
        `metadata.y${rule}`,
        { join: ['a[]'] },
      ]
      tooLarge(rules(200, all), { a: numbers }, 'bytes')
      const lines = { 'metadata.x[].y': { join: ['t', 'l[].v'] } }
      tooLarge(lines, { t: 'x'.repeat(9_000_000), l: many(1000, () => ({ v: 1 })) }, 'bytes')
    })
  })

  it.each(CONVERSION_KINDS)('converts 10 MB of digits as %s in no time', (as) => {
    const digits = '1'.repeat(9_900_000)
    for (const a of [digits, new ExactNumber(digits)]) {
      const fields = rules(200, (rule) => [`metadata.y${rule}`, { from: 'a', as }])
      const { problems } = map(fields, { a })
      const [first] = problems
      if (as === 'string') expect(first).toMatchObject({ reason: 'TOO_LARGE', unit: 'bytes' })
      else
        expect(first).toMatchObject({
          reason: 'CONVERSION',
          found: expect.stringMatching(/^"?1{60}\.\.\."?$/),
        })
    }
  })

  it('counts what a conversion, a table or a default makes of little', () => {
    const lines = many(300_000, () => 1e300)
    tooLarge({ 'metadata.x[]': { from: 'a[]', as: 'decimal' } }, { a: lines }, 'bytes')
    tooLarge(
      { 'metadata.x[]': { from: 'a[]', values: { '*': 'v'.repeat(1000) } } },
      { a: lines },
      'bytes',
    )
    const empty = many(300_000, () => null)
    tooLarge({ 'metadata.x[]': { from: 'a[]', default: 'd'.repeat(1000) } }, { a: empty }, 'bytes')
  })

  it('looks a value up in 200 entries for each of 400,000 elements', () => {
    const values = Object.fromEntries(many(200, (index) => [`${index}`, index]))
    const { value, problems } = map(
      { 'metadata.x[]': { from: 'a[]', values } },
      { a: many(400_000, (index) => index % 200) },
    )
    expect(problems).toEqual([])
    expect((value as Json).metadata.x[399_999]).toBe(199)
  })
})

describe('questions about a hostile document', () => {
  afterEach(() => {
    vi.restoreAllMocks()
  })

  it('look through an array once for the provenance of a thousand rows', () => {
    const fields: Fields = {
      'inventory[].location_code': "b[?@.id == 'x'].v",
      'inventory[].sku_code': 'r[].k',
    }
    const b = [...many(100_000, () => ({ id: 'y' })), { id: 'x', v: 'L' }]
    const { sourceOf } = map(fields, { b, r: many(1000, () => ({ k: 1 })) }, 'inventory')
    const looked = vi.spyOn(Filter.prototype, 'firstTwo')
    for (const row of many(1000, (index) => index)) {
      expect(sourceOf(`inventory[${row}].location_code`)).toBe('b[100000].v')
    }
    expect(looked).toHaveBeenCalledTimes(1)
  })

  it('look through the parts of a joined text once', () => {
    const fields: Fields = { 'metadata.x[].y': { join: ['l[].v', 'b[?@.t].t'], default: 'x' } }
    const b = many(10_000, () => ({ t: '' }))
    const { sourceOf } = map(fields, { b, l: many(1000, () => ({})) })
    const tested = vi.spyOn(Filter.prototype, 'test')
    for (const row of many(1000, (index) => index))
      expect(sourceOf(`metadata.x[${row}].y`)).toBeNull()
    expect(tested).toHaveBeenCalledTimes(10_000)
  })

  inDeepPass(() => {
    it('stop to test filters that the mapping itself had no need of', () => {
      const fields = rules(190, (rule) => [
        `metadata.y${rule}`,
        { from: ['s', ...many(7, (index) => `a[?@.b == ${rule * 7 + index}].c`)] },
      ])
      const payload = { s: 1, a: many(290_000, () => ({ d: 1 })) }
      const plain = timeOf(() => map({ 'metadata.x[].y': 'a[].d' }, payload))
      const { unread } = map(fields, payload)
      expect(timeOf(() => unread().fields)).toBeLessThan(50 * plain)
    })
  })
})

function timeOf(work: () => unknown): number {
  const start = performance.now()
  work()
  return performance.now() - start
}
