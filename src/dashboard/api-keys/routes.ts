import { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { cutPage, PageQuery, pageRequest } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { API_KEY } from '../../settings/api-keys/kind.ts'
import { createKey, findKey, listKeys, updateKey } from '../../settings/api-keys/queries.ts'
import { ApiKey } from '../../settings/api-keys/schema.ts'
import { mayGrantKey } from '../access.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { versionsSent } from '../form/version.tsx'
import { isPageCsv } from '../parts/page-csv.tsx'
import { API_KEYS_PATH } from '../paths.ts'
import { redirectDone } from '../shell/notice.ts'
import { addKeyActions } from './actions.ts'
import { fieldsOfRecord, inputOfForm, KEY, NEW_KEY, sentKey } from './fields.ts'
import { newKeyFields } from './for-partner.ts'
import {
  API_KEY_PAGES,
  isRenaming,
  sendKeysCsv,
  showCreatedKey,
  showKeyForm,
  showKeys,
} from './pages.tsx'
import { showRenaming } from './renaming.tsx'

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

apiKeyPages.get('/:id/', write, async (c) => {
  const record = await findKey(API_KEY, c.get('db'), c.req.param('id'))
  return mayGrantKey(c, record)
    ? showKeyForm(c, fieldsOfRecord(record), null)
    : showRenaming(c, API_KEY_PAGES, record, null, null)
})

apiKeyPages.post('/:id/', write, async (c) => {
  const { db, caller } = c.var
  const id = c.req.param('id')
  const form = await formOf(c, KEY, async (sent, error) => {
    const record = await findKey(API_KEY, db, id)
    // Others may have given it scopes that this session cannot give: a browser would not send their boxes back.
    const isOutgrown = error.code === 'PRECONDITION_FAILED' && !mayGrantKey(c, record)
    return isRenaming(sent) || isOutgrown
      ? showRenaming(c, API_KEY_PAGES, record, sent, error)
      : showKeyForm(c, sentKey(sent), error)
  })
  const input = isRenaming(form) ? { name: form.text('name') } : inputOfForm(form)
  await updateKey(API_KEY, db, caller, id, check(ApiKey.Update, input), versionsSent(form))
  return redirectDone(c, API_KEYS_PATH, 'key-saved')
})

addKeyActions(apiKeyPages, API_KEY_PAGES)
