import { crc32 } from 'node:zlib'
import { hintOf } from '../../src/engine/identity/key.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHECKSUM_LENGTH = 6
const SHAPE = /xd_[a-z][a-z0-9]*(?:-[a-z0-9]+)*_[0-9A-Za-z]{49}/g
const SECRET = /[0-9A-Za-z]{45,}([0-9A-Za-z]{4})/g
const WORD_LENGTH = 16
const WORD = new RegExp(`[0-9A-Za-z]{${WORD_LENGTH},}`, 'g')

/** Base64 of three bytes begins anew with each: where in the secret depends on what is before it. */
const BASE64_STARTS = [0, 1, 2]
const BASE64_BYTES = 12

/** Keys in a text by their own checksum, whoever has made them. */
export function keysIn(text: string): string[] {
  return (text.match(SHAPE) ?? []).filter(isKey)
}

export function isKey(value: unknown): value is string {
  if (typeof value !== 'string' || value.match(SHAPE)?.[0] !== value) return false
  const digits = value.slice(-CHECKSUM_LENGTH)
  const number = [...digits].reduce((sum, digit) => sum * 62 + BASE62.indexOf(digit), 0)
  return number === crc32(value.slice(0, -CHECKSUM_LENGTH))
}

/**
 * Looks through whatever goes out, at once: no text is kept, only where a key was found. Of a key
 * that it has been told, the secret part is enough, cut off or in base64.
 */
export class KeySearch {
  readonly #words = new Map<string, string>()
  readonly #shown = new Set<string>()
  #found = new Set<string>()

  learn(key: string): void {
    const secret = key.slice(key.lastIndexOf('_') + 1)
    const encoded = BASE64_STARTS.map((at) => btoa(secret.slice(at, at + BASE64_BYTES)))
    for (const word of [secret.slice(0, WORD_LENGTH), ...encoded]) {
      this.#words.set(word, hintOf(key))
    }
  }

  /** Whether nobody was shown the key before. */
  show(key: string): boolean {
    this.learn(key)
    return this.#shown.size < this.#shown.add(key).size
  }

  /** `where` is what a reader of the report is told. */
  look(where: string, text: string): void {
    for (const key of keysIn(text)) this.#add(where, hintOf(key))
    if (this.#words.size > 0) this.#lookForWords(where, text)
  }

  /** Where keys were found so far, without their values; forgets it. */
  take(): string[] {
    const found = [...this.#found]
    this.#found = new Set()
    return found
  }

  /** A path or a name may be a key itself. */
  #add(where: string, hint: string): void {
    this.#found.add(`${where.replace(SECRET, '…$1')}: ${hint}`)
  }

  #lookForWords(where: string, text: string): void {
    for (const [run] of text.matchAll(WORD)) {
      for (let at = 0; at <= run.length - WORD_LENGTH; at++) {
        const hint = this.#words.get(run.slice(at, at + WORD_LENGTH))
        if (hint) this.#add(where, hint)
      }
    }
  }
}
