import fc from 'fast-check'
import type { Json } from '../fixtures/tenant.ts'
import { fitting } from './allowed.ts'
import { resolve, validatorOf } from './document.ts'

type Step = string | number

interface Place {
  path: Step[]
  /** Null of a member that no schema is about. */
  schema: Json
  value: Json
}

const MISSING = Symbol('missing')

const ANYTHING = [
  ...[MISSING, null, true, 0, -1, 1.5, 2_000_000_001, 1e21, '', ' ', 'x', '2', '\ud800', '\u0007'],
  ...[[], [null], {}, { a: 1 }],
]

/** What was allowed, altered in one place so that the schema of the document forbids it. */
export function forbiddenBy(
  document: Json,
  schema: Json,
  allowed: fc.Arbitrary<Json>,
): fc.Arbitrary<Json> {
  const { validate } = validatorOf(document, schema)
  return fc
    .tuple(allowed, fc.nat(), fc.nat())
    .map(([value, where, what]) => {
      const places = placesIn(document, { path: [], schema, value }).slice(1)
      const place = places[where % places.length]
      if (!place) return value
      const misses = nearMisses(place)
      const first = what % misses.length
      return [...misses.slice(first), ...misses.slice(0, first)]
        .values()
        .map((miss) => altered(value, place.path, miss))
        .find((wrong) => !validate(wrong))
    })
    .filter((value) => value !== undefined && !validate(value))
}

/** Every member that the schema knows, there or not, and every element. */
function placesIn(document: Json, { path, schema, value }: Place): Place[] {
  const { properties = {}, items, anyOf = [], ...own } = resolve(document, schema)
  const within = (step: Step, part: Json): Place[] =>
    placesIn(document, { path: [...path, step], schema: part, value: value?.[step] })
  const isList = Array.isArray(value)
  const isRecord = typeof value === 'object' && value !== null && !isList
  const { additionalProperties: others } = own
  return [
    { path, schema: { ...own, ...(items && { items }) }, value },
    ...(isRecord ? Object.entries(properties).flatMap(([name, part]) => within(name, part)) : []),
    ...(isRecord && typeof others === 'object'
      ? Object.keys(value).flatMap((name) => within(name, others))
      : []),
    ...(isList && items ? value.flatMap((_, index) => within(index, items)) : []),
    ...anyOf.flatMap((part: Json) => placesIn(document, { path, schema: part, value }).slice(1)),
  ]
}

/** Of a value: what is no longer as its schema says, by little or by much. */
function nearMisses({ schema, value }: Place): unknown[] {
  const { minimum, maximum, exclusiveMaximum, minLength, maxLength } = schema
  const { maxItems = -1, maxProperties = -1 } = schema
  const misses: unknown[] = [...ANYTHING]
  if (minimum !== undefined) misses.push(minimum - 1, String(minimum))
  if (maximum !== undefined) misses.push(maximum + 1, maximum - 0.5)
  if (exclusiveMaximum !== undefined) misses.push(exclusiveMaximum)
  if (minLength > 1) misses.push('x'.repeat(minLength - 1))
  if (maxLength !== undefined) misses.push('x'.repeat(maxLength + 1), '😀'.repeat(maxLength + 1))
  if (Array.isArray(value) && value.length > 0) {
    const fits = fitting(value[0]) > maxItems
    misses.push(value[0], Array(maxItems + 1).fill(fits ? value[0] : null))
  }
  if (typeof value === 'string') misses.push(...besides(value))
  if (typeof value === 'object' && value !== null) misses.push({ ...value, more: 1 })
  const members = Array.from({ length: maxProperties + 1 }, (_, index) => [`x${index}`, 'x'])
  misses.push(Object.fromEntries(members))
  return misses
}

function besides(text: string): string[] {
  const added = [' ', '\n', '\t', '\u0000', '\u0085', '\ud800', '\udc00', 'x', '.', '00', '[]']
  return [
    ...added.flatMap((more) => [`${more}${text}`, `${text}${more}`]),
    text.slice(0, -1),
    text.slice(1),
    text.toUpperCase(),
    ...[text.toLowerCase(), text.replace(/\d/, '9'), text.replace(/\D/, 'x')],
  ]
}

/** A copy that has this at that place; MISSING takes it away. */
function altered(value: Json, [step, ...rest]: Step[], one: unknown): Json {
  if (step === undefined) return one
  const inner = altered(value?.[step], rest, one)
  if (Array.isArray(value)) {
    return inner === MISSING ? value.toSpliced(Number(step), 1) : value.with(Number(step), inner)
  }
  const { [step]: _, ...others } = value
  return inner === MISSING ? others : { ...others, [step]: inner }
}
