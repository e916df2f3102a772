import fc from 'fast-check'
import type { Json } from '../fixtures/tenant.ts'
import { resolve, validatorOf } from './document.ts'

/** By the name of a field: what there is to know of its value that no schema says. */
export type Knowledge = Record<string, (value: fc.Arbitrary<Json>) => fc.Arbitrary<Json>>

/** Of a list whose entries are all the same: a body may have 10 MB. */
const LIST_BYTES_MAX = 8_000_000

/** Of what has no end: more of the same finds nothing more. */
const LENGTH = 3

// What a schema that does not know better lets pass.
const ODD_TEXTS = [
  ...['', ' ', ' a', 'a ', '.', '..', '...', '.a', 'a\u0000b', 'a\tb', 'two\nlines', 'a\u007f'],
  ...['\u00a0', 'a\u2028b', '\ufeffa', 'a\u200b', 'e\u0301', '倉庫', '👩‍🚀', '__proto__', '%2F'],
]

interface Source {
  document: Json
  knowledge: Knowledge
}

/** Values that the schema of the document allows, its bounds included. */
export function allowedBy(
  document: Json,
  schema: Json,
  knowledge: Knowledge = {},
): fc.Arbitrary<Json> {
  const { validate } = validatorOf(document, schema)
  return valuesOf({ document, knowledge }, schema).filter(validate)
}

function valuesOf(source: Source, schema: Json): fc.Arbitrary<Json> {
  const { $ref, anyOf, enum: values, type } = schema
  if ($ref) return valuesOf(source, resolve(source.document, schema))
  if (anyOf) return fc.oneof(...anyOf.map((part: Json) => valuesOf(source, part)))
  if (values) return fc.constantFrom(...values)
  if (type === undefined) return fc.jsonValue({ maxDepth: 3 })
  const types: (keyof typeof BY_TYPE)[] = [type].flat()
  return fc.oneof(
    ...types.map((one) => ({
      weight: one === 'null' ? 1 : 4,
      arbitrary: BY_TYPE[one](schema, source),
    })),
  )
}

const BY_TYPE = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: integersOf,
  number: decimalsOf,
  string: textsOf,
  array: listsOf,
  object: recordsOf,
}

/** How many of the value a list may have that fits into a body. */
export function fitting(value: Json): number {
  return Math.floor(LIST_BYTES_MAX / (Buffer.byteLength(JSON.stringify(value)) + 1))
}

function listsOf({ items, minItems = 0, maxItems = LENGTH }: Json, source: Source) {
  const elements = valuesOf(source, items)
  return fc.oneof(
    { weight: 10, arbitrary: fc.array(elements, { minLength: minItems, maxLength: LENGTH }) },
    {
      weight: 1,
      arbitrary: elements.map((one) => Array(Math.min(maxItems, fitting(one))).fill(one)),
    },
  )
}

function recordsOf(schema: Json, source: Source): fc.Arbitrary<Json> {
  const { properties = {}, required = [], additionalProperties } = schema
  const known = Object.entries<Json>(properties).map(([name, member]) => {
    const values = valuesOf(source, member)
    return [name, source.knowledge[name]?.(values) ?? values] as const
  })
  const members = fc.record(Object.fromEntries(known), { requiredKeys: required })
  if (additionalProperties === false) return members
  const others = othersOf(schema, source, known.length > 0 ? 1 : LENGTH)
  return fc.tuple(others, members).map(([more, told]) => ({ ...more, ...told }))
}

function othersOf({ propertyNames, additionalProperties }: Json, source: Source, maxKeys: number) {
  const names = propertyNames ? valuesOf(source, propertyNames) : fc.string()
  const isSchema = typeof additionalProperties === 'object'
  const values = valuesOf(source, isSchema ? additionalProperties : {})
  return fc.dictionary(names, values, { maxKeys })
}

function integersOf({ minimum: min, maximum: max }: Json): fc.Arbitrary<number> {
  return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max))
}

/** Of at most 15 digits, 6 of them behind the point, which is as much as a document cannot say. */
function decimalsOf({
  minimum = -Infinity,
  exclusiveMaximum = Infinity,
}: Json): fc.Arbitrary<number> {
  return fc
    .tuple(fc.nat({ max: 10 ** 15 - 1 }), fc.nat({ max: 6 }))
    .map(([digits, behind]) => Number(`${digits}e-${behind}`))
    .filter((value) => value >= minimum && value < exclusiveMaximum)
}

function textsOf({ pattern = '^[^]*$', format, minLength = 0, maxLength = 40 }: Json) {
  if (format === 'uuid') return fc.uuid()
  const matching = new RegExp(pattern, 'u')
  const length = Math.max(minLength, 1)
  const isFitting = (text: string) =>
    matching.test(text) && [...text].length >= minLength && [...text].length <= maxLength
  const bounds = ['x', '😀'].flatMap((unit) => [unit.repeat(length), unit.repeat(maxLength)])
  const known = [...ODD_TEXTS, ...bounds].filter(isFitting)
  const generated = fc.stringMatching(matching).filter(isFitting)
  return known.length > 0 ? fc.oneof(generated, fc.constantFrom(...known)) : generated
}
