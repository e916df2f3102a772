import type { Resource } from '../../src/mapping/identifier.ts'
import type { SavedRule, SavedRules } from '../../src/mapping/rules.ts'
import type { Json } from '../tenant.ts'

// The worked examples of MAPPING.md, under their numbers.

export interface Example {
  number: number
  about: string
  resource: Resource
  method: 'POST' | 'PUT'
  rules: SavedRules
  payload: Json
  /** The mapped document, or what is wrong with the payload. */
  expected: { value: Json } | { problem: Json }
}

export const EXAMPLES: Example[] = [
  example(1, 'rename', {
    fields: { order_number: 'orderNo', customer_name: 'buyer' },
    payload: { orderNo: 'A-1', buyer: 'Kim', notes: 'hi', foo: 1 },
    value: { order_number: 'A-1', customer_name: 'Kim', notes: 'hi', foo: 1 },
  }),
  example(2, 'dot-paths and quoted names', {
    fields: {
      order_number: 'header.number',
      'customer_info.city': 'ship_to.address.city',
      'customer_info.phone': "ship_to['tel.main']",
    },
    payload: {
      header: { number: 'A-2' },
      ship_to: { address: { city: 'Oslo' }, 'tel.main': '+47' },
    },
    value: { order_number: 'A-2', customer_info: { city: 'Oslo', phone: '+47' } },
  }),
  example(3, 'array indexes', {
    fields: { order_number: 'refs[0].id', 'customer_info.last_ref': 'refs[-1].id' },
    payload: { refs: [{ id: 'A-3' }, { id: 'Z' }] },
    value: { order_number: 'A-3', customer_info: { last_ref: 'Z' } },
  }),
  example(4, 'array to array', {
    fields: {
      'items[].sku_code': 'lines[].article.code',
      'items[].quantity': 'lines[].qty',
      'items[].notes': 'lines[].text',
    },
    payload: {
      lines: [
        { article: { code: 'S1' }, qty: 2, text: 'x' },
        { article: { code: 'S2' }, qty: 1 },
      ],
    },
    value: {
      items: [
        { sku_code: 'S1', quantity: 2, notes: 'x' },
        { sku_code: 'S2', quantity: 1 },
      ],
    },
  }),
  example(5, 'fixed values and broadcast', {
    fields: {
      'items[].sku_code': 'lines[].sku',
      'items[].quantity': { value: 1 },
      'items[].notes': 'memo',
      'metadata.source': { value: 'acme-erp' },
    },
    payload: { memo: 'gift', lines: [{ sku: 'S1' }, { sku: 'S2' }] },
    value: {
      items: [
        { sku_code: 'S1', quantity: 1, notes: 'gift' },
        { sku_code: 'S2', quantity: 1, notes: 'gift' },
      ],
      metadata: { source: 'acme-erp' },
    },
  }),
  example(6, 'missing and null elements, an empty array', {
    fields: { 'metadata.tags[]': 'tags[].name', 'items[].sku_code': 'lines[].sku' },
    payload: { tags: [{ name: 'a' }, {}, { name: null }], lines: [] },
    value: { metadata: { tags: ['a', null, null] }, items: [] },
  }),
  example(7, 'null at the end and before it', {
    fields: { customer_name: 'buyer.name', notes: 'memo', due_date: 'dates.due' },
    payload: { buyer: { name: null }, dates: null },
    value: { customer_name: null },
  }),
  example(8, 'a wrong kind on the way', {
    fields: { 'items[].sku_code': 'lines[].article.code' },
    payload: { lines: [{ article: { code: 'S1' } }, { article: 'S2' }] },
    problem: {
      reason: 'TYPE_MISMATCH',
      rule: 'items[].sku_code',
      at: 'lines[1].article',
      expected: 'object',
      found: 'string',
    },
  }),
  example(9, 'zipped arrays of different lengths', {
    fields: { 'items[].sku_code': 'skus[]', 'items[].quantity': 'qtys[]' },
    payload: { skus: ['a', 'b'], qtys: [1] },
    problem: {
      reason: 'LENGTH_MISMATCH',
      rule: 'items[].quantity',
      at: 'items',
      source: 'qtys',
      expected: 2,
      found: 1,
    },
  }),
  example(10, 'a parent target and a child of it', {
    fields: { customer_info: 'ship_to', 'customer_info.phone': 'contact.tel' },
    payload: { ship_to: { city: 'Oslo', phone: 'old' }, contact: { tel: '+47' } },
    value: { customer_info: { city: 'Oslo', phone: '+47' } },
  }),
  example(10, 'a parent target that is no object', {
    fields: { customer_info: 'ship_to', 'customer_info.phone': 'contact.tel' },
    payload: { ship_to: 'Oslo', contact: { tel: '+47' } },
    problem: {
      reason: 'TARGET_CONFLICT',
      rule: 'customer_info.phone',
      at: 'customer_info',
      source: 'ship_to',
      expected: 'object',
      found: 'string',
    },
  }),
  example(11, 'an upload of stock, the rest dropped', {
    resource: 'inventory',
    unmapped: 'drop',
    fields: {
      'inventory[].location_code': 'stock[].bin',
      'inventory[].sku_code': 'stock[].item',
      'inventory[].quantity': 'stock[].on_hand',
      source: { value: 'erp_sync' },
    },
    payload: { stock: [{ bin: 'A1', item: 'S1', on_hand: 4 }], batch: '77' },
    value: {
      inventory: [{ location_code: 'A1', sku_code: 'S1', quantity: 4 }],
      source: 'erp_sync',
    },
  }),
  example(12, 'target indexes, trailing ones missing', {
    fields: indexed(),
    payload: { sku1: 'S1', qty1: 1 },
    value: { items: [{ sku_code: 'S1', quantity: 1 }] },
  }),
  example(12, 'target indexes with a gap', {
    fields: indexed(),
    payload: { sku2: 'S2' },
    problem: {
      reason: 'ARRAY_HOLE',
      rule: 'items[0].sku_code',
      at: 'items[0]',
      source: 'sku1',
    },
  }),
  example(13, 'a fixed value that a PUT does not write', {
    resource: 'products',
    method: 'PUT',
    fields: { 'custom_fields.channel': { value: 'acme' }, quantity: 'qoh' },
    payload: { qoh: 3 },
    value: { quantity: 3 },
  }),
  example(14, 'a swap', {
    resource: 'locations',
    fields: { name: 'zone', zone: 'name' },
    payload: { name: 'n', zone: 'z' },
    value: { name: 'z', zone: 'n' },
  }),
]

