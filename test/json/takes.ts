import fc from 'fast-check'
import type * as z from 'zod'

export const takes = (schema: z.ZodType, value: unknown) => schema.safeParse(value).success

/** Any text, whole characters and lone UTF-16 units alike. */
export const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.string({ unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)) }),
)
