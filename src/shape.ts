import * as z from 'zod'

/** The schema that checks what was sent, within its defaults, options and transformations. */
export function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return innermost(schema.def.in)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return innermost(schema.unwrap())
  if (schema instanceof z.ZodDefault) return innermost(schema.unwrap())
  return schema
}
