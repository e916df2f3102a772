import { type Context, Hono } from 'hono'
import { created, ok } from '../../engine/answers/envelope.ts'
import { page } from '../../engine/answers/list.ts'
import type { AppEnv } from '../../engine/env.ts'
import { NoFields } from '../../engine/json/fields.ts'
import { PageQuery, pageRequest } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, query } from '../../middleware/validate.ts'
import { createApiKey, findApiKey, listApiKeys, revokeApiKey, updateApiKey } from './queries.ts'
import { rotateApiKey } from './rotate.ts'
import { ApiKey, RotateApiKey } from './schema.ts'

const read = requireScope('settings.keys.read')
const write = requireScope('settings.keys.write')

export const apiKeysRoutes = new Hono<AppEnv>()

apiKeysRoutes.post('/', write, body(ApiKey.Create), async (c) =>
  createdKey(c, await createApiKey(c.get('db'), c.get('caller'), c.req.valid('json'))),
)

apiKeysRoutes.get('/', read, query(PageQuery('api-keys')), async (c) => {
  const request = pageRequest(c.get('caller').tenant, c.req.valid('query'))
  return page(c, 'api-keys', request, await listApiKeys(c.get('db'), request))
})

apiKeysRoutes.get('/:id/', read, async (c) =>
  ok(c, await findApiKey(c.get('db'), c.req.param('id'))),
)

apiKeysRoutes.put('/:id/', write, body(ApiKey.Update), async (c) => {
  const { db, caller } = c.var
  return ok(c, await updateApiKey(db, caller, c.req.param('id'), c.req.valid('json')))
})

apiKeysRoutes.post('/:id/rotate/', write, body(RotateApiKey), async (c) => {
  const { db, caller } = c.var
  return createdKey(c, await rotateApiKey(db, caller, c.req.param('id'), c.req.valid('json')))
})

apiKeysRoutes.delete('/:id/', write, body(NoFields), async (c) =>
  ok(c, await revokeApiKey(c.get('db'), c.req.param('id'))),
)

const NO_KEY = { field: 'key', message: 'A dry run makes no key, so there is none to show.' }

/** The answer that shows a new key, this once. */
function createdKey(c: Context<AppEnv>, record: { key: string }): Response {
  return c.get('db').rehearses ? created(c, { ...record, key: null }, [NO_KEY]) : created(c, record)
}
