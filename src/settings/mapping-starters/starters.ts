import { type Assets, readAsset } from '../../engine/answers/asset.ts'
import { noRecord } from '../../engine/errors.ts'
import { shortened } from '../../engine/json/messages.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import type { Mapping } from '../../engine/mapping/schema.ts'

/** A mapping for the document of a well-known system. */
export interface Starter {
  name: string
  title: string
  system: string
  resource: Resource
  /** What the mapping assumes, and what to change. */
  notes: string[]
  mapping: Mapping
  /** A document in the shape of the system's own, with invented contents. */
  document: unknown
}

/** The files in `documents/`. */
export const STARTER_NAMES = [
  'amazon-sp-api-order',
  'amazon-sp-api-order-2026',
  'bigcommerce-order',
  'business-central-sales-order',
  'commercetools-order',
  'ebay-order',
  'etsy-receipt',
  'magento-order',
  'mirakl-or11-order',
  'prestashop-order',
  'saleor-order',
  'sap-s4hana-sales-order',
  'shipstation-order',
  'shopify-inventory-levels',
  'shopify-order',
  'shopify-product',
  'shopware-order',
  'square-inventory-counts',
  'square-order',
  'ubl-order',
  'walmart-inventories',
  'walmart-order',
  'woocommerce-order',
  'woocommerce-product',
]

// In the Worker's bundle the starters would be a fifth of it.
const FILE = '/mapping-starters.json'

// Read once for all requests of the isolate: parsed, the starters take two megabytes.
let known: Starter[] | null = null

/** All starters, by name. 503 UNAVAILABLE if their file cannot be read. */
export async function listStarters(assets: Assets): Promise<Starter[]> {
  known ??= await readAsset(assets, FILE, 'The mapping starters', (file) => file.json<Starter[]>())
  return known
}

/** 404 NOT_FOUND if there is none of this name. */
export async function findStarter(assets: Assets, name: string): Promise<Starter> {
  const starters = await listStarters(assets)
  const starter = starters.find((one) => one.name === name)
  if (starter) return starter
  const message = `There is no mapping starter "${shortened(name)}": GET /api/settings/v1/mapping-starters/ lists all.`
  throw noRecord(message)
}
