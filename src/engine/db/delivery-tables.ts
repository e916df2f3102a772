import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { SentWith } from '../json/sent-with.ts'
import type { Resource } from '../mapping/identifier.ts'

// Mirrors migrations/, as tables.ts does.

/** How new the document is that was applied last, of each partner and record. */
export const deliveredChanges = sqliteTable(
  'delivered_changes',
  {
    partner_id: text().notNull(),
    resource: text().$type<Resource>().notNull(),
    identifier: text().notNull(),
    changed_at: text().notNull(),
    applied_on: text().notNull(),
  },
  (table) => [primaryKey({ columns: [table.partner_id, table.resource, table.identifier] })],
)

/** A SKU of which an order has another quantity than a document; null: none at all. */
export interface SkuDifference {
  sku_code: string | null
  stored: number | null
  sent: number | string | null
}

/** Orders whose lines differ from those of the newest document that a webhook has brought. */
export const lineDifferences = sqliteTable('line_differences', {
  order_id: text().primaryKey(),
  log_seq: integer().notNull(),
  request_id: text().notNull(),
  partner_id: text().notNull(),
  sent: text().notNull(),
  differences: text({ mode: 'json' }).$type<SkuDifference[]>().notNull(),
  total: integer().notNull(),
  noted_at: text().notNull(),
  seen_at: text(),
})

/** What a waiting delivery waits for. */
export const NEEDS = [
  'product',
  'location',
  'product_code',
  'location_code',
  'settings',
  'switch',
  'time',
  'person',
] as const
export type Need = (typeof NEEDS)[number]

/** Records of deliveries that could not be applied and were kept. */
export const waitingDeliveries = sqliteTable('waiting_deliveries', {
  seq: integer().primaryKey({ autoIncrement: true }),
  delivery_id: text().notNull(),
  position: integer(),
  log_seq: integer().notNull(),
  api_key_id: text().notNull(),
  partner_id: text().notNull(),
  resource: text().$type<Resource>().notNull(),
  identifier: text(),
  record_name: text(),
  changed_at: text(),
  sender_event: text(),
  sender_id: text(),
  sent_with: text({ mode: 'json' }).$type<SentWith>(),
  content_type: text(),
  needs: text({ enum: NEEDS }).notNull(),
  needs_code: text(),
  is_due: integer({ mode: 'boolean' }).notNull().default(false),
  due_at: text(),
  tries: integer().notNull().default(0),
  error_code: text().notNull(),
  message: text().notNull(),
  created_at: text().notNull(),
  ends_at: text().notNull(),
  bytes: integer().notNull(),
  body: text().notNull(),
})

/** To insert here ends the waiting of what is not applied, and notes that in its audit row. The table stays empty. */
export const waitingDeliveriesEnds = sqliteTable('waiting_deliveries_ends', {
  seq: integer().notNull(),
  log_seq: integer().notNull(),
  outcome: text().notNull(),
})

/** How many records wait, in the tenant and of each webhook. */
export const waitingTotals = sqliteTable('waiting_totals', {
  subject: text().primaryKey(),
  records: integer().notNull(),
  bytes: integer().notNull(),
})
