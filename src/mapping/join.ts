import { byteLength } from '../document/fields.ts'
import { Filter } from '../document/filter/filter.ts'
import { isObject, memberOf } from '../document/json-object.ts'
import type { Path, Step } from '../document/path.ts'
import { textOf } from './convert.ts'
import { elementAt } from './follow.ts'
import { isList, type Rule } from './rules.ts'
import { hasRoomForBytes, kindName, noteKind, noteWork, type Run } from './run.ts'
import { beginningOf, type Slots } from './streams.ts'

/** The texts that a part of a joined text gives, in order. */
type Texts = (run: Run) => readonly string[]

/**
 * The texts of a rule's parts that have a value, joined. Undefined if no path has a value: fixed parts alone
 * make no text.
 */
export function joinedText(rule: Rule, slots: Slots): (run: Run) => string | undefined {
  const { origin } = rule
  if (origin.kind !== 'join') return () => undefined
  const { separator } = origin
  const parts = origin.parts.map((part) =>
    'text' in part
      ? { isFixed: true, texts: fixedTexts(part.text) }
      : { isFixed: false, texts: textsOf(rule, part.path, slots) },
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
    const bytes = texts.reduce((sum, text) => sum + byteLength(text) + separator.length, 2)
    return hasRoomForBytes(run, rule, bytes) ? texts.join(separator) : undefined
  }
}

function fixedTexts(text: string): Texts {
  const texts = text === '' ? [] : [text]
  return () => texts
}

function textsOf(rule: Rule, path: Path, slots: Slots): Texts {
  const { slot, start } = beginningOf(rule, path, slots)
  if (slot !== undefined)
    return (run) => new Listing(run, rule, path).from(run.elements[slot], start)
  // The same for all elements of the target, so it is read once.
  return (run) => {
    const texts = run.texts.get(path) ?? new Listing(run, rule, path).from(run.payload, 0)
    run.texts.set(path, texts)
    return texts
  }
}

/** Collects the texts of all values that a path leads to. */
class Listing {
  readonly #run: Run
  readonly #rule: Rule
  readonly #path: Path
  readonly #texts: string[] = []
  /** The indexes of the elements at hand, in the arrays beyond those of the target. */
  readonly #indexes: number[] = []

  constructor(run: Run, rule: Rule, path: Path) {
    this.#run = run
    this.#rule = rule
    this.#path = path
  }

  from(origin: unknown, start: number): readonly string[] {
    this.#collect(origin, start)
    return this.#texts
  }

  #collect(value: unknown, at: number): void {
    if (value === undefined || value === null || this.#run.isSpent) return
    const step = this.#path[at]
    if (step === undefined) this.#add(value)
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
    const text = textOf(value)
    if (text !== undefined && text !== '') this.#texts.push(text)
    if (text !== undefined) return
    this.#run.note(() => ({
      reason: 'TYPE_MISMATCH',
      rule: this.#rule.name,
      at: this.#run.place(this.#rule, this.#path, this.#indexes),
      expected: 'single value',
      found: kindName(value),
    }))
  }

  #noteKind(at: number, value: unknown): void {
    noteKind(this.#run, this.#rule, this.#path.slice(0, at), this.#path[at], value, this.#indexes)
  }
}

function isRightKind(step: Step, value: unknown): boolean {
  return typeof step === 'string' ? isObject(value) : Array.isArray(value)
}
