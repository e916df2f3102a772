import { Hono } from 'hono'
import { allRows } from '../../engine/db/wide-rows.ts'
import type { AppEnv } from '../../engine/env.ts'
import { logOf } from '../../engine/exchange/log.ts'
import { cutPage } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { auditLogCsv } from '../../requests/audit-log/csv.ts'
import { logCursorParts, logPageRequest } from '../../requests/audit-log/cursor.ts'
import { listAuditLog } from '../../requests/audit-log/log.ts'
import { choicesOf } from '../form/choices.ts'
import { filtersOf } from '../form/chosen.ts'
import { askedBy } from './asked.ts'
import { showAuditLog, showBadLogFilters } from './page.tsx'

export const auditLogPages = new Hono<AppEnv>()

auditLogPages.get('/', requireScope('settings.audit.read'), async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadLogFilters(c, chosen, error))
  const { preset, asked } = askedBy(chosen)
  if (asked.format === 'csv') return await auditLogCsv(c, asked, { hasMark: true })
  const { filters, paging } = asked
  const { tenant } = c.get('caller')
  const request = logPageRequest(tenant, paging)
  const log = logOf(c)
  const [choices, list] = await Promise.all([choicesOf(c), listAuditLog(log, filters, request)])
  const rows = await allRows(log.db, list)
  const parts = { limit: request.limit, ...logCursorParts(list.cursor) }
  const page = cutPage(tenant, 'audit-log', rows, parts, list.end)
  return showAuditLog(c, { chosen, preset, choices, error: null }, page, list.end)
})
