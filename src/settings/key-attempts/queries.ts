import { and, desc, eq, getTableColumns, gte, lt } from 'drizzle-orm'
import { IS_KEPT } from '../../db/key-attempts.ts'
import { qb } from '../../db/prepared.ts'
import { keyAttempts } from '../../db/tables.ts'
import type { TenantDatabase } from '../../db/transact.ts'
import type { KeyAttemptsQuery } from './schema.ts'

export const ROWS_MAX = 500

interface Filters extends KeyAttemptsQuery {
  /** In ISO 8601: only rows with an attempt since then. */
  since?: string
  /** In ISO 8601: only rows with an attempt before then. */
  until?: string
}

const { bundle_id, ...columns } = getTableColumns(keyAttempts)

/** The latest first, by their last attempt; at most `limit`. */
export async function listKeyAttempts(
  db: TenantDatabase,
  { reason, since, until }: Filters,
  limit = ROWS_MAX,
) {
  const { first_at, last_at, hint } = keyAttempts
  const query = qb
    .select(columns)
    .from(keyAttempts)
    .where(
      and(
        IS_KEPT,
        reason === undefined ? undefined : eq(keyAttempts.reason, reason),
        since === undefined ? undefined : gte(last_at, since),
        until === undefined ? undefined : lt(first_at, until),
      ),
    )
    .orderBy(desc(last_at), hint, keyAttempts.reason)
    .limit(limit)
  const [rows] = await db.read([query], { now: new Date().toISOString() })
  return rows
}
