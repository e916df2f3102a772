import { Buffer } from 'node:buffer'
import { NAME_LENGTH_MAX } from '../fields.ts'

// What the triggers of migrations/ store of each order (0006 says the rule), said again: a search tells by it which of the
// words of an order it shows, and SQL would have to divide the names of every row for that. A test holds both to each other.

/** What stands between words, besides a space. An apostrophe does not: O'Brien is one word. */
const MARKS = String.raw`!#$%&()*+,\-./:<=>?@[\]^_\x60{|}~\t\n\r";\\`
const OTHER_MARKS =
  '\u00a0\u00a1\u00ab\u00b7\u00bb\u00bf\u05be\u060c\u2009\u2010\u2011\u2013\u2014\u201c\u201d\u201e\u2022\u2026' +
  '\u202f\u3000\u3001\u30fb\uff08\uff09\uff0c\uff0d\uff0f'
const SEPARATOR = new RegExp(`[ ${MARKS}${OTHER_MARKS}]`)
const WORD = new RegExp(`[^ ${MARKS}${OTHER_MARKS}]+`, 'g')

const WORDS_MAX = 4
const WORDS_OF_NUMBER_MAX = 2

export interface OrderNames {
  order_number: string
  customer_name: string | null
}

/** A name from one of its later words on. */
export interface NameFromWord {
  field: keyof OrderNames
  text: string
}

/** Those by which an order is found: at most four. */
export function wordsOf({ order_number, customer_name }: OrderNames): NameFromWord[] {
  const ofNumber = longestFirst(order_number).slice(0, WORDS_OF_NUMBER_MAX)
  const ofCustomer = longestFirst(customer_name ?? '').slice(0, WORDS_MAX - ofNumber.length)
  return [
    ...ofNumber.map((text) => ({ field: 'order_number', text }) as const),
    ...ofCustomer.map((text) => ({ field: 'customer_name', text }) as const),
  ]
}

/** Whether a word ends after so many characters of the text. */
export function isWordEnd(text: string, characters: number): boolean {
  const next = [...text][characters]
  return next === undefined || SEPARATOR.test(next)
}

function longestFirst(name: string): string[] {
  const [read = ''] = [...name].slice(0, NAME_LENGTH_MAX).join('').split('\u0000')
  return [...read.matchAll(WORD)]
    .filter(({ 0: word, index }) => index > 0 && !/^[\0-\x7f]$/.test(word))
    .map(({ 0: word, index }) => ({ length: [...word].length, text: read.slice(index) }))
    .toSorted((one, other) => other.length - one.length)
    .map(({ text }) => text.replace(/[\r\n].*$/s, ''))
}

/**
 * Of a record's words the one with which a search shows it: the first that begins with one of the texts, in the order
 * of these and then of COLLATE NOCASE. Undefined if that is not the word that was found with the text at `at`.
 */
export function shownWord(
  words: NameFromWord[],
  texts: string[],
  { at, found }: { at: number; found: string },
): NameFromWord | undefined {
  const first = texts.map((text) => firstOf(words, smallLetters(text)))
  const shown = first.findIndex((word) => word !== undefined)
  const word = first[shown]
  return shown === at && word && smallLetters(word.text) === smallLetters(found) ? word : undefined
}

function firstOf(words: NameFromWord[], text: string): NameFromWord | undefined {
  const [first] = words
    .filter((word) => smallLetters(word.text).startsWith(text))
    .toSorted((one, other) =>
      Buffer.compare(Buffer.from(smallLetters(one.text)), Buffer.from(smallLetters(other.text))),
    )
  return first
}

/** As COLLATE NOCASE compares. */
function smallLetters(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
