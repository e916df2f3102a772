import { plainEcdsa } from './ecdsa.ts'
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
