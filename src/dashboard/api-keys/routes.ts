import { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { cutPage, PageQuery, pageRequest } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { API_KEY } from '../../settings/api-keys/kind.ts'
import { createKey, listKeys } from '../../settings/api-keys/queries.ts'
import { ApiKey } from '../../settings/api-keys/schema.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { isPageCsv } from '../parts/page-csv.tsx'
import { addKeyActions } from './actions.tsx'
import { inputOfForm, NEW_KEY, sentKey } from './fields.ts'
import { newKeyFields } from './for-partner.ts'
import { API_KEY_PAGES, sendKeysCsv, showCreatedKey, showKeyForm, showKeys } from './pages.tsx'

const read = requireScope('settings.keys.read')
const write = requireScope('settings.keys.write')

export const apiKeyPages = new Hono<AppEnv>()

/** At a path of its own: Hono's fast router does not support `new` beside `:id`. */
export const newApiKey = new Hono<AppEnv>()

apiKeyPages.use(read)
newApiKey.use(read)

apiKeyPages.get('/', async (c) => {
  const { tenant } = c.get('caller')
  const chosen = filtersOf(c)
  const request = pageRequest(tenant, check(PageQuery('api-keys'), chosen))
  const page = cutPage(tenant, 'api-keys', await listKeys(API_KEY, c.get('db'), request), request)
  return isPageCsv(chosen) ? sendKeysCsv(c, page) : showKeys(c, page)
})

newApiKey.get('/', write, async (c) => showKeyForm(c, await newKeyFields(c), null))

newApiKey.post('/', write, async (c) => {
  const form = await formOf(c, NEW_KEY, (sent, error) => showKeyForm(c, sentKey(sent), error))
  const input = check(ApiKey.Create, inputOfForm(form))
  return showCreatedKey(c, await createKey(API_KEY, c.get('db'), c.get('caller'), input))
})

addKeyActions(apiKeyPages, API_KEY_PAGES)
