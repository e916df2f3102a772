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

/** What a schema knows of a value: the members of an object, or what the elements of an array are. */
interface Known {
  /** Null of a member that holds no members itself. */
  members?: Map<string, Known | null>
  element?: Known
}

// Looked up once for each schema, not for each of a hundred thousand rows.
const knownBySchema = new WeakMap<z.core.$ZodType, Known | null>()

/**
 * The fields of a value that its schema does not know, and so had no effect: each is named once,
 * an array's elements together (`items[].colour`). At most UNUSED_MAX of them.
 */
export function unusedFields(schema: z.core.$ZodType, value: unknown): Warning[] {
  const fields = new Set<string>()
  const known = knownBySchema.get(schema) ?? knownBy(schema)
  knownBySchema.set(schema, known)
  if (known) collect(known, value, '', fields)
  return Array.from(fields, (field) => withoutEffect(field, 'Unknown or read-only here'))
}

/** The warning that a field had no effect, and why. */
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