/** Example 15: rules that are refused when they are saved. */
export const REFUSED: { about: string; fields: Record<string, Json>; rule: string }[] = [
  { about: 'an array into one value', fields: { notes: 'lines[].text' }, rule: 'notes' },
  {
    about: 'a broadcast to an array of unknown length',
    fields: { 'items[].quantity': { value: 1 } },
    rule: 'items[].quantity',
  },
  {
    about: 'an array both by index and by wildcard',
    fields: { 'items[].sku_code': 'lines[].sku', 'items[0].quantity': 'qty' },
    rule: 'items[0].quantity',
  },
  { about: 'an unsafe name', fields: { '__proto__.x': 'a' }, rule: '__proto__.x' },
  {
    about: 'a path and a value at once',
    fields: { notes: { from: 'memo', value: 'x' } },
    rule: 'notes',
  },
]

interface Given {
  resource?: Resource
  method?: Example['method']
  unmapped?: SavedRules['unmapped']
  fields: Record<string, SavedRule>
  payload: Json
  value?: Json
  problem?: Json
}

function example(number: number, about: string, given: Given): Example {
  const { resource = 'orders', method = 'POST', unmapped = 'keep', fields, payload } = given
  const expected = given.problem ? { problem: given.problem } : { value: given.value }
  return { number, about, resource, method, rules: { unmapped, fields }, payload, expected }
}

function indexed(): Record<string, SavedRule> {
  return {
    'items[0].sku_code': 'sku1',
    'items[0].quantity': 'qty1',
    'items[1].sku_code': 'sku2',
    'items[1].quantity': 'qty2',
  }
}
