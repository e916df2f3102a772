import * as z from 'zod'
import { isObject } from './fields.ts'
import { shortened } from './messages.ts'
import { appendName } from './path.ts'
import { innermost } from './shape.ts'

/** Of a hostile body's million unknown fields, no more are looked for. */
export const UNUSED_MAX = 1000

/** What an answer says beside its data. */
export interface Warning {
  field: string
  message: string
  /** Where the caller's own document has the field, if elsewhere. */
  source?: string
}

/**
 * The fields of a value that its schema does not know, and so had no effect: each is named once,
 * an array's elements together (`items[].colour`). At most UNUSED_MAX of them.
 */
export function unusedFields(schema: z.core.$ZodType, value: unknown): Warning[] {
  const fields = new Set<string>()
  collect(schema, value, '', fields)
  return Array.from(fields, (field) => withoutEffect(field, 'Unknown or read-only here'))
}

/** The warning that a field had no effect, and why. */
export function withoutEffect(field: string, reason: string): Warning {
  return { field: shortened(field), message: `${reason}: it had no effect.` }
}

function collect(schema: z.core.$ZodType, value: unknown, path: string, fields: Set<string>): void {
  if (fields.size >= UNUSED_MAX) return
  const inner = innermost(schema)
  if (inner instanceof z.ZodObject && isObject(value)) {
    for (const key of Object.keys(value)) {
      const member = value[key]
      const known = Object.hasOwn(inner.shape, key) ? inner.shape[key] : undefined
      if (known) collect(known, member, path ? `${path}.${key}` : key, fields)
      else if (fields.size < UNUSED_MAX) fields.add(appendName(path, key))
    }
  } else if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const within = `${path}[]`
    for (const element of value) collect(inner.element, element, within, fields)
  }
}
