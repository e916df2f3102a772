import { endOfStringIn } from '../json/json-fault.ts'
import { EACH, type Path, type PathStep } from '../json/path.ts'

/** As parseJson has it. */
const DEPTH_MAX = 64
const BYTE_ORDER_MARK = '\ufeff'
const SCALAR = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/** A value in a JSON text, in UTF-16 units. */
export interface TextPlace {
  start: number
  end: number
  /** The path that leads to it. */
  path: Path
}

/**
 * The values of a JSON text to which these paths lead, in order. Repeated members are all found, and a
 * member's name may have escapes. A value within another one found is not reported. Null if the text is
 * not JSON as a whole, or is nested deeper than 64 levels. Makes no values, so a text takes no more memory
 * than its length.
 */
export function findPlaces(
  text: string,
  paths: readonly Path[],
  options: PlaceOptions = {},
): TextPlace[] | null {
  return new Walk(text, paths, options).toEnd()
}

export interface PlaceOptions {
  /**
   * A mapping may read the text, which takes the members of an object (`[*]`), or one value, for a list: a path with `[]` leads
   * to these, too.
   */
  listsAnything?: boolean
}

/** An object or array that is not closed yet. */
interface Level {
  isArray: boolean
  step: PathStep
  /** The index of the last element, if a path asks for it. */
  last: number
  /** The paths that lead on from here. */
  paths: readonly Path[]
  /** Set if the value as a whole is a place. */
  found: TextPlace | null
}

/** Goes through the text once. The methods that read give false where the text is not JSON. */
class Walk {
  readonly #text: string
  readonly #paths: readonly Path[]
  /** By path on which single values stand for lists: the path with the lists. */
  readonly #singles = new Map<Path, Path>()
  readonly #listsAnything: boolean
  readonly #open: Level[] = []
  readonly #places: TextPlace[] = []
  #at = 0

  constructor(text: string, paths: readonly Path[], { listsAnything = false }: PlaceOptions) {
    this.#text = text
    this.#listsAnything = listsAnything
    for (const path of listsAnything ? paths : []) {
      for (const single of withSingles(path)) this.#singles.set(single, path)
    }
    this.#paths = [...paths, ...this.#singles.keys()]
    if (text.startsWith(BYTE_ORDER_MARK)) this.#at = 1
  }

