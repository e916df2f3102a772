import { Hono } from 'hono'
import { allRows } from '../../db/wide-rows.ts'
import { cutPage, pageRequest } from '../../document/pagination.ts'
import type { AppEnv } from '../../env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { auditLogCsv } from '../../settings/audit-log/csv.ts'
import { listAuditLog } from '../../settings/audit-log/queries.ts'
import { choicesOf } from '../form/choices.ts'
import { filtersOf } from '../form/chosen.ts'
import { showRequest } from '../requests/page.tsx'
import { askedBy } from './asked.ts'
import { showAuditLog, showBadFilters } from './page.tsx'

const read = requireScope('settings.audit.read')

export const auditLog = new Hono<AppEnv>()

auditLog.get('/', read, async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadFilters(c, chosen, error))
  const { preset, asked } = askedBy(chosen)
  if (asked.format === 'csv') return await auditLogCsv(c, asked, { hasMark: true })
  const { filters, paging } = asked
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, paging)
  const db = c.get('db')
  const [choices, list] = await Promise.all([choicesOf(c), listAuditLog(db, filters, request)])
  const rows = await allRows(db, list)
  const page = cutPage(tenant, 'audit-log', rows, request, list.end)
  return showAuditLog(c, { chosen, preset, choices, error: null }, page, list.end)
})

auditLog.get('/:id/', read, async (c) => showRequest(c, c.req.param('id')))
