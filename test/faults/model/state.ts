import type { Chosen } from './matching.ts'

// What a tenant's database should hold: a plain value, which is never changed but followed by another.

export type Json = { [name: string]: unknown }
export type Instant = Chosen | string

export interface Partner {
  id: string
  name: string
  default_identifier_field: string | null
  keep_documents: Json | null
  pause: Json | null
  created_at: Instant
  updated_at: Instant
  deleted_at: Instant | null
  version: number
}

export interface Mapping {
  partner_id: string
  resource: string
  identifier_field: string | null
  inbound: Rules | null
  outbound: Rules | null
  updated_at: Instant
  version: number
}

export interface Rules {
  unmapped: 'keep' | 'drop' | 'reject'
  fields: Record<string, string>
}

export interface Key {
  id: string
  hash: Chosen | string
  hint: Chosen | string
  name: string
  scopes: string[]
  partner_id: string | null
  expires_at: Instant | null
  revoked_at: Instant | null
  rotated_from: string | null
  created_at: Instant
  release: string
  rate_limit: number | null
  own_orders_only: boolean
  reads: 'primary' | 'near'
  pause: Json | null
  version: number
}

export interface Product {
  id: string
  sku: string
  quantity: number
  is_active: boolean
  cost: string | null
  custom_fields: Json
  created_at: Instant
  updated_at: Instant
  version: number
}

export interface Location {
  id: string
  code: string
  name: string | null
  zone: string | null
  aisle: string | null
  metadata: Json | null
  is_active: boolean
  created_at: Instant
  updated_at: Instant
  version: number
}

export interface Line {
  id: Chosen | string
  sku_code: string
  quantity: number
  notes: string | null
  verified_quantity: number
  verification_status: 'pending' | 'verified'
}

export interface Order {
  id: string
  order_number: string
  external_order_id: string | null
  partner_id: string | null
  customer_name: string | null
  customer_info: Json | null
  notes: string | null
  order_date: string | null
  due_date: string | null
  metadata: Json | null
  status: string
  created_at: Instant
  updated_at: Instant
  version: number
  cancelled_at: Instant | null
  cancel_reason: string | null
  lines: Line[]
}

export interface Stock {
  location_code: string
  sku_code: string
  quantity: number
}

/** One of a partner's own numbers. */
export interface ItemCode {
  partner_id: string
  kind: string
  code: string
  record_name: string
  units: number
}

/** How many a partner has. */
export interface ItemCodeTable {
  partner_id: string
  kind: string
  codes: number
}

/** A pair of stock that a request has changed; `from` is null if it created the record. */
export interface ReplacedPair {
  location_code: string
  sku_code: string
  from: number | null
  to: number
}

/** What a request has replaced: of stock first the pairs that had a record, then those that it created. */
export type Replaced =
  | { resource: 'inventory'; slices: readonly [ReplacedPair[], ReplacedPair[]] }
  | {
      resource: 'orders' | 'products' | 'locations'
      name: string
      fields: string[]
      before: Order | Product | Location
      after: Order | Product | Location
    }

/** A write that happened. */
export interface Request {
  request_id: string
  created_at: string
  api_key: { id: string; name: string }
  partner: { id: string; name: string } | null
  /** Null if it has replaced nothing, or nothing was remembered. */
  replaced: Replaced | null
  /** What an upload says of itself; both null of another request. */
  source: string | null
  notes: string | null
}

export interface Workspace {
  name: string
  tenant: string
  integration_enabled: boolean
  audit_retention_days: number
  audit_hot_days: number
  undo_days: number
  waiting_days: number
  low_stock_quantity: number
  keep_documents: Json | null
  pause: Json | null
  settings_version: number
  version: number
}

/** Maps are in the order of creation. */
export interface State {
  workspace: Workspace
  /** By id. */
  partners: ReadonlyMap<string, Partner>
  /** By partner's id and resource. */
  mappings: ReadonlyMap<string, Mapping>
  /** By partner's id, kind and code. */
  itemCodes: ReadonlyMap<string, ItemCode>
  /** By partner's id and kind. */
  itemCodeTables: ReadonlyMap<string, ItemCodeTable>
  /** By id. */
  keys: ReadonlyMap<string, Key>
  /** By SKU. */
  products: ReadonlyMap<string, Product>
  /** By code. */
  locations: ReadonlyMap<string, Location>
  /** By order number. */
  orders: ReadonlyMap<string, Order>
  /** By location code and SKU. */
  stock: ReadonlyMap<string, Stock>
  /** By id. */
  requests: ReadonlyMap<string, Request>
  /** In ms: at some moment between these the workspace began to remember what requests replace. */
  remembered: readonly [earliest: number, latest: number]
}

type Tables = Omit<State, 'workspace' | 'remembered'>
type RecordOf<Name extends keyof Tables> =
  Tables[Name] extends ReadonlyMap<string, infer R> ? R : never

/** The state with this record, new or in its old place. */
export function withRecord<Name extends keyof Tables>(
  state: State,
  table: Name,
  name: string,
  record: RecordOf<Name>,
): State {
  const records = new Map(state[table] as ReadonlyMap<string, RecordOf<Name>>)
  return { ...state, [table]: records.set(name, record) }
}

/** The state after so many changes of settings. */
export function withVersion(state: State, changes: number): State {
  const { workspace } = state
  const settings_version = workspace.settings_version + changes
  return { ...state, workspace: { ...workspace, settings_version } }
}

/** The version of a settings record that this change makes, after so many others of the same request. */
export function nextVersion({ workspace }: State, others = 0): number {
  return workspace.settings_version + others + 1
}

/** The same of a record that may hold these fields already, and then keeps its own. */
export function versionAfter(state: State, record: { version: number }, fields: object): number {
  return holds(record, fields) ? record.version : nextVersion(state)
}

function holds(record: object, fields: object): boolean {
  return Object.entries(fields).every(
    ([name, value]) => JSON.stringify(value) === JSON.stringify(Reflect.get(record, name)),
  )
}

/** The record with these fields; the same one if it has them already. */
export function changed<R extends { updated_at: Instant; version: number }>(
  record: R,
  fields: Partial<R>,
  now: Instant,
): R {
  return holds(record, fields)
    ? record
    : { ...record, ...fields, updated_at: now, version: record.version + 1 }
}
