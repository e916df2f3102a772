// The Worker that Crossdock is compared with. It answers the same bytes with the same SQL, but has no framework,
// no cache and no checks. Without a cache it looks the key up in each batch.

import { newRequestId } from '../src/engine/db/request-id.ts'

interface Bindings {
  DB_DEMO: D1Database
}

interface Known {
  api_key_id: string
  api_key_name: string
  settings_version: number
}

type Row = Record<string, unknown>

const ORDER = `id, order_number, external_order_id, customer_name, customer_info, notes, order_date,
  due_date, metadata, status, created_at, updated_at, cancelled_at, cancel_reason`
const LINE = 'id, sku_code, quantity, notes, verified_quantity, verification_status'
const LIMIT = 50

const KNOWN = `select api_keys.id as api_key_id, api_keys.name as api_key_name, settings_version
  from api_keys, workspace where hash = ?`
const LIST = `select seq, id, order_number, status, customer_name, created_at from orders
  order by seq desc limit ?`
const FIND = '(select id from orders where order_number = ?)'
const OWN_ROW = `from audit_log where request_id = ?3 and created_at = ?2
  and caller = (select id || ' ' || coalesce(partner_id, '') from api_keys where hash = ?1)`
const WRITTEN = `(select record_id ${OWN_ROW})`
const headerAt = (id: string) => `select ${ORDER} from orders where id = ${id}`
const linesAt = (id: string) => `select ${LINE} from order_items
  where order_id = (select id from orders where id = ${id}) order by position`

const WRITE_AUDIT_ROW = `insert into audit_log (request_id, created_at, settings_version, record_id,
    record_name, api_key_id, api_key_name, method, path, status, duration_ms)
  select ?3, ?2, settings_version, ?4, ?5, api_keys.id, api_keys.name, 'POST', ?6, 201,
    max(0, cast((unixepoch('subsec') - unixepoch(?2, 'subsec')) * 1000 as integer))
  from api_keys, workspace where hash = ?1`
const INSERT_HEADER = `insert into orders (id, order_number, customer_name, status, created_at, updated_at,
    changed_in, changed_by)
  values (${WRITTEN}, ?4, ?5, 'pending', ?2, ?2, (select seq ${OWN_ROW}), ?3)`
const INSERT_LINES = `insert into order_items
  select ${WRITTEN}, value ->> 'position', value ->> 'id',
    (select sku from products where sku = value ->> 'sku_code'),
    value ->> 'quantity', value ->> 'notes', 0, 'pending' from json_each(?4)`
const INACTIVE =
  'select sku from products where sku in (select value from json_each(?)) and not is_active'
const AUDIT = `insert into audit_log (request_id, created_at, settings_version, record_id, api_key_id,
    api_key_name, method, path, status, duration_ms, record_name)
  select value ->> 'request_id', value ->> 'created_at', value ->> 'settings_version', null,
    value ->> 'api_key_id', value ->> 'api_key_name', 'GET', value ->> 'path', 200,
    value ->> 'duration_ms', value ->> 'record_name' from json_each(?)`

export default {
  async fetch(request, { DB_DEMO: db }, context) {
    const { pathname } = new URL(request.url)
    const hash = await hashOf(request.headers.get('X-API-Key') ?? '')
    if (request.method === 'POST') return createOrder(db, hash, pathname, await request.json())
    const started = Date.now()
    const number = pathname.split('/')[5]
    const [known, body] = number ? await findOrder(db, hash, number) : await listOrders(db, hash)
    context.waitUntil(
      recordRead(db, { ...known, path: pathname, record_name: number, ...span(started) }),
    )
    return Response.json(body)
  },
} satisfies ExportedHandler<Bindings>

async function listOrders(db: D1Database, hash: string): Promise<[Known, object]> {
  const [known, page] = await db.batch<Row>([
    db.prepare(KNOWN).bind(hash),
    db.prepare(LIST).bind(LIMIT + 1),
  ])
  const rows = page?.results ?? []
  const data = rows.slice(0, LIMIT).map(({ seq, ...order }) => order)
  const cursor = `2.demo.orders.${rows[LIMIT - 1]?.seq}`
  const next_cursor = btoa(cursor).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
  return [first(known), { success: true, data, pagination: { limit: LIMIT, next_cursor } }]
}

async function findOrder(db: D1Database, hash: string, number: string): Promise<[Known, object]> {
  const [known, header, lines] = await db.batch<Row>([
    db.prepare(KNOWN).bind(hash),
    db.prepare(headerAt(FIND)).bind(number),
    db.prepare(linesAt(FIND)).bind(number),
  ])
  return [first(known), { success: true, data: orderOf(header, lines) }]
}

async function createOrder(db: D1Database, hash: string, path: string, body: Row) {
  const items = body.items as Row[]
  const started = Date.now()
  const own = [hash, new Date(started).toISOString(), newRequestId(started)]
  const rows = items.map((item, position) => ({ ...item, position, id: crypto.randomUUID() }))
  const skus = [...new Set(items.map(({ sku_code }) => sku_code))]
  const { order_number, customer_name } = body
  const [, , , ...answer] = await db.batch<Row>([
    db.prepare(WRITE_AUDIT_ROW).bind(...own, crypto.randomUUID(), order_number, path),
    db.prepare(INSERT_HEADER).bind(...own, order_number, customer_name),
    db.prepare(INSERT_LINES).bind(...own, JSON.stringify(rows)),
    db.prepare(headerAt(WRITTEN)).bind(...own),
    db.prepare(linesAt(WRITTEN)).bind(...own),
    db.prepare(INACTIVE).bind(JSON.stringify(skus)),
  ])
  return Response.json({ success: true, data: orderOf(answer[0], answer[1]) }, { status: 201 })
}

function orderOf(header: D1Result<Row> | undefined, lines: D1Result<Row> | undefined): object {
  const order = first<Row>(header)
  const items = lines?.results.map(({ id, sku_code, ...line }) => ({
    id,
    sku: { sku: sku_code },
    ...line,
  }))
  const customer_info = JSON.parse((order.customer_info as string) ?? 'null')
  const metadata = JSON.parse((order.metadata as string) ?? 'null')
  return { ...order, customer_info, metadata, items }
}

function first<T = Known>(result: D1Result<Row> | undefined): T {
  return result?.results[0] as T
}

const rows: object[] = []
let writing = false

/** Under load, stores many rows in one insert, as Crossdock does. */
async function recordRead(db: D1Database, row: object): Promise<void> {
  rows.push(row)
  await scheduler.wait(writing ? 50 : 0)
  while (rows.length > 0) {
    writing = true
    await db.batch([db.prepare(AUDIT).bind(JSON.stringify(rows.splice(0)))])
    writing = false
  }
}

function span(started: number): object {
  return {
    request_id: newRequestId(started),
    created_at: new Date(started).toISOString(),
    duration_ms: Date.now() - started,
  }
}

async function hashOf(key: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(key))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
