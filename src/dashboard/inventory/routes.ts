import { type Context, Hono } from 'hono'
import { exportCsv } from '../../engine/answers/export.ts'
import { allRows } from '../../engine/db/wide-rows.ts'
import type { AppEnv } from '../../engine/env.ts'
import { cutPage, type PageRequest, pageRequest } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { INVENTORY } from '../../records/inventory/export.ts'
import { listHistory } from '../../records/inventory/history.ts'
import { LOW_STOCK, listLowStock } from '../../records/inventory/low-stock-list.ts'
import { listInventory } from '../../records/inventory/queries.ts'
import {
  HISTORY,
  HistoryQuery,
  InventoryPage,
  LowStockPage,
} from '../../records/inventory/schema.ts'
import { filtersOf } from '../form/chosen.ts'
import { isPageCsv, pageCsv } from '../parts/page-csv.tsx'
import type { PageFilters } from '../paths.ts'
import { asClient } from '../records/as-client.ts'
import { isCsv } from '../records/filter-form.tsx'
import { linkedPairs } from '../records/linked.ts'
import { nameLinks } from '../records/names.tsx'
import { HISTORY_CSV, showBadHistory, showHistory } from './history.tsx'
import { type ListedStock, showBadStockFilters, showStock } from './list.tsx'
import { showBadLowStock, showLowStock } from './low.tsx'

export const stockPages = new Hono<AppEnv>()

stockPages.use(asClient, requireScope('integrations.inventory.read'))

stockPages.get('/', async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadStockFilters(c, chosen, error))
  const { limit, cursor, ...filters } = check(InventoryPage, chosen)
  if (isCsv(chosen)) return await exportCsv(c, INVENTORY, filters, { hasMark: true })
  const request = pageRequest(c.get('caller').tenant, { limit, cursor }, filters)
  const list = await listInventory(c.get('db'), filters, request)
  return showStock(c, await listedStock(c, chosen, request, list))
})

stockPages.get('/low/', async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadLowStock(c, chosen, error))
  const { limit, cursor, ...filters } = check(LowStockPage, chosen)
  if (isCsv(chosen)) return await exportCsv(c, LOW_STOCK, filters, { hasMark: true })
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, { limit, cursor }, { of: 'low', ...filters })
  const list = await listLowStock(c.get('db'), filters, request)
  return showLowStock(c, await listedStock(c, chosen, request, list), list.most)
})

/** What a page shows of a list of stock. */
async function listedStock(
  c: Context<AppEnv>,
  chosen: PageFilters,
  request: PageRequest,
  list: Awaited<ReturnType<typeof listInventory>>,
): Promise<ListedStock> {
  const rows = await allRows(c.get('db'), list)
  const page = cutPage(c.get('caller').tenant, 'inventory', rows, request, list.end)
  const isCut = list.end !== null && page.rows.length < request.limit
  return { ...page, chosen, ids: await linkedPairs(c, page.rows), isCut }
}

stockPages.get('/history/', async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadHistory(c, chosen, error))
  const { limit, cursor, by, ...subject } = check(HistoryQuery, chosen)
  const caller = c.get('caller')
  const request = pageRequest(caller.tenant, { limit, cursor }, { of: 'all', ...subject })
  const list = await listHistory(c.get('db'), caller, subject, request)
  const page = cutPage(caller.tenant, HISTORY, list.rows, request, list.end)
  if (isPageCsv(chosen)) return await pageCsv(c, 'stock-history', HISTORY_CSV, page)
  const [ids, names] = await Promise.all([
    linkedPairs(c, page.rows),
    nameLinks(c, {
      keys: page.rows.map(({ api_key }) => api_key?.id),
      partners: page.rows.map(({ partner }) => partner?.id),
    }),
  ])
  const isCut = list.end !== null && page.rows.length < limit
  return showHistory(c, { ...page, chosen, ids, names, isCut, complete_since: list.complete_since })
})
