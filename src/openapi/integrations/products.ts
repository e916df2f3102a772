import { PRODUCTS } from '../../records/catalogue/kind.ts'
import { catalogueEndpoints } from './catalogue.ts'

export const productsReference = catalogueEndpoints(PRODUCTS, {
  tag: 'Products',
  create:
    'Creates a product. A `sku` that exists, even if inactive, returns 409 `DUPLICATE`. On a retry this means that the first attempt succeeded.',
  created: 'The product.',
  list: 'Returns the active products, newest first; with `is_active` the inactive ones, or all. `without_stock=true` lists those without a record of stock, and looks at 10,000 products for a page. Such a page may end before it is full, even without a record: go on until `next_cursor` is null.',
  update:
    'Replaces the given fields, and `custom_fields` as a whole. `id` and `sku` cannot be changed: other values than the product has return `VALIDATION_ERROR`. `is_active` true reactivates a deactivated product. You can repeat this request.',
  change: { quantity: 38 },
  fault: ['quantity', 'Must be an integer, not a string.'],
  ambiguous: 'Several products have the cost "3.20", so it identifies none of them.',
})
