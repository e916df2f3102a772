import { DAY_MS, isInYears, utcText } from '../json/date-time.ts'
import { decimalDigits } from '../json/decimal.ts'
import { ExactNumber } from '../json/exact-number.ts'
import type { WorkMeter } from '../json/filter/evaluate.ts'
import { DIGITS_SAFE } from '../json/json-bytes.ts'
import type { ConversionKind, Format } from './saved-rule.ts'
import { monthNumber } from './time-pattern.ts'

/** What a conversion gives for a value that it cannot take. */
export const REFUSED: unique symbol = Symbol('refused')

/** Longer texts are no number and no datetime. */
export const CONVERTED_LENGTH_MAX = 400

type Converted = unknown | typeof REFUSED

/**
 * What was `sent`, as this kind; undefined if it is no value, as white space; REFUSED if it cannot be read as one. The meter
 * counts the characters that are looked at. `hasComma`: a text is read with a decimal comma.
 */
export function convert(
  sent: unknown,
  kind: ConversionKind,
  format: Format | null,
  meter: WorkMeter,
  hasComma = false,
): Converted {
  const value = hasComma ? withPoint(sent) : sent
  if (value === REFUSED) return REFUSED
  if (!isValue(value, kind, format, meter)) return undefined
  if (kind === 'string') return convertedText(value) ?? REFUSED
  if (isLong(value)) return REFUSED
  meter.work += lengthOf(value) >> 3
  const plain = typeof value === 'string' ? value.trim() : value
  if (kind === 'integer') return integerOf(settled(plain))
  if (kind === 'decimal') return decimalOf(plain)
  if (kind === 'boolean') return BOOLEANS.get(settled(plain)) ?? REFUSED
  return format === null ? datetimeOf(plain) : momentOf(settled(plain), format)
}

/** Points group thousands, and only where thousands are: `1.00` is none. */
const WITH_COMMA = /^[+-]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?$/

/** A text with a decimal comma as one with a point: `1.234,50` as `1234.50`. Other values than texts stay. */
export function withPoint(value: unknown): unknown {
  if (typeof value !== 'string' || isLong(value)) return value
  const text = value.trim()
  if (text === '') return value
  return WITH_COMMA.test(text) ? text.replaceAll('.', '').replace(',', '.') : REFUSED
}

/**
 * Converts the usual forms without a look at the others: texts that begin with a visible character, integers,
 * short texts of digits. Undefined for all others, which `convert` takes. Null if the kind has no usual forms.
 */
export function usualConversion(kind: ConversionKind | null): ((value: unknown) => unknown) | null {
  if (kind === 'string') return usualText
  return kind === 'integer' ? usualInteger : null
}

const [SPACE, DELETE, DIGIT_0] = [0x20, 0x7f, 0x30]

function usualText(value: unknown): string | undefined {
  if (typeof value === 'string') {
    const first = value.charCodeAt(0)
    return first > SPACE && first < DELETE ? value : undefined
  }
  return Number.isSafeInteger(value) ? String(value) : undefined
}

function usualInteger(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined
  if (typeof value !== 'string' || value.length === 0 || value.length > DIGITS_SAFE)
    return undefined
  let integer = 0
  for (let at = 0; at < value.length; at++) {
    const digit = value.charCodeAt(at) - DIGIT_0
    if (digit < 0 || digit > 9) return undefined
    integer = 10 * integer + digit
  }
  return integer
}

/** Whether there is a value to convert: white space is none, nor is a date that says that there is none. */
export function isValue(
  value: unknown,
  kind: ConversionKind,
  format: Format | null,
  meter: WorkMeter,
): boolean {
  if (typeof value === 'string' && isBlank(value, meter)) return false
  return !(kind === 'datetime' && isNoDate(value, format))
}

function isBlank(text: string, meter: WorkMeter): boolean {
  const first = text.charCodeAt(0)
  if (first > SPACE && first < DELETE) return false
  const blanks = text.length - text.trimStart().length
  meter.work += blanks >> 4
  return blanks === text.length
}

function isLong(value: unknown): boolean {
  return lengthOf(value) > CONVERTED_LENGTH_MAX
}

/** Of a text, or of the digits of a number. */
function lengthOf(value: unknown): number {
  const text = value instanceof ExactNumber ? value.digits : value
  return typeof text === 'string' ? text.length : 0
}

/** A number that JSON.parse does not round, without its digits: 1 for `1.0`. */
export function settled(value: unknown): unknown {
  return value instanceof ExactNumber && !value.isRounded ? value.value : value
}

/** The value as text, numbers by their digits; undefined for objects, arrays and null. */
export function convertedText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (value instanceof ExactNumber) return value.digits
  const isScalar = typeof value === 'number' || typeof value === 'boolean'
  return isScalar ? String(value) : undefined
}

const BOOLEANS = new Map<unknown, boolean>([
  [true, true],
  [false, false],
  [1, true],
  [0, false],
  ['true', true],
  ['false', false],
  ['1', true],
  ['0', false],
])

