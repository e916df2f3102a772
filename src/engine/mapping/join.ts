import { byteLength } from '../json/fields.ts'
import { Filter } from '../json/filter/filter.ts'
import { isObject, isOwnText, memberOf } from '../json/json-object.ts'
import { MEMBER_NAME, type Path } from '../json/path.ts'
import { SentValue } from '../json/sent-with.ts'
import { convertedText } from './convert.ts'
import { elementAt, isEmptyList } from './follow.ts'
import { listAt, type ValueList } from './list.ts'
import { type JoinedPart, PARTS_MAX } from './members.ts'
import { pairText } from './pair.ts'
import { onceForOuter } from './repeated.ts'
import { isList, listsOf, type MappingRule } from './rules.ts'
import { hasRoomForBytes, type MappingRun, noteKind, noteSingle, noteWork } from './run.ts'
import { beginningOf, nameReader, type Slots } from './streams.ts'

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
      : { isFixed: false, texts: textsOf(rule, part, separator, slots) },
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

type PathPart = Exclude<JoinedPart, { text: string }>

function textsOf(rule: MappingRule, part: PathPart, separator: string, slots: Slots): Texts {
  const { path, label } = part
  const textsFrom = lister(rule, part)
  const { slot, start, isOuter } = beginningOf(rule, path, slots)
  if (slot !== undefined) {
    const isHere = listsOf(path).length === start
    const nameAt = isHere ? nameReader(rule, label?.path ?? path, slots) : null
    const list = (run: MappingRun) => textsFrom(run, run.elements[slot], start, nameAt?.(run))
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
    const texts = joined(run, textsFrom(run, run.payload, 0), separator)
    run.texts.set(path, texts)
    return texts
  }
}

/** What lists the texts of the part below a value, from a step of its path on. */
function lister(rule: MappingRule, { path, label }: PathPart) {
  if (!label) {
    return (run: MappingRun, value: unknown, start: number, name?: string) =>
      new Listing(run, rule, path, { name }).from(value, start)
  }
  const shared = listsOf(path)
  return (run: MappingRun, value: unknown, start: number, name?: string): readonly string[] => {
    const pairs: string[] = []
    const elements = new Listing(run, rule, shared, {
      name,
      leaf: (element, indexes, own) => {
        const textAt = (of: Path) =>
          new Listing(run, rule, of, { indexes, name: own }).from(element, shared.length)[0]
        const text = textAt(path)
        if (text !== undefined) pairs.push(pairText(textAt(label.path), text, label.separator))
      },
    })
    elements.from(value, start)
    return pairs
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

interface ListingHooks {
  /** Takes each text. Without it they are collected. */
  take?: (text: string) => void
  /** Takes each value instead of its text, with the indexes that lead to it beyond the arrays of the target. */
  leaf?: (value: unknown, indexes: readonly number[], name: string | undefined) => void
  /** Of the member where the listing begins. */
  name?: string | undefined
  /** Those of the value where the listing begins. */
  indexes?: readonly number[]
}

/** Takes the texts of all values that a path leads to. All that a filter takes are among them. */
export class Listing {
  readonly #run: MappingRun
  readonly #rule: MappingRule
  readonly #path: Path
  readonly #texts: string[] = []
  readonly #hooks: ListingHooks
  /** The indexes of the elements at hand, in the arrays beyond those of the target. */
  readonly #indexes: number[]
  /** Of the member at hand of an object. */
  #name: string | undefined

  constructor(run: MappingRun, rule: MappingRule, path: Path, hooks: ListingHooks = {}) {
    this.#run = run
    this.#rule = rule
    this.#path = path
    this.#hooks = hooks
    this.#indexes = [...(hooks.indexes ?? [])]
    this.#name = hooks.name
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
    const { leaf } = this.#hooks
    if (step === MEMBER_NAME) this.#addName(at - 1)
    else if (step === undefined) leaf ? leaf(value, this.#indexes, this.#name) : this.#add(value)
    else if (step instanceof SentValue) this.#collect(step.in(this.#run.sent), at + 1)
    else if (typeof step === 'string') this.#collectMember(value, step, at)
    else this.#collectFrom(listAt(this.#rule, this.#path, at, value), value, at)
  }

  #collectMember(value: unknown, name: string, at: number): void {
    const isLed = isObject(value) || isOwnText(value, name)
    if (isLed) this.#collect(memberOf(value, name), at + 1)
    else this.#noteKind(at, value)
  }

  #collectFrom(list: ValueList | undefined, value: unknown, at: number): void {
    const step = this.#path[at]
    if (!list) this.#noteKind(at, value)
    else if (step !== undefined && isList(step)) this.#collectElements(list, at)
    else this.#collect(elementAt(this.#run, this.#rule, this.#path, at, list.values), at + 1)
  }

  #collectElements({ values, names }: ValueList, at: number): void {
    const step = this.#path[at]
    for (const [index, element] of values.entries()) {
      const isTaken = step instanceof Filter ? step.test(element, this.#run) : true
      if (!this.#run.labour(1)) {
        noteWork(this.#run, this.#rule, this.#path)
        return
      }
      if (!isTaken) continue
      this.#indexes.push(index)
      this.#name = names?.[index]
      if (this.#path[at + 1] === MEMBER_NAME) this.#addName(at)
      else this.#collect(element, at + 1)
      this.#indexes.pop()
    }
  }

  #addName(at: number): void {
    if (this.#name !== undefined) this.#add(this.#name)
    else if (at >= 0) this.#noteKind(at, [], '')
  }

  #add(value: unknown): void {
    const text = convertedText(value)
    const { take } = this.#hooks
    if (text !== undefined && text !== '') take ? take(text) : this.#texts.push(text)
    if (text !== undefined) return
    noteSingle(this.#run, this.#rule, value, () => this.place)
  }

  #noteKind(at: number, value: unknown, step = this.#path[at]): void {
    const way = this.#path.slice(0, at)
    const place = () => this.#run.placeListed(this.#rule, way, this.#indexes)
    noteKind(this.#run, this.#rule, way, step, value, place)
  }
}
