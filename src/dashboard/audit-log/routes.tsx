import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { check } from '../../middleware/validate.ts'
import { cutPage, pageRequest } from '../../pagination.ts'
import { listAuditLog } from '../../settings/audit-log/queries.ts'
import { AuditLogQuery } from '../../settings/audit-log/schema.ts'
import { filtersOf } from './filters.ts'
import { choicesOf, showAuditLog, showBadFilters } from './page.tsx'

export const auditLog = new Hono<AppEnv>()

auditLog.get('/', async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadFilters(c, chosen, error))
  const { filters, paging } = check(AuditLogQuery, chosen)
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, paging)
  const [choices, rows] = await Promise.all([
    choicesOf(c),
    listAuditLog(c.get('db'), filters, request),
  ])
  return showAuditLog(c, chosen, choices, cutPage(tenant, 'audit-log', rows, request.limit))
})