function integerOf(value: unknown): Converted {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : REFUSED
  if (typeof value !== 'string' || !/^[+-]?\d+(?:\.0+)?$/.test(value)) return REFUSED
  const integer = Number(value)
  // `-0` would be stored as 0.
  return Number.isSafeInteger(integer) ? integer + 0 : REFUSED
}

function decimalOf(value: unknown): Converted {
  const isNumber = typeof value === 'number' || value instanceof ExactNumber
  const text = isNumber ? decimalDigits(value) : value
  if (typeof text !== 'string') return REFUSED
  const [, sign = '', whole, fraction = ''] = /^([+-]?)(\d*)(\.\d+)?$/.exec(text) ?? []
  if (whole === undefined || `${whole}${fraction}` === '') return REFUSED
  // What a decimal field has no room for may only be zeros.
  const kept = fraction.replace(/^(\.\d{6})0+$/, '$1')
  const isNegative = sign === '-' && /[1-9]/.test(text)
  return `${isNegative ? '-' : ''}${whole.replace(/^0+(?=\d)/, '') || '0'}${kept}`
}

// How databases, .NET and Go write that there is no date: as zeros, or as the first moment of year 1 with any offset.
const NO_DATE =
  /^\s*(?:0000-00-00|0000-12-31|0001-|00000000\s*$|00010101\s*$|\/Date\(-62135\d{9}[)+-]|(?:\w{3}, *)?\d{1,2} +[a-z]{3} +0001 )/i
// The year 1, and a day before it in UTC.
const [YEAR_1, YEAR_2] = [-62_135_596_800_000 - DAY_MS, -62_104_060_800_000]

function isNoDate(value: unknown, format: Format | null): boolean {
  if (isLong(value)) return false
  if (format !== null) {
    const moment = Number(convertedText(value)) * MILLISECONDS[format]
    return moment >= YEAR_1 && moment < YEAR_2
  }
  return typeof value === 'string' && NO_DATE.test(value)
}

function datetimeOf(value: unknown): Converted {
  if (typeof value !== 'string') return REFUSED
  return utcText(value) ?? compactDay(value) ?? dotNetDate(value) ?? mailDate(value) ?? REFUSED
}

/** `20181205` */
function compactDay(text: string): string | undefined {
  const [, year, month, day] = /^(\d{4})(\d\d)(\d\d)$/.exec(text) ?? []
  return year === undefined ? undefined : utcText(`${year}-${month}-${day}`)
}

/** `/Date(1515369600000)/` and `/Date(1515369600000+0100)/`, whose offset changes nothing (OData 2, Json.NET). */
function dotNetDate(text: string): string | undefined {
  const [, moment] = /^\/Date\((-?\d{1,15})(?:[+-]\d{4})?\)\/$/.exec(text) ?? []
  return moment === undefined ? undefined : isoOf(Number(moment))
}

// The obsolete zones of RFC 2822, 4.3.
const ZONES: Record<string, string> = {
  UT: '+0000',
  GMT: '+0000',
  Z: '+0000',
  EDT: '-0400',
  EST: '-0500',
  CDT: '-0500',
  CST: '-0600',
  MDT: '-0600',
  MST: '-0700',
  PDT: '-0700',
  PST: '-0800',
}
const MAIL_DATE =
  /^(?:(?:mon|tue|wed|thu|fri|sat|sun), *)?(\d{1,2}) +([a-z]{3}) +(\d{4}) +(\d\d:\d\d(?::\d\d)?) +([+-]\d{4}|[a-z]{1,3})$/i

/** `Mon, 21 Aug 2017 22:22:19 +0000` (RFC 2822, 3.3) */
function mailDate(text: string): string | undefined {
  const [, day, name = '', year, time, zone = ''] = MAIL_DATE.exec(text) ?? []
  const month = monthNumber(name)
  const offset = /^[+-]/.test(zone) ? zone : ZONES[zone.toUpperCase()]
  if (day === undefined || Number.isNaN(month) || offset === undefined) return undefined
  const date = `${year}-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
  return utcText(`${date}T${time}${offset}`)
}

const MILLISECONDS: Record<Format, number> = { epoch_seconds: 1000, epoch_milliseconds: 1 }

function momentOf(value: unknown, format: Format): Converted {
  const [, whole, fraction = ''] =
    /^(-?\d{1,15})(?:\.(\d+))?$/.exec(String(convertedText(value))) ?? []
  if (whole === undefined) return REFUSED
  const factor = MILLISECONDS[format]
  const rest = factor === 1 ? 0 : Number(fraction.padEnd(3, '0').slice(0, 3))
  return isoOf(Number(whole) * factor + (whole.startsWith('-') ? -rest : rest)) ?? REFUSED
}

/** Undefined beyond the years 0001 to 9999. */
function isoOf(milliseconds: number): string | undefined {
  const date = new Date(milliseconds)
  const iso = Number.isNaN(date.getTime()) ? '' : date.toISOString()
  return isInYears(iso) ? iso : undefined
}

/** A datetime of ours in this format. */
export function formatted(value: unknown, format: Format): unknown {
  return typeof value === 'string' ? Math.floor(Date.parse(value) / MILLISECONDS[format]) : value
}
