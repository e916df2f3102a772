import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check, query } from '../../middleware/validate.ts'
import { cutPage, PageQuery, pageRequest } from '../../pagination.ts'
import {
  createApiKey,
  findApiKey,
  listApiKeys,
  revokeApiKey,
  updateApiKey,
} from '../../settings/api-keys/queries.ts'
import { rotateApiKey } from '../../settings/api-keys/rotate.ts'
import { CreateApiKey, UpdateApiKey } from '../../settings/api-keys/schema.ts'
import { formOf } from '../form.ts'
import { redirectDone } from '../notice.ts'
import { showCreatedKey } from './created.tsx'
import { fieldsOfForm, fieldsOfRecord, inputOfForm, NEW_KEY } from './form.tsx'
import { showKeyForm, showKeys, showRevocation } from './pages.tsx'
import { endOf, Overlap, showRotation } from './rotation.tsx'

const write = requireScope('settings.write')

export const apiKeys = new Hono<AppEnv>()

/** Apart from the others: a `new` beside `:id` is more than Hono's fast router takes. */
export const newApiKey = new Hono<AppEnv>()

apiKeys.get('/', query(PageQuery('api-keys')), async (c) => {
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, c.req.valid('query'))
  const rows = await listApiKeys(c.get('db'), request)
  return showKeys(c, cutPage(tenant, 'api-keys', rows, request.limit))
})

newApiKey.get('/', write, (c) => showKeyForm(c, NEW_KEY, null))

newApiKey.post('/', write, async (c) => {
  const form = await formOf(c, (sent, error) => showKeyForm(c, fieldsOfForm(sent), error))
  const input = check(CreateApiKey, inputOfForm(form))
  return showCreatedKey(c, await createApiKey(c.get('db'), c.get('caller').tenant, input))
})

apiKeys.get('/:id/', write, async (c) => {
  const record = await findApiKey(c.get('db'), c.req.param('id'))
  return showKeyForm(c, fieldsOfRecord(record), null)
})

apiKeys.post('/:id/', write, async (c) => {
  const form = await formOf(c, (sent, error) => showKeyForm(c, fieldsOfForm(sent), error))
  await updateApiKey(c.get('db'), c.req.param('id'), check(UpdateApiKey, inputOfForm(form)))
  return redirectDone(c, '/dashboard/api-keys/', 'key-saved')
})

apiKeys.get('/:id/rotate/', write, (c) => showRotation(c, c.req.param('id'), null, null))

apiKeys.post('/:id/rotate/', write, async (c) => {
  const id = c.req.param('id')
  const form = await formOf(c, (sent, error) =>
    showRotation(c, id, sent.text('overlap_seconds'), error),
  )
  const { overlap_seconds } = check(Overlap, { overlap_seconds: form.text('overlap_seconds') })
  const input = { overlap_seconds: Number(overlap_seconds) }
  const key = await rotateApiKey(c.get('db'), c.get('caller').tenant, id, input)
  return showCreatedKey(c, key, endOf(overlap_seconds))
})

apiKeys.get('/:id/revoke/', write, (c) => showRevocation(c, c.req.param('id'), null))

apiKeys.post('/:id/revoke/', write, async (c) => {
  const id = c.req.param('id')
  await formOf(c, (_, error) => showRevocation(c, id, error))
  await revokeApiKey(c.get('db'), id)
  return redirectDone(c, '/dashboard/api-keys/', 'key-revoked')
})
