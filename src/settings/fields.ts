import * as z from 'zod'

/** What the API reference says of a field of a setting, and shows. */
interface Told {
  about?: string
  example: unknown
}

/** A field that responses show, and no body sets. */
export function shownOnly<Schema extends z.ZodType, About extends Told>(
  shown: Schema,
  told: About,
) {
  return { create: null, update: null, shown, ...told } as const
}

/** Our id of a record. */
export function shownId(example: string) {
  return shownOnly(z.string(), { example })
}

/** A moment that no body sets. */
export function moment(example: string) {
  return shownOnly(z.string(), { example })
}

/** A moment that no body sets, or null. */
export function momentOrNull(about: string) {
  return shownOnly(z.string().nullable(), { about, example: null })
}

/** A field that is null unless it is given. */
export function nullable<Given extends z.ZodType, Shown extends z.ZodType>(
  schemas: { given: Given; shown: Shown },
  told: Told,
) {
  const given = schemas.given.nullish()
  return { create: given, update: given, shown: schemas.shown.nullable(), ...told } as const
}

/** A field with a value of its own unless it is given. */
export function withDefault<Given extends z.ZodType, Shown extends z.ZodType>(
  schemas: { given: Given; shown: Shown },
  value: z.core.util.NoUndefined<z.output<Given>>,
  told: Told,
) {
  const { given, shown } = schemas
  return { create: given.default(value), update: given.optional(), shown, ...told } as const
}
