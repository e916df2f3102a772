import { listProducts } from './queries.ts'

/** All products, as an export has them. */
export const PRODUCTS = {
  resource: 'products',
  columns: ['id', 'sku', 'quantity', 'is_active', 'cost', 'custom_fields'],
  page: listProducts,
} as const
