import { isRequest } from '../../engine/db/log-look-ups.ts'
import { qb } from '../../engine/db/prepared.ts'
import { auditLog } from '../../engine/db/tables.ts'

const { request_id, created_at, method, path, status, record_name } = auditLog

/** The statement for the request with the id. With `isRead` false it reads nothing. */
export function requestById(id: string, isRead: boolean) {
  return qb
    .select({ request_id, created_at, method, path, status, record_name })
    .from(auditLog)
    .where(isRequest(id))
    .limit(isRead ? 1 : 0)
}
