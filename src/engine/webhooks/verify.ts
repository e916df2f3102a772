import { Buffer } from 'node:buffer'
import { createHash, timingSafeEqual } from 'node:crypto'
import { utcText } from '../json/date-time.ts'
import { isSignedBy, keysOf, readDetachedJws } from './public-key-signature.ts'
import { hmacKeyBytes, isSameMac } from './secret.ts'
import { candidatesOf, headerMember, headerParts, signatureBytes } from './signature-header.ts'
import { type DeliveryRequest, parsedBody, signedContents, textAt } from './signed-content.ts'
import { valuePath } from './template.ts'
import type {
  HmacVerification,
  KeyVerification,
  SignatureVerification,
  Verification,
} from './verification.ts'

/** Why a delivery is refused. */
export type SignatureRefusal = 'missing' | 'mismatch' | 'too_old'

const SECRETS_MAX = 2
/** Of one header. */
const SIGNATURES_MAX = 16
/** The same for public keys: each of them reads the whole content again, and takes longer than all HMACs. */
const KEY_SIGNATURES_MAX = 4

const HASHES = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' } as const

/**
 * Checks who sends. Null: accepted. Any of at most two secrets may match, those of a public key stand in the verification.
 * `now` is in milliseconds since 1970. Nothing that a sender can put into a request makes it throw.
 */
export async function verify(
  verification: Verification,
  delivery: DeliveryRequest,
  secrets: readonly string[],
  now: number,
): Promise<SignatureRefusal | null> {
  const usable = secrets.filter((secret) => secret !== '').slice(0, SECRETS_MAX)
  const { headers } = delivery
  switch (verification.kind) {
    case 'address':
      return null
    case 'basic':
      return checkHeader(headers.get('Authorization'), (header) =>
        hasPassword(header, verification.username, usable),
      )
    case 'token':
      return checkHeader(headers.get(verification.header), (header) =>
        hasToken(header, verification.prefix ?? '', usable),
      )
    default:
      return checkSignature(verification, delivery, usable, now)
  }
}

function checkHeader(
  header: string | null,
  isRight: (header: string) => boolean,
): SignatureRefusal | null {
  if (header === null) return 'missing'
  return isRight(header) ? null : 'mismatch'
}

async function checkSignature(
  verification: SignatureVerification,
  delivery: DeliveryRequest,
  secrets: readonly string[],
  now: number,
): Promise<SignatureRefusal | null> {
  const { header: name, separator, timestamp, id, origin = '' } = verification
  const header = delivery.headers.get(name)
  if (header === null) return 'missing'
  const parts = headerParts(header, separator)
  const headerText = (of: string | undefined) => (of ? delivery.headers.get(of) : null)
  const time = timestamp?.member
    ? headerMember(parts, timestamp.member)
    : headerText(timestamp?.header)
  const values = { timestamp: time, id: headerText(id?.header), origin }
  const contents = signedContents(verification.signed, delivery, values)
  const isSigned =
    verification.kind === 'hmac'
      ? await hasMac(verification, parts, contents, secrets)
      : await hasKeySignature(verification, parts, contents)
  if (!isSigned) return 'mismatch'
  return timestamp ? timeRefusal(timestamp, time, delivery.body, now) : null
}

/** The body is read only here, where it is known who has sent it. */
function timeRefusal(
  { path, tolerance_s }: { path?: string; tolerance_s: number },
  time: string | null,
  body: Uint8Array,
  now: number,
): SignatureRefusal | null {
  const text = path === undefined ? time : textAt(parsedBody(body), valuePath(path))
  const sent = text === null ? null : sentAt(text)
  if (sent === null) return 'mismatch'
  return Math.abs(now - sent) > tolerance_s * 1000 ? 'too_old' : null
}

/** One MAC for each secret and content, however many signatures are compared with it. */
async function hasMac(
  verification: HmacVerification,
  parts: string[],
  contents: Iterable<Uint8Array>,
  secrets: readonly string[],
): Promise<boolean> {
  const signatures = signaturesOf(verification, parts, SIGNATURES_MAX)
  if (signatures.length === 0) return false
  const keys = await Promise.all(secrets.map((secret) => macKey(verification, secret)))
  for (const content of contents) {
    for (const key of keys) {
      if (!key) continue
      const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, content))
      if (signatures.some((signature) => isSameMac(signature, mac))) return true
    }
  }
  return false
}

/** Null if the secret cannot be a key. */
export async function macKey(
  verification: HmacVerification,
  secret: string,
): Promise<CryptoKey | null> {
  const bytes = hmacKeyBytes(verification, secret)
  const as = { name: 'HMAC', hash: HASHES[verification.algorithm] }
  return bytes && crypto.subtle.importKey('raw', bytes, as, false, ['sign'])
}

async function hasKeySignature(
  verification: KeyVerification,
  parts: string[],
  contents: Iterable<Uint8Array>,
): Promise<boolean> {
  const { algorithm, format, prefix } = verification
  const keys = await keysOf(verification)
  const signed =
    format === 'jws'
      ? candidatesOf(parts, prefix).flatMap((text) => readDetachedJws(text, algorithm) ?? [])
      : signaturesOf(verification, parts, KEY_SIGNATURES_MAX).map(overContent)
  if (signed.length === 0) return false
  for (const content of contents) {
    for (const { signature, signingInput } of signed) {
      const input = signingInput(content)
      if (await isSignedBy(keys, algorithm, signature, input)) return true
    }
  }
  return false
}

function overContent(signature: Uint8Array) {
  return { signature, signingInput: (content: Uint8Array) => content }
}

/** None if there are more than `max`. */
function signaturesOf(
  { prefix, encoding }: SignatureVerification,
  parts: string[],
  max: number,
): Uint8Array[] {
  const candidates = candidatesOf(parts, prefix)
  if (candidates.length > max) return []
  return candidates.flatMap((text) => signatureBytes(text, encoding) ?? [])
}

/** Whether an `Authorization` header has this name and one of the passwords (RFC 7617, in UTF-8). */
function hasPassword(header: string, username: string, passwords: readonly string[]): boolean {
  const credentials = /^Basic +(\S+)$/i.exec(header)?.[1]
  if (credentials === undefined) return false
  const expected = passwords.map((password) => `${username}:${password}`)
  return isAnyOf(Buffer.from(credentials, 'base64'), expected)
}

/** Whether a header is the prefix and one of the tokens. */
function hasToken(header: string, prefix: string, tokens: readonly string[]): boolean {
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

const TIME_LENGTH_MAX = 64
const EPOCH = /^\d{1,15}(?:\.\d{1,9})?$/
/** IMF-fixdate of RFC 9110, 5.6.7. */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/** As seconds the year 5138, as milliseconds 1973: no delivery is of either. */
const MILLISECONDS_FROM = 1e11

/**
 * When a delivery was sent, in milliseconds since 1970: from seconds or milliseconds, ISO 8601, or a date of RFC
 * 9110. Null if the text is none of these.
 */
function sentAt(text: string): number | null {
  if (text.length > TIME_LENGTH_MAX) return null
  if (EPOCH.test(text)) {
    const number = Number(text)
    return number < MILLISECONDS_FROM ? number * 1000 : number
  }
  const time = Date.parse(HTTP_DATE.test(text) ? text : (utcText(text) ?? ''))
  return Number.isNaN(time) ? null : time
}
