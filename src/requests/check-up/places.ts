import { ExactNumber } from '../../engine/json/exact-number.ts'
import { isObject } from '../../engine/json/json-object.ts'
import { appendStep, EACH, type Path } from '../../engine/json/path.ts'
import { HIDDEN_KEY, isHiddenKey } from '../../engine/log/values.ts'
import { REDACTED } from '../../engine/redaction/messages.ts'

/** Documents of shops have some 400 places. */
const PLACES_MAX = 1000
/** An object with more different members is a table, whose keys are data and no names of fields. */
const MEMBERS_MAX = 200
/** So many keys are looked up in the rules: a document of 1 MB can have tens of thousands that may be values. */
const LOOKED_UP_MAX = 2000

/** The kinds of values, as a message names them, and the bit of each. */
export const VALUE_KINDS = {
  'an object': 1,
  'an array': 2,
  'a string': 4,
  'a number': 8,
  'a boolean': 16,
} as const
const NULL = 32
const WITHHELD = 64
const VALUES = 31

/** A place in documents: a field, or any element of an array. */
export interface DocumentPlace {
  path: Path
  /** As `printPath` writes it, without keys that may be values. */
  text: string
  parent: DocumentPlace | null
  /** For each document, the bits of what is there. */
  seen: Uint8Array
  members: Map<string, DocumentPlace>
  element: DocumentPlace | null
  /** Its members are no fields. */
  isTable: boolean
}

/** What several documents have at each place: the kinds of values, no values. */
export class Places {
  readonly #all: DocumentPlace[] = []
  readonly #documents: number
  readonly #rules: () => string
  #lookedUp = 0

  /** `rules` is the text of the partner's rules, whose names may be shown; beyond 2,000 look-ups, none is. */
  constructor(documents: number, rules: () => string) {
    this.#documents = documents
    this.#rules = () => (this.#lookedUp++ < LOOKED_UP_MAX ? rules() : '')
    this.#add(null, [], '')
  }

  /** Adds the document of this number. `isRedacted`: places of it have been redacted. */
  add(document: number, payload: unknown, isRedacted: boolean): void {
    const [root] = this.#all
    if (root) this.#note(root, payload, { document, isRedacted })
  }

  get all(): readonly DocumentPlace[] {
    return this.#all.filter((place) => !isInTable(place))
  }

  /** Recursion is safe: a document is at most 64 levels deep. */
  #note(place: DocumentPlace, value: unknown, of: { document: number; isRedacted: boolean }): void {
    const bit = of.isRedacted && value === REDACTED ? WITHHELD : bitOf(value)
    place.seen[of.document] = (place.seen[of.document] ?? 0) | bit
    if (Array.isArray(value)) {
      place.element ??= this.#add(place, [...place.path, EACH], appendStep(place.text || '$', EACH))
      for (const member of value) if (place.element) this.#note(place.element, member, of)
    } else if (isObject(value)) {
      for (const name of Object.keys(value)) {
        const member = this.#memberOf(place, name)
        if (member) this.#note(member, value[name], of)
      }
    }
  }

  /** Null if it is one too many. */
  #memberOf(place: DocumentPlace, name: string): DocumentPlace | null {
    if (place.isTable) return null
    const shown = place.members.get(name)
    if (shown) return shown
    const isHidden = isHiddenKey(name, this.#rules)
    const step = isHidden ? HIDDEN_KEY : name
    const known = place.members.get(step)
    if (known) return known
    if (place.members.size === MEMBERS_MAX) {
      place.isTable = true
      return null
    }
    const text = isHidden ? place.text + HIDDEN_KEY : appendStep(place.text, step)
    const added = this.#add(place, [...place.path, step], text)
    if (added) place.members.set(step, added)
    return added
  }

  #add(parent: DocumentPlace | null, path: Path, text: string): DocumentPlace | null {
    if (this.#all.length === PLACES_MAX) return null
    const seen = new Uint8Array(this.#documents)
    const place = { path, text, parent, seen, members: new Map(), element: null, isTable: false }
    this.#all.push(place)
    return place
  }
}

/** What lies in a table is data, however deep. */
function isInTable({ parent }: DocumentPlace): boolean {
  return parent !== null && (parent.isTable || isInTable(parent))
}

function bitOf(value: unknown): number {
  if (value === null) return NULL
  if (Array.isArray(value)) return VALUE_KINDS['an array']
  if (typeof value === 'string') return VALUE_KINDS['a string']
  if (typeof value === 'number' || value instanceof ExactNumber) return VALUE_KINDS['a number']
  return typeof value === 'boolean' ? VALUE_KINDS['a boolean'] : VALUE_KINDS['an object']
}

/**
 * For each document whether the field has a value; null where its parent is not there, or where nobody can know.
 * `null` is no value: an optional field may come with it or not at all.
 */
export function presenceOf({ seen, parent, path }: DocumentPlace): (boolean | null)[] {
  // An array may be empty.
  if (!parent || path.at(-1) === EACH) return []
  const hasPlain = seen.some((bits) => bits & (VALUES | NULL))
  return Array.from(seen, (bits, document) => {
    if (!((parent.seen[document] ?? 0) & VALUE_KINDS['an object'])) return null
    // What has been redacted may have been null, which counts if the policy has changed meanwhile.
    if (bits & WITHHELD && !(bits & VALUES)) return hasPlain ? null : true
    return (bits & VALUES) !== 0
  })
}

/** For each document whether there is a value of this kind; null where there is no value. */
export function ofKind({ seen }: DocumentPlace, kind: number): (boolean | null)[] {
  return Array.from(seen, (bits) => (bits & VALUES ? (bits & kind) !== 0 : null))
}
