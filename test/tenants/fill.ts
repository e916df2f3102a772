import type { Row } from './contents.ts'
import { LONG_ORDERS, TEXTS } from './hard-values.ts'

export type Write = (sql: string, params?: unknown[]) => Promise<unknown>

const AT = '2026-11-21T12:07:50.269Z'
const QUANTITY_MAX = 2_000_000_000
const SKUS = 200
const LOCATIONS = 40

/** As many orders of 1 to 3 lines, and products, locations, stock and audit rows to go with them. */
export async function fill(write: Write, orders: number): Promise<void> {
  for (const sql of [PRODUCTS, LOCATIONS_SQL, STOCK]) await write(sql)
  for (const sql of [ORDERS, LINES, AUDIT]) await write(sql.replace(':orders', String(orders)))
  // What has been deleted is remembered: no later row gets its seq.
  for (const table of ['orders', 'audit_log', 'inventory']) {
    await write(`UPDATE sqlite_sequence SET seq = seq + 7 WHERE name = '${table}'`)
  }
}

const upTo = (last: number | string) =>
  `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${last})`

const PRODUCTS = `INSERT INTO products (id, sku, quantity, is_active, cost, custom_fields, created_at, updated_at)
  ${upTo(SKUS)}
  SELECT 'product-' || i, 'SKU-' || i, i * 17 - 900, i % 9 > 0, iif(i % 5, i || '.50', NULL),
    json_object('name', 'Ware ' || i), '${AT}', '${AT}' FROM n`

const LOCATIONS_SQL = `INSERT INTO locations (id, code, name, zone, metadata, is_active, created_at, updated_at)
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

/** Rows of every table whose values are hard to carry, for a tenant that has none of the sort yet. */
export async function fillHard(write: Write): Promise<void> {
  const insert = async (table: string, row: Row) => {
    const places = Object.keys(row).map(() => '?')
    await write(`INSERT INTO ${table} (${Object.keys(row)}) VALUES (${places})`, Object.values(row))
  }
  const times = { created_at: AT, updated_at: AT }
  const most = Number.MAX_SAFE_INTEGER
  const sku = "'; DROP TABLE products; -- 📦"
  const code = '"BEGIN TRANSACTION;" /* COMMIT;'
  const line = { order_id: 'hard-0', sku_code: sku, quantity: QUANTITY_MAX }
  for (const row of settingsRows()) await insert(row.table, { ...row.values, created_at: AT })
  await write("UPDATE partners SET deleted_at = updated_at WHERE id = 'gone'")
  await insert('products', { id: 'p-0', sku, quantity: -QUANTITY_MAX, cost: '', ...times })
  await insert('products', { id: 'p-1', sku: 'null', quantity: QUANTITY_MAX, cost: null, ...times })
  await insert('locations', { id: 'l-0', code, name: '', zone: null, ...times })
  await insert('inventory', { location_code: code, sku_code: sku, quantity: QUANTITY_MAX })
  for (const [index, order] of [...hardOrders(), ...LONG_ORDERS].entries()) {
    const names = { id: `hard-${index}`, order_number: `H'${index}` }
    await insert('orders', { ...names, ...order, ...times })
  }
  await insert('order_items', {
    ...line,
    position: 0,
    id: '',
    notes: '\\n\n',
    verified_quantity: most,
  })
  await insert('order_items', { ...line, position: most, id: 'i-1', notes: null })
  for (const [index, notes] of TEXTS.entries()) {
    const asked = { method: 'POST', path: cut(notes), status: 500, duration_ms: most }
    const caller = { settings_version: most, api_key_id: '', api_key_name: cut(notes) }
    await insert('audit_log', {
      request_id: `hard-${index}`,
      created_at: AT,
      notes,
      ...asked,
      ...caller,
    })
  }
}

function settingsRows(): { table: string; values: Row }[] {
  // A revoked key stays with its partner when that is deleted.
  const key = { scopes: '["settings.*"]', revoked_at: AT, hint: '…' }
  const gone = { id: 'gone', name: 'gone', updated_at: AT }
  return [
    { table: 'partners', values: gone },
    ...TEXTS.map((text, index) => ({
      table: 'partners',
      values: { id: `hard-${index}`, name: cut(text), updated_at: AT, deleted_at: AT },
    })),
    ...TEXTS.map((text, index) => ({
      table: 'api_keys',
      values: {
        id: `hard-${index}`,
        hash: `hard-${index}`,
        name: cut(text),
        partner_id: 'gone',
        ...key,
      },
    })),
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
