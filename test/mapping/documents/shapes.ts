import { openPartner } from '../../fixtures/partner.ts'
import { type Json, unique } from '../../fixtures/tenant.ts'
import { createProduct } from '../../fixtures/warehouse.ts'
import edi from './edi-850.json'
import ediMapping from './edi-850.mapping.json'
import mirakl from './mirakl.json'
import miraklMapping from './mirakl.mapping.json'
import shopify from './shopify.json'
import shopifyMapping from './shopify.mapping.json'
import woocommerce from './woocommerce.json'
import woocommerceMapping from './woocommerce.mapping.json'

/** An order as a platform sends it, and where its document has what a test changes. */
export interface Shape {
  name: string
  document: Json
  mapping: Json
  /** What is rewritten for each test: what names the order, and its lines' SKUs. */
  names: string[]
  skus: string[]
  /** Paths of the document. */
  number: string
  identifier: string
  lines: string
  sku: string
  quantity: string
}

export const SHOPIFY: Shape = {
  name: 'Shopify',
  document: shopify,
  mapping: shopifyMapping,
  names: ['6104417722541', '#KER-1042'],
  skus: ['MUG-BLÅ-350', 'BOWL-XL', 'CARD-01'],
  number: 'name',
  identifier: 'id',
  lines: 'line_items',
  sku: 'line_items[1].sku',
  quantity: 'line_items[1].quantity',
}

export const WOOCOMMERCE: Shape = {
  name: 'WooCommerce',
  document: woocommerce,
  mapping: woocommerceMapping,
  names: ['20733', 'wc_order_Zk8sTq41LrVbe'],
  skus: ['GLASS-6PK', 'STAKE-MS-H', 'PRØVE'],
  number: 'number',
  identifier: 'order_key',
  lines: 'line_items',
  sku: 'line_items[1].sku',
  quantity: 'line_items[1].quantity',
}

export const EDI: Shape = {
  name: 'EDI 850',
  document: edi,
  mapping: ediMapping,
  names: ['4500/117/26', 'ZAM/2026/03/00417'],
  skus: ['TAPE-50-BRN', 'FOIL-STR-23', 'SAMPLE-Ł1'],
  number: "BEG['BEG.03']",
  identifier: "BEG['BEG.03']",
  lines: 'PO1-Loop',
  sku: "PO1-Loop[1].PO1['PO1.07']",
  quantity: "PO1-Loop[1].PO1['PO1.02']",
}

export const MIRAKL: Shape = {
  name: 'Mirakl',
  document: mirakl,
  mapping: miraklMapping,
  names: ['FR26-88014'],
  skus: ['LAMPE-ÉTÉ-01', 'AMP-E27-4W', 'CÂBLE-2M'],
  number: 'orders[0].order_id',
  identifier: 'orders[0].order_id',
  lines: 'orders[0].order_lines',
  sku: 'orders[0].order_lines[1].offer_sku',
  quantity: 'orders[0].order_lines[1].quantity',
}

export const SHAPES = [SHOPIFY, WOOCOMMERCE, EDI, MIRAKL]

/** A partner with the shape's mapping, and a document of names that no other test has. */
export async function openShape({ document, mapping, names, skus }: Shape) {
  const partner = await openPartner({ mappings: { orders: mapping } })
  const own = ownNames([...names, ...skus])
  for (const sku of skus) await createProduct(partner.admin, { sku: own.get(sku) })
  return { ...partner, document: renamed(document, own) }
}

export function ownNames(names: string[]): Map<string, string> {
  return new Map(names.map((name) => [name, /^\d+$/.test(name) ? ownNumber() : unique(name)]))
}

export function renamed(document: Json, own: Map<string, string>): Json {
  const rename = (text: string, [name, to]: [string, string]) => text.replaceAll(name, () => to)
  return JSON.parse([...own].reduce(rename, JSON.stringify(document)))
}

let last = Date.now() * 1000

/** Below 2^53, as platforms send their ids. */
function ownNumber(): string {
  last += 1
  return String(last)
}

/** The document's paths that a mapping reads. */
export function sourcesOf(mapping: Json): string[] {
  return Object.values<Json>(mapping.inbound.fields).flatMap((rule) => {
    const source = typeof rule === 'string' ? rule : rule.from
    return source === undefined ? [] : [source]
  })
}
