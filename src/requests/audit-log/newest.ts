import { sql } from 'drizzle-orm'
import { newestRows } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { auditLog } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'

/**
 * The newest requests of a partner that are in the database. Reads these, and an index entry for each caller of the
 * tenant.
 */
export async function newestOfPartner(db: TenantDatabase, partner_id: string, limit: number) {
  const { request_id, created_at, method, path, status, record_name } = auditLog
  const [rows] = await db.read([
    qb
      .select({ request_id, created_at, method, path, status, record_name })
      .from(newestRows({ partner_id }, sql`true`, limit)),
  ])
  return rows
}

export type NewestRequest = Awaited<ReturnType<typeof newestOfPartner>>[number]
