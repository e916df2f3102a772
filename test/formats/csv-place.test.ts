import { describe, expect, it } from 'vitest'
import { parseDocument } from '../../src/engine/formats/format.ts'
import { fieldOfAnyElement, withoutKeys } from '../../src/engine/log/values.ts'

const placesIn = (text: string, type = 'text/csv', formats = {}) => {
  const { placeOf } = parseDocument(new TextEncoder().encode(text), type, { formats })
  return (path: string) => placeOf?.(path)
}

describe('a place in a CSV', () => {
  it.each([
    ['$[0].sku', 'row 2, column "sku"'],
    ["$[1]['a, b']", 'row 5, column "a, b"'],
    ['$[1]', 'row 5'],
    ['$[-1].sku', 'row 5, column "sku"'],
    ["$header['X-A']", "$header['X-A']"],
    ['$[].sku', '$[].sku'],
    ['$[0', '$[0'],
    ['inventory[0].sku_code', 'inventory[0].sku_code'],
  ])('is for %s: %s', (path, told) => {
    expect(placesIn('sku,"a, b"\nA,1\n\n\nB,2\n')(path)).toBe(told)
  })

  it('is a number where no row names the columns', () => {
    const formats = { csv: { header: false } }
    expect(placesIn('A;1\n\nB;2', 'text/csv', formats)('$[1][0]')).toBe('row 3, column 1')
  })

  it('is the path in any other document', () => {
    expect(placesIn('[{"sku":1}]', 'application/json')('$[0].sku')).toBeUndefined()
    expect(placesIn('<a/>', 'text/xml')('a')).toBeUndefined()
  })
})

describe('a cell in the audit log', () => {
  const rules = () => '{"from":"$[].Menge am Lager"}'

  it.each([
    ['row 3, column "Menge"', 'row 3, column "Menge"', '$[].Menge'],
    ['row 3, column "Menge am Lager"', 'row 3, column "Menge am Lager"', "$[]['Menge am Lager']"],
    ['row 3, column "ada@example.com"', 'row 3, column "…"', "$[]['ada@example.com']"],
    ['row 3, column "w 3"', 'row 3, column "…"', "$[]['w 3']"],
    ['row 3, column "say "hi""', 'row 3, column "…"', '$[][\'say "hi"\']'],
    ['row 3, column "a", row 4, column "b"', "['…']", 'row 3, column "a", row 4, column "b"'],
    ['row 3, column 2', 'row 3, column 2', '$[]'],
    ['row 3', 'row 3', '$[]'],
  ])('keeps its row, and its column unless that may be a value: %s', (place, kept, field) => {
    expect(withoutKeys(place, rules)).toBe(kept)
    expect(fieldOfAnyElement(place)).toBe(field)
  })
})
