import { z } from 'zod'
import { isObject } from './fields.ts'

const FIELD_LENGTH_MAX = 300

/** What an answer says beside its data. */
export interface Warning {
  field: string
  message: string
}

/**
 * The fields of a value that its schema does not know, and so had no effect: each is named once,
 * an array's elements together (`items[].colour`).
 */
export function unusedFields(schema: z.core.$ZodType, value: unknown): Warning[] {
  const fields = new Set<string>()
  collect(schema, value, '', fields)
  return Array.from(fields, unused)
}

function unused(field: string): Warning {
  return {
    field: field.slice(0, FIELD_LENGTH_MAX).toWellFormed(),
    message: 'Unknown or read-only here: it had no effect.',
  }
}

function collect(schema: z.core.$ZodType, value: unknown, path: string, fields: Set<string>): void {
  const inner = unwrap(schema)
  if (inner instanceof z.ZodObject && isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      const field = path ? `${path}.${key}` : key
      const known = Object.hasOwn(inner.shape, key) ? inner.shape[key] : undefined
      if (known) collect(known, member, field, fields)
      else fields.add(field)
    }
  } else if (inner instanceof z.ZodArray && Array.isArray(value)) {
    const within = `${path}[]`
    for (const element of value) collect(inner.element, element, within, fields)
  }
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return unwrap(schema.def.in)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return unwrap(schema.unwrap())
  if (schema instanceof z.ZodDefault) return unwrap(schema.unwrap())
  return schema
}
