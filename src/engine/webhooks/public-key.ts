import { Buffer } from 'node:buffer'
import * as z from 'zod'
import type { FieldErrors } from '../errors.ts'
import { isObject, type JsonObject } from '../json/json-object.ts'
import { kindOf } from '../json/messages.ts'

export const KEY_ALGORITHMS = ['RS256', 'ES256', 'Ed25519'] as const
export type KeyAlgorithm = (typeof KEY_ALGORITHMS)[number]

const Member = z.string().exactOptional()
/** What identifies the key: `use`, `key_ops` or `alg` of a JWK could make it unusable here. */
const PublicJwk = z.object({
  kty: z.string(),
  ...{ crv: Member, n: Member, e: Member, x: Member, y: Member, kid: Member },
})

/** A public key: PEM (SPKI, RFC 7468), or JWK (RFC 7517) with the members that a public key needs. */
export type PublicKey = string | z.output<typeof PublicJwk>

const KEY_LENGTH_MAX = 10_000
/** In bits. RFC 7518, 3.3 asks for at least 2048; more than the other costs much time for each delivery. */
const [MODULUS_MIN, MODULUS_MAX] = [2048, 8192]

const PEM = /^\s*-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]+)-----END PUBLIC KEY-----\s*$/
// Members that only a private or a symmetric key has.
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k']

const JWK_OF: Record<KeyAlgorithm, { fixed: Record<string, string>; members: string[] }> = {
  RS256: { fixed: { kty: 'RSA' }, members: ['n', 'e'] },
  ES256: { fixed: { kty: 'EC', crv: 'P-256' }, members: ['x', 'y'] },
  Ed25519: { fixed: { kty: 'OKP', crv: 'Ed25519' }, members: ['x'] },
}

/** What stands before the 32 bytes of a key (RFC 8410, 4). workerd takes keys of any type for Ed25519. */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex')

const IMPORTED_AS = {
  RS256: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
  Ed25519: { name: 'Ed25519' },
} as const

/** A key as it was pasted. A private key is refused, and never stored. */
export const PastedKey = z
  .custom<string | JsonObject>((value) => typeof value === 'string' || isObject(value), {
    error: ({ input }) =>
      input === undefined ? undefined : `Must be a PEM text or a JWK object, not ${kindOf(input)}.`,
  })
  .superRefine((key, context) => {
    const message = typeof key === 'string' ? pemFault(key) : jwkFault(key)
    if (message !== null) context.addIssue({ code: 'custom', message })
  })
  .transform((key): PublicKey => (typeof key === 'string' ? key : publicMembers(key)))

function pemFault(pem: string): string | null {
  if (pem.length > KEY_LENGTH_MAX) return `Must have at most ${KEY_LENGTH_MAX} characters.`
  if (pem.includes('PRIVATE KEY')) {
    return 'Is a private key. Paste the public key only, and replace this pair of keys.'
  }
  if (/BEGIN (RSA PUBLIC KEY|CERTIFICATE)/.test(pem)) {
    return 'Must be a public key as SPKI, which begins with -----BEGIN PUBLIC KEY-----. OpenSSL makes it from this one.'
  }
  return PEM.test(pem)
    ? null
    : 'Must be a PEM text from -----BEGIN PUBLIC KEY----- to -----END PUBLIC KEY-----.'
}

function jwkFault(jwk: JsonObject): string | null {
  if (JSON.stringify(jwk).length > KEY_LENGTH_MAX) {
    return `Must have at most ${KEY_LENGTH_MAX} characters as JSON.`
  }
  if (PRIVATE_MEMBERS.some((name) => jwk[name] !== undefined)) {
    return 'Is a private or secret key. Paste the public key only, and replace this pair of keys.'
  }
  if (Array.isArray(jwk.keys)) return 'Is a set of keys: paste one key of its "keys".'
  const shape = Object.values(JWK_OF).find(({ fixed }) => hasMembers(jwk, fixed))
  if (!shape) return 'Must be a JWK with "kty" RSA, "EC" on P-256, or "OKP" on Ed25519.'
  const missing = shape.members.find((name) => typeof jwk[name] !== 'string')
  return missing === undefined ? null : `Lacks the member "${missing}" of this type of key.`
}

function publicMembers(jwk: JsonObject): z.output<typeof PublicJwk> {
  const texts = Object.entries(jwk).filter(([, value]) => typeof value === 'string')
  return PublicJwk.parse(Object.fromEntries(texts))
}

function hasMembers(jwk: JsonObject, fixed: Record<string, string>): boolean {
  return Object.entries(fixed).every(([name, value]) => jwk[name] === value)
}

/** By field, as `keys[0]`: the keys that cannot check signatures of this algorithm. Only WebCrypto can tell. */
export async function keyFaults(keys: PublicKey[], algorithm: KeyAlgorithm): Promise<FieldErrors> {
  const faults = await Promise.all(keys.map((key) => keyFault(key, algorithm)))
  return Object.fromEntries(
    faults.flatMap((fault, at) => (fault === null ? [] : [[`keys[${at}]`, [fault]]])),
  )
}

async function keyFault(key: PublicKey, algorithm: KeyAlgorithm): Promise<string | null> {
  const { fixed } = JWK_OF[algorithm]
  const isOther = typeof key !== 'string' && !hasMembers(key, fixed)
  const imported = isOther ? null : await importKey(key, algorithm).catch(() => null)
  if (!imported) return `Is not a key for ${algorithm}, or has been changed while it was pasted.`
  const bits = (imported.algorithm as { modulusLength?: number }).modulusLength ?? MODULUS_MIN
  return bits < MODULUS_MIN || bits > MODULUS_MAX
    ? `Must have ${MODULUS_MIN} to ${MODULUS_MAX} bits, not ${bits}.`
    : null
}

/** Rejects if it is none of this algorithm. */
export async function importKey(key: PublicKey, algorithm: KeyAlgorithm): Promise<CryptoKey> {
  const as = IMPORTED_AS[algorithm]
  if (typeof key !== 'string') {
    return crypto.subtle.importKey('jwk', key, as, false, ['verify'])
  }
  const spki = Buffer.from(PEM.exec(key)?.[1] ?? '', 'base64')
  const isOther = algorithm === 'Ed25519' && !spki.subarray(0, -32).equals(ED25519_SPKI)
  if (isOther) throw new TypeError('The key is none of Ed25519.')
  return crypto.subtle.importKey('spki', spki, as, false, ['verify'])
}
