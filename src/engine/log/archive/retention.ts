import { sql } from 'drizzle-orm'
import { qb } from '../../db/prepared.ts'
import { auditArchives, workspace } from '../../db/tables.ts'
import { deleteObjects, R2_OBJECTS_MAX } from '../objects.ts'
import type { ArchiveSource } from './chunk.ts'
import { findArchivesBefore } from './objects.ts'

export interface DeletedObjects {
  objects: number
  rows: number
  /** There may be more. */
  hasMore: boolean
}

/**
 * Deletes the archive's objects whose rows are all past the workspace's retention at `now`, up to 1,000. First from the
 * database, so that no reader looks for what is gone. May be repeated.
 */
export async function deleteExpiredArchives(source: ArchiveSource): Promise<DeletedObjects> {
  const { connection, bucket, tenant, now, spend } = source
  const [[state], deleted] = await connection.batch([
    qb.select({ kept_since: keptSince(now).as('kept_since') }).from(workspace),
    qb
      .delete(auditArchives)
      .where(sql`last_at < (select ${keptSince(now)} from ${workspace})`)
      .returning({ rows: auditArchives.rows }),
  ])
  spend()
  const keys = state ? await findArchivesBefore(bucket, tenant, state.kept_since) : []
  if (keys.length > 0) {
    spend()
    await deleteObjects(bucket, keys)
  }
  const rows = deleted.reduce((sum, each) => sum + each.rows, 0)
  return { objects: keys.length, rows, hasMore: keys.length === R2_OBJECTS_MAX }
}

/** SQL for the instant since which the workspace keeps rows; in a statement that reads `workspace`. */
export function keptSince(now: string) {
  return sql<string>`strftime('%Y-%m-%dT%H:%M:%fZ', ${now}, '-' || audit_retention_days || ' days')`
}
