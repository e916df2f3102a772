import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'

// Mirrors migrations/, as tables.ts does.

/** Order numbers and names of customers from a later word on. Triggers write them (migrations/0006). */
export const orderWords = sqliteTable(
  'order_words',
  { word: text().notNull(), order_seq: integer().notNull() },
  (table) => [primaryKey({ columns: [table.word, table.order_seq] })],
)

/** Always empty: its trigger divides names. */
export const orderNamesInbox = sqliteTable('order_names_inbox', {
  order_seq: integer().notNull(),
  old_order_number: text(),
  old_customer_name: text(),
  order_number: text(),
  customer_name: text(),
})

/** Always empty: its trigger writes orderWords. */
export const orderWordsInbox = sqliteTable('order_words_inbox', {
  order_seq: integer().notNull(),
  word: text().notNull(),
  is_new: integer().notNull(),
})
