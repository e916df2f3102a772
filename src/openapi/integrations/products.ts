import * as z from 'zod'
import { NoFields } from '../../document/fields.ts'
import {
  CreateProduct,
  ProductPage,
  ProductRecord,
  UpdateProduct,
} from '../../resources/products/schema.ts'
import { named } from '../components.ts'
import { type Endpoint, type EndpointSpec, endpoint } from '../endpoint.ts'
import { because, wrong } from '../errors.ts'

named('CreateProduct', CreateProduct)
named('UpdateProduct', UpdateProduct)
named('Product', ProductRecord)

const DeactivatedProduct = named(
  'DeactivatedProduct',
  z.object({ id: z.string(), sku: z.string(), is_active: z.literal(false) }),
)

const PRODUCT: z.output<typeof ProductRecord> = {
  id: '0b8f2f0e-5f0a-4a4e-9a5e-3b6d3c1a7a10',
  sku: 'MUG-ENAMEL-BLU',
  quantity: 40,
  is_active: true,
  cost: '3.20',
  custom_fields: { colour: 'blue' },
}

const NOT_FOUND = because('UNKNOWN_RECORD', { message: 'No product has the sku "MUG-ENAMEL-BLU".' })
const AMBIGUOUS = because('AMBIGUOUS_IDENTIFIER', {
  message: 'Several products have the cost "3.20", so it identifies none of them.',
})

export const products: Endpoint[] = [
  product({
    method: 'post',
    path: '/products/',
    operationId: 'createProduct',
    summary: 'Create a product',
    description:
      'Creates a product. A `sku` that exists, even if inactive, returns 409 `DUPLICATE`. On a retry this means that the first attempt succeeded.',
    isMapped: true,
    body: {
      schema: CreateProduct,
      example: {
        sku: 'MUG-ENAMEL-BLU',
        quantity: 40,
        cost: '3.20',
        custom_fields: { colour: 'blue' },
      },
    },
    answer: { status: 201, description: 'The product.', data: ProductRecord, example: PRODUCT },
    errors: {
      VALIDATION_ERROR: wrong('sku', 'This field is required.'),
      DUPLICATE: because('ALREADY_EXISTS', {
        message: 'A product with the SKU "MUG-ENAMEL-BLU" already exists.',
        fields: { sku: ['Already exists.'] },
      }),
    },
  }),
  product({
    method: 'get',
    path: '/products/',
    operationId: 'listProducts',
    summary: 'List products',
    description:
      'Returns the active products, newest first; with `is_active` the inactive ones, or all. A cursor belongs to the `is_active` that it came with.',
    query: ProductPage,
    answer: {
      description: 'A page of products.',
      data: z.array(ProductRecord),
      isPage: true,
      isExport: true,
      example: [PRODUCT],
    },
  }),
  product({
    method: 'get',
    path: '/products/{identifier}/',
    operationId: 'findProduct',
    summary: 'Retrieve a product',
    description: 'Returns the product, even if it is inactive.',
    answer: { description: 'The product.', data: ProductRecord, example: PRODUCT },
    errors: { SERVICE_ERROR: AMBIGUOUS, NOT_FOUND },
  }),
  product({
    method: 'put',
    path: '/products/{identifier}/',
    operationId: 'updateProduct',
    summary: 'Update a product',
    description:
      'Replaces the given fields, and `custom_fields` as a whole. `id` and `sku` cannot be changed: other values than the product has return `VALIDATION_ERROR`. `is_active` true reactivates a deactivated product. You can repeat this request.',
    isMapped: true,
    body: { schema: UpdateProduct, isOptional: true, example: { quantity: 38 } },
    answer: {
      description: 'The updated product.',
      data: ProductRecord,
      example: { ...PRODUCT, quantity: 38 },
    },
    errors: {
      VALIDATION_ERROR: wrong('quantity', 'Must be an integer, not a string.'),
      SERVICE_ERROR: AMBIGUOUS,
      NOT_FOUND,
    },
  }),
  product({
    method: 'delete',
    path: '/products/{identifier}/',
    operationId: 'deactivateProduct',
    summary: 'Deactivate a product',
    description:
      'Sets `is_active` to false. The product is kept, but lists leave it out. You can repeat this request.',
    body: { schema: NoFields, example: {} },
    answer: {
      description: 'The deactivated product.',
      data: DeactivatedProduct,
      example: { id: PRODUCT.id, sku: PRODUCT.sku, is_active: false },
    },
    errors: { SERVICE_ERROR: AMBIGUOUS, NOT_FOUND },
  }),
]

function product<Body extends z.ZodType, Data extends z.ZodType>(spec: EndpointSpec<Body, Data>) {
  return endpoint('integrations', 'Products', { ...spec, isVersioned: true })
}
