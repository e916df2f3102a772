import type { Statement } from './cloudflare/runtime.ts'
import type { Row } from './contents.ts'
import { LONG_ORDERS, TEXTS } from './hard-values.ts'

const AT = '2026-11-21T12:07:50.269Z'
const QUANTITY_MAX = 2_000_000_000
const SKUS = 200
const LOCATIONS = 40

/**
 * Fills a tenant's database, for one transaction: as many orders of 1 to 3 lines, products, locations,
 * stock and audit rows to go with them; and rows whose values are hard to carry.
 */
export function filling(orders: number): Statement[] {
  const bulk = [PRODUCTS, PLACES, STOCK, ORDERS, LINES, AUDIT]
  // What has been deleted is remembered: no later row gets its seq.
  const gaps = "UPDATE sqlite_sequence SET seq = seq + 7 WHERE name IN ('orders', 'audit_log')"
  return [
    ...bulk.map((sql) => ({ sql: sql.replace(':orders', String(orders)) })),
    ...hardRows(),
    { sql: gaps },
  ]
}

const upTo = (last: number | string) =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`

const PRODUCTS = `INSERT INTO products (id, sku, quantity, is_active, cost, custom_fields, created_at, updated_at)
  ${upTo(SKUS)}
  SELECT 'product-' || i, 'SKU-' || i, i * 17 - 900, i % 9 > 0, iif(i % 5, i || '.50', NULL),
    json_object('name', 'Ware ' || i), '${AT}', '${AT}' FROM n`

const PLACES = `INSERT INTO locations (id, code, name, zone, metadata, is_active, created_at, updated_at)
  ${upTo(LOCATIONS)}
  SELECT 'location-' || i, 'A/' || i, iif(i % 3, 'Shelf ' || i, NULL), 'A', iif(i % 2, '{"cold":true}', NULL),
    i % 11 > 0, '${AT}', '${AT}' FROM n`

const STOCK = `INSERT INTO inventory (location_code, sku_code, quantity)
  SELECT code, sku, (products.seq * locations.seq) % 1000 FROM locations JOIN products
  WHERE (products.seq + locations.seq) % 3 = 0`

const ORDERS = `INSERT INTO orders (id, order_number, external_order_id, customer_name, customer_info, notes,
    order_date, metadata, status, created_at, updated_at, cancelled_at, cancel_reason)
  ${upTo(':orders')}
  SELECT lower(hex(randomblob(16))), 'SO-' || i, iif(i % 4, 'shop/' || i, NULL), 'Customer ' || i,
    json_object('city', 'Porto', 'zip', i), iif(i % 7, NULL, 'Ring' || char(10) || 'twice ' || i), '${AT}',
    json_object('ref', 'R-' || i), iif(i % 10, 'pending', 'cancelled'), '${AT}', '${AT}',
    iif(i % 10, NULL, '${AT}'), iif(i % 10, NULL, 'ordered twice') FROM n`

const LINES = `INSERT INTO order_items (order_id, position, id, sku_code, quantity, notes)
  ${upTo(3)}
  SELECT orders.id, n.i - 1, lower(hex(randomblob(16))), 'SKU-' || (1 + (orders.seq * n.i) % ${SKUS}), n.i, NULL
  FROM orders JOIN n ON n.i <= 1 + orders.seq % 3`

const AUDIT = `INSERT INTO audit_log (request_id, created_at, settings_version, record_id, api_key_id, api_key_name,
    method, path, status, duration_ms, source, rows_total, rows_created, rows_failed)
  ${upTo(':orders')}
  SELECT lower(hex(randomblob(16))), '${AT}', 3, 'order-' || i, 'key', 'Shop', iif(i % 2, 'POST', 'GET'),
    '/api/integrations/v1/orders/', 200 + i % 2, i % 90, iif(i % 50, NULL, 'erp_sync'), iif(i % 50, NULL, 9),
    iif(i % 50, NULL, 4), iif(i % 50, NULL, 2) FROM n`

function hardRows(): Statement[] {
  const times = { created_at: AT, updated_at: AT }
  const sku = "'; DROP TABLE products; -- 📦"
  const code = '"BEGIN TRANSACTION;" /* COMMIT;'
  const line = { order_id: 'hard-0', sku_code: sku, quantity: QUANTITY_MAX }
  return [
    ...settingsRows(),
    ...deliveryRows(),
    into('products', { id: 'p-0', sku, quantity: -QUANTITY_MAX, cost: '', ...times }),
    into('products', { id: 'p-1', sku: 'null', quantity: QUANTITY_MAX, cost: null, ...times }),
    into('locations', { id: 'l-0', code, name: '', zone: null, ...times }),
    into('inventory', { location_code: code, sku_code: sku, quantity: QUANTITY_MAX }),
    ...[...hardOrders(), ...LONG_ORDERS].map((order, index) =>
      into('orders', { id: `hard-${index}`, order_number: `H'${index}`, ...order, ...times }),
    ),
    into('order_items', { ...line, position: 0, id: '', notes: '\\n\n', verified_quantity: MOST }),
    into('order_items', { ...line, position: MOST, id: 'i-1', notes: null }),
    ...TEXTS.map(auditRow),
  ]
}

