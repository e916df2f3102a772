import {
  clearable,
  given,
  hasFields,
  isDecimal,
  isFlag,
  isInteger,
  isName,
  isObject,
  optional,
} from './fields.ts'
import { activeFilters, matchesActive } from './filters.ts'
import { found } from './identifiers.ts'
import {
  type Context,
  DUPLICATE,
  filteredPage,
  instantOf,
  isRefused,
  type Operation,
  tagged,
  written,
} from './operation.ts'
import { replacedBy } from './replaced.ts'
import { changed, type Product, type State, withRecord } from './state.ts'

const FIELDS = ['quantity', 'is_active', 'cost', 'custom_fields']
const checks = {
  quantity: optional(isInteger(-2_000_000_000)),
  is_active: optional(isFlag),
  cost: clearable(isDecimal),
  custom_fields: optional(isObject),
}

const record = ({ created_at, updated_at, version, ...record }: Product) => record
const taggedRecord = (one: Product) => ({ data: record(one), version: one.version })
const at = (state: State, sku: string) => state.products.get(sku) as Product

export const products: Record<string, Operation> = {
  'products.create': {
    method: 'POST',
    path: '/products/',
    scope: 'integrations.products.write',
    maps: 'products',
    isWrite: true,
    accepts: hasFields({ sku: isName, ...checks }),
    act: create,
  },
  'products.list': {
    method: 'GET',
    path: '/products/',
    scope: 'integrations.products.read',
    maps: 'products',
    isWrite: false,
    act: (context) =>
      filteredPage(
        activeFilters(context.query),
        context,
        context.state.products,
        'products',
        record,
        (one) => matchesActive(context.query, one),
      ),
  },
  'products.get': {
    method: 'GET',
    path: '/products/:at/',
    scope: 'integrations.products.read',
    maps: 'products',
    isWrite: false,
    act: (context) => {
      const product = found(context, 'products')
      return isRefused(product) ? product : tagged(200, context.state, () => taggedRecord(product))
    },
  },
  'products.update': {
    method: 'PUT',
    path: '/products/:at/',
    scope: 'integrations.products.write',
    maps: 'products',
    isWrite: true,
    accepts: hasFields(checks),
    act: update,
  },
  'products.deactivate': {
    method: 'DELETE',
    path: '/products/:at/',
    scope: 'integrations.products.delete',
    maps: 'products',
    isWrite: true,
    act: deactivate,
  },
}

function create({ state, body, made }: Context) {
  const sku = String(body.sku)
  if (state.products.has(sku)) return DUPLICATE
  const now = instantOf(made)
  const product: Product = {
    quantity: 0,
    is_active: true,
    custom_fields: {},
    ...changes(body),
    cost: body.cost == null ? null : String(body.cost),
    id: made.id,
    sku,
    created_at: now,
    updated_at: now,
    version: 1,
  }
  return tagged(201, withRecord(state, 'products', sku, product), (later) =>
    taggedRecord(at(later, sku)),
  )
}

function update(context: Context) {
  const { state, body, made } = context
  const product = found(context, 'products')
  if (isRefused(product)) return product
  const { sku } = product
  const fields = changes(body)
  const next = changed(product, fields, instantOf(made))
  const done = tagged(200, withRecord(state, 'products', sku, next), (later) =>
    taggedRecord(at(later, sku)),
  )
  return { ...done, replaced: replacedBy('products', sku, product, next, FIELDS, fields) }
}

function changes(body: Context['body']): Partial<Product> {
  const { cost, ...fields } = given(body, FIELDS)
  if (cost === undefined) return fields
  return { ...fields, cost: cost === null ? null : String(cost) }
}

function deactivate(context: Context) {
  const { state, made } = context
  const product = found(context, 'products')
  if (isRefused(product)) return product
  const { sku } = product
  const inactive = changed(product, { is_active: false }, instantOf(made))
  const next = withRecord(state, 'products', sku, inactive)
  return written(200, next, (later) => {
    const { id, is_active } = at(later, sku)
    return { id, sku, is_active }
  })
}
