import * as z from 'zod'
import { INVENTORY } from '../../records/inventory/export.ts'
import { NEEDS_CODE } from '../../records/inventory/queries.ts'
import { StockRow, UploadBody } from '../../records/inventory/schema.ts'
import { named, ShownFieldErrors } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { together, wrong } from '../errors.ts'

named('UpsertInventory', UploadBody)
named('InventoryRecord', StockRow)

const RowError = named(
  'RowError',
  z.object({
    row: z.int().min(0),
    location_id: z.string(),
    product_id: z.string(),
    errors: ShownFieldErrors,
    source: z.record(z.string(), z.string()).optional(),
  }),
)

const RehearsedChange = named(
  'RehearsedChange',
  z.object({
    location_code: z.string(),
    sku_code: z.string(),
    from: z.int().nullable(),
    to: z.int(),
    source: z.string().nullable().optional(),
  }),
)

/** What an upload has done. */
export const UploadResult = named(
  'UploadResult',
  z.object({
    total: z.int().min(0),
    created: z.int().min(0),
    updated: z.int().min(0),
    failed: z.int().min(0),
    errors: z.array(RowError),
    changes: z.array(RehearsedChange).optional(),
  }),
)

const Subject = z.object({ id: z.string(), name: z.string() })

const StockChange = named(
  'StockChange',
  z.object({
    location_code: z.string(),
    sku_code: z.string(),
    from: z.int().min(0).nullable(),
    to: z.int().min(0),
    changed_at: z.string(),
    request_id: z.string(),
    source: z.string().nullable(),
    notes: z.string().nullable(),
    api_key: Subject.nullable(),
    partner: Subject.nullable(),
  }),
)

const STOCK = [
  { location_code: 'A-01-1', sku_code: 'TEA-EARLGREY-100', quantity: 120 },
  { location_code: 'Z-99-9', sku_code: 'TEA-EARLGREY-100', quantity: 5 },
]

export const inventoryReference = endpoints('integrations', 'Inventory', {
  'POST /inventory/': {
    operationId: 'upsertInventory',
    summary: 'Set quantities',
    description:
      'Sets the quantity of each (location, product) pair: updates existing pairs and creates new ones. `errors` lists bad rows; the status is still 200, and all good rows are applied together. If a pair occurs twice, the last row wins. With `if_quantity` a row has an effect only if that quantity is stored, so it overwrites no other change. Send up to 10 MB at once. You can repeat this request: a row with `if_quantity` that has landed fails when it is repeated, and its error says that its quantity is stored.',
    body: { schema: UploadBody, example: { source: 'erp_sync', inventory: STOCK } },
    answer: {
      description: 'The row counts, and the errors of bad rows.',
      data: UploadResult,
      example: {
        total: 2,
        created: 1,
        updated: 0,
        failed: 1,
        errors: [
          {
            row: 1,
            location_id: 'Z-99-9',
            product_id: 'TEA-EARLGREY-100',
            errors: { location_code: ['No location has the code "Z-99-9".'] },
          },
        ],
      },
    },
    errors: { VALIDATION_ERROR: wrong('inventory', 'Must have at least 1 entry.') },
  },
  'GET /inventory/': {
    operationId: 'listInventory',
    summary: 'List all stock',
    description:
      'Returns the records of all locations, newest first, or those that match all filters. An update does not move a record. `quantity_below` alone is at most 101, and lists by quantity, the lowest first: a record whose quantity changes in between may be missing or appear twice. Beside `location_code` or `sku_code` it takes any number, and compares at most 10,000 of their records for a page. Such a page may end before it is full, even without a record: go on until `next_cursor` is null. If nothing matches, `warnings` names a code that is unknown or inactive. Filters take our codes, whatever the mapping of a partner says.',
    answer: {
      description: 'A page of inventory records.',
      isShaped: true,
      data: z.array(StockRow),
      exported: { columns: INVENTORY.columns, records: STOCK },
      example: STOCK,
    },
    errors: {
      VALIDATION_ERROR: together(NEEDS_CODE, 'quantity_below', 'location_code', 'sku_code'),
    },
  },
  'GET /inventory/{identifier}/': {
    operationId: 'findStock',
    summary: 'Retrieve stock of a location or SKU',
    description:
      'Returns all records of a location, or with `by=sku` of a product, newest first and without pages. An unknown code returns an empty array, and a warning with the code `LOCATION_UNKNOWN` or `SKU_UNKNOWN`. Stock at an inactive location, or of an inactive product, comes with a warning `LOCATION_INACTIVE` or `SKU_INACTIVE`.',
    answer: {
      description: 'The inventory records.',
      isShaped: true,
      data: z.array(StockRow),
      example: STOCK.slice(0, 1),
    },
    errors: { VALIDATION_ERROR: wrong('by', 'Must be one of: location, sku.') },
  },
  'GET /inventory/{identifier}/history/': {
    operationId: 'listStockHistory',
    summary: 'Retrieve the history of stock',
    description:
      'Returns which request has changed which quantity at a location, or with `by=sku` of a product, newest first: uploads, and what took them back. `from` is null where the request created the record. `pagination.complete_since` says how far back the history is complete; it depends on `undo_days` of the workspace. A page looks through a bounded number of changes and may end before it is full, even without a record: go on until `next_cursor` is null. If there is nothing, `warnings` names a code that is unknown or inactive. To a key of a partner, only that key and that partner are named, and no notes of others are told. Records are in our own fields, whatever the mapping of a partner says. Release 1.0 does not have this endpoint.',
    answer: {
      ...pageOf('changes', StockChange, {
        location_code: 'A-01-1',
        sku_code: 'TEA-EARLGREY-100',
        from: 120,
        to: 96,
        changed_at: '2026-11-21T12:07:50.269Z',
        request_id: '5f0c1c9e-7d7b-4c39-8a35-0f2b1f6f3f57',
        source: 'erp_sync',
        notes: null,
        api_key: { id: '1c3f8f52-20f4-4f0c-9d55-7b0f3f0f1f01', name: 'Nordvik' },
        partner: null,
      }),
      page: 'history',
    },
    errors: { VALIDATION_ERROR: wrong('by', 'Must be one of: location, sku.') },
  },
})
