import { Hono } from 'hono'
import { refuseWarnings } from '../../engine/answers/csv.ts'
import { ok } from '../../engine/answers/envelope.ts'
import { page } from '../../engine/answers/list.ts'
import type { AppEnv } from '../../engine/env.ts'
import { logOf } from '../../engine/exchange/log.ts'
import { futureStart } from '../../engine/json/range.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { query } from '../../middleware/validate.ts'
import { auditLogCsv } from './csv.ts'
import { logCursorParts, logPageRequest } from './cursor.ts'
import { findRequest, listAuditLog } from './log.ts'
import { AuditLogQuery } from './schema.ts'

const read = requireScope('settings.audit.read')

export const auditLogRoutes = new Hono<AppEnv>()

auditLogRoutes.get('/', read, query(AuditLogQuery), async (c) => {
  const asked = c.req.valid('query')
  if (asked.format === 'csv') {
    refuseWarnings(c)
    return await auditLogCsv(c, asked)
  }
  const { filters, paging } = asked
  const request = logPageRequest(c.get('caller').tenant, paging)
  const { end, cursor, ...list } = await listAuditLog(logOf(c), filters, request)
  const parts = { limit: request.limit, ...logCursorParts(cursor) }
  const searched_to = end?.created_at ?? null
  const warnings = futureStart('from', filters.from)
  return page(c, 'audit-log', parts, list, { end, searched_to, isWhole: true, warnings })
})

auditLogRoutes.get('/:id/', read, async (c) =>
  ok(c, await findRequest(logOf(c), c.req.param('id'))),
)
