import { Hono } from 'hono'
import { ok, success } from '../../engine/answers/envelope.ts'
import { exportList } from '../../engine/answers/export.ts'
import { exportFormat } from '../../engine/answers/format.ts'
import { page, records } from '../../engine/answers/list.ts'
import type { AppEnv } from '../../engine/env.ts'
import { cutPage, pageRequest } from '../../engine/json/pagination.ts'
import { mapOutbound } from '../../middleware/map-outbound.ts'
import { mappedBody } from '../../middleware/mapped-body.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { query } from '../../middleware/validate.ts'
import { listActiveStock } from './active-stock.ts'
import { INVENTORY } from './export.ts'
import { listHistory, subjectOf } from './history.ts'
import { emptyWarnings, namedWarnings } from './named-codes.ts'
import { findStock, listInventory } from './queries.ts'
import { receiveUpload } from './receive.ts'
import { HISTORY, HistoryQuery, InventoryPage, StockQuery, UpsertInventory } from './schema.ts'

const read = requireScope('integrations.inventory.read')
const write = requireScope('integrations.inventory.write')
const outbound = mapOutbound('inventory')

export const inventoryRoutes = new Hono<AppEnv>()

inventoryRoutes.post('/', write, mappedBody('inventory', UpsertInventory), async (c) => {
  const { result, warnings } = await receiveUpload(c, c.req.valid('json'))
  return ok(c, result, warnings)
})

inventoryRoutes.get('/', read, outbound, query(InventoryPage), async (c) => {
  const { limit, cursor, ...filters } = c.req.valid('query')
  const format = exportFormat(c)
  if (format) return exportList(c, INVENTORY, filters, format)
  const request = pageRequest(c.get('caller').tenant, { limit, cursor }, filters)
  if (c.get('release').listsActiveStock) {
    const { rows, warnings } = await listActiveStock(c.get('db'), limit)
    return page(c, 'inventory', request, rows, { warnings })
  }
  const list = await listInventory(c.get('db'), filters, request)
  const isEmpty = list.rows.length === 0 && list.end === null && request.before === undefined
  const warnings = isEmpty ? await emptyWarnings(c.get('db'), filters, false) : []
  return page(c, 'inventory', request, list, { end: list.end, warnings })
})

inventoryRoutes.get('/:identifier/', read, outbound, query(StockQuery), async (c) => {
  const { by } = c.req.valid('query')
  const { list, rest, named } = await findStock(c.get('db'), by, c.req.param('identifier'))
  const takesBy = c.get('change')?.takes?.includes('by') ?? true
  return records(c, list, rest, namedWarnings(by, named, takesBy))
})

inventoryRoutes.get('/:identifier/history/', read, query(HistoryQuery), async (c) => {
  const { limit, cursor, ...asked } = c.req.valid('query')
  const caller = c.get('caller')
  const subject = subjectOf(c.req.param('identifier'), asked)
  const request = pageRequest(caller.tenant, { limit, cursor }, { ...subject })
  const { rows, end, complete_since } = await listHistory(c.get('db'), caller, subject, request)
  const isEmpty = rows.length === 0 && end === null && request.before === undefined
  const warnings = isEmpty ? await emptyWarnings(c.get('db'), subject, true) : []
  const { rows: shown, next_cursor } = cutPage(caller.tenant, HISTORY, rows, request, end)
  const data = shown.map(({ seq, created_at, ...change }) => change)
  return success(c, 200, { data, pagination: { limit, next_cursor, complete_since } }, warnings)
})
