import { byteLength } from '../json/fields.ts'
import { Filter } from '../json/filter/filter.ts'
import { isObject, memberOf } from '../json/json-object.ts'
import type { Path, PathStep } from '../json/path.ts'
import { SentValue } from '../json/sent-with.ts'
import { convertedText } from './convert.ts'
import { elementAt, isEmptyList } from './follow.ts'
import { PARTS_MAX } from './members.ts'
import { onceForOuter } from './repeated.ts'
import { isList, type MappingRule } from './rules.ts'
import { hasRoomForBytes, kindName, type MappingRun, noteKind, noteWork } from './run.ts'
import { beginningOf, type Slots } from './streams.ts'

/** The texts that a part of a joined text gives, in order. */
type Texts = (run: MappingRun) => readonly string[]

/**
 * The texts of a rule's parts that have a value, joined. Undefined if no path has a value: fixed parts alone
 * make no text.
 */
export function joinedText(
  rule: MappingRule,
  slots: Slots,
): (run: MappingRun) => string | undefined {
  const { origin } = rule
  if (origin.kind !== 'join') return () => undefined
  const { separator } = origin
  const parts = origin.parts.map((part) =>
    'text' in part
      ? { isFixed: true, texts: fixedTexts(part.text) }
      : { isFixed: false, texts: textsOf(rule, part.path, separator, slots) },
  )
  return (run) => {
    const texts: string[] = []
    let hasValue = false
    for (const part of parts) {
      const found = part.texts(run)
      hasValue ||= !part.isFixed && found.length > 0
      for (const text of found) texts.push(text)
    }
    if (!hasValue || run.isSpent) return undefined
    const least = lengthOf(texts, separator)
    // Too long a text is not made.
    if (least > run.bytesLeft + separator.length) {
      hasRoomForBytes(run, rule, least)
      return undefined
    }
    const text = texts.join(separator)
    return hasRoomForBytes(run, rule, byteLength(text) + 2) ? text : undefined
  }
}

function fixedTexts(text: string): Texts {
  const texts = text === '' ? [] : [text]
  return () => texts
}

function textsOf(rule: MappingRule, path: Path, separator: string, slots: Slots): Texts {
  const { slot, start, isOuter } = beginningOf(rule, path, slots)
  if (slot !== undefined) {
    const list = (run: MappingRun) => new Listing(run, rule, path).from(run.elements[slot], start)
    if (!isOuter) return list
    // joinedText counts the bytes of each copy.
    const once = onceForOuter(
      rule,
      slot,
      (run) => joined(run, list(run), separator),
      () => undefined,
    )
    return (run) => once(run) ?? []
  }
  // The same for all elements of the target, so it is read once.
  return (run) => {
    const known = run.texts.get(path)
    if (known) return known
    const texts = joined(run, new Listing(run, rule, path).from(run.payload, 0), separator)
    run.texts.set(path, texts)
    return texts
  }
}

/** Many elements have these texts, so they are joined once. Few have room for long ones. */
function joined(run: MappingRun, texts: readonly string[], separator: string): readonly string[] {
  const length = lengthOf(texts, separator)
  return texts.length > 1 && length <= run.bytesLeft / PARTS_MAX ? [texts.join(separator)] : texts
}

function lengthOf(texts: readonly string[], separator: string): number {
  return texts.reduce((sum, text) => sum + text.length + separator.length, 0)
}

/** Takes the texts of all values that a path leads to. All that a filter takes are among them. */
export class Listing {
  readonly #run: MappingRun
  readonly #rule: MappingRule
  readonly #path: Path
  readonly #texts: string[] = []
  readonly #take: (text: string) => void
  /** The indexes of the elements at hand, in the arrays beyond those of the target. */
  readonly #indexes: number[] = []

  /** Without `take` the texts are collected. */
  constructor(run: MappingRun, rule: MappingRule, path: Path, take?: (text: string) => void) {
    this.#run = run
    this.#rule = rule
    this.#path = path
    this.#take = take ?? ((text) => this.#texts.push(text))
  }

  /** Where the text at hand is in the payload. */
  get place(): string {
    return this.#run.placeListed(this.#rule, this.#path, this.#indexes)
  }

  from(origin: unknown, start: number): readonly string[] {
    this.#collect(origin, start)
    return this.#texts
  }

  #collect(value: unknown, at: number): void {
    if (value === undefined || value === null || this.#run.isSpent) return
    const step = this.#path[at]
    if (this.#rule.none?.has(value) || (at > 0 && isEmptyList(step, value))) return
    if (step === undefined) this.#add(value)
    else if (step instanceof SentValue) this.#collect(step.in(this.#run.sent), at + 1)
    else if (!isRightKind(step, value)) this.#noteKind(at, value)
    else if (isList(step) && Array.isArray(value)) this.#collectElements(value, at)
    else this.#collect(this.#memberAt(value, at), at + 1)
  }

  #memberAt(value: unknown, at: number): unknown {
    const step = this.#path[at]
    return typeof step === 'string'
      ? memberOf(value, step)
      : elementAt(this.#run, this.#rule, this.#path, at, value)
  }

  #collectElements(array: unknown[], at: number): void {
    const step = this.#path[at]
    for (const [index, element] of array.entries()) {
      const isTaken = step instanceof Filter ? step.test(element, this.#run) : true
      if (!this.#run.labour(1)) {
        noteWork(this.#run, this.#rule, this.#path)
        return
      }
      if (!isTaken) continue
      this.#indexes.push(index)
      this.#collect(element, at + 1)
      this.#indexes.pop()
    }
  }

  #add(value: unknown): void {
    const text = convertedText(value)
    if (text !== undefined && text !== '') this.#take(text)
    if (text !== undefined) return
    this.#run.note(() => ({
      reason: 'TYPE_MISMATCH',
      rule: this.#rule.name,
      at: this.place,
      expected: 'single value',
      found: kindName(value),
    }))
  }

  #noteKind(at: number, value: unknown): void {
    const way = this.#path.slice(0, at)
    const place = () => this.#run.placeListed(this.#rule, way, this.#indexes)
    noteKind(this.#run, this.#rule, way, this.#path[at], value, place)
  }
}

function isRightKind(step: PathStep, value: unknown): boolean {
  return typeof step === 'string' ? isObject(value) : Array.isArray(value)
}
