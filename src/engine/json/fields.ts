import { Buffer } from 'node:buffer'
import * as z from 'zod'
import { DECIMAL, decimalDigits } from './decimal.ts'
import { ExactNumber, numberOf, settledNumbers } from './exact-number.ts'
import { isObject, type JsonObject } from './json-object.ts'
import { kindOf } from './messages.ts'

// Field types that resources and settings share. docs/behaviour.md explains their limits.

export const QUANTITY_MAX = 2_000_000_000
export const NAME_LENGTH_MAX = 255
/** Largest body as sent, in bytes (spec 8). */
export const BODY_BYTES_MAX = 10 * 1024 * 1024
/** Most JSON values in a body, and in the document that a mapping makes of it. */
export const VALUES_MAX = 1_000_000

const MALFORMED = 'Must be well-formed Unicode.'

const LOST = 'Has more digits than a JSON number keeps: send it as a string.'
const LOST_MAX = 20

const OBJECT_BYTES_MAX = 65_536
const OBJECT_DEPTH_MAX = 16

/** The body of a request that takes no fields: the answer lists any field in `warnings`. */
export const NoFields = z.object({})

// Parts of patterns. The OpenAPI documents publish these patterns to validators of all kinds, so they mean
// the same with and without the flag u: they spell out pairs of surrogates and do not use \p.
const CONTROL = String.raw`\u0000-\u001f\u007f-\u009f`
const SPACE = String.raw`[^\S${CONTROL}]`
const PRINTED = characterBut(CONTROL)
const VISIBLE = characterBut(String.raw`\s${CONTROL}`)
const VISIBLE_BUT_DOT = characterBut(String.raw`\s.${CONTROL}`)

const WELL_FORMED = new RegExp(`^${characterBut('')}*$`)
const LABEL = new RegExp(`^${SPACE}*${VISIBLE}${PRINTED}*$`)
// May begin or end with a dot, but is neither "." nor "..".
const IDENTIFIER = new RegExp(
  String.raw`^(?:${VISIBLE_BUT_DOT}(?:${PRINTED}*${VISIBLE})?|\.${PRINTED}*${VISIBLE_BUT_DOT}|\.${PRINTED}+\.)$`,
)

function characterBut(excluded: string): string {
  return String.raw`(?:[^${excluded}\ud800-\udfff]|[\ud800-\udbff][\udc00-\udfff])`
}

/** Text of at most this many code points. Refuses lone surrogates, which cannot be stored. */
export function boundedText(lengthMax: number) {
  return bounded(lengthMax).regex(WELL_FORMED, { error: MALFORMED })
}

function bounded(lengthMax: number) {
  return (
    z
      .string()
      // Before the checks that look at each character: an upload may have a long text in every row.
      .refine((value) => value.length <= 2 * lengthMax, {
        error: `Must have at most ${lengthMax} characters.`,
        abort: true,
      })
      .max(lengthMax, { abort: true })
  )
}

export const Name = boundedText(NAME_LENGTH_MAX)
export const Notes = boundedText(10_000)

/**
 * A value that a URL can address. Identifiers are compared exactly, so there is no white space at the ends
 * and there are no control characters.
 */
export const Identifier = bounded(NAME_LENGTH_MAX)
  .min(1, { abort: true })
  .regex(IDENTIFIER, { error: ({ input }) => identifierFault(String(input)) })

/** The name of a key, a partner or the workspace. White space at its ends is removed. */
export const Label = bounded(NAME_LENGTH_MAX)
  .min(1, { abort: true })
  .regex(LABEL, { error: ({ input }) => labelFault(String(input)) })
  .trim()

function identifierFault(value: string): string {
  if (!value.isWellFormed()) return MALFORMED
  if (value.trim() !== value) return 'Must not begin or end with white space.'
  if (hasControl(value)) return 'Must not have control characters.'
  return 'Must not be "." or "..": a URL cannot address it.'
}

function labelFault(value: string): string {
  if (!value.isWellFormed()) return MALFORMED
  if (hasControl(value)) {
    return 'Must not have control characters, such as a tab or a line break: leave them out.'
  }
  return 'Must not be only white space.'
}

function hasControl(value: string): boolean {
  return /\p{Cc}/u.test(value)
}

export const Integer = z.int({
  // Zod also calls this for a broken `min` or `max`: undefined leaves that message to messages.ts.
  error: ({ code, input }) =>
    input === undefined || (code !== 'invalid_type' && Number.isSafeInteger(input))
      ? undefined
      : `Must be an integer, not ${kindOf(input)}.`,
  abort: true,
})

