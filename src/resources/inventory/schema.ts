import * as z from 'zod'
import { Name, Notes, Quantity } from '../../fields.ts'
import { PageQuery } from '../../pagination.ts'

/** One row of an upload. Checked on its own: a bad row does not stop the others. */
export const StockRow = z.object({
  location_code: Name.min(1),
  sku_code: Name.min(1),
  quantity: Quantity.min(0),
})
export type StockRow = z.output<typeof StockRow>

export const UpsertInventory = z.object({
  inventory: z.array(z.unknown()).min(1),
  source: z
    .enum(['bulk_import', 'manual_adjustment', 'erp_sync', 'initial_load'])
    .nullish()
    .transform((source) => source ?? 'bulk_import'),
  notes: Notes.nullish(),
})
export type UpsertInventory = z.output<typeof UpsertInventory>

/** What an upload's rows may say, for naming what had no effect. */
export const UploadRows = z.object({ inventory: z.array(StockRow) })

/** An upload checked as a whole, its rows included. */
export const UploadBody = UpsertInventory.extend({ inventory: z.array(StockRow).min(1) })

export const InventoryPage = PageQuery('inventory')

export const StockQuery = z.object({ by: z.enum(['location', 'sku']).default('location') })
export type StockQuery = z.output<typeof StockQuery>
