import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { jsonParts } from '../../src/engine/db/json-parts.ts'
import { Pace } from '../../src/engine/limits/pace.ts'
import { inDeepPass } from '../fixtures/depth.ts'

const BYTES_MAX = 1_000_000

const slicesOf = (elements: Iterable<unknown>) =>
  jsonParts(elements, new Pace({ tenant: 'demo', key: 'test' }))
const joined = (slices: string[]) => slices.flatMap((slice) => JSON.parse(slice))

describe('jsonParts', () => {
  it('gives no slices for no elements', async () => {
    expect(await slicesOf([])).toEqual([])
  })

  it('gives a short list as it is', async () => {
    expect(await slicesOf([1, 'a', null, { b: [true] }])).toEqual(['[1,"a",null,{"b":[true]}]'])
  })

  it('takes any iterable', async () => {
    expect(await slicesOf(new Set(['a', 'b']))).toEqual(['["a","b"]'])
  })

  it('holds every element, once and in order, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), async (elements) => {
        expect(joined(await slicesOf(elements))).toEqual(JSON.parse(JSON.stringify(elements)))
      }),
    )
  })

  inDeepPass(() => {
    it('holds every element of long lists, and fills no slice beyond its bound', async () => {
      const lengths = fc.array(fc.integer({ min: 0, max: 600_000 }), { maxLength: 12 })
      await fc.assert(
        fc.asyncProperty(lengths, async (all) => {
          const elements = all.map((length, at) => `${at}`.padEnd(length, 'x'))
          const slices = await slicesOf(elements)
          expect(joined(slices)).toEqual(elements)
          for (const slice of slices) expect(slice.length).toBeLessThanOrEqual(BYTES_MAX)
        }),
        { numRuns: 50 },
      )
    })
  })

  it('keeps to its bound to the byte, quotes, comma and brackets counted', async () => {
    const long = 'x'.repeat(BYTES_MAX - 20)
    const lengths = Array.from({ length: 30 }, async (_, off) => {
      const slices = await slicesOf([long, 'y'.repeat(off)])
      expect(joined(slices)).toEqual([long, 'y'.repeat(off)])
      return Math.max(...slices.map((slice) => slice.length))
    })
    expect(Math.max(...(await Promise.all(lengths)))).toBeLessThanOrEqual(BYTES_MAX)
  })

  it('counts bytes, not characters', async () => {
    const elements = Array.from({ length: 40 }, () => '倉'.repeat(30_000))
    for (const slice of await slicesOf(elements)) {
      expect(new TextEncoder().encode(slice).length).toBeLessThanOrEqual(BYTES_MAX)
    }
  })

  it('puts an element that is longer than a slice alone', async () => {
    const long = 'x'.repeat(BYTES_MAX + 1)
    const slices = await slicesOf(['a', long, 'b', 'c'])
    expect(slices.map((slice) => JSON.parse(slice))).toEqual([['a'], [long], ['b', 'c']])
  })

  it('holds long elements among thousands of short ones, in order', async () => {
    const elements = Array.from({ length: 5000 }, (_, at) => `${at}`.padEnd(at % 7 === 0 ? 900 : 3))
    elements[1234] = 'x'.repeat(BYTES_MAX - 10)
    const slices = await slicesOf(elements)
    expect(joined(slices)).toEqual(elements)
    for (const slice of slices) expect(slice.length).toBeLessThanOrEqual(BYTES_MAX)
  })

  it('makes no more slices than it needs', async () => {
    const elements = Array.from({ length: 200_000 }, () => 12345678)
    expect(await slicesOf(elements)).toHaveLength(2)
  })
})
