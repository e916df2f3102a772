import { describe, expect, it } from 'vitest'
import { nearestName } from '../../src/engine/json/nearest-name.ts'

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
