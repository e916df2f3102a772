import * as z from 'zod'
import type { Field } from './fields.ts'

type Fields = Record<string, Field>
type Part = 'create' | 'update' | 'shown'
type Schemas = Record<string, Pick<Field, Part>>

/** The schemas of the fields that are in a body or a response. */
type Shape<F extends Schemas, In extends Part> = {
  -readonly [Name in keyof F as F[Name][In] extends z.ZodType ? Name : never]: F[Name][In] &
    z.ZodType
}

interface Told<
  F extends Fields,
  One = string,
  Listed = keyof F & string,
  Filter = keyof F & string,
> {
  one: One
  many: string
  /** The partners' own name for a record. */
  key: keyof F & string
  /** The object of which settings may name a member as the field that addresses records. */
  free: keyof F & string
  /** In the order of the table's columns, of bodies and of responses. */
  fields: F
  /** The fields that lists show, in their order. */
  lists: readonly Listed[]
  /** The fields by whose exact value a list is filtered. Each has an index that ends in the order of the list. */
  filters: readonly Filter[]
}

/**
 * A record of the integrations API: what its bodies, responses, lists, exports, search, addresses, pages and reference
 * follow from. The table is in engine/db/tables.ts, and a test compares the two.
 */
export function record<
  const F extends Fields,
  One extends string,
  Listed extends keyof F & string,
  Filter extends keyof F & string,
>(told: Told<F, One, Listed, Filter>) {
  return { ...told, ...schemasOf<F>(told.fields) }
}

/** The schemas of bodies and responses with these fields. */
export function schemasOf<const F extends Schemas>(fields: F) {
  return {
    /** The body of a POST. */
    Create: z.object(shapeOf(fields, 'create')),
    /** The body of a PUT. What is absent stays. */
    Update: z.object(shapeOf(fields, 'update')),
    /** The record in a response. Lists, and the response to a POST, may leave fields out. */
    Shown: z.object(shapeOf(fields, 'shown')),
  }
}

function shapeOf<F extends Schemas, In extends Part>(fields: F, part: In) {
  const schemas = Object.entries(fields).map(([name, field]) => [name, field[part]])
  return Object.fromEntries(schemas.filter(([, schema]) => schema !== null)) as Shape<F, In>
}

/** An example of a response that shows some fields. */
export function exampleOf(
  { fields }: { fields: Record<string, { example: unknown }> },
  names: readonly string[] = Object.keys(fields),
) {
  return Object.fromEntries(names.map((name) => [name, fields[name]?.example]))
}

/** The schema of a response that shows some fields, in this order. */
export function shownPart({ Shown }: Pick<RecordDefinition, 'Shown'>, names: readonly string[]) {
  const members = names.flatMap((name) => {
    const schema = Shown.shape[name]
    return schema ? [[name, schema] as const] : []
  })
  return z.object(Object.fromEntries(members))
}

/** Any record's definition. */
export interface RecordDefinition extends Told<Fields> {
  Create: z.ZodObject
  Update: z.ZodObject
  Shown: z.ZodObject
}

/** The fields beside the key by which the dashboard finds records. */
export function searchedNames({ fields }: Pick<RecordDefinition, 'fields'>): string[] {
  return fieldNames(fields, ({ isSearched }) => isSearched)
}

/** What the dashboard finds records by, in words: `code, name or zone`. */
export function searchedBy(definition: RecordDefinition): string {
  const names = [definition.key, ...searchedNames(definition)]
  const labels = names.map((name) => labelOf(definition, name))
  const last = labels.pop() ?? ''
  return labels.length === 0 ? last : `${labels.join(', ')} or ${last}`
}

/** The names of the fields of which something is true, in their order. */
export function fieldNames<F extends Fields>(
  fields: F,
  is: (field: Field) => boolean | undefined,
): (keyof F & string)[] {
  return Object.entries(fields).flatMap(([name, field]) => (is(field) ? [name] : []))
}

/** As a heading, or the first word of a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** How people call the field, within a sentence. */
export function labelOf({ fields }: Pick<RecordDefinition, 'fields'>, name: string): string {
  return fields[name]?.label ?? name.replaceAll('_', ' ')
}
