import type { OTHER_TYPES } from '../../engine/formats/format.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import type { Mapping } from '../../engine/mapping/schema.ts'
import { shipped } from '../shipped.ts'

/** A mapping for the document of a well-known system. */
export interface Starter {
  name: string
  title: string
  system: string
  resource: Resource
  /** Of orders: what becomes of the states that the system has, in its own words. */
  summary?: StarterSummary
  /** What the mapping assumes, and what to change. */
  notes: string[]
  mapping: Mapping
  /** A document in the shape of the system's own, with invented contents: JSON, or else a text with its `content_type`. */
  document: unknown
  content_type?: (typeof OTHER_TYPES)[number]
  /** What comes with it, if the mapping reads that. */
  headers?: Record<string, string>
  query?: Record<string, string>
}

/** The row of an order starter in docs/starters.md. */
export interface StarterSummary {
  /** Created by POST and webhooks; PUT leaves the status as it is. */
  takes: string
  /** Counts as shipped by PUT and webhooks, and is refused by POST. */
  ships: string
  /** Cancels the order by PUT and webhooks, and is refused by POST. */
  cancels: string
  /** Refused by POST and PUT, and skipped by webhooks. */
  refuses: string
  /** Of a document that is taken. */
  leaves_out: string
}

/**
 * The files in `documents/`. A document that is no JSON lies beside its starter, which names its file. One that is a list
 * of another starter's document names that starter: scripts/assets/list-starter.ts makes its rules.
 */
export const STARTER_NAMES = [
  'amazon-sp-api-order',
  'amazon-sp-api-order-2026',
  'bigcommerce-order',
  'bol-order',
  'brightpearl-orders',
  'business-central-sales-order',
  'commercetools-order',
  'cxml-order-request',
  'dynamics-365-sales-order-lines',
  'ebay-order',
  'ebay-orders',
  'ecwid-orders',
  'etsy-receipt',
  'etsy-receipts',
  'google-sheets-orders',
  'lightspeed-orders',
  'linnworks-orders',
  'magento-order',
  'mirakl-or11-order',
  'netsuite-sales-orders',
  'odoo-sale-orders',
  'prestashop-order',
  'quickbooks-invoice',
  'saleor-order',
  'sap-s4hana-sales-order',
  'shiphero-inventory-update',
  'shipstation-order',
  'shipstation-orders',
  'shopee-orders',
  'shopify-graphql-order',
  'shopify-inventory-level',
  'shopify-inventory-levels',
  'shopify-order',
  'shopify-order-export-csv',
  'shopify-product',
  'shopware-order',
  'shopware-order-event',
  'spree-order',
  'square-inventory-counts',
  'square-order',
  'squarespace-orders',
  'supplier-stock-csv',
  'sylius-order',
  'ubl-order',
  'ubl-order-xml',
  'walmart-inventories',
  'walmart-order',
  'walmart-orders',
  'wix-orders',
  'woocommerce-order',
  'woocommerce-product',
  'xero-invoices',
  'zoho-inventory-salesorders',
]

export const starters = shipped<Starter>({
  folder: 'mapping-starters',
  names: STARTER_NAMES,
  called: 'mapping starter',
})

export const { list: listStarters, find: findStarter } = starters
