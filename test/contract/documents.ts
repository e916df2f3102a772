import type { Json } from '../fixtures/tenant.ts'

type Request = [method: string, path: string, body?: Json, headers?: Record<string, string>]

const LONG = 'x'.repeat(256)
/** What is no value of most fields. */
const WRONG: Json[] = [
  null,
  1,
  1.5,
  -1,
  '',
  ' x',
  LONG,
  true,
  'true',
  [],
  {},
  '2026-01-01',
  '0.1234567',
]

/** Each field of a record with each wrong value, in a document that is right but for it. */
function wrongFields(method: string, path: string, right: Json, fields: string[]): Request[] {
  return fields.flatMap((field) =>
    WRONG.map((value): Request => [method, path, { ...right, [field]: value }]),
  )
}

/** The same for each field of an element of `list`. */
function wrongMembers(path: string, list: string, right: Json, fields: string[]): Request[] {
  return wrongFields('POST', path, right, fields).map(([method, at, element]) => [
    method,
    at,
    { order_number: 'O-3', [list]: [element] },
  ])
}

const LOCATION = { code: 'D-1', name: 'Rack', zone: 'D', aisle: '05', metadata: { a: [1, 'x'] } }
const PRODUCT = { sku: 'S-1', quantity: 4, is_active: true, cost: '1.50', custom_fields: { a: 1 } }
const ORDER = {
  order_number: 'O-1',
  external_order_id: 'E-1',
  customer_name: 'Ada',
  customer_info: { vat: 1 },
  notes: 'n',
  order_date: '2026-01-02',
  due_date: '2026-01-03T10:00:00+02:00',
  metadata: { a: null },
  items: [{ sku_code: 'S-1', quantity: 2, notes: 'n' }],
}
const STOCK = { location_code: 'D-1', sku_code: 'S-1', quantity: 3 }
const LOCATION_FIELDS = [...Object.keys(LOCATION), 'is_active', 'id', 'created_at', 'nowhere']
const PRODUCT_FIELDS = [...Object.keys(PRODUCT), 'id', 'created_at', 'nowhere']
const ORDER_FIELDS = [...Object.keys(ORDER), 'status', 'id', 'cancelled_at', 'nowhere']
const LINE_FIELDS = ['sku_code', 'quantity', 'notes', 'nowhere']
const STOCK_FIELDS = [...Object.keys(STOCK), 'if_quantity', 'nowhere']

const LISTS = [
  '',
  '?is_active=all',
  '?is_active=false',
  '?is_active=maybe',
  '?code=D-1',
  '?sku=S-1',
  '?code=',
  '?sku=none&is_active=all',
  '?zone=D',
  '?status=pending',
  '?limit=2',
]

/** Requests with every field of the records, right and wrong. */
export const documents: Request[] = [
  ['POST', '/locations/', LOCATION],
  ['POST', '/locations/', LOCATION],
  ['POST', '/locations/', { code: 'D-2' }],
  ['POST', '/products/', PRODUCT],
  ['POST', '/products/', PRODUCT],
  ['POST', '/products/', { sku: 'S-2', cost: 0.30000000000000004 }],
  ['POST', '/inventory/', { inventory: [STOCK], source: 'erp_sync', notes: 'n' }],
  ['POST', '/orders/', ORDER],
  ['POST', '/orders/', ORDER],
  ['GET', '/orders/O-1/'],
  ['GET', '/inventory/D-1/'],
  ['GET', '/inventory/S-1/?by=sku'],
  ['GET', '/inventory/D-1/history/'],
  ['PUT', '/orders/O-1/', ORDER],
  ['PUT', '/orders/O-1/', { items: [{ sku_code: 'S-1', quantity: 5 }] }],
  ...wrongFields('PUT', '/orders/O-1/?dry_run=true', {}, ORDER_FIELDS),
  ...wrongFields('POST', '/orders/?dry_run=true', { ...ORDER, order_number: 'O-2' }, ORDER_FIELDS),
  ...wrongMembers('/orders/?dry_run=true', 'items', { sku_code: 'S-1', quantity: 1 }, LINE_FIELDS),
  ...wrongMembers('/inventory/?dry_run=true', 'inventory', STOCK, STOCK_FIELDS),
  ['PUT', '/orders/O-1/', { status: 'verified' }],
  ['DELETE', '/orders/O-1/', { reason: 'r' }],
  ['DELETE', '/orders/O-1/'],
  ['PUT', '/orders/O-1/', { notes: 'late' }],
  ['GET', '/locations/D-1/'],
  ['GET', '/products/S-1/'],
  ['PUT', '/locations/D-1/', LOCATION],
  ['PUT', '/products/S-1/', PRODUCT],
  ...wrongFields('PUT', '/locations/D-1/', {}, LOCATION_FIELDS),
  ...wrongFields('PUT', '/products/S-1/', {}, PRODUCT_FIELDS),
  ...wrongFields('POST', '/locations/?dry_run=true', { code: 'D-3' }, LOCATION_FIELDS),
  ...wrongFields('POST', '/products/?dry_run=true', { sku: 'S-3' }, PRODUCT_FIELDS),
  ['PUT', '/locations/D-1/', LOCATION, { 'If-Match': '"1"' }],
  ['PUT', '/locations/D-1/', LOCATION, { 'If-Match': '*' }],
  ['DELETE', '/locations/D-2/'],
  ['DELETE', '/locations/D-2/'],
  ['POST', '/locations/', { code: 'D-2' }],
  ['GET', '/locations/d-1/'],
  ['DELETE', '/products/S-2/'],
  ['POST', '/products/', { sku: 'S-2' }],
  ...['locations', 'products', 'orders', 'inventory'].flatMap((many) =>
    LISTS.flatMap((query): Request[] => [
      ['GET', `/${many}/${query}`],
      ['GET', `/${many}/${query}`, undefined, { Accept: 'text/csv' }],
      ['GET', `/${many}/${query}`, undefined, { Accept: 'application/x-ndjson' }],
    ]),
  ),
  ['GET', '/changes/?from=start&resource=products,locations&limit=200'],
]
