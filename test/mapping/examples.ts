import type { Resource } from '../../src/engine/mapping/identifier.ts'
import type { SavedRule, SavedRules } from '../../src/engine/mapping/saved-rule.ts'
import type { Json } from '../tenant.ts'

// The worked examples of docs/mappings.md, under their numbers.

export interface Example {
  number: number
  about: string
  resource: Resource
  method: 'POST' | 'PUT'
  rules: SavedRules
  payload: Json
  /** The mapped document, or the problems of the payload. */
  expected: { value: Json } | { problem: Json }
  /** Where values come from that the payload does not have as they are; null for a default. */
  provenance?: Record<string, string | null>
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
    fields: { 'customer_info.first_ref': 'refs[0].id', 'customer_info.last_ref': 'refs[-1].id' },
    payload: { refs: [{ id: 'A-3' }, { id: 'Z' }] },
    value: { customer_info: { first_ref: 'A-3', last_ref: 'Z' } },
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
  example(16, 'the elements that a filter takes', {
    fields: {
      'items[]': { each: "lines[?@.qty > 0 && @.type != 'shipping']" },
      'items[].sku_code': 'lines[].sku',
      'items[].quantity': 'lines[].qty',
    },
    payload: {
      lines: [
        { type: 'shipping', qty: 1 },
        { sku: 'S1', qty: 2 },
        { sku: 'S2', qty: 0 },
        { sku: 'S2', qty: 3 },
      ],
    },
    value: {
      items: [
        { sku_code: 'S1', quantity: 2 },
        { sku_code: 'S2', quantity: 3 },
      ],
    },
  }),
  example(17, 'nested arrays into one', {
    resource: 'inventory',
    fields: {
      'inventory[]': { each: 'warehouses[].stock[]' },
      'inventory[].location_code': 'warehouses[].code',
      'inventory[].sku_code': 'warehouses[].stock[].item',
      'inventory[].quantity': { from: 'warehouses[].stock[].qty', as: 'integer' },
    },
    payload: {
      warehouses: [
        { code: 'A1', stock: [{ item: 'S1', qty: '4.000' }] },
        { code: 'A2', stock: [] },
      ],
    },
    value: { inventory: [{ location_code: 'A1', sku_code: 'S1', quantity: 4 }] },
    provenance: { 'inventory[0].quantity': 'warehouses[0].stock[0].qty' },
  }),
  example(18, 'one element by a value', {
    fields: { 'metadata.gift': "note_attributes[?@.name == 'gift'].value" },
    payload: {
      note_attributes: [
        { name: 'source', value: 'web' },
        { name: 'gift', value: 'yes' },
      ],
    },
    value: { metadata: { gift: 'yes' } },
  }),
  example(18, 'several elements by a value', {
    fields: { 'metadata.gift': "note_attributes[?@.name == 'gift'].value" },
    payload: {
      note_attributes: [
        { name: 'gift', value: 'yes' },
        { name: 'gift', value: 'no' },
      ],
    },
    problem: {
      reason: 'AMBIGUOUS',
      rule: 'metadata.gift',
      at: 'note_attributes[0]',
      found: 'note_attributes[1]',
    },
  }),
  example(19, 'joined texts', {
    fields: {
      order_number: { join: [{ value: 'SHOP2-' }, 'id'], with: '' },
      customer_name: { join: ['buyer.first', 'buyer.last'] },
      'items[].sku_code': 'lines[].sku',
      'items[].quantity': 'lines[].qty',
      'items[].notes': { join: ['lines[].options[].value'], with: ', ' },
    },
    payload: {
      id: 17,
      buyer: { first: 'Kim', last: 'Li' },
      lines: [{ sku: 'S1', qty: 1, options: [{ value: 'red' }, { value: 'XL' }] }],
    },
    value: {
      order_number: 'SHOP2-17',
      customer_name: 'Kim Li',
      items: [{ sku_code: 'S1', quantity: 1, notes: 'red, XL' }],
    },
    provenance: {
      order_number: 'id',
      customer_name: 'buyer.first, buyer.last',
      'items[0].notes': 'lines[0].options[].value',
    },
  }),
  example(20, 'conversions', {
    fields: {
      external_order_id: { from: 'id', as: 'string' },
      order_date: { from: 'created', as: 'datetime' },
      due_date: { from: 'due', as: 'datetime', format: 'epoch_seconds' },
      'items[].sku_code': 'lines[].sku',
      'items[].quantity': { from: 'lines[].qty', as: 'integer' },
    },
    payload: {
      id: 4711,
      created: '2017-08-21 22:22:19 +0200',
      due: 1503440539,
      lines: [{ sku: 'S1', qty: '2' }],
    },
    value: {
      external_order_id: '4711',
      order_date: '2017-08-21T20:22:19.000Z',
      due_date: '2017-08-22T22:22:19.000Z',
      items: [{ sku_code: 'S1', quantity: 2 }],
    },
    provenance: {
      external_order_id: 'id',
      order_date: 'created',
      due_date: 'due',
      'items[0].quantity': 'lines[0].qty',
    },
  }),
  example(20, 'a value that cannot be converted', {
    fields: { order_date: { from: 'created', as: 'datetime' } },
    payload: { created: '01/02/24' },
    problem: {
      reason: 'CONVERSION',
      rule: 'order_date',
      at: 'created',
      expected: 'datetime',
      found: '"01/02/24"',
    },
  }),
  example(21, 'a table of values', {
    method: 'PUT',
    fields: { status: { from: 'state', values: { 'on-hold': 'draft', '*': 'pending' } } },
    payload: { state: 'on-hold' },
    value: { status: 'draft' },
    provenance: { status: 'state' },
  }),
  example(21, 'a value that is in no table', {
    method: 'PUT',
    fields: { status: { from: 'state', values: { 'on-hold': 'draft' } } },
    payload: { state: 'refunded' },
    problem: { reason: 'UNMAPPED_VALUE', rule: 'status', at: 'state', found: '"refunded"' },
  }),
  example(22, 'the first that has a value, and a default', {
    fields: {
      customer_name: { from: ['ship_to.name', 'buyer.name'] },
      'customer_info.country': { from: 'ship_to.country', default: 'NO' },
      'customer_info.city': 'ship_to.city',
    },
    payload: { ship_to: { name: '', city: 'Oslo', country: null }, buyer: { name: 'Kim' } },
    value: { customer_name: 'Kim', customer_info: { country: 'NO', city: 'Oslo' } },
    provenance: { customer_name: 'buyer.name', 'customer_info.country': null },
  }),
]

