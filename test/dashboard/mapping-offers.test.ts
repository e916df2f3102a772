import { describe, expect, it } from 'vitest'
import {
  type OfferedRule,
  offersFor,
} from '../../src/dashboard/browser/dashboard/mapping-offers.ts'
import { sourcesIn } from '../../src/dashboard/browser/dashboard/mapping-sources.ts'
import { targetsOf } from '../../src/dashboard/mappings/known-fields.ts'
import type { Resource } from '../../src/engine/mapping/identifier.ts'

const KINDS = new Map(
  (['orders', 'products', 'locations', 'inventory'] satisfies Resource[]).flatMap((resource) =>
    targetsOf(resource).map(({ path, kind }) => [`${resource} ${path}`, kind] as const),
  ),
)

/** What is offered for the field, as `path as conversion each array`. */
function offered(resource: Resource, target: string, document: unknown, rules: OfferedRule[] = []) {
  const kind = KINDS.get(`${resource} ${target}`) ?? 'any'
  const sources = sourcesIn(JSON.stringify(document)).values()
  return offersFor(target, kind, sources, rules).map(({ source, as, each }) =>
    [source, as && `as ${as}`, each && `each ${each.source}`].filter(Boolean).join(' '),
  )
}

const rule = (target: string, source: string, kind = 'path'): OfferedRule => ({
  target,
  kind,
  source,
})

type Case = [resource: Resource, target: string, document: unknown, best: string | undefined]

const SHOP = {
  id: 820982911946,
  name: '#1001',
  created_at: '2024-04-05T19:34:38-04:00',
  customer: { id: 7, first_name: 'Ada', note: null },
  shipping_address: { name: 'Ada Lund', city: 'Oslo' },
  billing_address: { name: 'Ada' },
  line_items: [
    { id: 1, sku: 'S1', quantity: 2, name: 'Tea' },
    { id: 2, sku: null, quantity: 1, name: 'Fee' },
  ],
  refunds: [{ sku: 'S1', quantity: 1 }],
}
const ERP = {
  header: { number: 77, orderDate: '20181205', ship_by: 1712345678 },
  buyer: 'Fjord Kaffe',
  lines: [
    { article: { code: 'A' }, qty: '2' },
    { article: { code: 'B' }, qty: '1.000' },
  ],
}
const STOCK = { warehouses: [{ code: 'W1', stock: [{ item: 'S1', qty: '4' }] }], warehouse: 'W0' }
const ROWS = [{ bin: 'B1', ean: 4006381333931, on_hand: 4 }]

const SHEET = [
  { Artikel: 'A', Lagerplatz: 'D-1', Menge: '1.200', Preis: '3,20' },
  { Artikel: 'B', Lagerplatz: 'D-2', Menge: '12', Preis: '4' },
]

