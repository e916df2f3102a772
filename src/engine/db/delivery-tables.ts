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

/** How many records wait, in the tenant and of each webhook. */
export const waitingTotals = sqliteTable('waiting_totals', {
  subject: text().primaryKey(),
  records: integer().notNull(),
  bytes: integer().notNull(),
})
