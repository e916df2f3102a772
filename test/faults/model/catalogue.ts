import {
  type Check,
  clearable,
  given,
  hasFields,
  isDecimal,
  isFlag,
  isInteger,
  isName,
  isObject,
  isText,
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
  operation,
  tagged,
  written,
} from './operation.ts'
import { replacedBy } from './replaced.ts'
import { changed, type Json, type Location, type Product, type State, withRecord } from './state.ts'

type Item = Product | Location

interface Kind {
  resource: 'products' | 'locations'
  /** The field that holds the name. */
  name: 'sku' | 'code'
  /** What the body of a new record may give beside its name, and that of an update. */
  created: Record<string, Check>
  updated: Record<string, Check>
  /** What a new record has unless its body says otherwise. */
  fresh: Json
  /** What the list shows, and the answer to POST beside the id. Without it they show all. */
  listed?: string[]
}

const PRODUCT = {
  quantity: optional(isInteger(-2_000_000_000)),
  is_active: optional(isFlag),
  cost: clearable(isDecimal),
  custom_fields: optional(isObject),
}

const LOCATION = {
  name: clearable(isText),
  zone: clearable(isText),
  aisle: clearable(isText),
  metadata: clearable(isObject),
}

export const products = catalogue({
  resource: 'products',
  name: 'sku',
  created: PRODUCT,
  updated: PRODUCT,
  fresh: { quantity: 0, is_active: true, cost: null, custom_fields: {} },
})

export const locations = catalogue({
  resource: 'locations',
  name: 'code',
  created: LOCATION,
  updated: { ...LOCATION, is_active: optional(isFlag) },
  fresh: { name: null, zone: null, aisle: null, metadata: null, is_active: true },
  listed: ['code', 'name', 'zone', 'aisle', 'is_active'],
})

function catalogue(kind: Kind): Record<string, Operation> {
  const { resource, name, created, updated } = kind
  const all = `/${resource}/`
  const one = `/${resource}/:at/`
  return {
    [`${resource}.create`]: operation('POST', all, `integrations.${resource}.write`, {
      maps: resource,
      accepts: hasFields({ [name]: isName, ...created }),
      act: (context) => create(kind, context),
    }),
    [`${resource}.list`]: operation('GET', all, `integrations.${resource}.read`, {
      maps: resource,
      act: (context) => list(kind, context),
    }),
    [`${resource}.get`]: operation('GET', one, `integrations.${resource}.read`, {
      maps: resource,
      act: (context) => {
        const item = found(context, resource)
        return isRefused(item) ? item : tagged(200, context.state, () => taggedRecord(item))
      },
    }),
    [`${resource}.update`]: operation('PUT', one, `integrations.${resource}.write`, {
      maps: resource,
      accepts: hasFields(updated),
      act: (context) => update(kind, context),
    }),
    [`${resource}.deactivate`]: operation('DELETE', one, `integrations.${resource}.delete`, {
      maps: resource,
      act: (context) => deactivate(kind, context),
    }),
  }
}

const record = ({ created_at, updated_at, version, ...record }: Item) => record
const taggedRecord = (item: Item) => ({ data: record(item), version: item.version })
const nameOf = ({ name }: Kind, item: Item) => String(Reflect.get(item, name))
const at = ({ resource }: Kind, state: State, name: string) => state[resource].get(name) as Item

function summary({ listed }: Kind, item: Item): object {
  return listed ? given({ ...item }, listed) : record(item)
}

function create(kind: Kind, { state, body, made }: Context) {
  const { resource, created, fresh } = kind
  const name = String(body[kind.name])
  if (state[resource].has(name)) return DUPLICATE
  const now = instantOf(made)
  const times = { created_at: now, updated_at: now }
  const named = { id: made.id, [kind.name]: name }
  const item = { ...fresh, ...stored(body, created), ...named, ...times, version: 1 }
  return tagged(201, withRecord(state, resource, name, item as unknown as Item), (later) => ({
    data: { id: made.id, ...summary(kind, at(kind, later, name)) },
    version: at(kind, later, name).version,
  }))
}

function list(kind: Kind, context: Context) {
  const stocked = new Set([...context.state.stock.values()].map(({ sku_code }) => sku_code))
  return filteredPage<Item>(
    activeFilters(context.query),
    context,
    context.state[kind.resource],
    kind.resource,
    (item) => summary(kind, item),
    (item) =>
      matchesActive(context.query, item) &&
      (context.query.without_stock !== 'true' || !stocked.has(Reflect.get(item, 'sku'))),
  )
}

function update(kind: Kind, context: Context) {
  const { state, body, made } = context
  const { resource, updated } = kind
  const item = found(context, resource)
  if (isRefused(item)) return item
  const name = nameOf(kind, item)
  const fields = stored(body, updated)
  const next = changed<Item>(item, fields, instantOf(made))
  const done = tagged(200, withRecord(state, resource, name, next), (later) =>
    taggedRecord(at(kind, later, name)),
  )
  const names = Object.keys(updated)
  return { ...done, replaced: replacedBy(resource, name, item, next, names, fields) }
}

/** What the body gives of these fields. A cost is stored as text. */
function stored(body: Json, checks: Record<string, Check>): Json {
  const { cost, ...fields } = given(body, Object.keys(checks))
  if (cost === undefined) return fields
  return { ...fields, cost: cost === null ? null : String(cost) }
}

function deactivate(kind: Kind, context: Context) {
  const { state, made } = context
  const item = found(context, kind.resource)
  if (isRefused(item)) return item
  const name = nameOf(kind, item)
  const inactive = changed<Item>(item, { is_active: false }, instantOf(made))
  const next = withRecord(state, kind.resource, name, inactive)
  return written(200, next, (later) => {
    const { is_active } = at(kind, later, name)
    return { id: item.id, [kind.name]: name, is_active }
  })
}
