import { sql } from 'drizzle-orm'
import type { Connection } from './connect.ts'
import { q } from './prepared.ts'
import { isMissingTable, rethrow } from './violations.ts'

/** The files of migrations/, in order: what this build expects of a database. */
export const MIGRATIONS = [
  '0001_initial.sql',
  '0002_audit_retention.sql',
  '0003_releases_and_rate_limits.sql',
]

/**
 * The migrations that wrangler has applied to the database, oldest first; none where it has never
 * been migrated. Throws 503 UNAVAILABLE when D1 cannot be reached.
 */
export async function appliedMigrations(connection: Connection): Promise<string[]> {
  const applied = q.select({ name: sql<string>`name` }).from(sql`d1_migrations`).orderBy(sql`id`)
  const [rows] = await connection.batch([applied]).catch((error) => {
    if (isMissingTable(error, 'd1_migrations')) return [[]]
    return rethrow(error)
  })
  return rows.map(({ name }) => name)
}
