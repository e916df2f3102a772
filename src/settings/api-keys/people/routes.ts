import { Hono } from 'hono'
import { ok } from '../../../engine/answers/envelope.ts'
import { page } from '../../../engine/answers/list.ts'
import { newSetting, okSetting } from '../../../engine/answers/record.ts'
import type { AppEnv } from '../../../engine/env.ts'
import { NoFields } from '../../../engine/json/fields.ts'
import { PageQuery, pageRequest } from '../../../engine/json/pagination.ts'
import { ifMatch, ifNoneMatch } from '../../../middleware/conditions.ts'
import { requireScope } from '../../../middleware/require-scope.ts'
import { body, query } from '../../../middleware/validate.ts'
import { versionsAsked } from '../../versions.ts'
import { findKey, listKeys, revokeKey } from '../queries.ts'
import { PEOPLE, PERSON } from './kind.ts'
import { createPerson, updatePerson } from './queries.ts'
import { Person } from './schema.ts'

const read = requireScope('settings.people.read')
const write = requireScope('settings.people.write')

export const peopleRoutes = new Hono<AppEnv>()

peopleRoutes.post('/', write, body(Person.Create), async (c) =>
  newSetting(c, await createPerson(c.get('db'), c.get('caller'), c.req.valid('json'))),
)

peopleRoutes.get('/', read, query(PageQuery(PEOPLE)), async (c) => {
  const request = pageRequest(c.get('caller').tenant, c.req.valid('query'))
  return page(c, PEOPLE, request, await listKeys(PERSON, c.get('db'), request))
})

peopleRoutes.get('/:id/', read, ifNoneMatch, async (c) => {
  const id = c.req.param('id')
  return okSetting(c, id, await findKey(PERSON, c.get('db'), id))
})

peopleRoutes.put('/:id/', write, ifMatch, body(Person.Update), async (c) => {
  const { db, caller } = c.var
  const id = c.req.param('id')
  const changed = updatePerson(db, caller, id, c.req.valid('json'), versionsAsked(c, id))
  return okSetting(c, id, await changed)
})

peopleRoutes.delete('/:id/', write, ifMatch, body(NoFields), async (c) => {
  const id = c.req.param('id')
  const { version, ...revoked } = await revokeKey(PERSON, c.get('db'), id, versionsAsked(c, id))
  return ok(c, revoked)
})
