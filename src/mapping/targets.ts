import * as z from 'zod'
import { AnyObject, isObject } from '../fields.ts'
import { messageOf, pathText } from '../messages.ts'
import { type Path, printPath, type Step } from '../path.ts'
import { innermost } from '../shape.ts'
import type { Rule } from './rules.ts'

type Schema = z.core.$ZodType

/** Why no body of these schemas could take what the rule writes; null where one does. */
export function targetFault(bodies: readonly Schema[], { target, source, value }: Rule) {
  const reached = reach(bodies, target)
  if (typeof reached === 'string') return reached
  return source ? null : valueFault(reached, value)
}

/** Why no record of this schema has what the rule reads; null where one may. */
export function sourceFault(record: Schema, { source }: Rule): string | null {
  const reached = reach([record], source ?? [])
  return typeof reached === 'string' ? reached : null
}

/** The schemas of what the path leads to, or why it leads nowhere. */
function reach(schemas: readonly Schema[], path: Path): Schema[] | string {
  let reached = [...schemas]
  for (const [at, step] of path.entries()) {
    const next = reached.map(innermost).flatMap((schema) => schemasAt(schema, step))
    if (next.length === 0) return stepFault(path.slice(0, at), step, reached.map(innermost))
    reached = next
  }
  return reached
}

/** A free object takes whatever lies below it. */
function schemasAt(schema: Schema, step: Step): Schema[] {
  if (schema === AnyObject) return typeof step === 'string' ? [z.unknown()] : []
  if (schema instanceof z.ZodUnknown) return [schema]
  if (schema instanceof z.ZodArray) return typeof step === 'string' ? [] : [schema.element]
  if (!(schema instanceof z.ZodObject) || typeof step !== 'string') return []
  const member = Object.hasOwn(schema.shape, step) ? schema.shape[step] : undefined
  return member ? [member] : []
}

function stepFault(place: Path, step: Step, schemas: Schema[]): string {
  const field = printPath(place)
  const isArray = schemas.some((schema) => schema instanceof z.ZodArray)
  const names = schemas.flatMap((schema) =>
    schema instanceof z.ZodObject ? Object.keys(schema.shape) : [],
  )
  if (typeof step !== 'string') return `"${field}" is no array.`
  if (isArray) return `"${field}" is an array: write "${field}[].${step}".`
  if (names.length === 0) return `"${field}" is a single value: it has no "${step}".`
  const known = [...new Set(names)].join(', ')
  return `There is no field "${printPath([...place, step])}": there are ${known}.`
}

function valueFault(schemas: Schema[], value: unknown): string | null {
  // Other rules may write the rest of an object.
  if (isObject(value) && schemas.map(innermost).some(takesMembers)) return null
  const results = schemas.map((schema) => z.safeParse(schema, value, { error: messageOf }))
  const refusals = results.flatMap(({ error }) => error?.issues ?? [])
  const taken = results.some(({ success }) => success)
  const [first] = refusals
  if (taken || !first) return null
  const place = first.path.length > 0 ? `${pathText(first.path)}: ` : ''
  return `The fixed value is refused: ${place}${first.message}`
}

function takesMembers(schema: Schema): boolean {
  return schema === AnyObject || schema instanceof z.ZodObject || schema instanceof z.ZodUnknown
}
