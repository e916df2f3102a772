import { describe, expect, it } from 'vitest'
import { differenceOf, nearForms } from '../../src/engine/json/near-forms.ts'
import { nearestName } from '../../src/engine/json/nearest-name.ts'

const NBSP = '\u00a0'
const ZERO_WIDTH = '\u200b'

// A code as sent, a known one that must be found, and the difference that is told.
const NEAR: [code: string, known: string, difference: string][] = [
  ['ABC-1 ', 'ABC-1', 'white space at the end'],
  [`${NBSP}ABC-1`, 'ABC-1', 'white space at the beginning'],
  [' ABC-1\t', 'ABC-1', 'white space at both ends'],
  [`ABC${NBSP}1`, 'ABC 1', 'white space within it'],
  ['ABC  1', 'ABC 1', 'white space within it'],
  ['ABC 1', 'ABC1', 'white space within it'],
  ['A  B ', 'A  B', 'white space at the end'],
  ['abc-1', 'ABC-1', 'letter case'],
  ['ABC-1', 'abc-1', 'letter case'],
  ['TEA-EARL', 'Tea-Earl', 'letter case'],
  ['abc-1 ', 'ABC-1', 'white space and letter case'],
  ['Cafe\u0301', 'Caf\u00e9', 'Unicode form'],
  ['Caf\u00e9', 'Cafe\u0301', 'Unicode form'],
  ['\uff21\uff22\uff23-1', 'ABC-1', 'Unicode form'],
  ['CAFE\u0301', 'caf\u00e9', 'Unicode form and letter case'],
  [`A${ZERO_WIDTH}BC-1`, 'ABC-1', 'characters that are not visible'],
  ['\ufeffABC-1', 'ABC-1', 'characters that are not visible'],
  ['AB\u00adC-1', 'ABC-1', 'characters that are not visible'],
  ['ABC-1\u0000', 'ABC-1', 'characters that are not visible'],
  [
    `${ZERO_WIDTH}abc-1 `,
    'ABC-1',
    'characters that are not visible and white space and letter case',
  ],
]

describe('a near form', () => {
  it.each(NEAR)('of %j is %j: it differs in %s', (code, known, difference) => {
    expect(nearForms(code)).toContain(known)
    expect(differenceOf(code, known)).toBe(difference)
  })

  it('is another text, and one of at most 64', () => {
    const codes = [...NEAR.map(([code]) => code), `e\u0301\u00e9 ${NBSP} x${ZERO_WIDTH}\uff21`]
    for (const code of codes) {
      const forms = nearForms(code)
      expect(forms).not.toContain(code)
      expect(forms.length).toBeLessThanOrEqual(64)
    }
  })

  it('is not found if the known code alone has the odd character, or mixed letters', () => {
    expect(nearForms('ABC-1')).not.toContain(`ABC${ZERO_WIDTH}-1`)
    expect(nearForms('ABC-1')).not.toContain('aBC-1')
  })

  it('has its difference told even where no single one is to blame', () => {
    expect(differenceOf('A', 'B')).not.toBe('')
  })
})

const NAMES = ['limit', 'cursor', 'status', 'order_number', 'external_order_id', 'created_from']
const STOCK = ['limit', 'cursor', 'location_code', 'sku_code', 'quantity_below']

describe('nearestName', () => {
  it.each([
    ['status[]', 'status'],
    ['Status', 'status'],
    ['statuses', 'status'],
    ['order_numbr', 'order_number'],
    ['orderNumber', 'order_number'],
    ['order-number', 'order_number'],
    ['number', 'order_number'],
    ['external_id', 'external_order_id'],
    ['from', 'created_from'],
    ['curser', 'cursor'],
  ])('finds for %s %s', (given, expected) => {
    expect(nearestName(given, NAMES)).toBe(expected)
  })

  it.each([
    ['sku', 'sku_code'],
    ['location', 'location_code'],
    ['skuCode', 'sku_code'],
    ['quantity', 'quantity_below'],
  ])('finds for %s %s', (given, expected) => {
    expect(nearestName(given, STOCK)).toBe(expected)
  })

  it.each(['page', 'offset', 'q', '', '[]', 'é', 'x'.repeat(10_000)])(
    'finds nothing for what resembles no name: %s',
    (given) => {
      expect(nearestName(given, NAMES)).toBeUndefined()
    },
  )
})
