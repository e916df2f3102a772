import { Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import { page } from '../../engine/answers/list.ts'
import type { AppEnv } from '../../engine/env.ts'
import { pageRequest } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { query } from '../../middleware/validate.ts'
import { changeIdOf, seenBy } from './access.ts'
import { findSettingsChange, listSettingsChanges } from './queries.ts'
import { SETTINGS_HISTORY, SettingsHistoryQuery } from './schema.ts'

const read = requireScope('settings.audit.read')

export const historyRoutes = new Hono<AppEnv>()

historyRoutes.get('/', read, query(SettingsHistoryQuery), async (c) => {
  const { limit, cursor, ...filters } = c.req.valid('query')
  const { seen, warnings } = seenBy(c, filters.kind)
  const request = pageRequest(c.get('caller').tenant, { limit, cursor }, filters)
  const { rows, end } = await listSettingsChanges(c.get('db'), { ...filters, seen }, request)
  return page(c, SETTINGS_HISTORY, request, rows, { end, warnings })
})

historyRoutes.get('/:change/', read, async (c) => {
  const id = changeIdOf(c.req.param('change'))
  return ok(c, await findSettingsChange(c.get('db'), id, seenBy(c).seen))
})
