import { describe, expect, it } from 'vitest'
import { mapDocument, mapSmallDocument } from '../../src/mapping/inbound.ts'
import type { SavedRules } from '../../src/mapping/saved-rule.ts'
import { type Fields, fixed, sent } from './mapped.ts'

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
    expect(mapSmallDocument('orders', rules, large, 2000)).toBeNull()
  })

  it('gives the same as ever within it', () => {
    for (const [document, bytesMax] of [
      [large, 1_000_000],
      [sent(documentOf(2), 'POST'), 2000],
    ] as const) {
      const small = mapSmallDocument('orders', rules, document, bytesMax)
      const { value, bytes } = mapDocument('orders', rules, document)
      expect([small?.value, small?.bytes, small?.problems]).toEqual([value, bytes, []])
    }
  })
})

describe('a PUT that grows', () => {
  it('is not carried on either', () => {
    const rules = rulesOf({ 'metadata.x[].c.d.e.f': 'a[].b' })
    const document = sent(documentOf(1000), 'PUT')
    expect(mapSmallDocument('orders', rules, document, 2000)).toBeNull()
    expect(mapSmallDocument('orders', rules, document, 1_000_000)?.problems).toEqual([])
  })
})
