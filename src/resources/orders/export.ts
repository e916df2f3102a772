import type { TenantDatabase } from '../../db/transact.ts'
import type { PageRequest } from '../../document/pagination.ts'
import { listOrders } from './queries.ts'
import type { OrderFilters } from './schema.ts'

/** All orders that the caller sees, as an export has them: the fields of summaries. */
export function exportedOrders(orders_of: string | null) {
  return {
    resource: 'orders',
    columns: ['id', 'order_number', 'status', 'customer_name', 'created_at'],
    page: (db: TenantDatabase, filters: OrderFilters, request: PageRequest) =>
      listOrders(db, { ...filters, orders_of }, request),
  } as const
}
