import { endOfStringIn } from '../json/json-fault.ts'
import { stringOf, type TextPlace } from './places.ts'

/** A message shows the beginning of a longer value. */
const NEEDLE_LENGTH_MAX = 20
/** A shorter value is found in a message only as a word of its own. */
const WORD_LENGTH_MAX = 3
// Comparing takes some 10 ms for so many units. Beyond it every message counts as a quote.
const COMPARED_MAX = 20_000_000

const NUMBER = /-?\d[\d.eE+-]*/g
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u

/** Tells whether a message may quote one of the values at these places: a text, a number or a member's name. */
export class Quotes {
  readonly #needles: string[]
  #left = COMPARED_MAX

  /** `more` are texts that do not stand in the text. */
  constructor(text: string, places: readonly TextPlace[], more: readonly string[] = []) {
    const needles = new Set<string>()
    const inText = places.map(({ start, end }) => [...valuesIn(text.slice(start, end))])
    for (const value of [...inText.flat(), ...more].flatMap(asShown)) {
      needles.add(value.slice(0, NEEDLE_LENGTH_MAX))
      // A message may show a text as JSON.
      needles.add(JSON.stringify(value).slice(1, -1).slice(0, NEEDLE_LENGTH_MAX))
    }
    needles.delete('')
    this.#needles = [...needles]
  }

  isIn(message: string): boolean {
    this.#left -= this.#needles.length * message.length
    if (this.#left < 0) return this.#needles.length > 0
    return this.#needles.some((needle) => isQuoted(message, needle))
  }
}

/** A mapping may have read it without the white space around it. */
function asShown(value: string): string[] {
  const trimmed = value.trim()
  return trimmed === value ? [value] : [value, trimmed]
}

/** The texts and numbers in a JSON text, and the names of members. */
export function* valuesIn(text: string): Generator<string> {
  let from = 0
  for (let at = 0; at < text.length; at++) {
    if (text[at] !== '"') continue
    yield* numbersIn(text.slice(from, at))
    const end = endOfStringIn(text, at)
    yield stringOf(text.slice(at, end + 1))
    at = end
    from = end + 1
  }
  yield* numbersIn(text.slice(from))
}

function* numbersIn(text: string): Generator<string> {
  for (const [digits] of text.matchAll(NUMBER)) {
    yield digits
    yield String(Number(digits))
  }
}

function isQuoted(message: string, needle: string): boolean {
  if (needle.length > WORD_LENGTH_MAX) return message.includes(needle)
  for (let at = message.indexOf(needle); at >= 0; at = message.indexOf(needle, at + 1)) {
    const [before = '', after = ''] = [message[at - 1], message[at + needle.length]]
    if (!LETTER_OR_DIGIT.test(before) && !LETTER_OR_DIGIT.test(after)) return true
  }
  return false
}
