import * as z from 'zod'
import type { ZodOpenApiOverride } from 'zod-openapi'
import { AnyObject, DateTime, DECIMAL, Decimal } from '../fields.ts'
import { IDENTIFIERS } from '../mapping/identifier.ts'
import { UpdateOrder } from '../resources/orders/schema.ts'
import { isGrantable, SCOPES } from '../scopes.ts'
import { CreateApiKey } from '../settings/api-keys/schema.ts'
import { PreviewMapping, SaveMapping } from '../settings/mappings/schema.ts'
import { CreatePartner } from '../settings/partners/schema.ts'
import { innermost } from '../shape.ts'

/** A JSON schema, or a part of the document that holds some. */
export type JsonSchema = Record<string, unknown>

/** Whose rules one mapping body stands for all: its shape is the same for each resource. */
export const MappingBody = SaveMapping('orders')
export const PreviewBody = PreviewMapping('orders').extend({ mapping: MappingBody.optional() })

const wildcards = ['integrations', ...resourceScopes(), 'settings'].map((scope) => `${scope}.*`)

/** One scope, as a key may have it. */
export const ScopeName = elementOf(CreateApiKey.shape.scopes)

// What zod cannot say in JSON schema, because the rule is a function.
const KINDS = new Map<z.core.$ZodType, JsonSchema>([
  [eldest(AnyObject), { type: 'object', additionalProperties: true }],
  [eldest(Decimal.def.in), { type: ['string', 'number'], pattern: DECIMAL.source, minimum: 0 }],
  [eldest(DateTime.def.in), { type: 'string', format: 'date-time' }],
  [eldest(ScopeName), { type: 'string', enum: [...SCOPES, ...wildcards].filter(isGrantable) }],
  [
    eldest(innermost(CreatePartner.shape.default_identifier_field)),
    { type: 'string', enum: [...new Set(Object.values(IDENTIFIERS).flatMap((of) => of.fields))] },
  ],
  [eldest(innermost(UpdateOrder.shape.status)), { $ref: '#/components/schemas/OrderStatus' }],
  [eldest(PreviewBody.shape.payload), { type: 'object', additionalProperties: true }],
])

const MAPPING_RULES = {
  type: 'object',
  additionalProperties: { $ref: '#/components/schemas/MappingRule' },
}

/**
 * What a field's JSON schema is where zod gives none. Objects stay open: a field that we add later
 * breaks no client.
 */
export const override: ZodOpenApiOverride = ({ zodSchema, jsonSchema }) => {
  const kind = isMappingRules(zodSchema) ? MAPPING_RULES : KINDS.get(eldest(zodSchema))
  if (kind) {
    for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword]
    Object.assign(jsonSchema, kind)
  }
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
  // Every name is a string.
  delete jsonSchema.propertyNames
  // A number is an integer to zod only within these, which says nothing to a reader.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/** `{type: ['string', 'null']}` for each "this or null", throughout the document. */
export function mergeNulls(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(mergeNulls)
  if (typeof part !== 'object' || part === null) return part
  const merged = Object.fromEntries(
    // An example is a value, not a schema.
    Object.entries(part).map(([key, value]) => [
      key,
      key.startsWith('example') ? value : mergeNulls(value),
    ]),
  )
  const { anyOf, ...others } = merged as JsonSchema
  const one = orNull(anyOf)
  return one ? { ...one, ...others } : merged
}

function orNull(anyOf: unknown): JsonSchema | null {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return null
  const [one, other] = anyOf as [JsonSchema, JsonSchema]
  if (other.type !== 'null' || one.type === undefined) return null
  return {
    ...one,
    type: [one.type, 'null'].flat(),
    ...(Array.isArray(one.enum) && { enum: [...one.enum, null] }),
  }
}

/** `fields` of a mapping, the only object that is looked through and passed on. */
function isMappingRules(schema: z.core.$ZodType): boolean {
  return schema instanceof z.ZodPipe && eldest(schema.def.in) === eldest(AnyObject)
}

/** A schema that only adds rules to another one is of its kind. */
function eldest(schema: z.core.$ZodType): z.core.$ZodType {
  return schema._zod.parent ? eldest(schema._zod.parent) : schema
}

function elementOf(schema: z.core.$ZodType): z.ZodType<string> {
  const array = innermost(schema)
  if (!(array instanceof z.ZodArray)) throw new Error('This schema is no array.')
  return array.element as z.ZodType<string>
}

function resourceScopes(): string[] {
  const scopes = SCOPES.filter((scope) => scope.startsWith('integrations.'))
  return [...new Set(scopes.map((scope) => scope.slice(0, scope.lastIndexOf('.'))))]
}
