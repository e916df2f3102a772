import { SaxesParser, type SaxesTag } from 'saxes'
import type { ApiError } from '../errors.ts'
import { VALUES_MAX } from '../json/fields.ts'
import type { JsonObject } from '../json/json-object.ts'
import { shortened } from '../json/messages.ts'
import { malformed, tooComplex } from './malformed.ts'

/** How a mapping reads XML. */
export interface XmlOptions {
  /** Namespaces by the prefix that their names get, whatever the sender writes; without one where it is empty. */
  prefixes?: Record<string, string> | undefined
}

// What is read at once. Before the root stands less: a declaration, comments, and a DOCTYPE with addresses.
const PART_LENGTH = 65_536
/** So many elements may lie in each other. */
export const ELEMENTS_DEEP_MAX = 64
const NAMESPACES = /^xmlns(?::|$)/
const WHITE_SPACE = /^[ \t\r\n]*$/
const QUOTED = /"[^"]*"|'[^']*'/g

/** Without namespaces the name alone is known. */
interface Named {
  name: string
  local?: string
  uri?: string
}

/** An element that is not closed yet. */
interface Open {
  name: string
  members: Map<string, unknown>
  /** Names of those that came several times. */
  repeated: Set<string>
  text: string
}

/**
 * An XML 1.0 text as an object, with its root as the only member: child elements as members, those of one name as an array,
 * attributes as `@name`, text beside them as `#text`. An element that has neither is its text; text of white space alone
 * is none. Declarations of namespaces are no members. Nothing is fetched: an external DOCTYPE is passed over, one with
 * declarations is refused, so no entity can be defined. Errors name line, column and the path of the element.
 */
export function parseXml(text: string, options: XmlOptions = {}): JsonObject {
  const parts = readXml(text, options)
  let part = parts.next()
  while (!part.done) part = parts.next()
  return part.value
}

/** As `parseXml`, which may pause after each part of the text: it gives the length of the next one. */
export function* readXml(
  text: string,
  { prefixes }: XmlOptions = {},
): Generator<number, JsonObject, void> {
  const reading = new Reading(prefixes)
  for (let at = 0; at < text.length; at += PART_LENGTH) {
    const part = text.slice(at, at + PART_LENGTH)
    yield part.length
    if (at > 0) reading.requireRoot()
    reading.write(part)
  }
  return reading.end()
}

class Reading {
  readonly #parser: SaxesParser
  readonly #prefixes: Map<string, string>
  readonly #document: Open = openAs('')
  readonly #open: Open[] = [this.#document]
  #values = 0

