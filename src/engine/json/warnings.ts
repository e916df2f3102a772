import * as z from 'zod'
import { isObject } from './json-object.ts'
import { shortened } from './messages.ts'
import { appendName } from './path.ts'
import { innermost } from './shape.ts'

/** The search for unused fields stops here: a hostile body may have a million. */
export const UNUSED_MAX = 1000

/** Where programs tell warnings apart that they act on. */
export const WARNING_CODES = [
  'CODE_REPEATED',
  'IDEMPOTENCY_KEY',
  'LINES_DIFFER',
  'LOCATION_INACTIVE',
  'LOCATION_UNKNOWN',
  'PAIR_REPEATED',
  'SKU_INACTIVE',
  'SKU_UNKNOWN',
] as const
export type WarningCode = (typeof WARNING_CODES)[number]

/** A warning in an answer, beside its data. */
export interface Warning {
  field: string
  message: string
  /** The field's path in the caller's own document, if that differs. */
  source?: string
  code?: WarningCode
  /** Of LINES_DIFFER, the first ones. */
  differences?: LineDifference[]
}

/** Null is a line, or a value, that is not there. */
export interface LineDifference {
  field: string
  source?: string
  sku_code: string | null
  stored: string | number | boolean | null
  sent: string | number | boolean | null
}

/** The fields that a schema knows: the members of an object, or those of an array's elements. */
interface Known {
  /** Null for a member without members of its own. */
  members?: Map<string, Known | null>
  element?: Known
}

// Computed once per schema, not for each of a hundred thousand rows.
const knownBySchema = new WeakMap<z.core.$ZodType, Known | null>()

/**
 * A warning for each field of the value that the schema does not know. Elements of an array share one
 * warning (`items[].colour`). At most UNUSED_MAX.
 */
export function unusedFields(schema: z.core.$ZodType, value: unknown): Warning[] {
  const fields = new Set<string>()
  const known = knownBySchema.getOrInsertComputed(schema, knownBy)
  if (known) collect(known, value, '', fields)
  return Array.from(fields, (field) => withoutEffect(field, 'Unknown or read-only here'))
}

/** The warning that a field had no effect. `reason` is a clause, such as `Unknown here`. */
export function withoutEffect(field: string, reason: string): Warning {
  return { field: shortened(field), message: `${reason}: it had no effect.` }
}

function knownBy(schema: z.core.$ZodType): Known | null {
  const inner = innermost(schema)
  if (inner instanceof z.ZodObject) {
    const members = Object.entries<z.core.$ZodType>(inner.shape)
    return { members: new Map(members.map(([name, member]) => [name, knownBy(member)])) }
  }
  const element = inner instanceof z.ZodArray ? knownBy(inner.element) : null
  return element && { element }
}

function collect(known: Known, value: unknown, path: string, fields: Set<string>): void {
  if (fields.size >= UNUSED_MAX) return
  if (known.members && isObject(value)) {
    for (const key of Object.keys(value)) {
      const member = known.members.get(key)
      if (member) collect(member, value[key], path ? `${path}.${key}` : key, fields)
      else if (member === undefined && fields.size < UNUSED_MAX) fields.add(appendName(path, key))
    }
  } else if (known.element && Array.isArray(value)) {
    const within = `${path}[]`
    for (const element of value) collect(known.element, element, within, fields)
  }
}
