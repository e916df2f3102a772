import { Buffer } from 'node:buffer'
import { importKey, type KeyAlgorithm } from './public-key.ts'
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
