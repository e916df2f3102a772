import * as z from 'zod'
import { OTHER_TYPES } from '../../engine/formats/format.ts'
import { RESOURCES } from '../../engine/mapping/identifier.ts'
import { STARTER_NAMES } from '../../settings/mapping-starters/starters.ts'
import { named } from '../components.ts'
import { endpoints, pageOf } from '../endpoint.ts'
import { unknownRecord } from '../errors.ts'
import { ShownRules } from './mappings.ts'

const Starter = named(
  'MappingStarter',
  z.object({
    name: z.enum(STARTER_NAMES),
    title: z.string(),
    system: z.string(),
    resource: z.enum(RESOURCES),
    summary: z
      .object({
        takes: z.string(),
        ships: z.string(),
        cancels: z.string(),
        refuses: z.string(),
        leaves_out: z.string(),
      })
      .optional(),
    notes: z.array(z.string()),
    mapping: z.object({
      identifier_field: z.string().nullable(),
      inbound: ShownRules.nullable(),
      outbound: ShownRules.nullable(),
    }),
    document: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown()), z.string()]),
    content_type: z.enum(OTHER_TYPES).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    query: z.record(z.string(), z.string()).optional(),
  }),
)

const STARTER = {
  name: 'woocommerce-order',
  title: 'WooCommerce: order',
  system: 'WooCommerce',
  resource: 'orders' as const,
  summary: {
    takes: 'processing',
    ships: 'completed',
    cancels: 'cancelled, refunded, failed, trash',
    refuses: 'pending, on-hold, checkout-draft, auto-draft: not paid; all else: states of plugins',
    leaves_out: 'lines with a quantity of 0; fees, coupons, shipping',
  },
  notes: ['Change WC- to a prefix of your own if you have more than one shop.'],
  mapping: {
    identifier_field: 'external_order_id',
    inbound: {
      unmapped: 'drop' as const,
      fields: {
        order_number: { join: [{ value: 'WC-' }, 'number'], with: '' },
        'items[]': { each: 'line_items[?@.quantity != 0]' },
        'items[].sku_code': {
          from: ['line_items[].sku', 'line_items[].product_id'],
          as: 'string' as const,
        },
        'items[].quantity': { from: 'line_items[].quantity', as: 'integer' as const },
      },
    },
    outbound: null,
  },
  document: { number: '30418', line_items: [{ sku: 'MUG-BLUE', quantity: 2 }] },
}

export const mappingStartersReference = endpoints('settings', 'Mappings', {
  'GET /mapping-starters/': {
    operationId: 'listMappingStarters',
    summary: 'List mapping starters',
    description:
      "Returns mappings for the documents of well-known systems, each with a document of that shape. Save a starter's `mapping` as a partner's mapping, after you have changed what its `notes` name.",
    answer: pageOf('starters, by name', Starter, STARTER),
  },
  'GET /mapping-starters/{name}/': {
    operationId: 'findMappingStarter',
    summary: 'Retrieve a mapping starter',
    description: 'Returns one starter.',
    answer: { description: 'The starter.', data: Starter, example: STARTER },
    errors: {
      NOT_FOUND: unknownRecord(
        'There is no mapping starter "acme-order": GET /api/settings/v1/mapping-starters/ lists all.',
      ),
    },
  },
})
