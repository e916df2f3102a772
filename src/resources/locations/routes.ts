import { Hono } from 'hono'
import { ok } from '../../answers/envelope.ts'
import { exportList } from '../../answers/export.ts'
import { exportFormat } from '../../answers/format.ts'
import { page } from '../../answers/list.ts'
import { newRecord, record } from '../../answers/record.ts'
import { NoFields } from '../../document/fields.ts'
import { pageRequest } from '../../document/pagination.ts'
import type { AppEnv } from '../../env.ts'
import { addressOf } from '../../identifiers/address-of.ts'
import { ifMatch, ifNoneMatch } from '../../middleware/conditions.ts'
import { nameRecord } from '../../middleware/exchange.ts'
import { mapOutbound } from '../../middleware/mapping.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, mappedBody, query } from '../../middleware/validate.ts'
import { LOCATIONS } from './export.ts'
import {
  createLocation,
  deactivateLocation,
  findLocation,
  listLocations,
  updateLocation,
} from './queries.ts'
import { CreateLocation, LocationPage, LocationRecord, UpdateLocation } from './schema.ts'

const read = requireScope('integrations.locations.read')
const write = requireScope('integrations.locations.write')
const remove = requireScope('integrations.locations.delete')

export const locations = new Hono<AppEnv>()

locations.use(mapOutbound('locations'))

locations.post('/', write, mappedBody('locations', CreateLocation), async (c) =>
  newRecord(c, await createLocation(c.get('db'), c.req.valid('json'))),
)

locations.get('/', read, query(LocationPage), async (c) => {
  const { limit, cursor, ...filters } = c.req.valid('query')
  const format = exportFormat(c)
  if (format) return exportList(c, LOCATIONS, filters, format)
  const request = pageRequest(c.get('caller').tenant, { limit, cursor }, filters)
  return page(c, 'locations', request, await listLocations(c.get('db'), filters, request))
})

locations.get('/:identifier/', read, ifNoneMatch, async (c) => {
  const location = await findLocation(c.get('db'), addressOf(c, 'locations'))
  nameRecord(c, location.code)
  return record(c, location)
})

const update = mappedBody('locations', UpdateLocation, { record: LocationRecord })

locations.put('/:identifier/', write, ifMatch, update, async (c) =>
  record(c, await updateLocation(c.get('db'), addressOf(c, 'locations'), c.req.valid('json'))),
)

locations.delete('/:identifier/', remove, ifMatch, body(NoFields), async (c) =>
  ok(c, await deactivateLocation(c.get('db'), addressOf(c, 'locations'))),
)
