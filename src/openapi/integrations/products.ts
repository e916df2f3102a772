import * as z from 'zod'
import { NoFields } from '../../fields.ts'
import { PageQuery } from '../../pagination.ts'
import { CreateProduct, ProductRecord, UpdateProduct } from '../../resources/products/schema.ts'
import { named } from '../components.ts'
import { type Endpoint, endpoint, type Telling } from '../endpoint.ts'
import { wrong } from '../errors.ts'

named('CreateProduct', CreateProduct)
named('UpdateProduct', UpdateProduct)
named('Product', ProductRecord)

const DeactivatedProduct = named(
  'DeactivatedProduct',
  z.object({ id: z.string(), sku: z.string(), is_active: z.literal(false) }),
)

const PRODUCT: z.output<typeof ProductRecord> = {
  id: '0b8f2f0e-5f0a-4a4e-9a5e-3b6d3c1a7a10',
  sku: 'MUG-ENAMEL-WHT',
  quantity: 40,
  is_active: true,
  cost: '3.20',
  custom_fields: { colour: 'white' },
}

const NOT_FOUND = { message: 'No product has the sku "MUG-ENAMEL-WHT".' }
const AMBIGUOUS = { message: 'Several products have the cost "3.20": it names none.' }

export const products: Endpoint[] = [
  product({
    method: 'post',
    path: '/products/',
    operationId: 'createProduct',
    scope: 'integrations.products.write',
    summary: 'Create a product',
    description:
      'A `sku` that exists, active or not, is 409 `DUPLICATE`: after a retry it says that the first attempt has landed.',
    isMapped: true,
    body: {
      schema: CreateProduct,
      example: {
        sku: 'MUG-ENAMEL-WHT',
        quantity: 40,
        cost: '3.20',
        custom_fields: { colour: 'white' },
      },
    },
    answer: { status: 201, description: 'The product.', data: ProductRecord, example: PRODUCT },
    refuses: {
      VALIDATION_ERROR: wrong('sku', 'This field is required.'),
      DUPLICATE: {
        message: 'A product with the SKU "MUG-ENAMEL-WHT" already exists.',
        fields: { sku: ['Already exists.'] },
      },
    },
  }),
  product({
    method: 'get',
    path: '/products/',
    operationId: 'listProducts',
    scope: 'integrations.products.read',
    summary: 'List products',
    description: 'Active products, newest first.',
    query: PageQuery('products'),
    answer: {
      description: 'A page of products.',
      data: z.array(ProductRecord),
      isPage: true,
      example: [PRODUCT],
    },
  }),
  product({
    method: 'get',
    path: '/products/{identifier}/',
    operationId: 'findProduct',
    scope: 'integrations.products.read',
    summary: 'Find a product',
    description: 'Inactive ones are found as well.',
    answer: { description: 'The product.', data: ProductRecord, example: PRODUCT },
    refuses: { SERVICE_ERROR: AMBIGUOUS, NOT_FOUND },
  }),
  product({
    method: 'put',
    path: '/products/{identifier}/',
    operationId: 'updateProduct',
    scope: 'integrations.products.write',
    summary: 'Update a product',
    description:
      'Replaces the fields that are given, `custom_fields` as a whole. `is_active` true revives a deactivated product. Safe to repeat.',
    isMapped: true,
    body: { schema: UpdateProduct, isOptional: true, example: { quantity: 38 } },
    answer: {
      description: 'The product, updated.',
      data: ProductRecord,
      example: { ...PRODUCT, quantity: 38 },
    },
    refuses: {
      VALIDATION_ERROR: wrong('quantity', 'Must be an integer, not a string.'),
      SERVICE_ERROR: AMBIGUOUS,
      NOT_FOUND,
    },
  }),
  product({
    method: 'delete',
    path: '/products/{identifier}/',
    operationId: 'deactivateProduct',
    scope: 'integrations.products.delete',
    summary: 'Deactivate a product',
    description:
      'Sets `is_active` to false; the product is kept, and lists leave it out. Inactive already: the same answer. Safe to repeat.',
    body: { schema: NoFields, example: {} },
    answer: {
      description: 'The product, deactivated.',
      data: DeactivatedProduct,
      example: { id: PRODUCT.id, sku: PRODUCT.sku, is_active: false },
    },
    refuses: { SERVICE_ERROR: AMBIGUOUS, NOT_FOUND },
  }),
]

function product<Body extends z.ZodType, Data extends z.ZodType>(telling: Telling<Body, Data>) {
  return endpoint('integrations', 'Products', telling)
}
