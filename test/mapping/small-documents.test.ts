import { describe, expect, it } from 'vitest'
import { mapDocument } from '../../src/engine/mapping/inbound.ts'
import type { SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import { type Fields, fixed, sent } from '../fixtures/mapped.ts'

const many = <Value>(count: number, value: Value) => Array.from({ length: count }, () => value)

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
  const a = many(elements, { b: 1 })
  return { a, g: [{ a }], o: { p: 1, l: many(10, 1) }, t: 't'.repeat(200) }
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
  const document = { a: many(1000, { b: 1 }), s, n: 1, e: many(60, { s, r, n: 1 }) }

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
