import { Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import { page } from '../../engine/answers/list.ts'
import { newSetting, okSetting } from '../../engine/answers/record.ts'
import type { AppEnv } from '../../engine/env.ts'
import { NoFields } from '../../engine/json/fields.ts'
import { PageQuery, pageRequest } from '../../engine/json/pagination.ts'
import { keepable } from '../../engine/redaction/policy.ts'
import { ifMatch, ifNoneMatch } from '../../middleware/conditions.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, query } from '../../middleware/validate.ts'
import { versionsAsked } from '../versions.ts'
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
  newSetting(c, await createPartner(c.get('db'), keepable(c.env, c.req.valid('json')))),
)

partnersRoutes.get('/', read, query(PageQuery('partners')), async (c) => {
  const request = pageRequest(c.get('caller').tenant, c.req.valid('query'))
  return page(c, 'partners', request, await listPartners(c.get('db'), request))
})

partnersRoutes.get('/:id/', read, ifNoneMatch, async (c) => {
  const id = c.req.param('id')
  return okSetting(c, id, await findPartner(c.get('db'), id))
})

partnersRoutes.put('/:id/', write, ifMatch, body(Partner.Update), async (c) => {
  const id = c.req.param('id')
  const input = keepable(c.env, c.req.valid('json'))
  return okSetting(c, id, await updatePartner(c.get('db'), id, input, versionsAsked(c, id)))
})

partnersRoutes.delete('/:id/', write, ifMatch, body(NoFields), async (c) => {
  const id = c.req.param('id')
  const { version, ...deleted } = await deletePartner(c.get('db'), id, versionsAsked(c, id))
  return ok(c, deleted)
})
