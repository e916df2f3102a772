import type { TenantDatabase } from '../../db/transact.ts'
import type { PageRequest } from '../../document/pagination.ts'
import type { ActiveFilter } from '../activity.ts'
import { listProducts } from './queries.ts'

/** All products, as an export has them. */
export const PRODUCTS = {
  resource: 'products',
  columns: ['id', 'sku', 'quantity', 'is_active', 'cost', 'custom_fields'],
  page: (db: TenantDatabase, filters: { is_active: ActiveFilter }, request: PageRequest) =>
    listProducts(db, filters.is_active, request),
} as const
