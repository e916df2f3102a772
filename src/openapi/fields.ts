import * as z from 'zod'
import type { ZodOpenApiOverride } from 'zod-openapi'
import { GRANTABLE } from '../engine/identity/scopes.ts'
import { DateTime, QueryDateTime } from '../engine/json/date-time.ts'
import { DECIMAL } from '../engine/json/decimal.ts'
import { AnyObject, Decimal, Identifier, QUANTITY_MAX } from '../engine/json/fields.ts'
import { isObject } from '../engine/json/json-object.ts'
import { PATH_LENGTH_MAX } from '../engine/json/path.ts'
import { innermost } from '../engine/json/shape.ts'
import { IDENTIFIERS } from '../engine/mapping/identifier.ts'
import { KeepDocuments } from '../engine/redaction/policy.ts'
import { CURRENT } from '../engine/releases/release.ts'
import { RELEASES, releasesWith } from '../engine/releases/table.ts'
import { PastedKey } from '../engine/webhooks/public-key.ts'
import { WebhookRules } from '../engine/webhooks/rules.ts'
import { ChangesQuery, WAIT_SECONDS_MAX } from '../records/changes/schema.ts'
import { InventoryPage } from '../records/inventory/schema.ts'
import { UpdateOrder } from '../records/orders/schema.ts'
import { ScopeName } from '../settings/api-keys/schema.ts'
import { DisplayText } from '../settings/display-text.ts'
import { Partner } from '../settings/partners/schema.ts'
import { GivenPause, ShownPause } from '../settings/pause.ts'
import { named } from './components.ts'
import { REDACTED_PATH } from './path-patterns.ts'

/** A JSON schema, or a part of the document that contains some. */
export type JsonSchema = Record<string, unknown>

// These have long patterns: as components, the document holds them once.
named('Identifier', Identifier, {
  description: 'No control characters and no white space at either end; not "." or "..".',
})
named('DisplayText', DisplayText, {
  description:
    'Not only white space, no control characters, and no API key. White space at either end is removed.',
})
named('DateTime', DateTime, {
  description:
    'ISO 8601: a datetime such as `2026-03-01T09:30:00Z` or `2026-03-01 09:30:00+02:00`, or a date. Without an offset it is UTC.',
})
named('QueryDateTime', QueryDateTime, {
  description:
    'ISO 8601: a datetime such as `2026-03-01T09:30:00Z`, or a date. Without an offset it is UTC. Percent-encode the `+` of an offset.',
})

named('WebhookRules', WebhookRules)

named('GivenPause', GivenPause)
named('Pause', ShownPause)

/** One path of `redact`, whose pattern is long. */
const RedactedPath = named('RedactedPath', elementOf(KeepDocuments.shape.redact))

/** Every scope of any release. */
const SCOPE_NAMES = [...new Set([...GRANTABLE, ...RELEASES.flatMap(spelledIn)])]

/**
 * The rule that a key of the current release has no scope in the spelling of an older release. A body
 * without `release` is for the current release, or, if it updates a key, for the key's own.
 */
export function scopesByRelease(assumed: 'current' | 'own'): JsonSchema {
  const foreign = SCOPE_NAMES.filter((name) => !releasesWith(name).includes(CURRENT.name))
  return {
    not: {
      properties: {
        release: { const: CURRENT.name },
        scopes: { contains: { enum: foreign } },
      },
      required: assumed === 'own' ? ['scopes', 'release'] : ['scopes'],
    },
  }
}

// JSON schemas of fields whose rule is a function, which zod cannot express. How many decimals `cost` takes
// as a number stands only in its description: for validators that divide floats, 0.1 is not a multiple of
// 0.000001.
const KINDS = new Map<z.core.$ZodType, JsonSchema>([
  [eldest(AnyObject), { type: 'object', additionalProperties: true }],
  [
    eldest(Decimal.def.in),
    {
      type: ['string', 'number'],
      pattern: DECIMAL.source,
      minimum: 0,
      exclusiveMaximum: 1_000_000_000_000,
    },
  ],
  [eldest(ScopeName), { type: 'string', enum: SCOPE_NAMES }],
  [
    eldest(innermost(Partner.Create.shape.default_identifier_field)),
    { type: 'string', enum: [...new Set(Object.values(IDENTIFIERS).flatMap((of) => of.fields))] },
  ],
  [eldest(RedactedPath), { type: 'string', maxLength: PATH_LENGTH_MAX, pattern: REDACTED_PATH }],
  [
    eldest(innermost(InventoryPage.shape.quantity_below)),
    { type: 'integer', minimum: 1, maximum: QUANTITY_MAX },
  ],
  [
    eldest(innermost(ChangesQuery.shape.wait)),
    { type: 'integer', minimum: 0, maximum: WAIT_SECONDS_MAX },
  ],
  // A public key: PEM or JWK.
  [eldest(PastedKey.def.in), { type: ['string', 'object'] }],
  [eldest(innermost(UpdateOrder.shape.status)), { $ref: '#/components/schemas/OrderStatus' }],
])

/**
 * Sets the JSON schemas that zod cannot give. Objects in responses allow further fields, so that a field
 * that we add later breaks no client.
 */
export const override: ZodOpenApiOverride = ({ zodSchema, jsonSchema, io }) => {
  const kind = KINDS.get(eldest(zodSchema))
  if (kind) {
    for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword]
    Object.assign(jsonSchema, kind)
  }
  if (io === 'output' && jsonSchema.additionalProperties === false) {
    delete jsonSchema.additionalProperties
  }
  if (jsonSchema.oneOf) {
    jsonSchema.anyOf = jsonSchema.oneOf
    delete jsonSchema.oneOf
  }
  if (isAnyText(jsonSchema.propertyNames)) delete jsonSchema.propertyNames
  // Zod adds these bounds to every integer. They tell a reader nothing.
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
}

/** Turns each `anyOf` of a schema and null into `{type: ['string', 'null']}`. */
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
  // zod-openapi leaves a component's own `override` beside a reference to it.
  if ('$ref' in others) delete others.override
  if (one) return { ...one, ...others }
  return anyOf === undefined ? others : merged
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

/** Such a schema says nothing about names: all are text. */
function isAnyText(schema: unknown): boolean {
  return isObject(schema) && Object.keys(schema).join() === 'type'
}

/** The first schema of a chain in which each adds checks to the one before. */
function eldest(schema: z.core.$ZodType): z.core.$ZodType {
  return schema._zod.parent ? eldest(schema._zod.parent) : schema
}

function elementOf(schema: z.core.$ZodType): z.ZodType<string> {
  const array = innermost(schema)
  if (!(array instanceof z.ZodArray)) throw new Error('This schema is not an array.')
  return array.element as z.ZodType<string>
}

/** The scopes that the release spells in another way, in its spelling. */
function spelledIn({ scopeNames }: (typeof RELEASES)[number]): string[] {
  return Object.entries(scopeNames).flatMap(([spelled, name]) =>
    [...GRANTABLE]
      .filter((scope) => scope.startsWith(`${name}.`))
      .map((scope) => spelled + scope.slice(name.length)),
  )
}
