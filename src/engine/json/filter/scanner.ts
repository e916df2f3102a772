import { ExactNumber } from '../exact-number.ts'
import { FilterError } from './syntax.ts'

const SPACE = /[ \t\n\r]*/y
// RFC 9535, 2.5.1.1: name-first and name-char.
const NAME = /[A-Za-z_\u{80}-\u{d7ff}\u{e000}-\u{10ffff}][\w\u{80}-\u{d7ff}\u{e000}-\u{10ffff}]*/uy
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const INTEGER = /-?(?:0|[1-9]\d*)/y
const ESCAPES: Record<string, string> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '/': '/',
  '\\': '\\',
}

/** Reads the tokens of a filter from a text, from left to right. */
export class Scanner {
  readonly text: string
  at: number

  constructor(text: string, at: number) {
    this.text = text
    this.at = at
  }

  /** Whether the text goes on with this; steps over it if so. */
  takes(token: string): boolean {
    const found = this.text.startsWith(token, this.at)
    if (found) this.at += token.length
    return found
  }

  sees(token: string): boolean {
    return this.text.startsWith(token, this.at)
  }

  expect(token: string): void {
    if (!this.takes(token)) this.fail(`"${token}" is missing`)
  }

  /** Steps over white space; whether there was any. */
  skipSpace(): boolean {
    return this.match(SPACE) !== ''
  }

  name(): string | null {
    return this.match(NAME)
  }

  integer(): number | null {
    const digits = this.match(INTEGER)
    if (digits === null) return null
    const value = Number(digits)
    if (digits === '-0' || !Number.isSafeInteger(value)) this.fail(`${digits} is not an index`)
    return value
  }

  number(): unknown {
    const digits = this.match(NUMBER)
    if (digits === null) return null
    const exact = new ExactNumber(digits)
    return exact.isRounded ? exact : exact.value
  }

  /** A text in single or double quotes (RFC 9535, 2.3.1.1); null if there is none here. */
  quoted(): string | null {
    const quote = this.text[this.at]
    if (quote !== "'" && quote !== '"') return null
    let value = ''
    for (this.at += 1; this.at < this.text.length; ) {
      const char = this.text.charAt(this.at)
      this.at += 1
      if (char === quote) return value
      if (char < ' ') this.fail('a text in quotes has a control character')
      value += char === '\\' ? this.#escaped(quote) : char
    }
    return this.fail('a closing quote is missing')
  }

  #escaped(quote: string): string {
    const char = this.text.charAt(this.at)
    this.at += 1
    if (char === quote) return quote
    if (char === 'u') return this.#codePoint()
    const plain = Object.hasOwn(ESCAPES, char) ? ESCAPES[char] : undefined
    return plain ?? this.fail(`"\\${char}" is not an escape`)
  }

  #codePoint(): string {
    const high = this.#hex()
    if (high < 0xd800 || high > 0xdfff) return String.fromCharCode(high)
    const low = high < 0xdc00 && this.takes('\\u') ? this.#hex() : 0
    if (low < 0xdc00 || low > 0xdfff) this.fail('half a surrogate pair is missing')
    return String.fromCharCode(high, low)
  }

  #hex(): number {
    const digits = this.text.slice(this.at, this.at + 4)
    if (!/^[\dA-Fa-f]{4}$/.test(digits)) this.fail('"\\u" needs four hexadecimal digits')
    this.at += 4
    return Number.parseInt(digits, 16)
  }

  match(pattern: RegExp): string | null {
    pattern.lastIndex = this.at
    const found = pattern.exec(this.text)?.[0] ?? null
    this.at += found?.length ?? 0
    return found
  }

  fail(what: string): never {
    const rest = this.text.slice(this.at, this.at + 20)
    throw new FilterError(`${what}${rest === '' ? ' at its end' : ` before "${rest}"`}`)
  }
}
