import { asListed } from '../../engine/db/wide-rows.ts'
import { listInventory } from './queries.ts'

type Row = Awaited<ReturnType<typeof listInventory>>['rows'][number]

/** All stock, as an export has it. */
export const INVENTORY = {
  resource: 'inventory',
  columns: ['location_code', 'sku_code', 'quantity'],
  page: listInventory,
  inFull: asListed<Row>,
} as const
