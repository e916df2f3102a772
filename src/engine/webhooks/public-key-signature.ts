import { Buffer } from 'node:buffer'
import { isObject } from '../json/json-object.ts'
import { importKey, type KeyAlgorithm } from './public-key.ts'
import { base64UrlBytes } from './signature-header.ts'
import type { KeyVerification } from './verification.ts'

const CHECKED_AS = {
  RS256: { name: 'RSASSA-PKCS1-v1_5' },
  ES256: { name: 'ECDSA', hash: 'SHA-256' },
  Ed25519: { name: 'Ed25519' },
} as const

const imported = new WeakMap<KeyVerification, Promise<CryptoKey[]>>()

/** The keys that can be read, imported once for each webhook that an isolate knows. */
export function keysOf(verification: KeyVerification): Promise<CryptoKey[]> {
  return imported.getOrInsertComputed(verification, importedKeys)
}

async function importedKeys({ keys, algorithm }: KeyVerification): Promise<CryptoKey[]> {
  const results = await Promise.allSettled(keys.map((key) => importKey(key, algorithm)))
  return results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
}

/** Whether one of the keys has made the signature. */
export async function isSignedBy(
  keys: CryptoKey[],
  algorithm: KeyAlgorithm,
  signature: Uint8Array,
  content: Uint8Array,
): Promise<boolean> {
  const bytes = algorithm === 'ES256' ? plainEcdsa(signature) : signature
  if (!bytes) return false
  for (const key of keys) {
    const isIts = crypto.subtle.verify(CHECKED_AS[algorithm], key, bytes, content)
    // Runtimes differ in what they throw for a signature that is too long or too short.
    if (await isIts.catch(() => false)) return true
  }
  return false
}

/** In bytes: two numbers of P-256 (RFC 7518, 3.4). */
const ES256_BYTES = 64

/**
 * The two numbers of an ECDSA signature, which WebCrypto wants one after the other (IEEE P1363), and most senders
 * write as DER: SEQUENCE of two INTEGERs (RFC 3279, 2.2.3). Null if the bytes are neither.
 */
function plainEcdsa(bytes: Uint8Array): Uint8Array | null {
  if (bytes.length === ES256_BYTES) return bytes
  if (bytes[0] !== 0x30 || bytes[1] !== bytes.length - 2) return null
  const first = derInteger(bytes, 2)
  const second = first && derInteger(bytes, first.end)
  if (!second || second.end !== bytes.length) return null
  return Buffer.concat([first.number, second.number])
}

/** An INTEGER in 32 bytes, and where it ends. Null if it is none, is negative, or needs more. */
function derInteger(bytes: Uint8Array, at: number): { number: Uint8Array; end: number } | null {
  const half = ES256_BYTES / 2
  const length = bytes[at + 1] ?? 0
  const end = at + 2 + length
  const [sign = 0x80, next = 0x80] = bytes.subarray(at + 2, end)
  const isInteger = bytes[at] === 0x02 && length > 0 && end <= bytes.length && sign < 0x80
  // Only one form of DER is accepted, so that nobody can rewrite a signature.
  const isPadded = sign === 0 && length > 1
  if (!isInteger || (isPadded && next < 0x80)) return null
  const digits = bytes.subarray(isPadded ? at + 3 : at + 2, end)
  if (digits.length > half) return null
  return { number: Buffer.concat([Buffer.alloc(half - digits.length), digits]), end }
}

// RFC 9864 names the curve; RFC 8037 did not.
const JWS_NAMES: Record<KeyAlgorithm, string[]> = {
  RS256: ['RS256'],
  ES256: ['ES256'],
  Ed25519: ['EdDSA', 'Ed25519'],
}

/** A signature of a detached payload, and what was signed with it. */
interface DetachedJws {
  signature: Uint8Array
  /** Of the payload (RFC 7515, 5.1). */
  signingInput: (payload: Uint8Array) => Uint8Array
}

/**
 * A compact JWS whose payload is the body: `<header>..<signature>` (RFC 7515, appendix F). Null if it is none, if its
 * algorithm is another, or if it has a critical member that is not known. `b64: false` (RFC 7797) counts even
 * if `crit` does not name it: Saleor signs so.
 */
export function readDetachedJws(text: string, algorithm: KeyAlgorithm): DetachedJws | null {
  const [header = '', payload, signature = '', ...rest] = text.split('.')
  const members = headerMembers(header)
  const bytes = base64UrlBytes(signature)
  if (!members || !bytes || payload !== '' || rest.length > 0) return null
  const { alg, b64 = true, crit } = members
  const isOther = typeof alg !== 'string' || !JWS_NAMES[algorithm].includes(alg)
  if (isOther || typeof b64 !== 'boolean') return null
  const isKnown = crit === undefined || (Object.hasOwn(members, 'b64') && isB64Alone(crit))
  if (!isKnown) return null
  const signingInput = (body: Uint8Array) => {
    const written = b64 ? Buffer.from(Buffer.from(body).toString('base64url')) : body
    return Buffer.concat([Buffer.from(`${header}.`), written])
  }
  return { signature: bytes, signingInput }
}

function isB64Alone(crit: unknown): boolean {
  return Array.isArray(crit) && crit.length === 1 && crit[0] === 'b64'
}

function headerMembers(header: string): Record<string, unknown> | null {
  const bytes = base64UrlBytes(header)
  if (!bytes) return null
  try {
    const members: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isObject(members) ? members : null
  } catch {
    return null
  }
}
