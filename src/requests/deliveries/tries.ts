import { and, desc, eq } from 'drizzle-orm'
import { isRequest } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { auditLog } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'

/** So many tries are shown, the newest. */
export const TRIES_SHOWN_MAX = 20

const { seq, request_id, created_at, status, outcome, error_code, message } = auditLog
const shown = { request_id, created_at, status, outcome, error_code, message }

export type DeliveryTry = Awaited<ReturnType<typeof findTries>>['tries'][number]

/**
 * What came with one request, as far as the database has the audit rows: the request that brought it, the newest tries of it
 * or of any of its rows, and what the newest of all found wrong.
 */
export async function findTries(db: TenantDatabase, brought_by: string) {
  const isTry = and(eq(auditLog.replay_of, brought_by), eq(auditLog.dry_run, false))
  const explained = { ...shown, details: auditLog.details }
  const newestFirst = qb.select(shown).from(auditLog).where(isTry).orderBy(desc(seq))
  const [[first], tries, [last]] = await db.read([
    qb.select(explained).from(auditLog).where(isRequest(brought_by)),
    newestFirst.limit(TRIES_SHOWN_MAX),
    qb.select(explained).from(auditLog).where(isTry).orderBy(desc(seq)).limit(1),
  ])
  return { first: first ?? null, tries, details: (last ?? first)?.details ?? null }
}
