import { type CellAsked, cellsIn } from '../formats/csv-cells.ts'
import { isObject, type JsonObject } from '../json/json-object.ts'
import { isShortened } from '../json/messages.ts'
import { EACH, type Path, pathIn } from '../json/path.ts'
import type { Quotes } from './quotes.ts'
import { leadsInto } from './targets.ts'

export const REDACTED = '[redacted]'

// Members of warnings, problems and failed rows that say where something is.
const PLACES = ['field', 'source', 'at', 'rule'] as const
// Their members that may show a value from there.
const SHOWN = new Set(['message', 'found'])
// Members that have messages, or paths, by field.
const BY_FIELD = new Set(['fields', 'errors', 'source'])
// Members with words of our own.
const FIXED = new Set(['code', 'reason'])

/**
 * Redacts the messages of an answer: those about a place, or a field that it fills, and those that quote a
 * redacted value. Recursion is safe: `findPlaces` has bounded the depth.
 */
export class Messages {
  readonly #places: readonly Path[]
  readonly #quotes: Quotes
  /** A message so far was about such a place. */
  #hasFound = false

  constructor(places: readonly Path[], quotes: Quotes) {
    this.#places = places
    this.#quotes = quotes
  }

  /** What an error says about its first field, which its `message` and `detail` repeat, counts for all of them. */
  error(value: unknown): unknown {
    const error = this.redacted(value)
    return isObject(error) && this.#hasFound ? { ...error, message: REDACTED } : error
  }

  detail(value: unknown): unknown {
    return this.#hasFound ? REDACTED : this.redacted(value)
  }

  redacted(value: unknown): unknown {
    if (typeof value === 'string') return this.#isQuote(value) ? REDACTED : value
    if (Array.isArray(value)) return value.map((element) => this.redacted(element))
    if (!isObject(value)) return value
    const isAbout = PLACES.some((name) => this.#isAbout(value[name]))
    return named(value, (name, member) => {
      if (isAbout && SHOWN.has(name)) return [name, REDACTED]
      if (BY_FIELD.has(name) && isObject(member)) return [name, this.#byField(member)]
      return [name, FIXED.has(name) ? member : this.redacted(member)]
    })
  }

  /** The field of an upload's row is relative to the row. */
  #byField(messages: JsonObject): JsonObject {
    return named(messages, (field, told) => {
      const isOfUpload = cellsIn(field).length === 0 && this.#isAbout(`inventory[].${field}`)
      const isAbout = this.#isAbout(field) || isOfUpload
      // A path names members, but is no message.
      const isTold = isAbout && Array.isArray(told)
      return [String(this.redacted(field)), isTold ? [REDACTED] : this.redacted(told)]
    })
  }

  /** Of a name that a path ends in, there may be too little left to find it. */
  #isQuote(text: string): boolean {
    return isShortened(text) || this.#quotes.isIn(text)
  }

  #isAbout(text: unknown): boolean {
    if (typeof text !== 'string') return false
    const cells = cellsIn(text)
    const isAbout =
      isShortened(text) ||
      (cells.length > 0
        ? cells.some((cell) => this.#places.some((place) => mayBeCell(place, cell)))
        : // A joined text has several sources.
          text.split(', ').some((one) => this.#leadsInto(pathIn(one))))
    this.#hasFound ||= isAbout
    return isAbout
  }

  /** True also of what is no path. */
  #leadsInto(path: Path | null): boolean {
    return path === null || leadsInto(path, this.#places)
  }
}

/** Whether a cell of a CSV may be at the place, whatever its row. A row has all of its cells. */
function mayBeCell([row, step, ...deeper]: Path, { column }: CellAsked): boolean {
  if ((row !== EACH && typeof row !== 'number') || deeper.length > 0) return false
  if (column === null || step === undefined || step === EACH) return true
  return typeof column === 'string' ? step === column : step === column - 1 || step === -1
}

function named(
  value: JsonObject,
  change: (name: string, member: unknown) => [string, unknown],
): JsonObject {
  return Object.fromEntries(Object.entries(value).map(([name, member]) => change(name, member)))
}
