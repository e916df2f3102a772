import { Hono } from 'hono'
import { ok } from '../../engine/answers/envelope.ts'
import { exportList } from '../../engine/answers/export.ts'
import { exportFormat } from '../../engine/answers/format.ts'
import { page } from '../../engine/answers/list.ts'
import { newRecord, okRecord } from '../../engine/answers/record.ts'
import { allNamedByCode } from '../../engine/body/named-by-code.ts'
import type { AppEnv } from '../../engine/env.ts'
import { nameRecord } from '../../engine/exchange/row.ts'
import { NoFields } from '../../engine/json/fields.ts'
import { pageRequest } from '../../engine/json/pagination.ts'
import { fieldNames } from '../../engine/model/record.ts'
import { ifMatch, ifNoneMatch } from '../../middleware/conditions.ts'
import { resolveIdentifier } from '../../middleware/identifier.ts'
import { mapOutbound } from '../../middleware/map-outbound.ts'
import { mappedBody } from '../../middleware/mapped-body.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { severalRecords } from '../../middleware/several-records.ts'
import { body, query } from '../../middleware/validate.ts'
import { comparing } from '../same-records.ts'
import { exportOf } from './export.ts'
import { type Kind, recordName } from './kind.ts'
import { createRecord, deactivateRecord, findRecord, listRecords, updateRecord } from './queries.ts'

/** The endpoints of a kind of records. */
export function catalogueRoutes(kind: Kind): Hono<AppEnv> {
  const { resource } = kind
  const { Create, Update, Shown } = kind.record
  const read = requireScope(`integrations.${resource}.read`)
  const write = requireScope(`integrations.${resource}.write`)
  const remove = requireScope(`integrations.${resource}.delete`)
  const address = resolveIdentifier(resource)
  const exported = exportOf(kind)
  const routes = new Hono<AppEnv>()

  routes.use(mapOutbound(resource))

  const names = fieldNames(kind.record.fields, ({ create }) => create !== null)
  const compare = comparing({ table: kind.table, key: kind.record.key, names, schema: Create })
  const several = severalRecords(resource, async (c, documents) => {
    const { db, caller } = c.var
    return await compare(c, await allNamedByCode(db, resource, documents, caller.partner))
  })

  routes.post('/', write, several, mappedBody(resource, Create), async (c) =>
    newRecord(c, await createRecord(kind, c.get('db'), c.req.valid('json'))),
  )

  routes.get('/', read, query(kind.Page), async (c) => {
    const { limit, cursor, ...filters } = c.req.valid('query')
    const format = exportFormat(c)
    if (format) return exportList(c, exported, filters, format)
    const request = pageRequest(c.get('caller').tenant, { limit, cursor }, filters)
    const list = await listRecords(kind, c.get('db'), filters, request)
    return page(c, resource, request, list, { end: list.end })
  })

  routes.get('/:identifier/', read, ifNoneMatch, address, async (c) => {
    const row = await findRecord(kind, c.get('db'), c.var.address)
    nameRecord(c, recordName(kind, row))
    return okRecord(c, row)
  })

  const update = mappedBody(resource, Update, { record: Shown })

  routes.put('/:identifier/', write, ifMatch, update, address, async (c) =>
    okRecord(c, await updateRecord(kind, c.get('db'), c.var.address, c.req.valid('json'))),
  )

  routes.delete('/:identifier/', remove, ifMatch, body(NoFields), address, async (c) =>
    ok(c, await deactivateRecord(kind, c.get('db'), c.var.address)),
  )

  return routes
}
