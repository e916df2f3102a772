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
import { PRODUCTS } from './export.ts'
import {
  createProduct,
  deactivateProduct,
  findProduct,
  listProducts,
  updateProduct,
} from './queries.ts'
import { CreateProduct, ProductPage, ProductRecord, UpdateProduct } from './schema.ts'

const read = requireScope('integrations.products.read')
const write = requireScope('integrations.products.write')
const remove = requireScope('integrations.products.delete')

export const products = new Hono<AppEnv>()

products.use(mapOutbound('products'))

products.post('/', write, mappedBody('products', CreateProduct), async (c) =>
  newRecord(c, await createProduct(c.get('db'), c.req.valid('json'))),
)

products.get('/', read, query(ProductPage), async (c) => {
  const { limit, cursor, ...filters } = c.req.valid('query')
  const format = exportFormat(c)
  if (format) return exportList(c, PRODUCTS, filters, format)
  const request = pageRequest(c.get('caller').tenant, { limit, cursor }, filters)
  return page(c, 'products', request, await listProducts(c.get('db'), filters, request))
})

products.get('/:identifier/', read, ifNoneMatch, async (c) => {
  const product = await findProduct(c.get('db'), addressOf(c, 'products'))
  nameRecord(c, product.sku)
  return record(c, product)
})

const update = mappedBody('products', UpdateProduct, { record: ProductRecord })

products.put('/:identifier/', write, ifMatch, update, async (c) =>
  record(c, await updateProduct(c.get('db'), addressOf(c, 'products'), c.req.valid('json'))),
)

products.delete('/:identifier/', remove, ifMatch, body(NoFields), async (c) =>
  ok(c, await deactivateProduct(c.get('db'), addressOf(c, 'products'))),
)
