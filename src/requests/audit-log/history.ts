import { and, desc, eq, lt, sql } from 'drizzle-orm'
import { literal, prepared, qb } from '../../engine/db/prepared.ts'
import { auditLog } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'
import { selectBoundary } from '../../engine/log/archive/entries.ts'

/** Of the requests about a record, which are mostly reads, so many are looked at for its changes. */
export const REQUESTS_LOOKED_MAX = 10_000

const PATH_LENGTH_MAX = 300

const { seq, created_at, record_name, record_id, status, dry_run } = auditLog
const { request_id, api_key_id, api_key_name, partner_id, partner_name, method } = auditLog
const path = sql<string>`substr(path, 1, ${literal(PATH_LENGTH_MAX)})`.as('path')
const shown = {
  ...{ request_id, created_at, method },
  ...{ api_key_id, api_key_name, partner_id, partner_name },
}

/** The requests about all records of this name, newest first. */
const named = qb
  .select({ ...shown, path, record_id, status, dry_run })
  .from(auditLog)
  .where(eq(record_name, sql.placeholder('record_name')))
  .orderBy(desc(created_at), desc(seq))
  .limit(REQUESTS_LOOKED_MAX)
  .as('audit_log')

// SQLite gives the rows of a limited subquery one by one, in its order.
const selectChanges = prepared(() =>
  qb
    .select({ ...shown, path: named.path })
    .from(named)
    .where(
      and(
        eq(named.record_id, sql.placeholder('id')),
        lt(named.status, 300),
        eq(named.dry_run, false),
      ),
    )
    .limit(sql.placeholder('rows')),
)

const selectBeyond = prepared(() =>
  qb
    .select({ seq })
    .from(auditLog)
    .where(eq(record_name, sql.placeholder('record_name')))
    .orderBy(desc(created_at), desc(seq))
    .limit(1)
    .offset(REQUESTS_LOOKED_MAX),
)

export type LoggedChange = Awaited<ReturnType<typeof listChanges>>['changes'][number]

/**
 * The newest requests that created or changed this record, and no other of its name: reads and refusals have no
 * `record_id`. `isWhole` is false if the database may have older ones, `isArchived` true if the archive may.
 */
export async function listChanges(
  db: TenantDatabase,
  record: { id: string; name: string },
  limit: number,
) {
  const values = { id: record.id, record_name: record.name, rows: limit + 1 }
  const queries = [selectChanges, selectBeyond, selectBoundary] as const
  const [rows, beyond, archived] = await db.read(queries, values)
  const isWhole = rows.length <= limit && beyond.length === 0
  return { changes: rows.slice(0, limit), isWhole, isArchived: archived.length > 0 }
}
