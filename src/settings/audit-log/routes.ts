import { Hono } from 'hono'
import { refuseWarnings } from '../../answers/csv.ts'
import { ok } from '../../answers/envelope.ts'
import { page } from '../../answers/list.ts'
import { pageRequest } from '../../document/pagination.ts'
import type { AppEnv } from '../../env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { query } from '../../middleware/validate.ts'
import { auditLogCsv } from './csv.ts'
import { findRequest, listAuditLog } from './queries.ts'
import { AuditLogQuery } from './schema.ts'

const read = requireScope('settings.audit.read')

export const auditLog = new Hono<AppEnv>()

auditLog.get('/', read, query(AuditLogQuery), async (c) => {
  const asked = c.req.valid('query')
  if (asked.format === 'csv') {
    refuseWarnings(c)
    return await auditLogCsv(c, asked)
  }
  const { filters, paging } = asked
  const request = pageRequest(c.get('caller').tenant, paging)
  const list = await listAuditLog(c.get('db'), filters, request)
  const { end } = list
  return page(c, 'audit-log', request, list, { end, searched_to: end?.created_at ?? null })
})

auditLog.get('/:id/', read, async (c) => ok(c, await findRequest(c.get('db'), c.req.param('id'))))
