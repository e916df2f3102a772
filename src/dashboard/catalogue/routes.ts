import { type Context, Hono } from 'hono'
import { exportCsv } from '../../engine/answers/export.ts'
import { allRows } from '../../engine/db/wide-rows.ts'
import type { AppEnv } from '../../engine/env.ts'
import { cutPage, pageRequest } from '../../engine/json/pagination.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { exportOf } from '../../records/catalogue/export.ts'
import { idsOf, type Kind, recordName } from '../../records/catalogue/kind.ts'
import { findRecord, listRecords, updateRecord } from '../../records/catalogue/queries.ts'
import { searchRecords } from '../../records/catalogue/search.ts'
import { waitingForRecord } from '../deliveries/summary.tsx'
import { filtersOf } from '../form/chosen.ts'
import type { PageFilters } from '../paths.ts'
import { addEdit, type EditedKind } from '../record-form/edit.tsx'
import { asClient } from '../records/as-client.ts'
import { isCsv } from '../records/filter-form.tsx'
import { linkedIds } from '../records/linked.ts'
import { listSearch } from '../records/search.ts'
import { activityPages } from './activity.tsx'
import { filterFields } from './filter.tsx'
import { showBadCatalogueFilters, showRecords } from './list.tsx'
import { showRecord } from './page.tsx'
import type { Pages } from './pages.ts'
import { stockTotalsOf } from './stock-total.tsx'

/** The pages of a kind of records. */
export function cataloguePages(pages: Pages): Hono<AppEnv> {
  const { kind } = pages
  const routes = new Hono<AppEnv>()

  routes.use(asClient, requireScope(`integrations.${kind.resource}.read`))

  routes.get('/', async (c) => {
    const chosen = filtersOf(c)
    c.set('showForm', (error) => showBadCatalogueFilters(c, kind, chosen, error))
    if (chosen.search !== undefined) return await showFound(c, pages, chosen)
    return await showList(c, pages, chosen)
  })

  routes.get('/:id/', (c) => showRecord(c, pages, c.req.param('id')))

  routes.route('/', activityPages(pages))
  addEdit(routes, editedKind(kind))

  return routes
}

function editedKind(kind: Kind): EditedKind {
  const { resource, record } = kind
  return {
    resource,
    record,
    find: (c, address) => findRecord(kind, c.get('db'), address),
    save: (c, address, input) => updateRecord(kind, c.get('db'), address, input),
    saved: `${record.one}-saved`,
  }
}

async function showFound(c: Context<AppEnv>, pages: Pages, chosen: PageFilters) {
  const request = listSearch(c.get('caller').tenant, chosen, filterFields(pages.kind))
  const { query, pageOf } = searchRecords(pages.kind, request)
  const [rows] = await c.get('db').read([query])
  const page = pageOf(rows)
  const stock = await stockTotalsOf(c, pages.kind, page.rows)
  const found = { ...page, chosen, ids: idsOf(pages.kind, page.rows), stock }
  if (page.rows.length > 0) return showRecords(c, pages, found)
  const waiting = await waitingForRecord(c, pages.kind.resource, chosen.search ?? '')
  return showRecords(c, pages, { ...found, waiting })
}

async function showList(c: Context<AppEnv>, pages: Pages, chosen: PageFilters) {
  const { kind } = pages
  const { limit, cursor, ...filters } = check(kind.Page, chosen)
  if (isCsv(chosen)) return await exportCsv(c, exportOf(kind), filters, { hasMark: true })
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, { limit, cursor }, filters)
  const db = c.get('db')
  const list = await listRecords(kind, db, filters, request)
  const page = cutPage(tenant, kind.resource, await allRows(db, list), request, list.end)
  const names = page.rows.map((row) => recordName(kind, row))
  const ids = kind.record.lists.includes('id')
    ? idsOf(kind, page.rows)
    : await linkedIds(c, kind.resource, names)
  const isCut = list.end !== null && page.rows.length < limit
  const stock = await stockTotalsOf(c, kind, page.rows)
  return showRecords(c, pages, { ...page, chosen, ids, stock, isCut })
}
