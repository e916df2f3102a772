import { utcText } from '../json/date-time.ts'
import { decimalDigits } from '../json/decimal.ts'
import { ExactNumber } from '../json/exact-number.ts'

const WHOLE_DIGITS = 20
const FRACTION_DIGITS = 10
const NUMBER = new RegExp(`^(\\d{1,${WHOLE_DIGITS}})(?:\\.(\\d{1,${FRACTION_DIGITS}}))?$`)
const FRACTION = /[.,](\d+)/

/**
 * How new a document is, as a text whose order is that of the times or numbers: a time in UTC to the nanosecond, a number
 * of at most 20 digits and 10 decimals. Null if the value is neither. The first character says which, since numbers and
 * times are not compared (migrations/0003_webhooks.sql).
 */
export function changeOrder(value: unknown): string | null {
  if (typeof value === 'number' || value instanceof ExactNumber)
    return ofNumber(decimalDigits(value))
  if (typeof value !== 'string') return null
  const text = value.trim()
  return ofNumber(text) ?? ofTime(text)
}

function ofNumber(digits: string): string | null {
  const [, whole, fraction = ''] = NUMBER.exec(digits) ?? []
  if (whole === undefined) return null
  return `n${whole.padStart(WHOLE_DIGITS, '0')}.${fraction.padEnd(FRACTION_DIGITS, '0')}`
}

/** JavaScript keeps milliseconds only. */
function ofTime(text: string): string | null {
  const utc = utcText(text)
  if (utc === undefined) return null
  const [, fraction = ''] = FRACTION.exec(text) ?? []
  return `t${utc.slice(0, -'.000Z'.length)}.${fraction.slice(0, 9).padEnd(9, '0')}`
}
