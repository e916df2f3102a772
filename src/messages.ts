import type * as z from 'zod'
import type { FieldErrors } from './errors.ts'

const PATH_LENGTH_MAX = 300

/** Zod's findings as our field errors; a fault of the value as a whole is under `body`. */
export function fieldErrors(issues: z.core.$ZodIssue[]): FieldErrors {
  const byField = Map.groupBy(issues, ({ path }) => pathText(path) || 'body')
  return Object.fromEntries(
    Array.from(byField, ([field, found]) => [field, found.map(({ message }) => message)]),
  )
}

/** `items[3].quantity`, as it would be written in code. */
export function pathText(path: PropertyKey[]): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`
    return text ? `${text}.${String(step)}` : String(step)
  }, '')
}

/** A path of what was sent as an answer names it: whatever its names are, short and well formed. */
export function shortened(path: string): string {
  return path.slice(0, PATH_LENGTH_MAX).toWellFormed()
}

const MISSING = new Set(['invalid_type', 'custom'])

/** Our words for what zod finds, where a schema has none of its own. */
export function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (MISSING.has(issue.code) && issue.input === undefined) return 'This field is required.'
  if (issue.code === 'invalid_type')
    return `Must be ${article(issue.expected)}, not ${kindOf(issue.input)}.`
  if (issue.code === 'invalid_value') return `Must be one of: ${issue.values.join(', ')}.`
  if (issue.code === 'too_small') return bound('least', issue.minimum, issue.origin)
  if (issue.code === 'too_big') return bound('most', issue.maximum, issue.origin)
  return undefined
}

function bound(limit: 'least' | 'most', value: number | bigint, origin: string): string {
  if (origin === 'string')
    return `Must have at ${limit} ${value} ${value === 1 ? 'character' : 'characters'}.`
  if (origin === 'array')
    return `Must have at ${limit} ${value} ${value === 1 ? 'entry' : 'entries'}.`
  return `Must be at ${limit} ${value}.`
}

/** `an array`, `a string`. */
export function article(expected: string): string {
  const noun = expected === 'int' ? 'integer' : expected
  return `${/^[aeio]/.test(noun) ? 'an' : 'a'} ${noun}`
}

/** What a JSON value is, with its article: `a string`, `null`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    return 'a number beyond all bounds'
  }
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a fraction'
  return article(Array.isArray(value) ? 'array' : typeof value)
}
