import { integer, primaryKey, sqliteTable, text } from 'drizzle-orm/sqlite-core'
import type { CodeKind } from '../mapping/item-code.ts'

// Mirrors migrations/, as tables.ts does.

/** What the numbers of partners stand for. */
export const itemCodes = sqliteTable(
  'item_codes',
  {
    partner_id: text().notNull(),
    kind: text().$type<CodeKind>().notNull(),
    code: text().notNull(),
    record_name: text().notNull(),
    units: integer().notNull().default(1),
  },
  (table) => [primaryKey({ columns: [table.partner_id, table.kind, table.code] })],
)

/** How many codes each partner has, and what the last change of them has done. */
export const itemCodeTables = sqliteTable(
  'item_code_tables',
  {
    partner_id: text().notNull(),
    kind: text().$type<CodeKind>().notNull(),
    codes: integer().notNull().default(0),
    version: integer().notNull().default(0),
    created: integer().notNull().default(0),
    updated: integer().notNull().default(0),
    removed: integer().notNull().default(0),
  },
  (table) => [primaryKey({ columns: [table.partner_id, table.kind] })],
)
