import { sql } from 'drizzle-orm'
import type { Connection } from './connect.ts'
import { qb } from './prepared.ts'
import { isMissingTable, rethrow } from './violations.ts'

/** The files of migrations/, in order. This build expects a database to have all of them. */
export const MIGRATIONS = [
  '0001_initial.sql',
  '0002_audit_retention.sql',
  '0003_releases_and_rate_limits.sql',
  '0004_scopes_of_settings.sql',
  '0005_order_sizes.sql',
  '0006_settings_changes.sql',
  '0007_live_keys.sql',
  '0008_why_requests_failed.sql',
  '0009_key_attempts.sql',
  '0010_keep_documents.sql',
  '0011_kept_documents.sql',
  '0012_list_pages.sql',
  '0013_requests_sent_again.sql',
  '0014_list_filters.sql',
  '0015_own_orders_only.sql',
  '0016_record_search.sql',
  '0017_record_versions.sql',
  '0018_changes.sql',
  '0019_replaced_values.sql',
  '0020_dry_runs.sql',
  '0021_near_reads.sql',
  '0022_fewer_rows_written.sql',
  '0023_stock_lists.sql',
  '0024_archived_requests.sql',
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
