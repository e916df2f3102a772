import * as z from 'zod'

/** The schema of the input itself, without the optional, nullable, default and transform around it. */
export function innermost(schema: z.core.$ZodType): z.core.$ZodType {
  if (schema instanceof z.ZodPipe) return innermost(schema.def.in)
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return innermost(schema.unwrap())
  if (schema instanceof z.ZodExactOptional || schema instanceof z.ZodDefault)
    return innermost(schema.unwrap())
  return schema
}

/** The schemas of an object schema's members, by name. */
export function membersOf(schema: z.core.$ZodType): Record<string, z.core.$ZodType> {
  const inner = innermost(schema)
  if (!(inner instanceof z.ZodObject)) throw new Error('Not the schema of an object.')
  return inner.shape
}
