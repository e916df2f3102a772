import { utcText } from '../json/date-time.ts'

const LENGTH_MAX = 64
const NUMBER = /^\d{1,15}(?:\.\d{1,9})?$/
/** IMF-fixdate of RFC 9110, 5.6.7. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** As seconds the year 5138, as milliseconds 1973: no delivery is of either. */
const MILLISECONDS_FROM = 1e11

/**
 * When a delivery was sent, in milliseconds since 1970: from seconds or milliseconds, ISO 8601, or a date of RFC
 * 9110. Null if the text is none of these.
 */
export function sentAt(text: string): number | null {
  if (text.length > LENGTH_MAX) return null
  if (NUMBER.test(text)) {
    const number = Number(text)
    return number < MILLISECONDS_FROM ? number * 1000 : number
  }
  const time = Date.parse(HTTP_DATE.test(text) ? text : (utcText(text) ?? ''))
  return Number.isNaN(time) ? null : time
}
