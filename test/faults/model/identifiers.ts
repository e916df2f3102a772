import { isObject } from './fields.ts'
import {
  BROKEN_RULE,
  CHANGED,
  type Context,
  INVALID,
  NOT_FOUND,
  type Refused,
} from './operation.ts'
import type { Location, Order, Product, State } from './state.ts'

// Which record an identifier means to a caller (spec 4, Identifier resolution).

interface Records {
  orders: Order
  products: Product
  locations: Location
}

const IDENTIFIERS = {
  orders: {
    fallback: 'order_number',
    fields: ['order_number', 'external_order_id', 'customer_name', 'notes', 'status'],
  },
  products: { fallback: 'sku', fields: ['sku', 'quantity', 'cost'] },
  locations: { fallback: 'code', fields: ['code', 'name', 'zone', 'aisle'] },
}

export const FIELDS = Object.values(IDENTIFIERS).flatMap(({ fields }) => fields)

/** The one record; of several orders those of the caller's own partner go first. A limited key has no others. */
export function found<Name extends keyof Records>(
  context: Context,
  resource: Name,
): Records[Name] | Refused {
  const { state, key, partner, at } = context
  const field = fieldFor(context, resource)
  const records = [...state[resource].values()] as Records[Name][]
  const matching = records.filter((record) => textOf(record, field) === at)
  const own = matching.filter((record) => isOwn(record, partner?.id))
  const isLimited = resource === 'orders' && key.own_orders_only
  const [only, ...others] = own.length > 0 || isLimited ? own : matching
  if (!only) return NOT_FOUND
  if (others.length > 0) return BROKEN_RULE
  if (!mayChange(context, only)) return { ...CHANGED, version: only.version }
  return isNamed(context, only, IDENTIFIERS[resource].fallback) ? only : INVALID
}

/** A body that changes a record may name it, but not otherwise than it is named. */
function isNamed({ isWrite, body }: Context, record: object, name: string): boolean {
  if (!isWrite) return true
  return ['id', name].every((one) => [undefined, Reflect.get(record, one)].includes(body[one]))
}

/** Of a GET, the condition is another one. */
export function mayChange(
  { isWrite, condition }: Context,
  { id, version }: { id: string; version: number },
): boolean {
  if (!isWrite || condition === undefined) return true
  if (condition === '*') return version > 0
  return condition.startsWith(`"${version}.${id.slice(0, 8)}.`)
}

function isOwn(record: object, partner: string | undefined): boolean {
  return 'partner_id' in record && record.partner_id === partner
}

function fieldFor({ state, partner }: Context, resource: keyof Records): string {
  const { fallback, fields } = IDENTIFIERS[resource]
  if (!partner) return fallback
  const override = state.mappings.get(`${partner.id} ${resource}`)?.identifier_field
  const byDefault = partner.default_identifier_field
  return override ?? (byDefault && fields.includes(byDefault) ? byDefault : fallback)
}

/** As a URL can name it; null for what names nothing. */
function textOf(record: object, field: string): string | null {
  const [object = '', key] = field.split('.')
  const value: unknown = Reflect.get(record, object)
  const named = key === undefined ? value : isObject(value) ? value[key] : null
  if (typeof named === 'string') return named
  return typeof named === 'number' || typeof named === 'boolean' ? JSON.stringify(named) : null
}

const INDEXED = ['order_number', 'external_order_id', 'sku', 'code']

/** Of each field that the settings of a live partner name, unless it is indexed anyway. */
export function indexesOf({ partners, mappings }: State): { name: string }[] {
  const names = new Set<string>()
  for (const { id, deleted_at, default_identifier_field: byDefault } of partners.values()) {
    if (deleted_at !== null) continue
    for (const [resource, { fields }] of Object.entries(IDENTIFIERS)) {
      const override = mappings.get(`${id} ${resource}`)?.identifier_field
      const named = [override, fields.includes(byDefault ?? '') ? byDefault : null]
      for (const field of named)
        if (field && !INDEXED.includes(field)) names.add(nameOf(resource, field))
    }
  }
  return [...names].toSorted().map((name) => ({ name }))
}

function nameOf(resource: string, field: string): string {
  return `${resource}_by_${Buffer.from(field).toString('hex')}`
}
