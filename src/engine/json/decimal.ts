import { ExactNumber } from './exact-number.ts'

export const DECIMAL = /^(0|[1-9]\d{0,11})(\.\d{1,6})?$/

const DECIMALS_MAX = 6
/** A double keeps 15 digits of every decimal. */
const DIGITS_KEPT = 15
const EXPONENT_MAX = 400

/**
 * The digits of a number as they were sent, without an exponent up to 400. A decimal that fits loses what binary
 * arithmetic has added to it: `0.3` for `0.30000000000000004`.
 */
export function decimalDigits(number: number | ExactNumber): string {
  const sent = number instanceof ExactNumber ? number.digits : String(number)
  const digits = withoutExponent(sent)
  if (DECIMAL.test(digits)) return digits
  const value = number instanceof ExactNumber ? number.value : number
  const nearest = Number(Number(value.toFixed(DECIMALS_MAX)).toPrecision(DIGITS_KEPT))
  const text = String(nearest)
  const noise = Number.EPSILON * Math.max(1, Math.abs(value))
  return DECIMAL.test(text) && value >= 0 && Math.abs(value - nearest) < noise ? text : digits
}

/** `0.0000001` for `1e-7`. */
function withoutExponent(digits: string): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/.exec(digits) ?? []
  const power = Number(exponent)
  if (exponent === undefined || Math.abs(power) > EXPONENT_MAX) return digits
  const point = whole.length + power
  const all = `${whole}${fraction}`
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${all}`
  if (point >= all.length) return `${sign}${all.padEnd(point, '0')}`
  return `${sign}${all.slice(0, point)}.${all.slice(point)}`
}
