import { utcText } from '../json/date-time.ts'
import { isObject } from '../json/json-object.ts'
import { settled } from './convert.ts'
import { RuleError } from './rule-error.ts'
import type { Scalar } from './saved-rule.ts'

export const NO_VALUES_MAX = 20
/** Of a text, in characters. */
export const NO_VALUE_LENGTH_MAX = 100
const DAY = /^\d{4}-\d\d-\d\d$/
const DAY_LENGTH = 10
/** Longer texts are no datetime. */
const DATETIME_LENGTH_MAX = 40

/** The scalars by which a sender says that there is no value: `false`, `"N/A"`, `0`, `"1900-01-01"`. */
export class NoValues {
  readonly scalars: readonly Scalar[]
  readonly #known: Set<unknown>
  /** As they are written: a day covers its times, with any offset. */
  readonly #days: Set<string>
  /** In UTC. */
  readonly #moments: Set<string>

  constructor(scalars: readonly Scalar[]) {
    this.scalars = scalars
    this.#known = new Set(scalars)
    const texts = scalars.filter((scalar) => typeof scalar === 'string')
    this.#days = new Set(texts.filter((text) => DAY.test(text) && utcText(text) !== undefined))
    this.#moments = new Set(texts.flatMap((text) => (DAY.test(text) ? [] : (utcText(text) ?? []))))
  }

  has(value: unknown): boolean {
    if (this.#known.has(settled(value))) return true
    return typeof value === 'string' && this.#hasDate(value)
  }

  #hasDate(text: string): boolean {
    if (this.#days.size === 0 && this.#moments.size === 0) return false
    if (text.length < DAY_LENGTH || text.length > DATETIME_LENGTH_MAX) return false
    const isOfDay = this.#days.has(text.slice(0, DAY_LENGTH))
    if (!isOfDay && this.#moments.size === 0) return false
    const moment = utcText(text)
    if (moment === undefined) return isOfDay && isInFirstYear(text)
    return isOfDay || this.#moments.has(moment)
  }
}

/** Whether it is a time of year 1 that its offset puts before that year: .NET's minimum. */
function isInFirstYear(text: string): boolean {
  return text.startsWith('0001-') && utcText(`0002-${text.slice(5)}`) !== undefined
}

/** Reads `none` of a rule or of a mapping. Throws RuleError. */
export function readNoValues(saved: unknown): NoValues {
  if (!Array.isArray(saved) || saved.length === 0 || saved.length > NO_VALUES_MAX) {
    throw new RuleError(
      `"none" must be a list of 1 to ${NO_VALUES_MAX} values, such as [false, "N/A"].`,
    )
  }
  for (const scalar of saved) {
    if (Array.isArray(scalar) || isObject(scalar)) {
      throw new RuleError('"none" can have texts, numbers, true and false only.')
    }
    if (scalar === null || scalar === '') {
      throw new RuleError('"none" cannot have null or an empty text: they are no value anyway.')
    }
    if (typeof scalar === 'string' && [...scalar].length > NO_VALUE_LENGTH_MAX) {
      throw new RuleError(`A text of "none" must have at most ${NO_VALUE_LENGTH_MAX} characters.`)
    }
  }
  return new NoValues(saved.map((scalar) => settled(scalar) as Scalar))
}

/** The values of both lists. */
export function eitherOf(one: NoValues | null, other: NoValues | null): NoValues | null {
  if (!one || !other) return one ?? other
  return new NoValues([...one.scalars, ...other.scalars])
}
