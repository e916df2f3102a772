import * as z from 'zod'

export const HOUR_MS = 60 * 60 * 1000
export const DAY_MS = 24 * HOUR_MS

const EXAMPLES = '2026-03-01T09:30:00Z, 2026-03-01 09:30:00+02:00 or 2026-03-01'

const DAY = '\\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])'
const CLOCK = '(?:[01]\\d|2[0-3]):[0-5]\\d'
const SECONDS = ':[0-5]\\d(?:[.,]\\d+)?'
const OFFSET = '[+-](?:[01]\\d|2[0-3])(?::?[0-5]\\d)?'
const DAY_OFFSET = '[+-](?:[01]\\d|2[0-3]):?[0-5]\\d'

// An offset directly after a date needs its minutes: the -05 of 2026-03-01-05 may not be an offset.
const patternOf = (time: string) =>
  new RegExp(`^${DAY}(?:${time}(?: ?(?:[Zz]|${OFFSET}))?|[Zz]|${DAY_OFFSET})?$`)

const ANYWHERE = patternOf(`[Tt ]${CLOCK}(?:${SECONDS})?`)
const IN_QUERY = patternOf(`(?:[Tt]${CLOCK}(?:${SECONDS})?| ${CLOCK}${SECONDS})`)

/**
 * An ISO 8601 datetime, with `T` or a space before the time. Without an offset it is UTC; a date alone is
 * its midnight. Parses to UTC with milliseconds, as text.
 */
export const DateTime = z
  .string()
  .regex(ANYWHERE, { error: `Must be an ISO 8601 date or datetime, such as ${EXAMPLES}.` })
  .transform(utcOf)

/**
 * A DateTime in a query string, where a `+` that is not percent-encoded arrives as a space. It refuses
 * `2026-03-01 02:00`, which may have been the offset of `2026-03-01+02:00`.
 */
export const QueryDateTime = z
  .string()
  .regex(IN_QUERY, {
    error: ({ input }) =>
      ANYWHERE.test(String(input))
        ? 'Is ambiguous in a query: write %2B for the + of an offset, and T before a time.'
        : `Must be an ISO 8601 date or datetime, such as ${EXAMPLES}; write + as %2B.`,
  })
  .transform(utcOf)

/**
 * The moment of an ISO 8601 date or datetime in UTC with milliseconds; undefined if the text is none, or is
 * not in the calendar of the years 0001 to 9999.
 */
export function utcText(text: string): string | undefined {
  return ANYWHERE.test(text) ? momentOf(text).utc : undefined
}

function utcOf(text: string, context: z.RefinementCtx): string {
  const { utc, fault } = momentOf(text)
  return utc ?? refuse(context, fault)
}

function momentOf(text: string): { utc: string; fault?: never } | { utc?: never; fault: string } {
  const day = text.slice(0, 10)
  const [, time = '00:00', zone = ''] = /^(?:[Tt ]([\d:.,]+))? ?(.*)$/.exec(text.slice(10)) ?? []
  if (!isInCalendar(day)) return { fault: 'Is not a day of the calendar, as 30 February.' }
  const moment = new Date(`${day}T${time.replace(',', '.')}${offsetOf(zone)}`)
  const utc = moment.toISOString()
  return isInYears(utc) ? { utc } : { fault: 'Must be within the years 0001 to 9999 in UTC.' }
}

/** Whether JavaScript prints the moment with a year that other systems can read: many know no year 0. */
export function isInYears(utc: string): boolean {
  return /^(?!0000)\d{4}-/.test(utc)
}

/** JavaScript reads 30 February as 2 March. */
function isInCalendar(day: string): boolean {
  return new Date(day).toISOString().startsWith(day)
}

/** `+02:00` for `+02` and `+0200`; `Z` for no offset. */
function offsetOf(zone: string): string {
  const [, hour, minute = '00'] = /^([+-]\d\d):?(\d\d)?$/.exec(zone) ?? []
  return hour === undefined ? 'Z' : `${hour}:${minute}`
}

function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message })
  return z.NEVER
}
