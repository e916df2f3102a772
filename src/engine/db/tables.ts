import { sql } from 'drizzle-orm'
import { customType, integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { JsonObject } from '../json/json-object.ts'
import type { Resource } from '../mapping/identifier.ts'
import type { SavedRules } from '../mapping/saved-rule.ts'
import { ITEM_STATUSES, ORDER_STATUSES } from '../model/order.ts'
import { inForce, type Pause } from '../model/pause.ts'
import type { KeepDocuments } from '../redaction/policy.ts'
import type { WebhookRules } from '../webhooks/rules.ts'

// Mirrors migrations/. CHECK constraints and triggers are only there.

const seq = () => integer().primaryKey({ autoIncrement: true })
const json = () => text({ mode: 'json' }).$type<JsonObject>()
const policy = () => text({ mode: 'json' }).$type<KeepDocuments>()
/** Read as null once its end has passed. */
const pause = customType<{ data: Pause | null; driverData: string }>({
  dataType: () => 'text',
  // An operator's SQL may have left out a member.
  fromDriver: (json) => inForce({ until: null, note: null, ...JSON.parse(json) }),
  toDriver: (given) => JSON.stringify(given),
})
const flag = () => integer({ mode: 'boolean' })

export const workspace = sqliteTable('workspace', {
  id: integer().primaryKey(),
  tenant: text().notNull(),
  name: text().notNull(),
  integration_enabled: flag().notNull().default(true),
  settings_version: integer().notNull().default(1),
  created_at: text().notNull(),
  updated_at: text().notNull(),
  audit_retention_days: integer().notNull().default(365),
  keep_documents: policy(),
  changes_epoch: integer().notNull().default(1),
  undo_days: integer().notNull().default(7),
  remembered_since: text(),
  stock_listed_after: integer().notNull().default(0),
  audit_hot_days: integer().notNull().default(30),
  version: integer().notNull().default(1),
  pause: pause(),
  waiting_days: integer().notNull().default(30),
  low_stock_quantity: integer().notNull().default(10),
  backed_up_at: text(),
})

/** What the overview tells of a partner only if a check-up has found it. */
export const PARTNER_DOUBTS = [
  'mapping_refused',
  'field_refused',
  'same_document',
  'no_cursor',
  'release_ending',
] as const

export type PartnerDoubt = (typeof PARTNER_DOUBTS)[number]

export const checkUps = sqliteTable('check_ups', {
  partner_id: text().primaryKey(),
  checked_at: text().notNull(),
  kinds: text({ mode: 'json' }).$type<PartnerDoubt[]>().notNull(),
})

export const settingsChanges = sqliteTable('settings_changes', {
  subject: text().primaryKey(),
  settings_version: integer().notNull(),
})

/** The kinds of settings records that have a history. */
export const SETTINGS_KINDS = ['api_key', 'partner', 'mapping', 'workspace'] as const

export const settingsHistory = sqliteTable('settings_history', {
  seq: integer().primaryKey(),
  kind: text({ enum: SETTINGS_KINDS }).notNull(),
  record_id: text().notNull(),
  resource: text().$type<Resource>(),
  name: text().notNull(),
  version: integer().notNull(),
  action: text({ enum: ['created', 'changed', 'deleted'] }).notNull(),
  fields: text({ mode: 'json' }).$type<string[]>().notNull(),
  created_at: text().notNull(),
  request_id: text(),
  api_key_id: text(),
  api_key_name: text(),
  source: text({ enum: ['api', 'dashboard', 'operator'] }).notNull(),
  before: json(),
  after: json(),
})

/** Always empty: its trigger writes the history. */
export const settingsHistoryInbox = sqliteTable('settings_history_inbox', {
  kind: text().notNull(),
  record_id: text().notNull(),
  resource: text(),
  name: text().notNull(),
  old_version: integer(),
  version: integer(),
  before: json(),
  after: json(),
})

export const partners = sqliteTable('partners', {
  seq: seq(),
  id: text().notNull().unique(),
  name: text().notNull(),
  default_identifier_field: text(),
  created_at: text().notNull(),
  updated_at: text().notNull(),
  deleted_at: text(),
  keep_documents: policy(),
  version: integer().notNull().default(1),
  pause: pause(),
})

export const fieldMappings = sqliteTable(
  'field_mappings',
  {
    partner_id: text().notNull(),
    resource: text().notNull(),
    identifier_field: text(),
    inbound: text({ mode: 'json' }).$type<SavedRules>(),
    outbound: text({ mode: 'json' }).$type<SavedRules>(),
    updated_at: text().notNull(),
    version: integer().notNull().default(1),
  },
  (table) => [primaryKey({ columns: [table.partner_id, table.resource] })],
)

/** Where the reads of a key go. */
export const READS = ['primary', 'near'] as const

export const apiKeys = sqliteTable('api_keys', {
  seq: seq(),
  id: text().notNull().unique(),
  hash: text().notNull().unique(),
  hint: text().notNull(),
  name: text().notNull(),
  scopes: text({ mode: 'json' }).$type<string[]>().notNull(),
  partner_id: text(),
  expires_at: text(),
  revoked_at: text(),
  rotated_from: text(),
  created_at: text().notNull(),
  release: text().notNull().default('current'),
  rate_limit: integer(),
  own_orders_only: flag().notNull().default(false),
  reads: text({ enum: READS }).notNull().default('primary'),
  version: integer().notNull().default(1),
  pause: pause(),
  webhook: text({ mode: 'json' }).$type<WebhookRules>(),
  webhook_secrets: text({ mode: 'json' }).$type<StoredSecret[]>(),
  email: text(),
})

/** Sessions of the dashboard. */
export const sessions = sqliteTable('sessions', {
  seq: integer().primaryKey(),
  id: text().notNull().unique(),
  hash: text().notNull().unique(),
  api_key_id: text().notNull(),
  created_at: text().notNull(),
  ends_at: text().notNull(),
  device: text(),
  place: text(),
  ended_at: text(),
})

/** A secret of a webhook. The moments are in UTC. */
export interface StoredSecret {
  /** What src/engine/webhooks/sealed-secret.ts has made of it. */
  sealed: string
  /** The id of the webhook for which it was sealed: a rotation copies it into its successor. */
  sealed_for: string
  set_at: string
  ends_at: string | null
}

export const products = sqliteTable('products', {
  seq: seq(),
  id: text().notNull().unique(),
  sku: text().notNull().unique(),
  quantity: integer().notNull().default(0),
  is_active: flag().notNull().default(true),
  cost: text(),
  custom_fields: json().notNull().default({}),
  created_at: text().notNull(),
  updated_at: text().notNull(),
  version: integer().notNull().default(1),
  changed_in: integer().notNull().default(0),
  changed_by: text(),
  changed_place: integer().notNull().generatedAlwaysAs(sql`changed_in * 4`),
})

export const locations = sqliteTable('locations', {
  seq: seq(),
  id: text().notNull().unique(),
  code: text().notNull().unique(),
  name: text(),
  zone: text(),
  aisle: text(),
  metadata: json(),
  is_active: flag().notNull().default(true),
  created_at: text().notNull(),
  updated_at: text().notNull(),
  version: integer().notNull().default(1),
  changed_in: integer().notNull().default(0),
  changed_by: text(),
  changed_place: integer().notNull().generatedAlwaysAs(sql`changed_in * 4 + 1`),
})

export const orders = sqliteTable('orders', {
  seq: seq(),
  id: text().notNull().unique(),
  order_number: text().notNull().unique(),
  external_order_id: text(),
  partner_id: text(),
  customer_name: text(),
  customer_info: json(),
  notes: text(),
  order_date: text(),
  due_date: text(),
  metadata: json(),
  status: text({ enum: ORDER_STATUSES }).notNull().default('pending'),
  created_at: text().notNull(),
  updated_at: text().notNull(),
  cancelled_at: text(),
  cancel_reason: text(),
  items_bytes: integer(),
  created_seq: integer().notNull().generatedAlwaysAs(sql`seq`),
  version: integer().notNull().default(1),
  changed_in: integer().notNull().default(0),
  changed_by: text(),
  changed_place: integer().notNull().generatedAlwaysAs(sql`changed_in * 4 + 3`),
})

export const orderItems = sqliteTable(
  'order_items',
  {
    order_id: text().notNull(),
    position: integer().notNull(),
    id: text().notNull(),
    sku_code: text().notNull(),
    quantity: integer().notNull(),
    notes: text(),
    verified_quantity: integer().notNull().default(0),
    verification_status: text({ enum: ITEM_STATUSES }).notNull().default('pending'),
  },
  (table) => [primaryKey({ columns: [table.order_id, table.position] })],
)

export const inventory = sqliteTable('inventory', {
  seq: seq(),
  location_code: text().notNull(),
  sku_code: text().notNull(),
  quantity: integer().notNull(),
  changed_in: integer().notNull().default(0),
  changed_by: text(),
  changed_at: text(),
  changed_place: integer().notNull().generatedAlwaysAs(sql`changed_in * 4 + 2`),
})

export const inventoryUploadSlices = sqliteTable(
  'inventory_upload_slices',
  {
    request_id: text().notNull(),
    position: integer().notNull(),
    newest_seq: integer().notNull(),
    rows: text().notNull(),
    changed: text(),
    failed: integer(),
    found: text(),
  },
  (table) => [primaryKey({ columns: [table.request_id, table.position] })],
)

export const replacedValues = sqliteTable(
  'replaced_values',
  {
    changed_in: integer().notNull(),
    position: integer().notNull(),
    resource: text({ enum: ['orders', 'products', 'locations', 'inventory'] }).notNull(),
    replaced: text({ mode: 'json' }).notNull(),
    changed_place: integer().notNull().generatedAlwaysAs(sql`changed_in * 4 + 2`),
  },
  (table) => [primaryKey({ columns: [table.changed_in, table.position] })],
)

/** Why a document is not kept although it was meant to be, or not any longer. */
export const DOCUMENT_REASONS = ['too_large', 'not_json', 'unavailable', 'busy', 'deleted'] as const
export type DocumentReason = (typeof DOCUMENT_REASONS)[number]
/** What becomes of a delivery. */
export const OUTCOMES = [
  'created',
  'updated',
  'unchanged',
  'cancelled',
  'deactivated',
  'uploaded',
  'several',
  'skipped',
  'stale',
  'superseded',
  'dismissed',
  'waiting',
] as const
export type DeliveryOutcome = (typeof OUTCOMES)[number]

/** Which page of a list of several pages a request asked for. */
export const LIST_PAGES = ['first', 'next'] as const
export type ListPage = (typeof LIST_PAGES)[number]

export const auditLog = sqliteTable('audit_log', {
  seq: integer().primaryKey(),
  request_id: text().notNull(),
  created_at: text().notNull(),
  settings_version: integer().notNull(),
  record_id: text(),
  api_key_id: text().notNull(),
  api_key_name: text().notNull(),
  partner_id: text(),
  partner_name: text(),
  method: text().notNull(),
  path: text().notNull(),
  status: integer().notNull(),
  error_code: text(),
  duration_ms: integer().notNull(),
  source: text(),
  notes: text(),
  rows_total: integer(),
  rows_created: integer(),
  rows_failed: integer(),
  rows_updated: integer().generatedAlwaysAs(sql`rows_total - rows_created - rows_failed`),
  record_name: text(),
  message: text(),
  details: json(),
  error_fields: text(),
  document_until: integer(),
  document_reason: text({ enum: DOCUMENT_REASONS }),
  list_page: text({ enum: LIST_PAGES }),
  replay_of: text(),
  dry_run: flag().notNull().default(false),
  caller: text().notNull().generatedAlwaysAs(sql`api_key_id || ' ' || coalesce(partner_id, '')`),
  outcome: text({ enum: OUTCOMES }),
  sender_event: text(),
  sender_id: text(),
})

/** The objects in R2 that hold audit rows (src/engine/log/archive/). */
export const auditArchives = sqliteTable('audit_archives', {
  last_seq: integer().primaryKey(),
  first_seq: integer().notNull(),
  first_at: text().notNull(),
  last_at: text().notNull(),
  rows: integer().notNull(),
  bytes: integer().notNull(),
  sha256: text().notNull(),
})

export const archivedKeyUses = sqliteTable('archived_key_uses', {
  api_key_id: text().primaryKey(),
  last_used_at: text().notNull(),
})

/** Why a key was refused. */
export const ATTEMPT_REASONS = [
  'malformed',
  'unknown',
  'revoked',
  'expired',
  'wrong_host',
  'plain_http',
] as const

export const keyAttempts = sqliteTable(
  'key_attempts',
  {
    hint: text().notNull(),
    reason: text({ enum: ATTEMPT_REASONS }).notNull(),
    count: integer().notNull(),
    first_at: text().notNull(),
    last_at: text().notNull(),
    bundle_id: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.hint, table.reason] })],
)
