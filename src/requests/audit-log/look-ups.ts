import { sql } from 'drizzle-orm'
import { isRequest, newestRows } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { auditLog } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'

const { request_id, created_at, method, path, status, record_name } = auditLog
const shown = { request_id, created_at, method, path, status, record_name }

/** The statement for the request with the id. With `isRead` false it reads nothing. */
export function requestById(id: string, isRead: boolean) {
  return qb
    .select(shown)
    .from(auditLog)
    .where(isRequest(id))
    .limit(isRead ? 1 : 0)
}

/**
 * The newest requests of a partner that are in the database. Reads these, and an index entry for each caller of the
 * tenant.
 */
export async function newestOfPartner(db: TenantDatabase, partner_id: string, limit: number) {
  const [rows] = await db.read([
    qb.select(shown).from(newestRows({ partner_id }, sql`true`, limit)),
  ])
  return rows
}

export type NewestRequest = Awaited<ReturnType<typeof newestOfPartner>>[number]
