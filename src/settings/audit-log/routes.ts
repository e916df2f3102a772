import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { page } from '../../envelope.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { query } from '../../middleware/validate.ts'
import { pageRequest } from '../../pagination.ts'
import { listAuditLog } from './queries.ts'
import { AuditLogQuery } from './schema.ts'

export const auditLog = new Hono<AppEnv>()

auditLog.get('/', requireScope('settings.read'), query(AuditLogQuery), async (c) => {
  const { filters, paging } = c.req.valid('query')
  const request = pageRequest(c.get('caller').tenant, paging)
  return page(c, 'audit-log', request.limit, await listAuditLog(c.get('db'), filters, request))
})