export const Quantity = Integer.max(QUANTITY_MAX)
export const SignedQuantity = Quantity.min(-QUANTITY_MAX)

/**
 * A decimal of at least 0, with at most 12 digits before and 6 after the point. Takes a string or a number,
 * parses to a string.
 */
export const Decimal = z
  .custom<string | number | ExactNumber>(
    (value) => typeof value === 'string' || numberOf(value) !== undefined,
    {
      error: ({ input }) =>
        input === undefined
          ? undefined
          : `Must be a decimal as a string or number, not ${kindOf(input)}.`,
    },
  )
  .transform((value) => (typeof value === 'string' ? value : decimalDigits(value)))
  .refine((value) => DECIMAL.test(value), {
    error:
      'Must be a decimal such as 12.50: at least 0, no leading zeros, at most 12 digits before and 6 after the point.',
  })

/** Any JSON object of at most 65,536 bytes as JSON and 16 levels, kept as sent, its fractions as doubles. */
export const AnyObject = z
  .custom<JsonObject>(isObject, {
    error: ({ input }) =>
      input === undefined ? undefined : `Must be an object, not ${kindOf(input)}.`,
  })
  .refine((value) => fitsAsJson(value, OBJECT_BYTES_MAX), {
    error: `Must be at most ${OBJECT_BYTES_MAX} bytes as JSON.`,
    abort: true,
  })
  .superRefine((value, context) => {
    for (const path of lostNumbers(value)) {
      context.addIssue({ code: 'custom', path, message: LOST })
    }
  })
  .overwrite((value) => settledObject(value))
  .refine((value) => depthOf(value) <= OBJECT_DEPTH_MAX, {
    error: `Must not be nested deeper than ${OBJECT_DEPTH_MAX} levels.`,
  })

/** Whether the value takes at most `bytesMax` bytes as JSON. Stops measuring beyond that. */
export function fitsAsJson(value: unknown, bytesMax: number): boolean {
  return jsonBytesLeft(value, bytesMax) >= 0
}

/** The size of the value as JSON, in UTF-8 bytes. Stops soon after `bytesMax`. */
export function jsonBytes(value: unknown, bytesMax: number = Number.MAX_SAFE_INTEGER): number {
  return bytesMax - jsonBytesLeft(value, bytesMax)
}

/**
 * The size of the value as JSON, in UTF-8 bytes, without the names of members. Stops soon after `bytesMax`:
 * a mapping may have put one long text into every element of a long array.
 */
export function valueBytes(value: unknown, bytesMax: number): number {
  if (typeof value === 'string') return textBytes(value)
  if (typeof value !== 'object' || value === null) return String(value).length
  let bytes = 2
  for (const member of Object.values(value)) {
    if (bytes > bytesMax) return bytes
    bytes += 1 + valueBytes(member, bytesMax - bytes)
  }
  return bytes
}

/** Printable ASCII without what JSON escapes: most texts. */
const AS_THEY_ARE = /^[ !#-[\]-~]*$/

/** The size of a text as JSON. To print each one would take five times as long. */
function textBytes(text: string): number {
  return AS_THEY_ARE.test(text) ? text.length + 2 : byteLength(JSON.stringify(text))
}

/** The number of bytes in UTF-8. */
export function byteLength(value: string): number {
  return Buffer.byteLength(value)
}

/**
 * `bytes` minus the size of the value as JSON. Stops as soon as the result is negative: a mapping may have
 * put one long text into every element of a long array.
 */
function jsonBytesLeft(value: unknown, bytes: number): number {
  if (typeof value === 'string') {
    return value.length > bytes ? -1 : bytes - textBytes(value)
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

/** Recursion is safe: a body deeper than 64 levels is refused before it is parsed (json.ts). */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return (
    1 + Object.values(value).reduce<number>((depth, member) => Math.max(depth, depthOf(member)), 0)
  )
}

function settledObject(value: JsonObject): JsonObject {
  const settled = settledNumbers(value, ({ isLost }) => isLost)
  return isObject(settled) ? settled : value
}

/** The paths of the first numbers that a double does not hold. */
function lostNumbers(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (value instanceof ExactNumber) return value.isLost ? [path] : []
  if (value === Number.POSITIVE_INFINITY) return [path]
  if (typeof value !== 'object' || value === null) return []
  const found: (string | number)[][] = []
  for (const [name, member] of Object.entries(value)) {
    if (typeof member !== 'object' && member !== Number.POSITIVE_INFINITY) continue
    const step = Array.isArray(value) ? Number(name) : name
    found.push(...lostNumbers(member, [...path, step]))
    if (found.length >= LOST_MAX) break
  }
  return found.slice(0, LOST_MAX)
}
