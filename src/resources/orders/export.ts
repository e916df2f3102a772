import { listOrders } from './queries.ts'

/** All orders, as an export has them: the fields of summaries. */
export const ORDERS = {
  resource: 'orders',
  columns: ['id', 'order_number', 'status', 'customer_name', 'created_at'],
  page: listOrders,
} as const
