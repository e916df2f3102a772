import * as z from 'zod'
import { AnyObject } from '../json/fields.ts'
import { UNLIMITED } from '../json/filter/evaluate.ts'
import { Filter } from '../json/filter/filter.ts'
import { comparedPaths } from '../json/filter/syntax.ts'
import { isObject } from '../json/json-object.ts'
import { messageOf, pathText } from '../json/messages.ts'
import { MEMBER_NAME, type Path, type PathStep, printPath } from '../json/path.ts'
import { SentValue } from '../json/sent-with.ts'
import { innermost } from '../json/shape.ts'
import { convert, REFUSED } from './convert.ts'
import { readTime } from './local-time.ts'
import { allPaths, type Steps } from './members.ts'
import { type MappingRule, readsArray } from './rules.ts'
import type { ConversionKind } from './saved-rule.ts'

type Schema = z.core.$ZodType

/** Why none of these body schemas can take what the rule writes; null if one can. */
export function targetFault(bodies: readonly Schema[], rule: MappingRule): string | null {
  const reached = reach(bodies, rule.target)
  if (typeof reached === 'string') return reached
  const { origin, steps } = rule
  if (origin.kind === 'value') return valueFault('The fixed value', reached, origin.value)
  const kind = steps?.as ?? (givesText(rule) ? 'string' : null)
  if (kind && !reached.some((schema) => takesKind(innermost(schema), kind))) {
    return `The rule gives ${NOUNS[kind]}, which "${printPath(rule.target)}" does not take.`
  }
  return steps ? stepsFault(steps, reached) : null
}

/** Whether the rule without a conversion writes texts. */
function givesText({ origin, steps }: MappingRule): boolean {
  return origin.kind === 'join' || (steps?.text != null && steps.values === null)
}

/** What a table or a default writes is known when the rule is saved. */
function stepsFault(steps: Steps, schemas: Schema[]): string | null {
  const { values, as, fallback } = steps
  for (const [text, result] of values?.entries ?? []) {
    if (result === null) continue
    const what = `The value of "${text}"`
    const converted = convertedResult(steps, result)
    if (converted === REFUSED) return `${what} cannot be read as ${NOUNS[as ?? 'string']}.`
    const fault = valueFault(what, schemas, converted)
    if (fault) return fault
  }
  return fallback === undefined ? null : valueFault('The default', schemas, fallback)
}

function convertedResult({ as, format, time, hasComma }: Steps, result: unknown): unknown {
  const moment = time ? readTime(result, time, UNLIMITED) : null
  if (moment !== null) return moment === REFUSED ? REFUSED : moment.utc
  return as ? convert(result, as, format, UNLIMITED, hasComma) : result
}

const NOUNS: Record<ConversionKind, string> = {
  string: 'a text',
  integer: 'an integer',
  decimal: 'a decimal as text',
  boolean: 'true or false',
  datetime: 'a datetime',
}

/** False if no value of this kind can pass. True where only the value itself can tell. */
function takesKind(schema: Schema, kind: ConversionKind): boolean {
  if (schema === AnyObject || schema instanceof z.ZodObject || schema instanceof z.ZodArray)
    return false
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum) {
    return kind !== 'integer' && kind !== 'boolean'
  }
  if (schema instanceof z.ZodNumber) return kind === 'integer'
  return schema instanceof z.ZodBoolean ? kind === 'boolean' : true
}

/** Why no record of this schema can have what the rule reads; null if one can. */
export function sourceFault(record: Schema, rule: MappingRule): string | null {
  if (readsArray(rule)) return 'Our record is an object: a source cannot begin with $[.'
  if (rule.steps?.time)
    return 'Outbound, "format" is epoch_seconds or epoch_milliseconds, without "zone".'
  const paths = allPaths(rule)
  if (paths.some(([first]) => first instanceof SentValue)) {
    return 'Our record has no headers and no query: only inbound rules read them.'
  }
  if (paths.some((path) => path.includes(MEMBER_NAME))) {
    return 'Only inbound rules read the names of members ("~").'
  }
  for (const path of paths.flatMap(withCompared)) {
    const reached = reach([record], path)
    if (typeof reached === 'string') return reached
  }
  return null
}

/** The path, and those that its filters look at. */
function withCompared(path: Path): Path[] {
  const compared = path.flatMap((step, at) =>
    step instanceof Filter
      ? comparedPaths(step.condition).map((below) => [...path.slice(0, at + 1), ...below])
      : [],
  )
  return [path, ...compared]
}

/** The schemas at the path, or the message that there are none. */
function reach(schemas: readonly Schema[], path: Path): Schema[] | string {
  let reached = [...schemas]
  for (const [at, step] of path.entries()) {
    const next = reached.map(innermost).flatMap((schema) => schemasAt(schema, step))
    if (next.length === 0) return stepFault(path.slice(0, at), step, reached.map(innermost))
    reached = next
  }
  return reached
}

/** Below a free object there may be anything. */
function schemasAt(schema: Schema, step: PathStep): Schema[] {
  if (schema === AnyObject) return typeof step === 'string' ? [z.unknown()] : []
  if (schema instanceof z.ZodUnknown) return [schema]
  if (schema instanceof z.ZodArray) return typeof step === 'string' ? [] : [schema.element]
  if (!(schema instanceof z.ZodObject) || typeof step !== 'string') return []
  const member = Object.hasOwn(schema.shape, step) ? schema.shape[step] : undefined
  return member ? [member] : []
}

function stepFault(place: Path, step: PathStep, schemas: Schema[]): string {
  const field = printPath(place)
  const isArray = schemas.some((schema) => schema instanceof z.ZodArray)
  const names = schemas.flatMap((schema) =>
    schema instanceof z.ZodObject ? Object.keys(schema.shape) : [],
  )
  if (typeof step !== 'string') return `"${field}" is not an array.`
  if (isArray) return `"${field}" is an array: write "${field}[].${step}".`
  if (names.length === 0) return `"${field}" is a single value: it has no "${step}".`
  const known = [...new Set(names)].join(', ')
  return `There is no field "${printPath([...place, step])}". The fields here are ${known}.`
}

function valueFault(what: string, schemas: Schema[], value: unknown): string | null {
  // Other rules may write the rest of an object.
  if (isObject(value) && schemas.map(innermost).some(takesMembers)) return null
  const results = schemas.map((schema) => z.safeParse(schema, value, { error: messageOf }))
  const refusals = results.flatMap(({ error }) => error?.issues ?? [])
  const taken = results.some(({ success }) => success)
  const [first] = refusals
  if (taken || !first) return null
  const place = first.path.length > 0 ? `${pathText(first.path)}: ` : ''
  return `${what} is refused: ${place}${first.message}`
}

function takesMembers(schema: Schema): boolean {
  return schema === AnyObject || schema instanceof z.ZodObject || schema instanceof z.ZodUnknown
}
