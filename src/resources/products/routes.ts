import { Hono } from 'hono'
import type { AppEnv } from '../../env.ts'
import { created, ok, page } from '../../envelope.ts'
import { NoFields } from '../../fields.ts'
import { addressOf } from '../../middleware/address.ts'
import { mapOutbound } from '../../middleware/mapping.ts'
import { requireScope } from '../../middleware/require-scope.ts'
import { body, mappedBody, query } from '../../middleware/validate.ts'
import { PageQuery, pageRequest } from '../../pagination.ts'
import {
  createProduct,
  deactivateProduct,
  findProduct,
  listProducts,
  updateProduct,
} from './queries.ts'
import { CreateProduct, UpdateProduct } from './schema.ts'

const read = requireScope('integrations.products.read')
const write = requireScope('integrations.products.write')
const remove = requireScope('integrations.products.delete')

export const products = new Hono<AppEnv>()

products.use(mapOutbound('products'))

products.post('/', write, mappedBody('products', CreateProduct), async (c) =>
  created(c, await createProduct(c.get('db'), c.req.valid('json'))),
)

products.get('/', read, query(PageQuery('products')), async (c) => {
  const request = pageRequest(c.get('caller').tenant, c.req.valid('query'))
  return page(c, 'products', request.limit, await listProducts(c.get('db'), request))
})

products.get('/:identifier/', read, async (c) =>
  ok(c, await findProduct(c.get('db'), addressOf(c, 'products'))),
)

products.put('/:identifier/', write, mappedBody('products', UpdateProduct), async (c) =>
  ok(c, await updateProduct(c.get('db'), addressOf(c, 'products'), c.req.valid('json'))),
)

products.delete('/:identifier/', remove, body(NoFields), async (c) =>
  ok(c, await deactivateProduct(c.get('db'), addressOf(c, 'products'))),
)