/** The example of a document that is an array. */
export const ARRAY_EXAMPLE: Example = example(23, 'a document that is an array', {
  unmapped: 'drop',
  fields: {
    order_number: '$[?@.order].order',
    'items[]': { each: '$[?@.sku]' },
    'items[].sku_code': '$[].sku',
    'items[].quantity': '$[].qty',
  },
  payload: [{ order: 'A-23' }, { sku: 'S1', qty: 1 }],
  value: { order_number: 'A-23', items: [{ sku_code: 'S1', quantity: 1 }] },
})

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
  {
    about: 'the rows of several orders in one order',
    fields: { order_number: '$[0].order', 'items[].sku_code': '$[].sku' },
    rule: 'order_number',
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
  provenance?: Example['provenance']
}

function example(number: number, about: string, given: Given): Example {
  const { resource = 'orders', method = 'POST', unmapped = 'keep', fields, payload } = given
  const { provenance } = given
  const expected = given.problem ? { problem: given.problem } : { value: given.value }
  const rules = { unmapped, fields }
  return {
    number,
    about,
    resource,
    method,
    rules,
    payload,
    expected,
    ...(provenance && { provenance }),
  }
}

function indexed(): Record<string, SavedRule> {
  return {
    'items[0].sku_code': 'sku1',
    'items[0].quantity': 'qty1',
    'items[1].sku_code': 'sku2',
    'items[1].quantity': 'qty2',
  }
}
