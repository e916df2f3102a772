/** What comes with a document outside of its body, by name; the names of headers in lower case. */
export interface SentWith {
  headers: Record<string, string>
  query: Record<string, string>
}

export const SENT_ALONE: SentWith = { headers: {}, query: {} }

/** Whether nothing came with the document. */
export function isSentAlone({ headers, query }: SentWith): boolean {
  return Object.keys(headers).length + Object.keys(query).length === 0
}

/** Most headers, and most parameters of the query, that a mapping can read. */
export const SENT_NAMES_MAX = 10
/** In characters. */
export const SENT_NAME_LENGTH_MAX = 100
/** In UTF-16 units. A longer value counts as missing. */
export const SENT_VALUE_LENGTH_MAX = 1000

const ROOT = /^\$(?:headers?|query)(?=[.[]|$)/
const WHOLE = /^\$(header|query)\['((?:[^'\\]|\\['\\])+)'\]$/

/** What to write instead of a text that begins as such a path, and is none. */
export const SENT_HINT =
  "write $header['X-Shop-Domain'] or $query['location'], with nothing below it; a field of the document of this name is ['$header']"

/** A step that is a path of its own: it leads to a header or a parameter of the query, not into the document. */
export class SentValue {
  readonly kind: 'header' | 'query'
  /** As its author wrote it. */
  readonly name: string

  constructor(kind: SentValue['kind'], name: string) {
    this.kind = kind
    this.name = name
  }

  /** As a path has it. */
  get text(): string {
    return `$${this.kind}['${this.name.replace(/['\\]/g, '\\$&')}']`
  }

  /** The text that came; undefined if none did. The case of a header's name does not count. */
  in({ headers, query }: SentWith): string | undefined {
    const values = this.kind === 'header' ? headers : query
    const name = this.kind === 'header' ? this.name.toLowerCase() : this.name
    return Object.hasOwn(values, name) ? values[name] : undefined
  }

  isSame({ kind, name }: SentValue): boolean {
    if (kind !== this.kind) return false
    return kind === 'query' ? name === this.name : name.toLowerCase() === this.name.toLowerCase()
  }
}

/** Whether the text leads, or was meant to lead, to a header or a parameter of the query. */
export function isOfSentWith(text: string): boolean {
  return ROOT.test(text)
}

/** Null if the text is no such path as a whole. */
export function readSentValue(text: string): SentValue | null {
  const [, kind, name = ''] = WHOLE.exec(text) ?? []
  if (kind === undefined) return null
  return new SentValue(kind as SentValue['kind'], name.replace(/\\(.)/g, '$1'))
}

// A value behind such a name shows who sends: whoever knows it may send, too.
const SECRET_WORDS = new Set([
  'apikey',
  'auth',
  'authentication',
  'authorization',
  'bearer',
  'cookie',
  'credential',
  'credentials',
  'hmac',
  'jwt',
  'passphrase',
  'password',
  'passwd',
  'secret',
  'session',
  'sig',
  'sign',
  'signature',
  'token',
])

/** Whether a header or parameter of this name has a key, a password or a signature, which no mapping may read. */
export function namesSecret(name: string): boolean {
  const words = name.toLowerCase().split(/[^a-z0-9]+/)
  const isKey =
    words.join('-') === 'key' || words.some((word, at) => isKeyAfter(words[at - 1], word))
  return isKey || words.some((word) => SECRET_WORDS.has(word))
}

const OF_KEY = ['api', 'access', 'secret', 'private', 'auth']

function isKeyAfter(before: string | undefined, word: string): boolean {
  return word === 'key' && before !== undefined && OF_KEY.includes(before)
}
