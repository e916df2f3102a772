import * as z from 'zod'
import {
  InventoryPage,
  StockQuery,
  StockRow,
  UploadBody,
} from '../../resources/inventory/schema.ts'
import { FieldErrors, named } from '../components.ts'
import { type Endpoint, endpoint, type Telling } from '../endpoint.ts'
import { wrong } from '../errors.ts'

named('UpsertInventory', UploadBody)
named('InventoryRecord', StockRow)

const RowError = named(
  'RowError',
  z.object({
    row: z.int().min(0),
    location_id: z.string(),
    product_id: z.string(),
    errors: FieldErrors,
    source: z.record(z.string(), z.string()).optional(),
  }),
)

const UploadResult = named(
  'UploadResult',
  z.object({
    total: z.int().min(0),
    created: z.int().min(0),
    updated: z.int().min(0),
    failed: z.int().min(0),
    errors: z.array(RowError),
  }),
)

const STOCK = [
  { location_code: 'A-01-1', sku_code: 'TEA-EARLGREY-100', quantity: 120 },
  { location_code: 'Z-99-9', sku_code: 'TEA-EARLGREY-100', quantity: 5 },
]

export const inventory: Endpoint[] = [
  stock({
    method: 'post',
    path: '/inventory/',
    operationId: 'upsertInventory',
    scope: 'integrations.inventory.write',
    summary: 'Set quantities',
    description:
      'Sets the quantity of each (location, product) pair: those that exist are updated, others created. Each row stands for itself: a bad one is named in `errors`, and the answer stays 200. All good rows commit together. Of a pair that is given twice the last row wins. Up to 10 MB at once; safe to repeat.',
    isMapped: true,
    body: { schema: UploadBody, example: { source: 'erp_sync', inventory: STOCK } },
    answer: {
      description: 'What became of the rows.',
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
    refuses: { VALIDATION_ERROR: wrong('inventory', 'Must have at least 1 entry.') },
  }),
  stock({
    method: 'get',
    path: '/inventory/',
    operationId: 'listInventory',
    scope: 'integrations.inventory.read',
    summary: 'List all stock',
    description: 'The records of all locations, newest first: an update never moves a record.',
    query: InventoryPage,
    answer: {
      description: 'A page of inventory records.',
      data: z.array(StockRow),
      isPage: true,
      example: STOCK,
    },
  }),
  stock({
    method: 'get',
    path: '/inventory/{identifier}/',
    operationId: 'findStock',
    scope: 'integrations.inventory.read',
    summary: 'Find stock at a location, or of a SKU',
    description:
      'All records of one location, or with `by=sku` of one product, newest first and not in pages. None, or an unknown code: an empty array.',
    query: StockQuery,
    answer: {
      description: 'The inventory records.',
      data: z.array(StockRow),
      example: STOCK.slice(0, 1),
    },
    refuses: { VALIDATION_ERROR: wrong('by', 'Must be one of: location, sku.') },
  }),
]

function stock<Body extends z.ZodType, Data extends z.ZodType>(telling: Telling<Body, Data>) {
  return endpoint('integrations', 'Inventory', telling)
}
