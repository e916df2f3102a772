import * as z from 'zod'
import { Name, Notes, QUANTITY_MAX, Quantity } from '../../engine/json/fields.ts'
import { pageParams } from '../../engine/json/pagination.ts'

/** A record of stock. */
export const StockRow = z.object({
  location_code: Name.min(1),
  sku_code: Name.min(1),
  quantity: Quantity.min(0),
})
export type StockRow = z.output<typeof StockRow>

/** One row of an upload. It is checked on its own: a bad row does not stop the others. */
export const UploadRow = StockRow.extend({
  /** What must be stored for the row to have an effect; null for no record. Without it the row has none. */
  if_quantity: Quantity.min(0).nullable().optional(),
})
export type UploadRow = z.output<typeof UploadRow>

export const UpsertInventory = z.object({
  inventory: z.array(z.unknown()).min(1),
  source: z
    .enum(['bulk_import', 'manual_adjustment', 'erp_sync', 'initial_load'])
    .nullish()
    .transform((source) => source ?? 'bulk_import'),
  notes: Notes.nullish(),
})
export type UpsertInventory = z.output<typeof UpsertInventory>

/** The fields that rows may have, to find those without effect. */
export const UploadRows = z.object({ inventory: z.array(UploadRow) })
export const UploadRowsWithoutConditions = z.object({ inventory: z.array(StockRow) })

/** A whole upload, rows included. */
export const UploadBody = UpsertInventory.extend({ inventory: z.array(UploadRow).min(1) })

/** The largest quantity that the index of low stock holds. */
export const LOW_STOCK_MAX = 100

const BELOW_FAULT = `Must be an integer from 1 to ${QUANTITY_MAX}.`

/** Some values of `quantity_below` need a code beside them: `listInventory` says so. */
export const InventoryPage = z.object({
  ...pageParams('inventory'),
  location_code: z.string().min(1).optional(),
  sku_code: z.string().min(1).optional(),
  quantity_below: z
    .string()
    .regex(/^\d{1,10}$/, { error: BELOW_FAULT })
    .transform(Number)
    .refine((below) => below >= 1 && below <= QUANTITY_MAX, { error: BELOW_FAULT })
    .optional(),
})

/** Of the list of low stock, which only the dashboard has. */
export const LowStockPage = InventoryPage.pick({ limit: true, cursor: true, location_code: true })
export type StockFilters = Omit<z.output<typeof InventoryPage>, 'limit' | 'cursor'>

export const StockQuery = z.object({ by: z.enum(['location', 'sku']).default('location') })
export type StockQuery = z.output<typeof StockQuery>

export const HISTORY = 'inventory-history'

/** The path's code is a filter as well: `by` says which. */
export const HistoryQuery = z.object({
  ...pageParams(HISTORY),
  by: StockQuery.shape.by,
  location_code: z.string().min(1).optional(),
  sku_code: z.string().min(1).optional(),
})
export type HistoryQuery = z.output<typeof HistoryQuery>
