import { REFUSED } from './convert.ts'

/** Longer texts are no number. */
const TEXT_LENGTH_MAX = 400
/** Points group thousands, and only where thousands are: `1.00` is none. */
const WITH_COMMA = /^[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/

/** A text with a decimal comma as one with a point: `1.234,50` as `1234.50`. Other values than texts stay. */
export function withPoint(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > TEXT_LENGTH_MAX) return value
  const text = value.trim()
  if (text === '') return value
  return WITH_COMMA.test(text) ? text.replaceAll('.', '').replace(',', '.') : REFUSED
}
