import { Buffer } from 'node:buffer'
import * as z from 'zod'
import { kindOf } from './messages.ts'

// The kinds of field that resources and settings share; lengths and limits as in docs/decisions.md.

export const QUANTITY_MAX = 2_000_000_000
export const NAME_LENGTH_MAX = 255
/** Of a body as it was sent (spec 8). */
export const BODY_BYTES_MAX = 10 * 1024 * 1024
/** Of a body as it was sent, and of a document that a mapping makes of it. */
export const VALUES_MAX = 1_000_000

const OBJECT_BYTES_MAX = 65_536
const OBJECT_DEPTH_MAX = 16

/** Of a request whose body may say nothing: whatever it says is named as unused. */
export const NoFields = z.object({})

export type JsonObject = Record<string, unknown>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Text of at most this many characters (code points). A lone surrogate cannot be stored and is
 * refused.
 */
export function text(lengthMax: number) {
  return (
    z
      .string()
      // First, so that one long text in every row of an upload costs nothing: the rest looks at each
      // character.
      .refine((value) => value.length <= 2 * lengthMax, {
        error: `Must have at most ${lengthMax} characters.`,
        abort: true,
      })
      .max(lengthMax, { abort: true })
      .refine((value) => value.isWellFormed(), { error: 'Must be well-formed Unicode.' })
  )
}

export const Name = text(NAME_LENGTH_MAX)
export const Notes = text(10_000)

/** What a URL can address: compared exactly, so nothing invisible at its ends or within. */
export const Identifier = Name.min(1)
  .refine((value) => value.trim() === value, { error: 'Must not begin or end with white space.' })
  .refine((value) => !/\p{Cc}/u.test(value), { error: 'Must not have control characters.' })
  .refine((value) => value !== '.' && value !== '..', {
    error: 'Must not be "." or "..": a URL cannot address it.',
  })

export const Integer = z.int({
  // Also asked for the words of the bounds put on it, which are messages.ts's to find.
  error: ({ code, input }) =>
    input === undefined || (code !== 'invalid_type' && Number.isSafeInteger(input))
      ? undefined
      : `Must be an integer, not ${kindOf(input)}.`,
  abort: true,
})

export const Quantity = Integer.max(QUANTITY_MAX)
export const SignedQuantity = Quantity.min(-QUANTITY_MAX)

export const DECIMAL = /^(0|[1-9]\d{0,11})(\.\d{1,6})?$/

/**
 * A decimal of at least 0 as text, 12 digits before and 6 after the point; a number is taken too.
 */
export const Decimal = z
  .custom<string | number>((value) => typeof value === 'string' || typeof value === 'number', {
    error: ({ input }) =>
      input === undefined
        ? undefined
        : `Must be a decimal as a string or number, not ${kindOf(input)}.`,
  })
  .refine((value) => typeof value === 'string' || String(value).replace('.', '').length <= 15, {
    error: 'Has more digits than a JSON number keeps: send it as a string.',
    abort: true,
  })
  .transform(String)
  .refine((value) => DECIMAL.test(value), {
    error:
      'Must be a decimal such as 12.50: at least 0, no leading zeros, at most 12 digits before and 6 after the point.',
  })

/** ISO 8601: a datetime with offset, or without (then UTC), or a date. Becomes UTC with ms. */
export const DateTime = z
  .union(
    [
      z.iso.datetime({ offset: true, local: true }),
      z.iso.datetime({ offset: true, local: true, precision: -1 }),
      z.iso.date(),
    ],
    { error: 'Must be an ISO 8601 date or datetime, such as 2026-03-01T09:30:00Z.' },
  )
  .transform((value, context) => {
    const local = /T[\d:.]+$/.test(value)
    const date = new Date(local ? `${value}Z` : value)
    const utc = Number.isNaN(date.getTime()) ? '' : date.toISOString()
    if (/^\d{4}-/.test(utc)) return utc
    context.addIssue({ code: 'custom', message: 'Must be within the years 0000 to 9999 in UTC.' })
    return z.NEVER
  })

/** Any JSON object of at most 64 KB as JSON and 16 levels. It passes through as it is. */
export const AnyObject = z
  .custom<JsonObject>(isObject, {
    error: ({ input }) =>
      input === undefined ? undefined : `Must be an object, not ${kindOf(input)}.`,
  })
  .refine((value) => fitsAsJson(value, OBJECT_BYTES_MAX), {
    error: `Must be at most ${OBJECT_BYTES_MAX} bytes as JSON.`,
    abort: true,
  })
  .refine(hasFiniteNumbers, { error: 'Has a number beyond all bounds: send it as a string.' })
  .refine((value) => depthOf(value) <= OBJECT_DEPTH_MAX, {
    error: `Must not be nested deeper than ${OBJECT_DEPTH_MAX} levels.`,
  })

/** Whether the value as JSON takes no more than that. */
export function fitsAsJson(value: unknown, bytesMax: number): boolean {
  return jsonBytesLeft(value, bytesMax) >= 0
}

/** Of the value as JSON. */
export function jsonBytes(value: unknown): number {
  return Number.MAX_SAFE_INTEGER - jsonBytesLeft(value, Number.MAX_SAFE_INTEGER)
}

/** As UTF-8. */
export function byteLength(value: string): number {
  return Buffer.byteLength(value)
}

/**
 * What is left of the bytes, below 0 as soon as the value as JSON takes more. It looks no further
 * then: a mapping may have put one long text into every element of a long array.
 */
function jsonBytesLeft(value: unknown, bytes: number): number {
  if (typeof value === 'string') {
    return value.length > bytes ? -1 : bytes - byteLength(JSON.stringify(value))
  }
  if (typeof value !== 'object' || value === null) return bytes - String(value).length
  if (Array.isArray(value) && value.length > bytes) return -1
  const keys = Object.keys(value)
  let left = bytes - Math.max(2, keys.length + 1)
  for (const key of keys) {
    if (left < 0) return left
    if (!Array.isArray(value)) left = jsonBytesLeft(key, left) - 1
    left = jsonBytesLeft(Reflect.get(value, key), left)
  }
  return left
}

/** Recursive, which is safe: a body deeper than 64 levels is refused before it is parsed. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return (
    1 + Object.values(value).reduce<number>((depth, member) => Math.max(depth, depthOf(member)), 0)
  )
}

/** JSON.parse makes Infinity of 1e400, which would be stored as null. */
function hasFiniteNumbers(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.values(value).every(hasFiniteNumbers)
}
