import { html } from 'hono/html'
import { nameOf, type OpenApi, resolved, type Schema } from './document.ts'
import { type Html, inline } from './text.ts'

interface Place {
  /** An answer has all of its required fields, so they are not marked. */
  isAnswer?: boolean
  /** Where the same fields are told of already, as a link; else undefined. */
  toldAt?: (fields: string) => Html | undefined
  /** Fields with many others below them, by these: within one part of the page they are told of once. */
  told?: Map<string, string>
}

/** Of what stands below a field, in bytes. What is shorter is told of again. */
const REPEATED_MAX = 600

/** The fields of an object, each with those below it. */
export function fieldsOf(document: OpenApi, schema: Schema, place: Place = {}): Html {
  const { properties = {}, required = [] } = schema
  const rows = Object.entries(properties).map(([name, property]) =>
    fieldOf(document, name, property, { ...place, isRequired: required.includes(name) }),
  )
  return html`<ul class="fields">${rows}</ul>`
}

/** One field, or one parameter: its name, what it may be, and what it says. */
export function fieldOf(
  document: OpenApi,
  name: string,
  part: Schema,
  { isRequired, ...place }: Place & { isRequired: boolean },
): Html {
  const schema = resolved(document, part)
  const mark = isRequired && !place.isAnswer ? html` <em>required</em>` : ''
  const told = schema.description ? html`<div>${inline(schema.description)}</div>` : ''
  const below = repeatedFields(document, name, schema, place) ?? belowOf(document, schema, place)
  // The page has thousands of fields: each line that ends here would be kilobytes of it.
  return html`<li><code>${name}</code> <small>${typeOf(document, schema)}</small>${mark}${told}${below}</li>`
}

/** The words that refer to the same fields elsewhere, or above; undefined if they are told of for the first time. */
function repeatedFields(
  document: OpenApi,
  name: string,
  schema: Schema,
  { isAnswer = false, toldAt, told }: Place,
): Html | undefined {
  const fields = String(belowOf(document, schema, { isAnswer }))
  const elsewhere = toldAt?.(fields)
  if (elsewhere || !told || fields.length < REPEATED_MAX) return elsewhere
  const above = told.get(fields)
  if (above === undefined) told.set(fields, name)
  return above === undefined ? undefined : html`<div>As <code>${above}</code> above.</div>`
}

/** What is inside of an object, of the elements of an array, or of each of several shapes. */
export function belowOf(document: OpenApi, part: Schema, place: Place = {}): Html | '' {
  const schema = resolved(document, part)
  if (schema.properties) return fieldsOf(document, schema, place)
  const inner = schema.items ?? schema.additionalProperties
  if (isSchema(inner)) return belowOf(document, inner, place)
  const shapes = (schema.anyOf ?? []).filter((shape) => resolved(document, shape).properties)
  // Those that differ in their patterns alone read the same, and are told of once.
  const { isAnswer = false } = place
  const alike = Map.groupBy(shapes, (shape) => String(belowOf(document, shape, { isAnswer })))
  return html`${[...alike.values()].map(
    (
      [shape = {}, ...others],
      index,
    ) => html`<p class="shape">${index === 0 ? 'Either' : 'or'} ${[shape, ...others].map(titleOf).join(' or ')}</p>
${belowOf(document, shape, place)}`,
  )}`
}

/** Its name in the document, where it has one. */
function titleOf(shape: Schema): string {
  return nameOf(shape) ?? 'an object'
}

/** In words: "string or null, at most 255 characters". */
function typeOf(document: OpenApi, schema: Schema): Html {
  const words = [kindOf(document, schema), ...boundsOf(schema)].filter((word) => word !== '')
  const values = (schema.enum ?? []).map((value) => html` <code>${shown(value)}</code>`)
  const fallback =
    schema.default === undefined ? '' : html`, by default <code>${shown(schema.default)}</code>`
  return html`${words.join(', ')}${values.length > 0 ? html`: one of${values}` : ''}${fallback}`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function kindOf(document: OpenApi, part: Schema): string {
  const schema = resolved(document, part)
  const { type, anyOf, items, additionalProperties, format } = schema
  if (schema.const !== undefined) return shown(schema.const)
  if (anyOf) return [...new Set(anyOf.map((shape) => kindOf(document, shape)))].join(' or ')
  const kinds = [type ?? 'any JSON'].flat().map((kind) => {
    if (kind === 'array' && items) return `array of ${pluralOf(kindOf(document, items))}`
    if (kind === 'object' && isSchema(additionalProperties)) {
      return `object of ${pluralOf(kindOf(document, additionalProperties))}`
    }
    return kind === 'string' && format ? `string (${format})` : kind
  })
  return kinds.join(' or ')
}

function pluralOf(kind: string): string {
  return kind
    .split(' or ')
    .map((one) => one.replace(/^(string|integer|number|object|array|boolean)\b/, '$1s'))
    .join(' or ')
}

function boundsOf(schema: Schema): string[] {
  const { minLength, maxLength, minItems, maxItems, minimum, maximum, maxProperties } = schema
  const below = schema.exclusiveMaximum
  return [
    range(minLength, maxLength, ' characters'),
    range(minItems, maxItems, ' elements'),
    range(undefined, maxProperties, ' members'),
    range(minimum, maximum, ''),
    below === undefined ? '' : `below ${below.toLocaleString('en')}`,
  ]
}

function range(least: number | undefined, most: number | undefined, unit: string): string {
  const [from, to] = [least, most].map((bound) => bound?.toLocaleString('en'))
  if (from && to) return `${from} to ${to}${unit}`
  if (to) return `at most ${to}${unit}`
  return from ? `at least ${from}${unit}` : ''
}

function isSchema(schema: boolean | Schema | undefined): schema is Schema {
  return typeof schema === 'object'
}
