import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Kind, State } from './journal.ts'

const FOLDER = '.wrangler/state/v3/d1/miniflare-D1DatabaseObject'

/** A record in the database. */
export interface Found {
  kind: Exclude<Kind, 'stock'>
  key: string
  id: string
  state: State
}

export interface StockRow {
  location_code: string
  sku_code: string
  quantity: number
}

export interface AuditRow {
  request_id: string
  record_id: string | null
  method: string
  path: string
  status: number
  notes: string | null
  rows_total: number | null
  rows_created: number | null
  rows_failed: number | null
}

export interface Snapshot {
  records: Found[]
  stock: StockRow[]
  audit: AuditRow[]
  /** Errors that SQLite's checks find, and rows of unfinished uploads. */
  damage: string[]
}

/** The newest seq of each table before the load. Older rows are not the load's. */
export type Baseline = Record<string, number>

const TABLES = ['orders', 'products', 'locations', 'inventory', 'partners', 'api_keys', 'audit_log']

/** Reads the local database of the tenant demo below a folder, in one transaction. */
export function readDatabase(folder: string, since: Baseline): Snapshot {
  return within(folder, (db) => ({
    records: [
      ...ordersIn(db, since.orders ?? 0),
      ...simpleIn(db, 'product', 'products', 'sku', ['quantity', 'cost'], since),
      ...simpleIn(db, 'location', 'locations', 'code', ['name', 'zone'], since),
      ...simpleIn(db, 'partner', 'partners', 'name', ['name'], since),
      ...simpleIn(db, 'api_key', 'api_keys', 'name', ['scopes', 'rate_limit'], since).map(
        withScopes,
      ),
    ],
    stock: rowsOf<StockRow>(
      db,
      `select location_code, sku_code, quantity from inventory where seq > ${since.inventory ?? 0}`,
    ),
    audit: rowsOf<AuditRow>(
      db,
      `select request_id, record_id, method, path, status, notes, rows_total, rows_created, rows_failed
       from audit_log where seq > ${since.audit_log ?? 0}`,
    ),
    damage: damageIn(db),
  }))
}

export function readBaseline(folder: string): Baseline {
  return within(folder, (db) => {
    const newest = (table: string) =>
      rowsOf<{ seq: number | null }>(db, `select max(seq) as seq from ${table}`)[0]?.seq ?? 0
    return Object.fromEntries(TABLES.map((table) => [table, newest(table)]))
  })
}

/** What the feed of changes tells of a record, as far as it is compared. */
export interface FedRecord {
  /** Resource and name. */
  name: string
  request_id: string | null
  value: unknown
  text: unknown
  items: string | null
}

/** All records of the tenant demo below a folder, as its feed must tell them. */
export function readFed(folder: string): FedRecord[] {
  const none = 'null as items'
  return within(folder, (db) =>
    [
      `select 'products ' || sku as name, changed_by as request_id, quantity as value, cost as text, ${none} from products`,
      `select 'locations ' || code as name, changed_by as request_id, zone as value, name as text, ${none} from locations`,
      `select 'inventory ' || location_code || ' ' || sku_code as name, changed_by as request_id, quantity as value,
         null as text, ${none} from inventory`,
      `select 'orders ' || order_number as name, changed_by as request_id, status as value, notes as text, (
         select json_group_array(sku_code || ' ' || quantity order by position)
         from order_items where order_id = orders.id) as items from orders`,
    ].flatMap((query) => rowsOf<FedRecord>(db, query)),
  )
}

/** The file of the tenant demo's database. */
export function databaseFile(folder: string): string {
  const files = readdirSync(join(folder, FOLDER)).filter(
    (name) => name.endsWith('.sqlite') && name !== 'metadata.sqlite',
  )
  const [file] = files
  if (file === undefined || files.length > 1) {
    throw new Error(`${files.length} databases in ${FOLDER}, not 1: which is the tenant's?`)
  }
  return join(folder, FOLDER, file)
}

function within<T>(folder: string, read: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(databaseFile(folder), { readOnly: true })
  try {
    db.exec('begin')
    return read(db)
  } finally {
    db.close()
  }
}

function rowsOf<Row>(db: DatabaseSync, query: string): Row[] {
  return db.prepare(query).all() as Row[]
}

interface OrderRow {
  id: string
  order_number: string
  customer_name: string | null
  notes: string | null
  status: string
  cancel_reason: string | null
  items: string
}

function ordersIn(db: DatabaseSync, since: number): Found[] {
  const orders = rowsOf<OrderRow>(
    db,
    `select id, order_number, customer_name, notes, status, cancel_reason, (
       select json_group_array(sku_code || ' ' || quantity order by position)
       from order_items where order_id = orders.id) as items
     from orders where seq > ${since}`,
  )
  return orders.map(({ id, order_number, items, ...header }) => ({
    kind: 'order',
    key: order_number,
    id,
    state: { ...header, items: JSON.parse(items) },
  }))
}

function simpleIn(
  db: DatabaseSync,
  kind: Found['kind'],
  table: string,
  key: string,
  columns: string[],
  since: Baseline,
): Found[] {
  const query = `select id, ${key} as key, ${columns.join()} from ${table} where seq > ${since[table] ?? 0}`
  return rowsOf<State & { id: string; key: string }>(db, query).map(({ id, key, ...state }) => {
    return { kind, key, id, state }
  })
}

function withScopes({ state, ...found }: Found): Found {
  return { ...found, state: { ...state, scopes: JSON.parse(String(state.scopes)) } }
}

function damageIn(db: DatabaseSync): string[] {
  const integrity = rowsOf<{ integrity_check: string }>(db, 'pragma integrity_check')
  const lost = rowsOf<object>(db, 'pragma foreign_key_check')
  const slices = rowsOf<{ request_id: string }>(
    db,
    'select request_id from inventory_upload_slices',
  )
  return [
    ...integrity
      .filter(({ integrity_check }) => integrity_check !== 'ok')
      .map(({ integrity_check }) => `integrity_check: ${integrity_check}`),
    ...lost.map((row) => `foreign_key_check: ${JSON.stringify(row)}`),
    ...slices.map(({ request_id }) => `the upload ${request_id} has left unfinished rows`),
  ]
}
