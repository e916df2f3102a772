import type { Bindings } from '../../env.ts'
import { ApiError, unavailable } from '../../errors.ts'
import { inTime } from '../../limits/deadline.ts'
import type { Resource } from '../../mapping/identifier.ts'
import type { Mapping } from '../../mapping/schema.ts'

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

/** The static assets of the build. In the Worker's bundle the starters would be a fifth of it. */
type Files = Pick<Bindings, 'ASSETS'>

const READ_MS_MAX = 2000

// Read once for all requests of the isolate: parsed, the starters take two megabytes.
let known: Starter[] | null = null

/** All starters, by name. 503 UNAVAILABLE if their file cannot be read. */
export async function listStarters({ ASSETS }: Files): Promise<Starter[]> {
  known ??= await inTime(readStarters(ASSETS), READ_MS_MAX).catch(() => {
    throw unavailable('The mapping starters cannot be read just now: try again.')
  })
  return known
}

/** 404 NOT_FOUND if there is none of this name. */
export async function findStarter(files: Files, name: string): Promise<Starter> {
  const starters = await listStarters(files)
  const starter = starters.find((one) => one.name === name)
  if (starter) return starter
  const message = `There is no mapping starter "${name}": GET /api/settings/v1/mapping-starters/ lists all.`
  throw new ApiError('NOT_FOUND', message)
}

async function readStarters(assets: Bindings['ASSETS']): Promise<Starter[]> {
  const file = await assets.fetch('https://assets/mapping-starters.json')
  if (!file.ok) throw new Error(`the assets answer ${file.status}`)
  return await file.json()
}
