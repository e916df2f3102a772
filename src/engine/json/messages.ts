import type * as z from 'zod'
import type { FieldErrors } from '../errors.ts'
import { ExactNumber, numberOf } from './exact-number.ts'
import { appendName } from './path.ts'

const PATH_LENGTH_MAX = 300
const CUT = '…'
// A part of an API key cannot be recognised any more.
const BEGINNING_OF_KEY = /x[dh]_[-\w]*$/

/** Zod's issues by field, each message once; an issue with the value as a whole is under `body`. */
export function fieldErrors(issues: z.core.$ZodIssue[]): FieldErrors {
  const byField = Map.groupBy(issues, ({ path }) => pathText(path) || 'body')
  return Object.fromEntries(
    Array.from(byField, ([field, found]) => [
      field,
      [...new Set(found.map(({ message }) => message))],
    ]),
  )
}

/**
 * The path as code writes it, shortened: `items[3].quantity`, `rules.actions['order.created']`. The targets of a mapping,
 * which are paths themselves, stand as they are: `inbound.fields.items[].quantity`.
 */
export function pathText(path: PropertyKey[]): string {
  const text = path.reduce<string>((text, step, at) => {
    if (typeof step === 'number') return `${text}[${step}]`
    // Many paths may have the same long name: none of them holds a copy of it.
    const name = String(step).slice(0, PATH_LENGTH_MAX + 1)
    return path[at - 1] === 'fields' ? `${text}.${name}` : appendName(text, name)
  }, '')
  return shortened(text)
}

/**
 * A path in a caller's document, safe to show: at most 300 UTF-16 units, well-formed Unicode. Of a longer path the
 * beginning, with `…` at its end, and no part of a key before that.
 */
export function shortened(path: string, max = PATH_LENGTH_MAX): string {
  if (path.length <= max) return path.toWellFormed()
  const beginning = path.slice(0, max - CUT.length).replace(BEGINNING_OF_KEY, '')
  return beginning.toWellFormed() + CUT
}

/** Whether `shortened` has cut the path, so that it may end within a name. True also of a name that ends so. */
export function isShortened(path: string): boolean {
  return path.endsWith(CUT)
}

export const REQUIRED = 'This field is required.'

const MISSING = new Set(['invalid_type', 'custom'])

/** Our message for an issue without one from its schema; undefined leaves zod's. */
export function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  if (MISSING.has(issue.code) && issue.input === undefined) return REQUIRED
  if (issue.code === 'invalid_type')
    return `Must be ${article(issue.expected)}, not ${kindOf(issue.input)}.`
  if (issue.code === 'invalid_value') return `Must be one of: ${issue.values.join(', ')}.`
  if (issue.code === 'unrecognized_keys') {
    return `Unknown here: ${shortened(issue.keys.map((key) => `"${key}"`).join(', '))}.`
  }
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

/** The kind of a JSON value, with its article: `a string`, `null`. */
export function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Math.abs(numberOf(value) ?? 0) > Number.MAX_SAFE_INTEGER) return 'a number that is too large'
  if (value instanceof ExactNumber) return 'a number with more digits than are kept'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a fraction'
  return article(Array.isArray(value) ? 'array' : typeof value)
}
