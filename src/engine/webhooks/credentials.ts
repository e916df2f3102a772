import { Buffer } from 'node:buffer'
import { createHash, timingSafeEqual } from 'node:crypto'

/** Whether an `Authorization` header has this name and one of the passwords (RFC 7617, in UTF-8). */
export function hasPassword(
  header: string,
  username: string,
  passwords: readonly string[],
): boolean {
  const credentials = /^Basic +(\S+)$/i.exec(header)?.[1]
  if (credentials === undefined) return false
  const expected = passwords.map((password) => `${username}:${password}`)
  return isAnyOf(Buffer.from(credentials, 'base64'), expected)
}

/** Whether a header is the prefix and one of the tokens. */
export function hasToken(header: string, prefix: string, tokens: readonly string[]): boolean {
  const expected = tokens.map((token) => prefix + token)
  return isAnyOf(Buffer.from(header), expected)
}

/** Takes a time that depends on the lengths only: each expected text is compared by its digest. */
function isAnyOf(given: Uint8Array, expected: string[]): boolean {
  const digest = digestOf(given)
  return expected.map((text) => timingSafeEqual(digest, digestOf(Buffer.from(text)))).includes(true)
}

function digestOf(bytes: Uint8Array): Uint8Array {
  return createHash('sha256').update(bytes).digest()
}
