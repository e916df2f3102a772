import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { ok, page, stream } from '../../envelope.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, query } from '../../middleware/validate.ts'
import { findStock, listInventory, upsertInventory } from './queries.ts'
import { InventoryPage, StockQuery, UpsertInventory } from './schema.ts'

const read = requireScope('integrations.inventory.read')
const write = requireScope('integrations.inventory.write')

export const inventory = new Hono<AppEnv>()

inventory.post('/', write, body(UpsertInventory), async (c) => {
  const { result, warnings } = await upsertInventory(c.get('db'), c.req.valid('json'))
  return ok(c, result, warnings)
})

inventory.get('/', read, query(InventoryPage), async (c) => {
  const request = c.req.valid('query')
  return page(c, 'inventory', request.limit, await listInventory(c.get('db'), request))
})

inventory.get('/:identifier/', read, query(StockQuery), async (c) => {
  const { by } = c.req.valid('query')
  const { records, rest } = await findStock(c.get('db'), by, c.req.param('identifier'))
  return rest ? stream(c, rest) : ok(c, records)
})