  constructor(prefixes: Record<string, string> = {}) {
    this.#prefixes = new Map(Object.entries(prefixes).map(([prefix, uri]) => [uri, prefix]))
    const parser = new SaxesParser({ xmlns: this.#prefixes.size > 0 })
    this.#parser = parser as SaxesParser
    parser.on('error', ({ message }) => {
      throw this.#fault(faultIn(message))
    })
    parser.on('doctype', (declared) => this.#refuseDeclarations(declared))
    parser.on('opentagstart', () => this.#begin())
    parser.on('attribute', () => this.#count())
    parser.on('opentag', (tag) => this.#opened(tag))
    parser.on('text', (text) => this.#read(text))
    parser.on('cdata', (text) => this.#read(text))
    parser.on('closetag', () => this.#close())
  }

  write(text: string): void {
    this.#parser.write(text)
  }

  requireRoot(): void {
    if (this.#values > 0) return
    throw malformed(`No element begins in the first ${PART_LENGTH} characters of the body.`)
  }

  end(): JsonObject {
    this.#parser.close()
    return Object.fromEntries(this.#document.members)
  }

  get #here(): Open {
    return this.#open.at(-1) ?? this.#document
  }

  #begin(): void {
    this.#count()
    if (this.#open.length > ELEMENTS_DEEP_MAX) {
      throw tooComplex(`The body is nested deeper than ${ELEMENTS_DEEP_MAX} elements.`)
    }
  }

  #count(): void {
    this.#values += 1
    if (this.#values > VALUES_MAX) {
      throw tooComplex(`The body has more than ${VALUES_MAX} elements and attributes.`)
    }
  }

  #opened(tag: SaxesTag): void {
    const open = openAs(this.#named(tag))
    for (const [name, attribute] of Object.entries(tag.attributes)) {
      if (NAMESPACES.test(name)) continue
      const { value, ...named } =
        typeof attribute === 'string' ? { name, value: attribute } : attribute
      open.members.set(`@${this.#named(named)}`, value)
    }
    this.#open.push(open)
  }

  #named({ name, local = name, uri }: Named): string {
    const prefix = uri === undefined ? undefined : this.#prefixes.get(uri)
    if (prefix === undefined) return name
    return prefix === '' ? local : `${prefix}:${local}`
  }

  #read(text: string): void {
    const here = this.#here
    here.text += text
  }

  #close(): void {
    const closed = this.#open.pop()
    if (!closed) return
    const { name } = closed
    const { members, repeated } = this.#here
    const value = closedValue(closed)
    if (!members.has(name)) members.set(name, value)
    else if (repeated.has(name)) (members.get(name) as unknown[]).push(value)
    else {
      members.set(name, [members.get(name), value])
      repeated.add(name)
    }
  }

  #refuseDeclarations(declared: string): void {
    if (!declared.replace(QUOTED, '').includes('[')) return
    throw malformed(
      'The DOCTYPE declares something between [ and ]. Send the document without that: entities are not read.',
    )
  }

  #fault(what: string): ApiError {
    const { line, columnIndex } = this.#parser
    const path = this.#open.slice(1).map(({ name }) => shortened(name, NAME_SHOWN))
    const where = path.length === 0 ? '' : `, in ${path.slice(-PATH_SHOWN).join('.')}`
    return malformed(`Line ${line}, column ${columnIndex}${where}: ${what}`)
  }
}
const PATH_SHOWN = 6
const NAME_SHOWN = 40

function openAs(name: string): Open {
  return { name, members: new Map(), repeated: new Set(), text: '' }
}

function closedValue({ members, text }: Open): unknown {
  const told = WHITE_SPACE.test(text) ? '' : text
  if (members.size === 0) return told
  if (told !== '') members.set('#text', told)
  return Object.fromEntries(members)
}

const DECLARED = /^<\?xml\s[^>]*?\sencoding\s*=\s*["']([A-Za-z][\w.:-]*)["']/
const DECLARATION_LENGTH_MAX = 200

/** The encoding that the XML declaration names (XML 1.0, 4.3.3); null without one. */
export function declaredEncoding(bytes: Uint8Array): string | null {
  const begins = new TextDecoder('windows-1252').decode(bytes.subarray(0, DECLARATION_LENGTH_MAX))
  return DECLARED.exec(begins)?.[1] ?? null
}

// By what the parser says, the first that fits. The texts are our own: its own may change, and repeat what was sent.
const FAULTS: [said: RegExp, told: string][] = [
  [
    /unmatched closing tag|unexpected close tag|weird empty close tag/,
    'this tag closes another element than the one that is open here.',
  ],
  [
    /unclosed tag|unexpected end|is incomplete/,
    'the document ends before all of its elements are closed, or an ampersand is not written as &amp;.',
  ],
  [/must contain a root|text data outside/, 'text stands outside of the root element.'],
  [/only one root/, 'a second root element begins: send one document.'],
  [
    /entity/,
    'only the entities &amp; &lt; &gt; &quot; &apos; and those of numbers can be read: write &amp; for an ampersand.',
  ],
  [/duplicate attribute/, 'an attribute stands here twice.'],
  [
    /unquoted attribute|attribute name|attribute without value|between attributes|value must be quoted/,
    'an attribute is not written as name="value".',
  ],
  [/unbound namespace prefix/, 'this prefix is not bound to a namespace.'],
  [/at the start of the document|not allowed before root/, 'the XML declaration must come first.'],
  [/doctype/, 'the DOCTYPE must stand before the root element.'],
  [/comment/, 'a comment has -- in it.'],
  [/disallowed in char data/, 'the text has ]]> in it.'],
  [/tag name|closing tag/, 'no tag can begin so: write &lt; for a less-than sign.'],
  [/disallowed character/, 'a character stands here that XML cannot have.'],
]

/** What is wrong with a text that is no XML. */
function faultIn(said: string): string {
  return FAULTS.find(([pattern]) => pattern.test(said))?.[1] ?? 'this is no XML.'
}
