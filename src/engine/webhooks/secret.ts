import { Buffer } from 'node:buffer'
import { timingSafeEqual } from 'node:crypto'
import { base64Bytes } from './signature-header.ts'
import type { HmacVerification, Verification } from './verification.ts'

// Printable, as a header has it, and without the white space at its ends that a connection takes away.
const HEADER_TEXT = /^(?! )[\x20-\x7e\u0080-\u00ff]*(?<! )$/

/** Whether a sender proves itself by a secret that both sides know. */
export function needsSecret({ kind }: Pick<Verification, 'kind'>): boolean {
  return kind !== 'address' && kind !== 'public_key'
}

/** Those that have not ended. */
export function secretsInForce<Secret extends { ends_at: string | null }>(
  secrets: readonly Secret[],
): Secret[] {
  return secrets.filter(({ ends_at }) => ends_at === null || Date.parse(ends_at) > Date.now())
}

/** Why the secret can be none of this webhook; null if it can. */
export function secretFault(verification: Verification, secret: string): string | null {
  if (secret === '') return 'Must not be empty.'
  if (!needsSecret(verification)) {
    return `Has no effect: a webhook with the verification "${verification.kind}" has no secret.`
  }
  if (verification.kind === 'token' && !HEADER_TEXT.test(secret)) {
    return 'Must be what a header can have: no line breaks, no spaces at either end.'
  }
  if (verification.kind !== 'hmac' || hmacKeyBytes(verification, secret)) return null
  return verification.secret_prefix === undefined
    ? 'Must be base64.'
    : `Must be base64, after ${verification.secret_prefix}.`
}

/** The bytes of an HMAC key; null if the secret is not in the encoding that the webhook says. */
export function hmacKeyBytes(
  { secret_encoding, secret_prefix = '' }: HmacVerification,
  secret: string,
): Uint8Array | null {
  if (secret === '') return null
  if (secret_encoding === 'utf8') return Buffer.from(secret)
  const isPrefixed = secret.startsWith(secret_prefix)
  return base64Bytes(isPrefixed ? secret.slice(secret_prefix.length) : secret)
}

/** Whether the bytes are the same, in a time that tells nothing but whether their lengths differ. */
export function isSameMac(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && timingSafeEqual(one, other)
}