const CASES: Case[] = [
  ['inventory', 'inventory[].sku_code', SHEET, '$[].Artikel'],
  ['inventory', 'inventory[].location_code', SHEET, '$[].Lagerplatz'],
  ['inventory', 'inventory[].quantity', SHEET, '$[].Menge as comma_integer'],
  ['orders', 'order_number', SHOP, 'name'],
  ['orders', 'external_order_id', SHOP, 'id as string'],
  ['orders', 'customer_name', SHOP, 'shipping_address.name'],
  ['orders', 'customer_info', SHOP, 'shipping_address'],
  ['orders', 'order_date', SHOP, 'created_at'],
  ['orders', 'due_date', SHOP, undefined],
  ['orders', 'notes', SHOP, undefined],
  ['orders', 'metadata', SHOP, undefined],
  ['orders', 'items[].sku_code', SHOP, 'line_items[].sku'],
  ['orders', 'items[].quantity', SHOP, 'line_items[].quantity'],
  ['orders', 'order_number', ERP, 'header.number as string'],
  ['orders', 'order_date', ERP, 'header.orderDate as datetime'],
  ['orders', 'due_date', ERP, 'header.ship_by as epoch_seconds'],
  ['orders', 'customer_name', ERP, 'buyer'],
  ['orders', 'items[].sku_code', ERP, 'lines[].article.code'],
  ['orders', 'items[].quantity', ERP, 'lines[].qty as integer'],
  ['orders', 'items[].quantity', { lines: [{ qty: 'two' }] }, undefined],
  ['orders', 'items[].quantity', { lines: [{ qty: 1.5 }] }, undefined],
  ['orders', 'items[].quantity', { lines: [{ qty: '' }, { qty: 2 }] }, 'lines[].qty as integer'],
  ['orders', 'order_date', { date: '01/02/24' }, undefined],
  ['orders', 'order_date', { date: 'Mon, 21 Aug 2017 22:22:19 +0000' }, 'date as datetime'],
  ['orders', 'order_date', { date: '2017-08-21 22:22:19' }, 'date'],
  ['orders', 'order_date', { date: '/Date(1515369600000)/' }, 'date as datetime'],
  ['orders', 'order_date', { date: '1712345678000' }, 'date as epoch_milliseconds'],
  ['orders', 'order_number', [{ number: 'A' }], '$[0].number'],
  ['orders', 'items[].sku_code', [{ lines: [{ sku: 'A' }] }], '$[0].lines[].sku'],
  ['orders', 'metadata.gift', { order: { gift: true } }, 'order.gift'],
  ['products', 'cost', { price: '3.20' }, 'price'],
  ['products', 'cost', { price: 3.2 }, 'price'],
  ['products', 'is_active', { active: '1' }, 'active as boolean'],
  ['products', 'sku', { article: { number: '4' } }, 'article.number'],
  ['locations', 'code', { bin: 'D-04', label: 'Rack' }, 'bin'],
  ['locations', 'name', { bin: 'D-04', label: 'Rack' }, 'label'],
  ['inventory', 'inventory[].location_code', ROWS, '$[].bin'],
  ['inventory', 'inventory[].sku_code', ROWS, '$[].ean as string'],
  ['inventory', 'inventory[].quantity', ROWS, '$[].on_hand'],
  [
    'inventory',
    'inventory[].sku_code',
    STOCK,
    'warehouses[].stock[].item each warehouses[].stock[]',
  ],
  [
    'inventory',
    'inventory[].quantity',
    STOCK,
    'warehouses[].stock[].qty as integer each warehouses[].stock[]',
  ],
  ['inventory', 'inventory[].location_code', STOCK, 'warehouses[].code'],
  [
    'inventory',
    'inventory[].location_code',
    { warehouse: 'W', stock: [{ sku: 'S' }] },
    'warehouse',
  ],
]

describe('the paths of a document that are offered for a field', () => {
  it.each(CASES)('%s %s of %j: %s', (resource, target, document, best) => {
    expect(offered(resource, target, document)[0]).toBe(best)
  })

  it('go through the array that the other rules go through', () => {
    const rules = [rule('items[].sku_code', 'refunds[].sku')]
    expect(offered('orders', 'items[].quantity', SHOP, rules)).toEqual(['refunds[].quantity'])
  })

  it('go through the arrays of an each', () => {
    const rules = [rule('inventory[]', 'warehouses[].stock[?@.qty != 0]', 'each')]
    const best = (target: string) => offered('inventory', target, STOCK, rules)[0]
    expect(best('inventory[].sku_code')).toBe('warehouses[].stock[].item')
    expect(best('inventory[].location_code')).toBe('warehouses[].code')
  })

  it.each(['order_no', 'orderNo', 'Order-Number', 'ORDER NUMBER', 'orderReference', 'IncrementId'])(
    'are found by a name such as %s',
    (name) => {
      expect(offered('orders', 'order_number', { [name]: 'A' })).toHaveLength(1)
    },
  )

  it.each(['', '{', '1', 'null'])('are none where the document is %j', (text) => {
    expect([...sourcesIn(text).keys()]).toEqual([])
  })

  it('have no names that an input cannot hold', () => {
    expect([...sourcesIn('{"a\\nb": 1, "c": [{"d\\u0000": 2, "e": 3}]}').keys()]).toEqual([
      'c[]',
      'c[].e',
    ])
  })

  it('are three at most', () => {
    const document = { number: 'A', order_no: 'A', reference: 'A', code: 'A', orderNumber: 'A' }
    expect(offered('orders', 'order_number', document)).toHaveLength(3)
  })
})
