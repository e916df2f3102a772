import { Hono } from 'hono'
import type { AppEnv } from '../../engine/env.ts'
import { cutPage, PageQuery, pageRequest } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { API_KEY } from '../../settings/api-keys/kind.ts'
import {
  createKey,
  findKey,
  listKeys,
  revokeKey,
  updateKey,
} from '../../settings/api-keys/queries.ts'
import { rotateKey } from '../../settings/api-keys/rotate.ts'
import { ApiKey } from '../../settings/api-keys/schema.ts'
import { mayGrantKey } from '../access.ts'
import { filtersOf } from '../form/chosen.ts'
import { formOf } from '../form/read.ts'
import { SETTING_CONFIRMATION, versionsSent } from '../form/version.tsx'
import { API_KEYS_PATH } from '../paths.ts'
import { addPause } from '../pause/routes.tsx'
import { redirectDone } from '../shell/notice.ts'
import { fieldsOfRecord, inputOfForm, KEY, NEW_KEY, newKeyOf, sentKey } from './fields.ts'
import {
  isRenaming,
  showCreatedKey,
  showKeyForm,
  showKeys,
  showRenaming,
  showRevocation,
} from './pages.tsx'
import { endOf, Overlap, ROTATION, showRotation } from './rotation.tsx'

const read = requireScope('settings.keys.read')
const write = requireScope('settings.keys.write')

export const apiKeyPages = new Hono<AppEnv>()

/** At a path of its own: Hono's fast router does not support `new` beside `:id`. */
export const newApiKey = new Hono<AppEnv>()

apiKeyPages.use(read)
newApiKey.use(read)

apiKeyPages.get('/', async (c) => {
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, check(PageQuery('api-keys'), filtersOf(c)))
  const rows = await listKeys(API_KEY, c.get('db'), request)
  return showKeys(c, cutPage(tenant, 'api-keys', rows, request))
})

newApiKey.get('/', write, (c) => showKeyForm(c, newKeyOf(c), null))

newApiKey.post('/', write, async (c) => {
  const form = await formOf(c, NEW_KEY, (sent, error) => showKeyForm(c, sentKey(sent), error))
  const input = check(ApiKey.Create, inputOfForm(form))
  return showCreatedKey(c, await createKey(API_KEY, c.get('db'), c.get('caller'), input))
})

apiKeyPages.get('/:id/', write, async (c) => {
  const record = await findKey(API_KEY, c.get('db'), c.req.param('id'))
  return mayGrantKey(c, record)
    ? showKeyForm(c, fieldsOfRecord(record), null)
    : showRenaming(c, record, null, null)
})

apiKeyPages.post('/:id/', write, async (c) => {
  const { db, caller } = c.var
  const id = c.req.param('id')
  const form = await formOf(c, KEY, async (sent, error) => {
    const record = await findKey(API_KEY, db, id)
    // Others may have given it scopes that this session cannot give: a browser would not send their boxes back.
    const isOutgrown = error.code === 'PRECONDITION_FAILED' && !mayGrantKey(c, record)
    return isRenaming(sent) || isOutgrown
      ? showRenaming(c, record, sent, error)
      : showKeyForm(c, sentKey(sent), error)
  })
  const input = isRenaming(form) ? { name: form.text('name') } : inputOfForm(form)
  await updateKey(API_KEY, db, caller, id, check(ApiKey.Update, input), versionsSent(form))
  return redirectDone(c, API_KEYS_PATH, 'key-saved')
})

addPause(apiKeyPages, {
  path: '/:id/pause/',
  write,
  whose: 'this key',
  back: () => API_KEYS_PATH,
  find: (c, id) => findKey(API_KEY, c.get('db'), id),
  save: (c, id, pause, versions) =>
    updateKey(API_KEY, c.get('db'), c.get('caller'), id, { pause }, versions),
})

apiKeyPages.get('/:id/rotate/', write, async (c) => {
  const id = c.req.param('id')
  const input = { overlap_seconds: 0 }
  const error = await c
    .get('db')
    .refusalOf((db) => rotateKey(API_KEY, db, c.get('caller'), id, input))
  return showRotation(c, id, null, error)
})

apiKeyPages.post('/:id/rotate/', write, async (c) => {
  const id = c.req.param('id')
  const form = await formOf(c, ROTATION, (sent, error) =>
    showRotation(c, id, sent.text('overlap_seconds'), error),
  )
  const { overlap_seconds } = check(Overlap, { overlap_seconds: form.text('overlap_seconds') })
  const input = { overlap_seconds: Number(overlap_seconds) }
  const key = await rotateKey(API_KEY, c.get('db'), c.get('caller'), id, input, versionsSent(form))
  return showCreatedKey(c, key, endOf(overlap_seconds))
})

apiKeyPages.get('/:id/revoke/', write, async (c) => {
  const id = c.req.param('id')
  return showRevocation(c, id, await c.get('db').refusalOf((db) => revokeKey(API_KEY, db, id)))
})

apiKeyPages.post('/:id/revoke/', write, async (c) => {
  const id = c.req.param('id')
  const form = await formOf(c, SETTING_CONFIRMATION, (_, error) => showRevocation(c, id, error))
  await revokeKey(API_KEY, c.get('db'), id, versionsSent(form))
  return redirectDone(c, API_KEYS_PATH, 'key-revoked')
})
