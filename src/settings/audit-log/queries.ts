import { and, between, desc, eq, gte, lt, or, type SQL, sql } from 'drizzle-orm'
import { auditLog } from '../../db/tables.ts'
import type { TenantDatabase } from '../../db/transact.ts'
import type { PageRequest } from '../../pagination.ts'
import type { AuditLogQuery } from './schema.ts'

type Filters = AuditLogQuery['filters']

/** Newest first; one more than the limit when there are more. `from` is included, `to` is not. */
export async function listAuditLog(
  db: TenantDatabase,
  filters: Filters,
  { limit, before }: PageRequest,
) {
  const older = before === undefined ? undefined : lt(auditLog.seq, before)
  const [rows] = await db.read((q) => [
    q
      .select()
      .from(auditLog)
      .where(and(older, ...matching(filters)))
      .orderBy(desc(auditLog.seq))
      .limit(limit + 1),
  ])
  return rows.map(recordOf)
}

function matching(filters: Filters): (SQL | undefined)[] {
  const { api_key_id, partner_id, method, status, resource, request_id, from, to } = filters
  return [
    api_key_id === undefined ? undefined : eq(auditLog.api_key_id, api_key_id),
    partner_id === undefined ? undefined : eq(auditLog.partner_id, partner_id),
    method === undefined ? undefined : eq(auditLog.method, method),
    status === undefined ? undefined : statusIs(status),
    resource === undefined ? undefined : pathOf(resource),
    request_id === undefined ? undefined : eq(auditLog.request_id, request_id),
    from === undefined ? undefined : gte(auditLog.created_at, from),
    to === undefined ? undefined : lt(auditLog.created_at, to),
  ]
}

function pathOf(resource: string): SQL | undefined {
  return or(
    ...['integrations', 'settings'].map(
      (area) => sql`${auditLog.path} glob ${`/api/${area}/v1/${resource}/*`}`,
    ),
  )
}

function statusIs(status: string): SQL {
  if (!status.endsWith('xx')) return eq(auditLog.status, Number(status))
  const least = Number(status[0]) * 100
  return between(auditLog.status, least, least + 99)
}

function recordOf(row: typeof auditLog.$inferSelect) {
  const { seq, request_id, created_at, method, path, status, error_code, duration_ms } = row
  const { source, notes, rows_total, rows_created, rows_updated, rows_failed } = row
  return {
    seq,
    request_id,
    created_at,
    api_key: { id: row.api_key_id, name: row.api_key_name },
    partner: row.partner_id === null ? null : { id: row.partner_id, name: row.partner_name },
    method,
    path,
    status,
    error_code,
    duration_ms,
    source,
    notes,
    counts:
      rows_total === null
        ? null
        : {
            total: rows_total,
            created: rows_created,
            updated: rows_updated,
            failed: rows_failed,
          },
  }
}
