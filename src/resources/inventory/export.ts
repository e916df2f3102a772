import { listInventory } from './queries.ts'

/** All stock, as an export has it. */
export const INVENTORY = {
  resource: 'inventory',
  columns: ['location_code', 'sku_code', 'quantity'],
  page: listInventory,
} as const
