import type * as z from 'zod'
import type { FieldErrors } from '../errors.ts'
import { REQUIRED, shortened } from './messages.ts'
import { nearestName } from './nearest-name.ts'
import { unusedFields } from './warnings.ts'

const NAMED_MAX = 5
const NAME_LENGTH_MAX = 40

/**
 * The errors, in which each required field that is missing names the fields beside it that the schema does not know:
 * one of them may be meant. The likeliest name comes first.
 */
export function withUnknownBeside(
  errors: FieldErrors,
  schema: z.core.$ZodType,
  value: unknown,
): FieldErrors {
  if (!Object.values(errors).some(isMissing)) return errors
  const unknown = Map.groupBy(
    unusedFields(schema, value).map(({ field }) => placeOf(field)),
    ({ parent }) => parent,
  )
  // Elements of an array share a sentence: there may be a thousand of them, beside a thousand names.
  const sentences = new Map<string, string>()
  const sentenceFor = (field: string) => {
    const { parent, name } = placeOf(field)
    return sentenceOf(name, unknown.get(parent) ?? [])
  }
  const entries = Object.entries(errors).map(([field, messages]) => {
    if (!isMissing(messages)) return [field, messages]
    return [field, [sentences.getOrInsertComputed(field.replace(/\[\d+\]/g, '[]'), sentenceFor)]]
  })
  return Object.fromEntries(entries)
}

function isMissing(messages: string[]): boolean {
  return messages.length === 1 && messages[0] === REQUIRED
}

interface Place {
  parent: string
  name: string
}

/** Only the last name may need quotes: those before it are names of the schema. */
function placeOf(field: string): Place {
  const [parent = '', quoted] = field.split("['", 2)
  if (quoted !== undefined) return { parent, name: quoted.replace(/'\]$/, '') }
  const dot = field.lastIndexOf('.')
  return { parent: field.slice(0, Math.max(dot, 0)), name: field.slice(dot + 1) }
}

function sentenceOf(missing: string, beside: Place[]): string {
  if (beside.length === 0) return REQUIRED
  const names = beside.map(({ name }) => name)
  const nearest = nearestName(missing, names)
  const ordered = [...new Set([...(nearest === undefined ? [] : [nearest]), ...names])]
  const named = ordered.slice(0, NAMED_MAX).map((name) => `"${shortened(name, NAME_LENGTH_MAX)}"`)
  const more = ordered.length - named.length
  const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ')
  return `${REQUIRED} Unknown beside it: ${list}.`
}
