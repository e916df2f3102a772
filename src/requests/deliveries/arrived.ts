import { getTableColumns, type SQL, Subquery, sql } from 'drizzle-orm'
import { picked } from '../../engine/db/columns.ts'
import { literal, qb } from '../../engine/db/prepared.ts'
import { auditLog } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'

/** So many of the webhook's oldest requests are looked through for the first that was applied. */
const OLDEST_MAX = 1000

const shown = {
  ...picked(auditLog, ['request_id', 'created_at', 'method', 'status', 'outcome']),
  ...picked(auditLog, ['record_name', 'error_code', 'message']),
}

export type ArrivedRequest = NonNullable<Awaited<ReturnType<typeof findArrivals>>['newest']>

/** What has come to the address of a webhook: the newest request, and the first that was applied. Dry runs do not count. */
export async function findArrivals(db: TenantDatabase, webhook: string, partner: string) {
  const own = sql`caller = ${`${webhook} ${partner}`} and not dry_run`
  const [[newest], [first]] = await db.read([
    selectAmong(sql`select * from audit_log where ${own}
      order by created_at desc, request_id desc limit 1`),
    selectAmong(sql`select * from (select * from audit_log where ${own}
      order by created_at, request_id limit ${literal(OLDEST_MAX)})
      where outcome in ('created', 'updated', 'unchanged', 'cancelled', 'deactivated', 'uploaded', 'several')
      limit 1`),
  ])
  return { newest: newest ?? null, first: first ?? null }
}

function selectAmong(rows: SQL) {
  return qb.select(shown).from(new Subquery(rows, getTableColumns(auditLog), 'audit_log'))
}
