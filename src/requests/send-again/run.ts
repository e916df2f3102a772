import { and, lt } from 'drizzle-orm'
import { isRequest } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { WAS_SENT_AGAIN } from '../../engine/db/sent-again.ts'
import { auditLog } from '../../engine/db/tables.ts'
import type { TenantDatabase } from '../../engine/db/transact.ts'

/**
 * The id that a request gets when it is sent again in this run. It is always the same one, and the audit log takes
 * an id once: so a run applies a request at most once, even if two calls send it at the same time.
 */
export async function requestIdIn(run: string, id: string): Promise<string> {
  const text = new TextEncoder().encode(`${run} ${id}`)
  const hex = Buffer.from(await crypto.subtle.digest('SHA-256', text)).toString('hex')
  // A UUID of version 8 (RFC 9562).
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}

/** The statement for those of the requests that have changed what they are about. */
export function selectCommitted(ids: readonly string[]) {
  const { request_id, status } = auditLog
  return qb
    .select({ request_id })
    .from(auditLog)
    .where(and(isRequest(...ids), lt(status, 300)))
}

/** Those of the requests that have changed what they are about: they were made in this run before. */
export async function committedOf(
  db: TenantDatabase,
  ids: readonly string[],
): Promise<Set<string>> {
  const [rows] = await db.read([selectCommitted(ids)])
  return new Set(rows.map((row) => row.request_id))
}

/** How far these requests of a run are. */
export async function progressOf(db: TenantDatabase, run: string, ids: string[]) {
  const newIds = new Map<string, string>()
  for (const id of ids) newIds.set(await requestIdIn(run, id), id)
  const { request_id, status } = auditLog
  const [sent, accepted] = await db.read([
    qb
      .select({ request_id, status })
      .from(auditLog)
      .where(isRequest(...newIds.keys())),
    qb
      .select({ request_id })
      .from(auditLog)
      .where(and(isRequest(...ids), WAS_SENT_AGAIN)),
  ])
  return {
    /** What the run has sent before, by the id of the request that it repeats. */
    sent: new Map(sent.map((row) => [newIds.get(row.request_id) ?? '', row])),
    /** The requests that were sent again since, in any run, and accepted. */
    accepted: new Set(accepted.map((row) => row.request_id)),
  }
}

/** What a list of requests that are sent again shows of each, by id. */
export async function describeRequests(db: TenantDatabase, ids: string[]) {
  const { request_id, created_at, method, path, record_name, rows_failed } = auditLog
  const [rows] = await db.read([
    qb
      .select({ request_id, created_at, method, path, record_name, rows_failed })
      .from(auditLog)
      .where(isRequest(...ids)),
  ])
  return new Map(rows.map((row) => [row.request_id, row]))
}
