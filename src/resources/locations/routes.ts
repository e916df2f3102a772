import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { created, ok, page } from '../../envelope.ts'
import { NoFields } from '../../fields.ts'
import { addressOf } from '../../middleware/address.ts'
import { mapOutbound } from '../../middleware/mapping.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, mappedBody, query } from '../../middleware/validate.ts'
import { PageQuery, pageRequest } from '../../pagination.ts'
import {
  createLocation,
  deactivateLocation,
  findLocation,
  listLocations,
  updateLocation,
} from './queries.ts'
import { CreateLocation, UpdateLocation } from './schema.ts'

const read = requireScope('integrations.locations.read')
const write = requireScope('integrations.locations.write')
const remove = requireScope('integrations.locations.delete')

export const locations = new Hono<AppEnv>()

locations.use(mapOutbound('locations'))

locations.post('/', write, mappedBody('locations', CreateLocation), async (c) =>
  created(c, await createLocation(c.get('db'), c.req.valid('json'))),
)

locations.get('/', read, query(PageQuery('locations')), async (c) => {
  const request = pageRequest(c.get('caller').tenant, c.req.valid('query'))
  return page(c, 'locations', request.limit, await listLocations(c.get('db'), request))
})

locations.get('/:identifier/', read, async (c) =>
  ok(c, await findLocation(c.get('db'), addressOf(c, 'locations'))),
)

locations.put('/:identifier/', write, mappedBody('locations', UpdateLocation), async (c) =>
  ok(c, await updateLocation(c.get('db'), addressOf(c, 'locations'), c.req.valid('json'))),
)

locations.delete('/:identifier/', remove, body(NoFields), async (c) =>
  ok(c, await deactivateLocation(c.get('db'), addressOf(c, 'locations'))),
)
