import { type Context, Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import type { ApiError } from '../../engine/errors.ts'
import { cutPage, pageRequest } from '../../engine/json/pagination.ts'
import { check } from '../../middleware/validate.ts'
import { endOtherSessions, endSession, listSessions } from '../../settings/sessions/queries.ts'
import { SESSIONS, SessionsQuery } from '../../settings/sessions/schema.ts'
import { may } from '../access.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { CONFIRMATION } from '../form/shape.ts'
import { isPageCsv, pageCsv } from '../parts/page-csv.tsx'
import { SESSIONS_PATH } from '../paths.ts'
import { redirectDone } from '../shell/notice.ts'
import { SESSIONS_CSV, showSessions } from './page.tsx'

/** Open to each session: it sees and ends those of its own key. Those of others need the scopes of keys. */
export const sessionPages = new Hono<AppEnv>()

sessionPages.get('/', (c) => showList(c, null))

sessionPages.post('/:id/end/', async (c) => {
  await formOf(c, CONFIRMATION, (_, error) => showList(c, error))
  const { db, caller } = c.var
  const mayEndAll = may(c, 'settings.keys.read') && may(c, 'settings.keys.write')
  await endSession(db, c.req.param('id'), mayEndAll ? undefined : caller.key.id)
  return redirectDone(c, SESSIONS_PATH, 'session-ended')
})

/** At a path of its own: Hono's fast router does not support a fixed name beside `:id`. */
export const endingSessions = new Hono<AppEnv>()

endingSessions.post('/', async (c) => {
  await formOf(c, CONFIRMATION, (_, error) => showList(c, error))
  await endOtherSessions(c.get('db'))
  return redirectDone(c, SESSIONS_PATH, 'sessions-ended')
})

async function showList(c: Context<AppEnv>, error: ApiError | null) {
  const { tenant, key } = c.get('caller')
  const chosen = error === null ? filtersOf(c) : {}
  const own = may(c, 'settings.keys.read') ? {} : { api_key_id: key.id }
  const { limit, cursor, ...filters } = check(SessionsQuery, { ...chosen, ...own })
  const request = pageRequest(tenant, { limit, cursor }, filters)
  const rows = await listSessions(c.get('db'), filters, request)
  const page = cutPage(tenant, SESSIONS, rows, request)
  if (isPageCsv(chosen)) return await pageCsv(c, 'sessions', SESSIONS_CSV, page)
  return showSessions(c, page, error)
}
