import { RuleError } from './rule-error.ts'

export const PATTERN_LENGTH_MAX = 60
const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
]
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const short = (names: readonly string[]) => names.map((name) => name.slice(0, 3))

type Field =
  | 'year'
  | 'month'
  | 'day'
  | 'hour'
  | 'minute'
  | 'second'
  | 'fraction'
  | 'half'
  | 'offset'

/** The fields of a pattern of Unicode TR 35, as a regular expression has them. `isOpen`: digits behind it would be its own. */
interface Letter {
  field: Field | 'weekday'
  source: string
  isNumber?: boolean
  isOpen?: boolean
}

const digits = (field: Field, count: string): Letter => ({
  field,
  source: `\\d{${count}}`,
  isNumber: true,
  isOpen: count.includes(','),
})
const words = (field: Letter['field'], names: readonly string[]): Letter => ({
  field,
  source: names.join('|'),
})
const OFFSET = '[Zz]|[+-]\\d\\d:?\\d\\d'

const LETTERS: Record<string, Letter> = {
  yyyy: digits('year', '4'),
  y: digits('year', '4'),
  yy: digits('year', '2'),
  MM: digits('month', '2'),
  M: digits('month', '1,2'),
  MMM: words('month', short(MONTHS)),
  MMMM: words('month', MONTHS),
  dd: digits('day', '2'),
  d: digits('day', '1,2'),
  E: words('weekday', short(DAYS)),
  EEE: words('weekday', short(DAYS)),
  EEEE: words('weekday', DAYS),
  HH: digits('hour', '2'),
  H: digits('hour', '1,2'),
  hh: digits('hour', '2'),
  h: digits('hour', '1,2'),
  mm: digits('minute', '2'),
  m: digits('minute', '1,2'),
  ss: digits('second', '2'),
  s: digits('second', '1,2'),
  a: words('half', ['AM', 'PM']),
  XX: { field: 'offset', source: OFFSET },
  XXX: { field: 'offset', source: OFFSET },
  Z: { field: 'offset', source: OFFSET },
  ...Object.fromEntries(
    [1, 2, 3, 4, 5, 6, 7, 8, 9].map((count) => ['S'.repeat(count), digits('fraction', `${count}`)]),
  ),
}

/** The texts of the fields that a text has in its pattern. */
export type Fields = Partial<Record<Field, string>>

export interface TimePattern {
  /** Undefined for a text of another form. */
  read: (text: string) => Fields | undefined
}

/** Quoted text, a run of one letter, or one other character. */
const TOKEN = /'(?:[^']|'')*'|([A-Za-z])\1*|[^']/gy

/** Reads a pattern such as `dd.MM.yyyy HH:mm`. Throws RuleError. */
export function readTimePattern(pattern: string): TimePattern {
  if (pattern.length > PATTERN_LENGTH_MAX)
    fail(pattern, `is longer than ${PATTERN_LENGTH_MAX} characters`)
  const tokens = pattern.match(TOKEN) ?? []
  if (tokens.join('') !== pattern) fail(pattern, "has a ' without its end")
  const letters = tokens.map((token) => letterOf(token, pattern))
  checkFields(letters, tokens, pattern)
  const sources = letters.map((letter, at) => sourceOf(letter, tokens[at] ?? ''))
  const whole = new RegExp(`^${sources.join('')}$`, 'i')
  return { read: (text) => whole.exec(text)?.groups as Fields | undefined }
}

function letterOf(token: string, pattern: string): Letter | null {
  if (!/^[A-Za-z]/.test(token)) return null
  const known = Object.hasOwn(LETTERS, token) ? LETTERS[token] : undefined
  if (known) return known
  if (/^[zvVO]/.test(token)) {
    fail(
      pattern,
      `has "${token}": names of zones such as PDT do not say one offset. Write "zone" beside the format, or XX for +0100`,
    )
  }
  return fail(
    pattern,
    `has "${token}", which is not known: put text in quotes, as in yyyyMMdd'T'HHmmss`,
  )
}

function sourceOf(letter: Letter | null, token: string): string {
  if (letter?.field === 'weekday') return `(?:${letter.source})`
  if (letter) return `(?<${letter.field}>${letter.source})`
  const text = token.startsWith("'") && token !== "''" ? token.slice(1, -1) : token
  return [...text.replaceAll("''", "'")].map(literal).join('')
}

/** Systems write other blanks than a space before AM. */
function literal(char: string): string {
  return /\s/.test(char) ? '\\s' : char.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}

function checkFields(letters: (Letter | null)[], tokens: string[], pattern: string): void {
  const fields = letters.flatMap((letter) => letter?.field ?? [])
  const twice = fields.find((field, at) => fields.indexOf(field) !== at)
  if (twice) fail(pattern, `has the ${twice} twice`)
  const lacking = (['year', 'month', 'day'] as const).find((field) => !fields.includes(field))
  if (lacking) fail(pattern, `lacks the ${lacking}: write yyyy, MM and dd`)
  const isHalf = tokens.some((token) => /^h+$/.test(token))
  if (isHalf !== fields.includes('half')) {
    fail(pattern, isHalf ? 'has "h" without "a": write H for 24 hours' : 'has "a" without "h"')
  }
  const at = letters.findIndex((letter, index) => letter?.isOpen && letters[index + 1]?.isNumber)
  if (at !== -1)
    fail(pattern, `has "${tokens[at]}${tokens[at + 1]}": where digits follow, write two letters`)
  if (fields.includes('minute') && !fields.includes('hour'))
    fail(pattern, 'has minutes without hours')
}

function fail(pattern: string, why: string): never {
  throw new RuleError(`The format "${pattern}" ${why}.`)
}

/** The number of a month's name; of digits, their own. */
export function monthNumber(text: string): number {
  const at = short(MONTHS).findIndex((name) => text.toLowerCase().startsWith(name.toLowerCase()))
  return at === -1 ? Number(text) : at + 1
}
