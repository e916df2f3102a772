import { type Context, Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import { page } from '../../engine/answers/list.ts'
import { newSetting, okSetting } from '../../engine/answers/record.ts'
import type { AppEnv } from '../../engine/env.ts'
import { NoFields } from '../../engine/json/fields.ts'
import { PageQuery, pageRequest } from '../../engine/json/pagination.ts'
import { ifMatch, ifNoneMatch } from '../../middleware/conditions.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, query } from '../../middleware/validate.ts'
import { versionsAsked } from '../versions.ts'
import { API_KEY } from './kind.ts'
import { createKey, findKey, listKeys, revokeKey, updateKey } from './queries.ts'
import { rotateKey } from './rotate.ts'
import { ApiKey, RotateApiKey } from './schema.ts'

const read = requireScope('settings.keys.read')
const write = requireScope('settings.keys.write')

export const apiKeysRoutes = new Hono<AppEnv>()

apiKeysRoutes.post('/', write, body(ApiKey.Create), async (c) =>
  createdKey(c, await createKey(API_KEY, c.get('db'), c.get('caller'), c.req.valid('json'))),
)

apiKeysRoutes.get('/', read, query(PageQuery('api-keys')), async (c) => {
  const request = pageRequest(c.get('caller').tenant, c.req.valid('query'))
  return page(c, 'api-keys', request, await listKeys(API_KEY, c.get('db'), request))
})

apiKeysRoutes.get('/:id/', read, ifNoneMatch, async (c) => {
  const id = c.req.param('id')
  return okSetting(c, id, await findKey(API_KEY, c.get('db'), id))
})

apiKeysRoutes.put('/:id/', write, ifMatch, body(ApiKey.Update), async (c) => {
  const { db, caller } = c.var
  const id = c.req.param('id')
  const changed = updateKey(API_KEY, db, caller, id, c.req.valid('json'), versionsAsked(c, id))
  return okSetting(c, id, await changed)
})

apiKeysRoutes.post('/:id/rotate/', write, ifMatch, body(RotateApiKey), async (c) => {
  const { db, caller } = c.var
  const id = c.req.param('id')
  const rotated = rotateKey(API_KEY, db, caller, id, c.req.valid('json'), versionsAsked(c, id))
  return createdKey(c, await rotated)
})

apiKeysRoutes.delete('/:id/', write, ifMatch, body(NoFields), async (c) => {
  const id = c.req.param('id')
  const { version, ...revoked } = await revokeKey(API_KEY, c.get('db'), id, versionsAsked(c, id))
  return ok(c, revoked)
})

const NO_KEY = { field: 'key', message: 'A dry run makes no key, so there is none to show.' }

/** The answer that shows a new key, this once. */
function createdKey(
  c: Context<AppEnv>,
  record: { id: string; version: number; key: string },
): Response {
  const isTold = !c.get('db').rehearses
  return newSetting(c, isTold ? record : { ...record, key: null }, isTold ? [] : [NO_KEY])
}
