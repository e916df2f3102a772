import * as z from 'zod'
import { DateTime } from '../../engine/json/date-time.ts'
import { AnyObject, Decimal } from '../../engine/json/fields.ts'
import { innermost } from '../../engine/json/shape.ts'
import type { Resource } from '../../engine/mapping/identifier.ts'
import type { ConversionKind } from '../../engine/mapping/saved-rule.ts'
import { BODIES, SHOWN_RECORDS } from '../../records/bodies.ts'

export interface MappedField {
  path: string
  isRequired: boolean
  kind: ConversionKind | 'choice' | 'object'
  /** The values of a choice. */
  choices: string[]
}

/** A field that an inbound rule can write, and the methods whose bodies have it. */
export interface Target extends MappedField {
  methods: string[]
}

/** The fields that an inbound rule can write, without the keys of free objects such as `metadata`. */
export function targetsOf(resource: Resource): Target[] {
  const targets = new Map<string, Target>()
  for (const [method, body] of Object.entries(BODIES[resource])) {
    for (const field of fieldsOf(body)) {
      const { methods } = targets.get(field.path) ?? { methods: [] }
      targets.set(field.path, { ...field, methods: [...methods, method] })
    }
  }
  return [...targets.values()]
}

/** The required fields of a new record. */
export function requiredTargetsOf(resource: Resource): string[] {
  const { POST: body } = BODIES[resource]
  const fields = body ? fieldsOf(body) : []
  return fields.filter(({ isRequired }) => isRequired).map(({ path }) => path)
}

/** The fields that an outbound rule can read. */
export function recordFieldsOf(resource: Resource): string[] {
  return fieldsOf(SHOWN_RECORDS[resource]).map(({ path }) => path)
}

function fieldsOf(schema: z.core.$ZodType, path = '', isRequired = true): MappedField[] {
  const inner = innermost(schema)
  if (inner instanceof z.ZodArray) return fieldsOf(inner.element, `${path}[]`, isRequired)
  if (!(inner instanceof z.ZodObject)) return [{ path, isRequired, ...takenBy(schema) }]
  const members = Object.entries<z.core.$ZodType>(inner.shape)
  return members.flatMap(([name, member]) =>
    fieldsOf(
      member,
      path ? `${path}.${name}` : name,
      isRequired && !z.safeParse(member, undefined).success,
    ),
  )
}

/** What values the field takes. */
function takenBy(schema: z.core.$ZodType): Pick<MappedField, 'kind' | 'choices'> {
  const plain = unwrapped(schema)
  const inner = innermost(plain)
  if (inner instanceof z.ZodEnum) return { kind: 'choice', choices: inner.options.map(String) }
  return { kind: kindOf(plain, inner), choices: [] }
}

function kindOf(plain: z.core.$ZodType, inner: z.core.$ZodType): MappedField['kind'] {
  if (plain === DateTime) return 'datetime'
  if (plain === Decimal) return 'decimal'
  if (plain === AnyObject) return 'object'
  if (inner instanceof z.ZodNumber) return 'integer'
  return inner instanceof z.ZodBoolean ? 'boolean' : 'string'
}

function unwrapped(schema: z.core.$ZodType): z.core.$ZodType {
  const isWrapper =
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  return isWrapper ? unwrapped(schema.unwrap()) : schema
}