const MOST = Number.MAX_SAFE_INTEGER

function auditRow(notes: string, index: number): Statement {
  return into('audit_log', {
    request_id: `hard-${index}`,
    created_at: AT,
    settings_version: MOST,
    api_key_id: '',
    api_key_name: cut(notes),
    method: 'POST',
    path: cut(notes),
    status: 500,
    duration_ms: MOST,
    notes,
  })
}

/** A webhook with a sealed secret, deliveries that wait at it, and how new the documents were that it brought. */
function deliveryRows(): Statement[] {
  const [id, partner_id] = ['webhook-0', 'shop']
  const verification = { kind: 'hmac', header: 'X-Signature', algorithm: 'sha256' }
  const secret = { sealed: '1.1.0f0f0f0f.c2VhbGVk', sealed_for: id, set_at: AT, ends_at: null }
  const kept = {
    api_key_id: id,
    partner_id,
    resource: 'orders',
    needs: 'product',
    log_seq: 1,
    created_at: AT,
    ends_at: AT,
  }
  const why = { error_code: 'SERVICE_ERROR', content_type: 'application/json' }
  return [
    into('partners', { id: partner_id, name: 'Shop', created_at: AT, updated_at: AT }),
    into('api_keys', {
      ...{
        id,
        hash: id,
        hint: 'xh_…',
        name: 'Shop',
        scopes: '["integrations.orders.*"]',
        partner_id,
      },
      ...{ created_at: AT, expires_at: AT, own_orders_only: 1 },
      webhook: JSON.stringify({ resource: 'orders', verification }),
      webhook_secrets: JSON.stringify([secret]),
    }),
    ...TEXTS.map((text, index) => {
      const body = cut(text)
      const bytes = Buffer.byteLength(body)
      return into('waiting_deliveries', {
        ...kept,
        ...why,
        delivery_id: `hard-${index}`,
        message: body,
        body,
        bytes,
      })
    }),
    into('line_differences', {
      order_id: 'hard-0',
      ...{ log_seq: 1, request_id: 'hard-0', partner_id, sent: '[["X",1]]', total: 1 },
      differences: JSON.stringify(
        TEXTS.map((text) => ({ sku_code: cut(text), stored: null, sent: text })),
      ),
      ...{ noted_at: AT, seen_at: AT },
    }),
    into('delivered_changes', {
      partner_id,
      resource: 'orders',
      identifier: "H'0",
      changed_at: `t${AT}`,
      applied_on: '2026-11-21',
    }),
  ]
}

/** Deleted partners, and revoked keys of one of them: they stay linked to it. */
function settingsRows(): Statement[] {
  const times = { created_at: AT, updated_at: AT }
  const key = { scopes: '["settings.*"]', hint: '…', created_at: AT, revoked_at: AT }
  return [
    into('partners', { id: 'gone', name: 'Gone', ...times }),
    ...TEXTS.map((text, index) => {
      const [id, name] = [`hard-${index}`, cut(text)]
      return into('api_keys', { id, hash: id, name, partner_id: 'gone', ...key })
    }),
    { sql: `UPDATE partners SET deleted_at = '${AT}' WHERE id = 'gone'` },
    ...TEXTS.map((text, index) =>
      into('partners', { id: `hard-${index}`, name: cut(text), deleted_at: AT, ...times }),
    ),
  ]
}

function hardOrders(): Row[] {
  return TEXTS.flatMap((text) => [
    { notes: text, customer_name: cut(text), external_order_id: '' },
    { notes: null, customer_name: null, customer_info: JSON.stringify({ [cut(text)]: text }) },
  ])
}

/** As many characters of the text as a name may have. */
function cut(text: string): string {
  return Array.from(text).slice(0, 255).join('')
}

function into(table: string, row: Row): Statement {
  const places = Object.keys(row).map(() => '?')
  const sql = `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${places})`
  return { sql, params: Object.values(row) }
}
