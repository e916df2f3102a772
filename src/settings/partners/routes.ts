import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { created, ok, page } from '../../envelope.ts'
import { NoFields } from '../../fields.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, query } from '../../middleware/validate.ts'
import { PageQuery, pageRequest } from '../../pagination.ts'
import {
  createPartner,
  deletePartner,
  findPartner,
  listPartners,
  updatePartner,
} from './queries.ts'
import { CreatePartner, UpdatePartner } from './schema.ts'

const read = requireScope('settings.read')
const write = requireScope('settings.write')

export const partners = new Hono<AppEnv>()

partners.post('/', write, body(CreatePartner), async (c) =>
  created(c, await createPartner(c.get('db'), c.req.valid('json'))),
)

partners.get('/', read, query(PageQuery('partners')), async (c) => {
  const request = pageRequest(c.get('caller').tenant, c.req.valid('query'))
  return page(c, 'partners', request.limit, await listPartners(c.get('db'), request))
})

partners.get('/:id/', read, async (c) => ok(c, await findPartner(c.get('db'), c.req.param('id'))))

partners.put('/:id/', write, body(UpdatePartner), async (c) =>
  ok(c, await updatePartner(c.get('db'), c.req.param('id'), c.req.valid('json'))),
)

partners.delete('/:id/', write, body(NoFields), async (c) =>
  ok(c, await deletePartner(c.get('db'), c.req.param('id'))),
)
