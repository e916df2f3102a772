import type { Context } from 'hono'
import { Hono } from 'hono'
import { exportCsv } from '../../answers/export.ts'
import { allRows } from '../../db/wide-rows.ts'
import { cutPage, pageRequest } from '../../document/pagination.ts'
import type { AppEnv } from '../../env.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { check } from '../../middleware/validate.ts'
import { PRODUCTS } from '../../resources/products/export.ts'
import {
  deactivateProduct,
  findProduct,
  listProducts,
  updateProduct,
} from '../../resources/products/queries.ts'
import { ProductPage } from '../../resources/products/schema.ts'
import { productSearch } from '../../resources/products/search.ts'
import { type Filters, filtersOf } from '../form/chosen.ts'
import { ACTIVITY_FIELDS } from '../records/activity-filter.tsx'
import { asClient } from '../records/as-client.ts'
import { activityPages } from '../records/change-activity.tsx'
import { isCsv } from '../records/filter-form.tsx'
import { listSearch } from '../search/asked.ts'
import { showBadFilters, showProducts } from './list.tsx'
import { showProduct } from './page.tsx'

async function showFoundProducts(c: Context<AppEnv>, chosen: Filters) {
  const request = listSearch(c.get('caller').tenant, chosen, ACTIVITY_FIELDS)
  const { query, pageOf } = productSearch(request)
  const [rows] = await c.get('db').read([query])
  return showProducts(c, chosen, pageOf(rows))
}

export const products = new Hono<AppEnv>()

products.use(asClient, requireScope('integrations.products.read'))

products.get('/', async (c) => {
  const chosen = filtersOf(c)
  c.set('showForm', (error) => showBadFilters(c, chosen, error))
  if (chosen.search !== undefined) return await showFoundProducts(c, chosen)
  const { limit, cursor, ...filters } = check(ProductPage, chosen)
  if (isCsv(chosen)) return await exportCsv(c, PRODUCTS, filters, { hasMark: true })
  const { tenant } = c.get('caller')
  const request = pageRequest(tenant, { limit, cursor }, filters)
  const db = c.get('db')
  const rows = await allRows(db, await listProducts(db, filters, request))
  return showProducts(c, chosen, cutPage(tenant, 'products', rows, request))
})

products.get('/:id/', (c) => showProduct(c, c.req.param('id')))

products.route(
  '/',
  activityPages({
    resource: 'products',
    one: 'product',
    effects: {
      activate: 'Lists show it again, and orders with it get no warning any more.',
      deactivate:
        'It is kept. Lists leave it out, and new orders and stock with it are accepted with a warning.',
    },
    nameOf: async (db, address) => (await findProduct(db, address)).sku,
    change: {
      activate: (db, address) => updateProduct(db, address, { is_active: true }),
      deactivate: deactivateProduct,
    },
  }),
)
