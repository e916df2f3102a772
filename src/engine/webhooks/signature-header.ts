import { Buffer } from 'node:buffer'

/** Room for two signatures of the longest keys, or many short ones. In characters. */
const HEADER_LENGTH_MAX = 16_384

/** The parts; none of a header that is longer than 16,384 characters. */
export function headerParts(header: string, separator: string | undefined): string[] {
  if (header.length > HEADER_LENGTH_MAX) return []
  return separator === undefined ? [header] : header.split(separator).map((part) => part.trim())
}

/** The texts that may be signatures: what follows the prefix, or all parts if there is none. */
export function candidatesOf(parts: string[], prefix = ''): string[] {
  return parts.flatMap((part) => (part.startsWith(prefix) ? [part.slice(prefix.length)] : []))
}

/** What follows `t=` in the first such part. */
export function headerMember(parts: string[], member: string): string | null {
  const name = `${member}=`
  return parts.find((part) => part.startsWith(name))?.slice(name.length) ?? null
}

/**
 * The bytes of a signature; null if the text is none. Only one base64 text stands for the same bytes, with or
 * without its padding (RFC 4648, 3.5), so nobody can change a signature and have it accepted. Hex may be upper case.
 */
export function signatureBytes(text: string, encoding: 'base64' | 'hex'): Uint8Array | null {
  if (encoding === 'base64') return base64Bytes(text)
  const isHex = text.length % 2 === 0 && /^[0-9a-f]+$/i.test(text)
  return isHex ? Buffer.from(text, 'hex') : null
}

/** The bytes of a base64 text of RFC 4648, 4; null if it is none or has other bits than the bytes need. */
export function base64Bytes(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64')
  const written = bytes.toString('base64')
  const isThat = text === written || text === written.replace(/=+$/, '')
  return isThat && text !== '' ? bytes : null
}

/** The bytes of a base64url text without padding (RFC 7515, 2); null if it is none. */
export function base64UrlBytes(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64url')
  return bytes.toString('base64url') === text && text !== '' ? bytes : null
}
