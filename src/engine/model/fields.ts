import * as z from 'zod'
import { DateTime } from '../json/date-time.ts'
import { AnyObject, Decimal, Identifier, Name, Notes, SignedQuantity } from '../json/fields.ts'

/** A field of a record: its schemas, and how it is stored, found and shown. */
export interface Field extends Told {
  /** Its schema in the body of a POST, and of a PUT; null where it has no effect. */
  create: z.ZodType | null
  update: z.ZodType | null
  /** Its schema in a response. */
  shown: z.ZodType
  kind: 'id' | 'text' | 'quantity' | 'decimal' | 'time' | 'choice' | 'flag' | 'object'
}

/** What people are told of a field. */
interface Told<Example = unknown> {
  /** For people, within a sentence. By default the field's name, with spaces. */
  label?: string
  /** For the API reference. */
  about?: string
  /** As a response shows it. */
  example: Example
  /** Whether the dashboard's search finds records by it, in any case of its letters. It needs an index. */
  isSearched?: boolean
  /** Whether its text may have several lines. */
  hasLines?: boolean
}

/** Whether settings may name the field as the one that addresses records. */
export function isAddress({ kind }: Field): boolean {
  return kind !== 'flag' && kind !== 'object'
}

/** Whether its text may be long. Lists read it apart where it is. */
export function isLong({ kind }: Pick<Field, 'kind'>): boolean {
  return kind === 'text' || kind === 'object'
}

/** Our own id of the record. */
export function id(example: string) {
  return { example, create: null, update: null, shown: z.string(), kind: 'id' } as const
}

/** The partners' name for the record: unique, and compared exactly. */
export function identifier(told: Told<string>) {
  const about = 'Unique and compared exactly. It never changes.'
  const schemas = { create: Identifier, update: null, shown: z.string() }
  return { about, ...told, ...schemas, kind: 'text' } as const
}

/** Another id of the record, or null. It need not be unique. */
export function otherIdentifier(told: Told<string>) {
  return { ...told, ...orNull(Identifier), kind: 'text' } as const
}

/** A name of at most 255 characters, or null. */
export function text(told: Told<string>) {
  return { ...told, ...orNull(Name), kind: 'text' } as const
}

/** A text of at most 10,000 characters, or null. */
export function notes(told: Told<string | null>) {
  return { hasLines: true, ...told, ...orNull(Notes), kind: 'text' } as const
}

/** An integer that is 0 unless it is given. */
export function quantity(told: Told<number>) {
  const schemas = {
    create: SignedQuantity.default(0),
    update: SignedQuantity.optional(),
    shown: z.int(),
  }
  return { ...told, ...schemas, kind: 'quantity' } as const
}

/** A decimal, or null. Responses have it as a string. */
export function decimal(told: Told<string>) {
  return { ...told, ...orNull(Decimal), kind: 'decimal' } as const
}

/** A moment, or null. */
export function time(told: Told<string | null>) {
  return { ...told, ...orNull(DateTime), kind: 'time' } as const
}

/** One of these values. A PUT may change it, a POST does not set it. */
export function choice<const Values extends readonly [string, ...string[]]>(
  values: Values,
  told: Told<Values[number]>,
) {
  const schemas = { create: null, update: z.enum(values).optional(), shown: z.enum(values) }
  return { ...told, ...schemas, kind: 'choice' } as const
}

/** What the reference says of any JSON object. */
export const ANY_OBJECT =
  'JSON object of at most 65,536 bytes and 16 levels. Fractions become doubles; an integer that a double does not hold must be a string.'

/** Any JSON object, or null. */
export function object(told: Told<object>) {
  const given = AnyObject.nullish()
  const schemas = { create: given, update: given, shown: AnyObject.nullable() }
  return { about: `A ${ANY_OBJECT}`, ...told, ...schemas, kind: 'object' } as const
}

/** Any JSON object, which is empty unless it is given. */
export function objectOrEmpty(told: Told<object>) {
  const about = `A ${ANY_OBJECT} An update replaces the whole object.`
  const schemas = { create: AnyObject.default({}), update: AnyObject.optional(), shown: AnyObject }
  return { about, ...told, ...schemas, kind: 'object' } as const
}

/** Whether the record is active. A new one is. */
export function active() {
  return activeOf(null)
}

/** As `active`; a new record may be inactive. */
export function activeAtFirst() {
  return activeOf(z.boolean().default(true))
}

function activeOf<Create extends z.ZodType | null>(create: Create) {
  const about = 'False for a deactivated record. Lists leave it out unless they are asked for it.'
  const schemas = { create, update: z.boolean().optional(), shown: z.boolean() }
  return { label: 'state', about, example: true, ...schemas, kind: 'flag' } as const
}

/** The field, as a POST may set it and no PUT may change it. */
export function once<F extends Field>(field: F): Omit<F, 'update'> & { update: null } {
  return { ...field, update: null }
}

/** The field, which no body sets. */
export function setByUs<F extends Field>(
  field: F,
): Omit<F, 'create' | 'update'> & { create: null; update: null } {
  return { ...field, create: null, update: null }
}

/** The field, which is never null in a response. */
export function always<F extends Field>(field: F): Omit<F, 'shown'> & { shown: z.ZodString } {
  return { ...field, shown: z.string() }
}

function orNull<Schema extends z.ZodType>(schema: Schema) {
  const given = schema.nullish()
  return { create: given, update: given, shown: z.string().nullable() }
}
