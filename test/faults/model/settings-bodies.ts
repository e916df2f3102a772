import fc from 'fast-check'
import { orderBodies } from './bodies.ts'

// Bodies of the settings API. Partners are called by name: the one of the shop is `first`.

type Body = fc.Arbitrary<unknown>

const from = (...values: unknown[]) => fc.constantFrom<unknown>(...values)
const mostly = (good: unknown[], bad: unknown[]) =>
  fc.oneof({ weight: 50, arbitrary: from(...good) }, { weight: 1, arbitrary: from(...bad) })

const body = (required: Record<string, Body>, optional: Record<string, Body>): Body =>
  fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) })

const policies = mostly(
  [
    null,
    { of: 'errors', days: 30, redact: ['customer.email', 'lines[].note'] },
    { of: 'all', days: 1, redact: [] },
  ],
  [
    { of: 'some', days: 1, redact: [] },
    { of: 'all', days: 91, redact: [] },
    { of: 'all', days: 1, redact: ['a['] },
  ],
)

const pauses = mostly(
  [
    null,
    null,
    null,
    { until: null, note: 'Counting' },
    { until: '2099-01-01T00:00:00.000Z', note: null },
  ],
  [{ until: '2020-01-01T00:00:00.000Z', note: null }, { until: null, note: '' }, 'yes'],
)

export const codeBodies = body(
  { sku_code: mostly(['S-1', 'S-2', 'S-unknown'], ['', 5]) },
  { units: mostly([1, 12], [0, 'x']) },
)

export const workspaceBodies = body(
  {},
  {
    name: mostly(['North', 'South'], ['', 5]),
    integration_enabled: mostly([true, true, false], ['yes', null]),
    audit_retention_days: mostly([30, 365], [0, 2.5]),
    audit_hot_days: mostly([1, 30], [0, 3651]),
    undo_days: mostly([7, 0, 90], [-1, 91, null]),
    waiting_days: mostly([1, 30, 90], [0, 91]),
    low_stock_quantity: mostly([1, 10, 100], [0, 101]),
    keep_documents: policies,
    pause: pauses,
  },
)

const key = {
  scopes: mostly(
    [
      ['integrations.*'],
      ['integrations.*', 'settings.read'],
      ['integrations.orders.read', 'integrations.orders.write', 'integrations.orders.read'],
      ['settings.*', 'integrations.*'],
      ['settings.keys.*', 'settings.partners.write', 'integrations.orders.*'],
      ['settings.read', 'settings.write'],
    ],
    [[], ['everything'], 'integrations.*'],
  ),
  partner_id: mostly([null, 'first', 'newest', 'first'], ['unknown', 5]),
  own_orders_only: mostly([true, true, false, false, false], ['yes', null]),
  reads: mostly(['primary', 'primary', 'near'], ['far', null]),
  pause: pauses,
  rate_limit: mostly([null, null, null, null, null, 30_000], [0, 'x']),
  expires_at: mostly([null, '2099-01-01'], ['2020-01-01', 'soon']),
}

export const keyBodies = {
  create: body({ name: mostly(['a key', 'another key'], ['', null]) }, key),
  update: body({}, { name: mostly(['a key', 'another key'], ['', null]), ...key }),
  rotate: body({}, { overlap_seconds: mostly([0, 0, 3600], [-1, 'x']) }),
}

const partner = {
  default_identifier_field: mostly(
    [null, 'external_order_id', 'notes', 'name', 'quantity'],
    ['colour', 5],
  ),
  keep_documents: policies,
  pause: pauses,
}
const partnerName = mostly(['North', 'South', 'West'], ['', null])

export const partnerBodies = {
  create: body({ name: partnerName }, partner),
  update: body({}, { name: partnerName, ...partner }),
}

const DOCUMENT = {
  order_number: 'doc.number',
  external_order_id: 'doc.ref',
  notes: 'remark',
  'items[].sku_code': 'lines[].code',
  'items[].quantity': 'lines[].qty',
}
const ROWS = {
  'inventory[].location_code': 'rows[].bin',
  'inventory[].sku_code': 'rows[].code',
  'inventory[].quantity': 'rows[].count',
  'inventory[].if_quantity': 'rows[].was',
}
const shown = (fields: Record<string, string>) => ({ unmapped: 'drop', fields })

/** A rule that can never work, and a field that no resource has. */
const BAD = [
  { inbound: { unmapped: 'keep', fields: { notes: 'a[' } } },
  { identifier_field: 'colour' },
  { fields: DOCUMENT, unmapped: 'drop' },
]

/** What a shop may have agreed on, first of all that it writes documents of its own. */
export const SAVED = {
  orders: [
    { inbound: { unmapped: 'keep', fields: DOCUMENT } },
    { inbound: { unmapped: 'reject', fields: DOCUMENT }, identifier_field: 'notes' },
    { identifier_field: 'metadata.ref' },
    { identifier_field: null },
    { outbound: null },
    {},
    { outbound: shown({ number: 'order_number', state: 'status', remark: 'notes' }) },
    { identifier_field: 'external_order_id', inbound: null, outbound: null },
  ],
  products: [
    { outbound: shown({ code: 'sku', stock: 'quantity' }) },
    { identifier_field: 'custom_fields.ref' },
  ],
  locations: [
    { identifier_field: 'name', inbound: { unmapped: 'keep', fields: { name: 'label' } } },
  ],
  inventory: [{ inbound: { unmapped: 'drop', fields: ROWS } }],
}

export const mappingBodies = Object.entries(SAVED).map(([resource, saved]) => ({
  resource,
  body: mostly(saved, BAD),
}))

export const previewBodies = body(
  { payload: orderBodies.create },
  { mapping: mostly(SAVED.orders, BAD), method: mostly(['POST', 'PUT'], ['DELETE']) },
)
