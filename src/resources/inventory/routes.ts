import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { ok, page, stream } from '../../envelope.ts'
import { mapOutbound } from '../../middleware/mapping.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { mappedBody, query } from '../../middleware/validate.ts'
import { pageRequest } from '../../pagination.ts'
import { findStock, listInventory, upsertInventory } from './queries.ts'
import { withSource } from './rows.ts'
import { InventoryPage, StockQuery, UpsertInventory } from './schema.ts'

const read = requireScope('integrations.inventory.read')
const write = requireScope('integrations.inventory.write')
const outbound = mapOutbound('inventory')

export const inventory = new Hono<AppEnv>()

inventory.post('/', write, mappedBody('inventory', UpsertInventory), async (c) => {
  const { result, warnings } = await upsertInventory(c.get('db'), c.req.valid('json'))
  const errors = result.errors.map((error) => withSource(error, c.get('sourceOf')))
  return ok(c, { ...result, errors }, warnings)
})

inventory.get('/', read, outbound, query(InventoryPage), async (c) => {
  const request = pageRequest(c.get('caller').tenant, c.req.valid('query'))
  const { listsActiveStock } = c.get('release')
  const rows = await listInventory(c.get('db'), request, listsActiveStock)
  return page(c, 'inventory', request.limit, rows)
})

inventory.get('/:identifier/', read, outbound, query(StockQuery), async (c) => {
  const { by } = c.req.valid('query')
  const { records, rest } = await findStock(c.get('db'), by, c.req.param('identifier'))
  return rest ? stream(c, rest) : ok(c, records)
})
