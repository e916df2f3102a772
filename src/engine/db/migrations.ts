import { sql } from 'drizzle-orm'
import type { Connection } from './connect.ts'
import { qb } from './prepared.ts'
import { isMissingTable, rethrow } from './violations.ts'

/** The files of migrations/, in order. This build expects a database to have all of them. */
export const MIGRATIONS = [
  '0001_initial.sql',
  '0002_settings_history.sql',
  '0003_webhooks.sql',
  '0004_waiting_deliveries.sql',
  '0005_item_codes.sql',
  '0006_order_words.sql',
  '0007_low_stock.sql',
  '0008_sessions.sql',
  '0009_people.sql',
  '0010_paused.sql',
  '0011_noticed.sql',
  '0012_order_names_divided.sql',
]

/**
 * The migrations that wrangler has applied to the database, oldest first; none if it has never been
 * migrated. Throws 503 UNAVAILABLE when D1 cannot be reached.
 */
export async function appliedMigrations(connection: Connection): Promise<string[]> {
  const applied = qb.select({ name: sql<string>`name` }).from(sql`d1_migrations`).orderBy(sql`id`)
  const [rows] = await connection.batch([applied]).catch((error) => {
    if (isMissingTable(error, 'd1_migrations')) return [[]]
    return rethrow(error)
  })
  return rows.map(({ name }) => name)
}
