import { activeAtFirst, decimal, id, identifier, objectOrEmpty, quantity } from './fields.ts'
import { record } from './record.ts'

export const Product = record({
  one: 'product',
  many: 'products',
  key: 'sku',
  free: 'custom_fields',
  fields: {
    id: id('0b8f2f0e-5f0a-4a4e-9a5e-3b6d3c1a7a10'),
    sku: identifier({ label: 'SKU', example: 'MUG-ENAMEL-BLU' }),
    quantity: quantity({
      label: 'stated quantity',
      about:
        'Quantity on hand; negative for backorders. It is independent of the stock at locations.',
      example: 40,
    }),
    is_active: activeAtFirst(),
    cost: decimal({
      about:
        'A decimal of at least 0, with at most 12 digits before the point and 6 after. Send a string or a number. Of a number, what binary arithmetic adds does not count: `0.30000000000000004` is 0.3. Responses always have a string.',
      example: '3.20',
    }),
    custom_fields: objectOrEmpty({ example: { colour: 'blue' } }),
  },
  lists: ['id', 'sku', 'quantity', 'is_active', 'cost', 'custom_fields'],
  filters: ['sku'],
})
