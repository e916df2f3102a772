import { Hono } from 'hono'
import { created, ok } from '../../engine/answers/envelope.ts'
import { page } from '../../engine/answers/list.ts'
import type { AppEnv } from '../../engine/env.ts'
import { NoFields } from '../../engine/json/fields.ts'
import { PageQuery, pageRequest } from '../../engine/json/pagination.ts'
import { keepable } from '../../engine/redaction/policy.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, query } from '../../middleware/validate.ts'
import {
  createPartner,
  deletePartner,
  findPartner,
  listPartners,
  updatePartner,
} from './queries.ts'
import { Partner } from './schema.ts'

const read = requireScope('settings.partners.read')
const write = requireScope('settings.partners.write')

export const partnersRoutes = new Hono<AppEnv>()

partnersRoutes.post('/', write, body(Partner.Create), async (c) =>
  created(c, await createPartner(c.get('db'), keepable(c.env, c.req.valid('json')))),
)

partnersRoutes.get('/', read, query(PageQuery('partners')), async (c) => {
  const request = pageRequest(c.get('caller').tenant, c.req.valid('query'))
  return page(c, 'partners', request, await listPartners(c.get('db'), request))
})

partnersRoutes.get('/:id/', read, async (c) =>
  ok(c, await findPartner(c.get('db'), c.req.param('id'))),
)

partnersRoutes.put('/:id/', write, body(Partner.Update), async (c) =>
  ok(c, await updatePartner(c.get('db'), c.req.param('id'), keepable(c.env, c.req.valid('json')))),
)

partnersRoutes.delete('/:id/', write, body(NoFields), async (c) =>
  ok(c, await deletePartner(c.get('db'), c.req.param('id'))),
)
