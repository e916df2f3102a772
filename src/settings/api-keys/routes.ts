import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { created, ok, page } from '../../envelope.ts'
import { NoFields } from '../../fields.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, query } from '../../middleware/validate.ts'
import { PageQuery, pageRequest } from '../../pagination.ts'
import { createApiKey, findApiKey, listApiKeys, revokeApiKey, updateApiKey } from './queries.ts'
import { rotateApiKey } from './rotate.ts'
import { CreateApiKey, RotateApiKey, UpdateApiKey } from './schema.ts'

const read = requireScope('settings.read')
const write = requireScope('settings.write')

export const apiKeys = new Hono<AppEnv>()

apiKeys.post('/', write, body(CreateApiKey), async (c) =>
  created(c, await createApiKey(c.get('db'), c.get('caller').tenant, c.req.valid('json'))),
)

apiKeys.get('/', read, query(PageQuery('api-keys')), async (c) => {
  const request = pageRequest(c.get('caller').tenant, c.req.valid('query'))
  return page(c, 'api-keys', request.limit, await listApiKeys(c.get('db'), request))
})

apiKeys.get('/:id/', read, async (c) => ok(c, await findApiKey(c.get('db'), c.req.param('id'))))

apiKeys.put('/:id/', write, body(UpdateApiKey), async (c) =>
  ok(c, await updateApiKey(c.get('db'), c.req.param('id'), c.req.valid('json'))),
)

apiKeys.post('/:id/rotate/', write, body(RotateApiKey), async (c) => {
  const { tenant } = c.get('caller')
  return created(c, await rotateApiKey(c.get('db'), tenant, c.req.param('id'), c.req.valid('json')))
})

apiKeys.delete('/:id/', write, body(NoFields), async (c) =>
  ok(c, await revokeApiKey(c.get('db'), c.req.param('id'))),
)
