import type { Context } from 'hono'
import { Hono } from 'hono'
import { exportCsv } from '../../answers/export.ts'
import { allRows } from '../../db/wide-rows.ts'
import { cutPage, pageRequest } from '../../document/pagination.ts'
import type { AppEnv } from '../../env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { LOCATIONS } from '../../resources/locations/export.ts'
import {
  deactivateLocation,
  findLocation,
  listLocations,
  updateLocation,
} from '../../resources/locations/queries.ts'
import { LocationPage } from '../../resources/locations/schema.ts'
import { locationSearch } from '../../resources/locations/search.ts'
import { type Filters, filtersOf } from '../form/chosen.ts'
import { ACTIVITY_FIELDS } from '../records/activity-filter.tsx'
import { asClient } from '../records/as-client.ts'
import { activityPages } from '../records/change-activity.tsx'
import { isCsv } from '../records/filter-form.tsx'
import { linkedIds } from '../records/linked.ts'
import { listSearch } from '../search/asked.ts'
import { idsOf, showBadFilters, showLocations } from './list.tsx'
import { showLocation } from './page.tsx'

async function showFoundLocations(c: Context<AppEnv>, chosen: Filters) {
  const request = listSearch(c.get('caller').tenant, chosen, ACTIVITY_FIELDS)
  const { query, pageOf } = locationSearch(request)
  const [rows] = await c.get('db').read([query])
  const page = pageOf(rows)
  return showLocations(c, { ...page, chosen, ids: idsOf(page.rows) })
}

export const locations = new Hono<AppEnv>()

locations.use(asClient, requireScope('integrations.locations.read'))

locations.get('/', async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadFilters(c, chosen, error))
  if (chosen.search !== undefined) return await showFoundLocations(c, chosen)
  const { limit, cursor, ...filters } = check(LocationPage, chosen)
  if (isCsv(chosen)) return await exportCsv(c, LOCATIONS, filters, { hasMark: true })
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, { limit, cursor }, filters)
  const db = c.get('db')
  const rows = await allRows(db, await listLocations(db, filters, request))
  const page = cutPage(tenant, 'locations', rows, request)
  const codes = page.rows.map(({ code }) => code)
  return showLocations(c, { ...page, chosen, ids: await linkedIds(c, 'locations', codes) })
})

locations.get('/:id/', (c) => showLocation(c, c.req.param('id')))

locations.route(
  '/',
  activityPages({
    resource: 'locations',
    one: 'location',
    effects: {
      activate: 'Lists show it again, and stock at it gets no warning any more.',
      deactivate:
        'It and its stock are kept. Lists leave it out, and new stock at it is accepted with a warning.',
    },
    nameOf: async (db, address) => (await findLocation(db, address)).code,
    change: {
      activate: (db, address) => updateLocation(db, address, { is_active: true }),
      deactivate: deactivateLocation,
    },
  }),
)
