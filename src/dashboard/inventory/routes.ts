import { Hono } from 'hono'
import { exportCsv } from '../../answers/export.ts'
import { allRows } from '../../db/wide-rows.ts'
import { cutPage, pageRequest } from '../../document/pagination.ts'
import type { AppEnv } from '../../env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { INVENTORY } from '../../resources/inventory/export.ts'
import { listInventory } from '../../resources/inventory/queries.ts'
import { InventoryPage } from '../../resources/inventory/schema.ts'
import { filtersOf } from '../form/chosen.ts'
import { asClient } from '../records/as-client.ts'
import { isCsv } from '../records/filter-form.tsx'
import { linkedIds } from '../records/linked.ts'
import { showBadFilters, showStock } from './list.tsx'

export const inventory = new Hono<AppEnv>()

inventory.use(asClient, requireScope('integrations.inventory.read'))

inventory.get('/', async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadFilters(c, chosen, error))
  const { limit, cursor, ...filters } = check(InventoryPage, chosen)
  if (isCsv(chosen)) return await exportCsv(c, INVENTORY, filters, { hasMark: true })
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, { limit, cursor }, filters)
  const db = c.get('db')
  const list = await listInventory(db, filters, request)
  const page = cutPage(tenant, 'inventory', await allRows(db, list), request, list.end)
  const [locations, products] = await Promise.all([
    linkedIds(
      c,
      'locations',
      page.rows.map((row) => row.location_code),
    ),
    linkedIds(
      c,
      'products',
      page.rows.map((row) => row.sku_code),
    ),
  ])
  const isCut = list.end !== null && page.rows.length < limit
  return showStock(c, { ...page, chosen, ids: { locations, products }, isCut })
})