  toEnd(): TextPlace[] | null {
    while (this.#readValue()) {
      if (!this.#closeLevels()) return null
      if (this.#open.length > 0) continue
      return this.#at === this.#text.length ? this.#places : null
    }
    return null
  }

  /** A single value, or the beginning of an object or array up to its first value. */
  #readValue(): boolean {
    this.#skipSpace()
    const code = this.#text[this.#at]
    if (code === '{' || code === '[') return this.#openLevel(code === '[')
    const start = this.#at
    if (!(code === '"' ? this.#readString() : this.#readScalar())) return false
    const path = this.#endingHere(this.#pathHere(), false)
    if (path) this.#places.push({ start, end: this.#at, path })
    return true
  }

  /** True also for an empty one, which `closeLevels` closes. */
  #openLevel(isArray: boolean): boolean {
    if (this.#open.length === DEPTH_MAX) return false
    const depth = this.#open.length
    const here = this.#pathHere()
    const path = this.#endingHere(here, isArray)
    const found = path ? { start: this.#at, end: 0, path } : null
    const paths = found ? [] : here
    this.#at += 1
    const asksLast = isArray && paths.some((one) => one[depth] === -1)
    const last = asksLast ? lastIndex(this.#text, this.#at) : -1
    this.#open.push({ isArray, step: isArray ? 0 : '', last, paths, found })
    this.#skipSpace()
    if (this.#text[this.#at] === (isArray ? ']' : '}')) return true
    return isArray ? this.#readValue() : this.#readName() && this.#readValue()
  }

  /** After a value: closes what ends here, up to the next value of what does not. */
  #closeLevels(): boolean {
    this.#skipSpace()
    for (let level = this.#open.at(-1); level; level = this.#open.at(-1)) {
      const code = this.#text[this.#at]
      if (code === ',') return this.#nextMember(level)
      if (code !== (level.isArray ? ']' : '}')) return false
      this.#at += 1
      this.#open.pop()
      if (level.found) this.#places.push({ ...level.found, end: this.#at })
      this.#skipSpace()
    }
    return true
  }

  #nextMember(level: Level): boolean {
    this.#at += 1
    if (!level.isArray) return this.#readName()
    level.step = Number(level.step) + 1
    return true
  }

  #readName(): boolean {
    this.#skipSpace()
    const start = this.#at
    const level = this.#open.at(-1)
    if (!level || this.#text[start] !== '"' || !this.#readString()) return false
    if (level.paths.length > 0) level.step = stringOf(this.#text.slice(start, this.#at))
    this.#skipSpace()
    return this.#text[this.#at++] === ':'
  }

  #readString(): boolean {
    const text = this.#text
    for (let at = this.#at + 1; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 0x22) {
        this.#at = at + 1
        return true
      }
      if (code < 0x20) return false
      if (code !== 0x5c) continue
      ESCAPE.lastIndex = at
      if (!ESCAPE.test(text)) return false
      at = ESCAPE.lastIndex - 1
    }
    return false
  }

  #readScalar(): boolean {
    SCALAR.lastIndex = this.#at
    if (!SCALAR.test(this.#text)) return false
    this.#at = SCALAR.lastIndex
    return true
  }

  #skipSpace(): void {
    while (isSpace(this.#text.charCodeAt(this.#at))) this.#at += 1
  }

  /** The path that leads to the value that begins here, as it was given. An array is no single value. */
  #endingHere(here: readonly Path[], isArray: boolean): Path | undefined {
    const depth = this.#open.length
    const isSingle = (path: Path) => endsInList(this.#singles.get(path)) && !endsInList(path)
    const path = here.find((one) => one.length === depth && !(isArray && isSingle(one)))
    return path && (this.#singles.get(path) ?? path)
  }

  /** The paths that lead to the value that begins here, or further. */
  #pathHere(): readonly Path[] {
    const level = this.#open.at(-1)
    if (!level) return this.#paths
    const at = this.#open.length - 1
    if (level.paths.length === 0) return level.paths
    return level.paths.filter((path) => takes(path[at], level, this.#listsAnything))
  }
}

/** The paths on which single values stand for some of the lists: whoever makes JSON of XML writes one as an object. */
function withSingles(path: Path): Path[] {
  const at = path.indexOf(EACH)
  if (at === -1) return []
  const [before, after] = [path.slice(0, at), path.slice(at + 1)]
  const rests = withSingles(after)
  return [
    ...[after, ...rests].map((rest): Path => [...before, ...rest]),
    ...rests.map((rest): Path => [...before, EACH, ...rest]),
  ].filter(({ length }) => length > 0)
}

function endsInList(path: Path | undefined): boolean {
  return path?.at(-1) === EACH
}

function takes(
  wanted: PathStep | undefined,
  { isArray, step, last }: Level,
  takesMembers: boolean,
): boolean {
  if (!isArray) return wanted === step || (takesMembers && wanted === EACH)
  return wanted === EACH || wanted === step || (wanted === -1 && step === last)
}

/** The string that a token of a JSON text stands for. */
export function stringOf(token: string): string {
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1)
}

/** The index of the last element of an array whose elements begin at `start`. */
function lastIndex(text: string, start: number): number {
  let index = 0
  for (let at = start, depth = 0; at < text.length && depth >= 0; at++) {
    const code = text[at]
    if (code === '"') at = endOfStringIn(text, at)
    else if (code === '[' || code === '{') depth += 1
    else if (code === ']' || code === '}') depth -= 1
    else if (code === ',' && depth === 0) index += 1
  }
  return index
}

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09
}

/** What takes the place of a part of a text. */
export interface Edit {
  start: number
  end: number
  text: string
}

/** The text with these edits. Of two that overlap, the first counts. */
export function edited(text: string, edits: readonly Edit[]): string {
  const parts: string[] = []
  let at = 0
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    if (edit.start < at) continue
    parts.push(text.slice(at, edit.start), edit.text)
    at = edit.end
  }
  return parts.join('') + text.slice(at)
}
