import { isInYears, utcText } from '../json/date-time.ts'
import type { WorkMeter } from '../json/filter/evaluate.ts'
import { CONVERTED_LENGTH_MAX, REFUSED } from './convert.ts'
import { type Fields, monthNumber, type TimePattern } from './time-pattern.ts'
import type { Doubt, TimeZone } from './time-zone.ts'

/** How a rule reads times: by a pattern or as ISO 8601, and in which zone they are without an offset. */
export interface TimeFormat {
  pattern: TimePattern | null
  zone: TimeZone | null
}

export interface ReadTime {
  utc: string
  doubt: Doubt
}

/** Of work: looking at the clock of a zone. */
const ZONE_WORK = 64
const LOCAL = /^(\d{4}-\d\d-\d\d)[Tt ]((?:\d\d:?){2}[\d:.,]*)$/

/**
 * The moment of a value. REFUSED if it is none: what has no pattern and is no local time may still be another datetime, and
 * gives null.
 */
export function readTime(
  value: unknown,
  { pattern, zone }: TimeFormat,
  meter: WorkMeter,
): ReadTime | typeof REFUSED | null {
  const text = typeof value === 'string' ? value.trim() : ''
  if (!pattern) {
    const isLocal = zone && text.length <= CONVERTED_LENGTH_MAX && LOCAL.test(text)
    return isLocal ? inZone(utcText(text), zone, meter) : null
  }
  const fields = text.length > CONVERTED_LENGTH_MAX ? undefined : pattern.read(text)
  const local = fields && localText(fields)
  if (fields === undefined || local === undefined) return REFUSED
  const { offset, hour } = fields
  // A date alone is its midnight in UTC, in any zone.
  const isLocal = offset === undefined && hour !== undefined && zone !== null
  if (isLocal) return inZone(utcText(`${local}Z`), zone, meter)
  const utc = utcText(`${local}${offset?.toUpperCase() ?? 'Z'}`)
  return utc === undefined ? REFUSED : { utc, doubt: null }
}

function inZone(
  local: string | undefined,
  zone: TimeZone,
  meter: WorkMeter,
): ReadTime | typeof REFUSED {
  if (local === undefined) return REFUSED
  meter.work += ZONE_WORK
  const { moment, doubt } = zone.momentOf(Date.parse(local))
  const utc = new Date(moment).toISOString()
  return isInYears(utc) ? { utc, doubt } : REFUSED
}

/** As ISO 8601 without an offset; undefined if the hour is none. */
function localText(fields: Fields): string | undefined {
  const { year = '', month = '', day = '', hour = '00', minute = '00', second = '00' } = fields
  const hours = fields.half === undefined ? Number(hour) : hourOfDay(Number(hour), fields.half)
  if (hours === undefined) return undefined
  const date = [year.length === 2 ? `20${year}` : year, monthNumber(month), day].map(two)
  const time = [hours, minute, second].map(two)
  return `${date.join('-')}T${time.join(':')}.${fields.fraction ?? '0'}`
}

function two(part: string | number): string {
  return String(part).padStart(2, '0')
}

/** 12 AM is midnight. */
function hourOfDay(hour: number, half: string): number | undefined {
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (half.toUpperCase() === 'PM' ? 12 : 0)
}
