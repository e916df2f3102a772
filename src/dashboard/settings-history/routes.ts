import { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { cutPage, pageRequest } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { changeIdOf, seenBy } from '../../settings/history/access.ts'
import { findSettingsChange, listSettingsChanges } from '../../settings/history/queries.ts'
import { SETTINGS_HISTORY, SettingsHistoryQuery } from '../../settings/history/schema.ts'
import { tellKinds } from '../changed/record-name.tsx'
import { choicesOf } from '../form/choices.ts'
import { filtersOf } from '../form/chosen.ts'
import { isPageCsv, pageCsv } from '../parts/page-csv.tsx'
import { nameLinks } from '../records/names.tsx'
import { showChange } from './change.tsx'
import { CHANGES_CSV, showChanges, showWrongFilters } from './page.tsx'

export const settingsHistoryPages = new Hono<AppEnv>()

settingsHistoryPages.use(requireScope('settings.audit.read'))

settingsHistoryPages.get('/', async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showWrongFilters(c, chosen, error))
  const { limit, cursor, ...filters } = check(SettingsHistoryQuery, chosen)
  const { seen, warnings } = seenBy(c, filters.kind)
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, { limit, cursor }, filters)
  const [choices, { rows, end }] = await Promise.all([
    choicesOf(c),
    listSettingsChanges(c.get('db'), { ...filters, seen }, request),
  ])
  const page = cutPage(tenant, SETTINGS_HISTORY, rows, request, end)
  if (isPageCsv(chosen)) return await pageCsv(c, 'settings-history', CHANGES_CSV, page)
  const [rowsToShow, names] = await Promise.all([
    tellKinds(c, page.rows),
    nameLinks(c, { keys: page.rows.map(({ api_key_id }) => api_key_id) }),
  ])
  const head = { chosen, choices, error: null }
  return showChanges(c, head, { ...page, rows: rowsToShow, names }, warnings)
})

settingsHistoryPages.get('/:change/', async (c) => {
  const id = changeIdOf(c.req.param('change'))
  const change = await findSettingsChange(c.get('db'), id, seenBy(c).seen)
  const [named = change] = await tellKinds(c, [change])
  return showChange(c, named, await nameLinks(c, { keys: [change.api_key_id] }))
})
