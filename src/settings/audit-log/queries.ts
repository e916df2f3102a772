import { and, between, desc, eq, gte, lt, or, type SQL, sql } from 'drizzle-orm'
import { q } from '../../db/prepared.ts'
import { auditLog } from '../../db/tables.ts'
import type { TenantDatabase } from '../../db/transact.ts'
import type { PageRequest } from '../../pagination.ts'
import type { AuditLogQuery } from './schema.ts'

type Filters = AuditLogQuery['filters']

const PREFIXES: Record<NonNullable<Filters['area']>, string> = {
  integrations: '/api/integrations/',
  settings: '/api/settings/',
  dashboard: '/dashboard/',
}

/** Newest first; one more than the limit when there are more. `from` is included, `to` is not. */
export async function listAuditLog(
  db: TenantDatabase,
  filters: Filters,
  { limit, before }: PageRequest,
) {
  const byTime = isFoundByTime(filters)
  const order = byTime ? [desc(auditLog.created_at), desc(auditLog.seq)] : [desc(auditLog.seq)]
  const [rows] = await db.read([
    q
      .select()
      .from(auditLog)
      .where(
        and(
          ...matching(filters),
          ...(byTime ? inTimeOrder(filters, before) : inSeqOrder(filters, before)),
        ),
      )
      .orderBy(...order)
      .limit(limit + 1),
  ])
  return rows.map(recordOf)
}

/**
 * Whether the list is read along the index of created_at, in its order: along seq, which differs
 * by moments, a short range would be looked for in the whole log, or all of a long one be sorted for
 * each page. Rows of one key, partner or request have an index of their own, which is in order of seq.
 */
function isFoundByTime({ from, to, api_key_id, partner_id, request_id }: Filters): boolean {
  return (from ?? to) !== undefined && (api_key_id ?? partner_id ?? request_id) === undefined
}

/** What limits a list that is in order of created_at, and from which row of it on. */
function inTimeOrder({ from, to }: Filters, before: number | undefined): (SQL | undefined)[] {
  const { created_at, seq } = auditLog
  const since = from === undefined ? undefined : gte(created_at, from)
  const until = to === undefined ? undefined : lt(created_at, to)
  if (before === undefined) return [since, until]
  const last = sql`(select created_at from audit_log where seq = ${before})`
  // The plus keeps `to` from being where the index is entered: that is where the last page ended.
  const bound = to === undefined ? undefined : sql`+${created_at} < ${to}`
  return [since, bound, sql`(${created_at}, ${seq}) < (${last}, ${before})`]
}

/** The same of a list that is in order of seq. */
function inSeqOrder({ from, to }: Filters, before: number | undefined): (SQL | undefined)[] {
  return [
    before === undefined ? undefined : lt(auditLog.seq, before),
    from === undefined ? undefined : gte(auditLog.created_at, from),
    to === undefined ? undefined : lt(auditLog.created_at, to),
  ]
}

function matching(filters: Filters): (SQL | undefined)[] {
  const { api_key_id, partner_id, method, status, error_code, area, resource, request_id } = filters
  return [
    api_key_id === undefined ? undefined : eq(auditLog.api_key_id, api_key_id),
    partner_id === undefined ? undefined : eq(auditLog.partner_id, partner_id),
    method === undefined ? undefined : eq(auditLog.method, method),
    status === undefined ? undefined : statusIs(status),
    error_code === undefined ? undefined : eq(auditLog.error_code, error_code),
    area === undefined ? undefined : sql`${auditLog.path} glob ${`${PREFIXES[area]}*`}`,
    resource === undefined ? undefined : pathOf(resource),
    request_id === undefined ? undefined : eq(auditLog.request_id, request_id),
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
