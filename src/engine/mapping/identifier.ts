import { isAddress } from '../model/fields.ts'
import { fieldNames, type RecordDefinition } from '../model/record.ts'
import { RECORDS } from '../model/records.ts'

export const RESOURCES = ['orders', 'products', 'locations', 'inventory'] as const
export type Resource = (typeof RESOURCES)[number]

/** Inventory has no identifier field: it is always addressed by location code or SKU. */
export type AddressableResource = Exclude<Resource, 'inventory'>

interface Identifiers {
  /** The field that addresses a record if settings name none (spec 4, Identifier resolution). */
  fallback: string
  /** The record's scalar fields. */
  fields: readonly string[]
  /** The record's free object: a mapping's `identifier_field` may name one of its members. */
  object: string
}

export const IDENTIFIERS: Record<AddressableResource, Identifiers> = {
  orders: identifiersOf(RECORDS.orders),
  products: identifiersOf(RECORDS.products),
  locations: identifiersOf(RECORDS.locations),
}

function identifiersOf({ key, free, fields }: RecordDefinition): Identifiers {
  return { fallback: key, fields: fieldNames(fields, isAddress), object: free }
}

/** The settings of a caller's partner that concern identifiers. */
export interface IdentifierSettings {
  default_identifier_field: string | null
  mappings: Partial<Record<Resource, { identifier_field: string | null }>>
}

/**
 * The field by which settings address a resource's records (spec 4): the mapping's `identifier_field`, used
 * as given; else the partner's default, if the resource has that field; else null.
 */
export function configuredField(
  resource: AddressableResource,
  settings: IdentifierSettings | null,
): string | null {
  const override = settings?.mappings[resource]?.identifier_field
  if (override) return override
  const byDefault = settings?.default_identifier_field
  return byDefault && IDENTIFIERS[resource].fields.includes(byDefault) ? byDefault : null
}

/** The field that addresses a resource's records: the configured one, else the platform's own. */
export function identifierField(
  resource: AddressableResource,
  settings: IdentifierSettings | null,
): string {
  return configuredField(resource, settings) ?? IDENTIFIERS[resource].fallback
}

/** The pattern of a key that may be an identifier in a free object. */
export const IDENTIFIER_KEY = String.raw`[\p{L}\p{N}_-]{1,64}`
const KEY = new RegExp(`^${IDENTIFIER_KEY}$`, 'u')

/** The key of `metadata.<key>` if `metadata` is the resource's free object, else null. */
export function objectKey(resource: AddressableResource, field: string): string | null {
  const { object } = IDENTIFIERS[resource]
  const key = field.startsWith(`${object}.`) ? field.slice(object.length + 1) : ''
  return KEY.test(key) ? key : null
}

/** Whether a mapping may name the field as its resource's identifier. */
export function isIdentifierField(resource: AddressableResource, field: string): boolean {
  return IDENTIFIERS[resource].fields.includes(field) || objectKey(resource, field) !== null
}

export function isAddressable(resource: Resource): resource is AddressableResource {
  return resource !== 'inventory'
}

/** The addressable resources that have the field. */
export function resourcesWith(field: string): AddressableResource[] {
  return RESOURCES.filter(isAddressable).filter((resource) =>
    IDENTIFIERS[resource].fields.includes(field),
  )
}
