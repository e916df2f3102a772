import { Buffer } from 'node:buffer'
import { isObject } from '../json/json-object.ts'
import type { KeyAlgorithm } from './public-key.ts'
import { base64UrlBytes } from './signature-header.ts'

// RFC 9864 names the curve; RFC 8037 did not.
const JWS_NAMES: Record<KeyAlgorithm, string[]> = {
  RS256: ['RS256'],
  ES256: ['ES256'],
  Ed25519: ['EdDSA', 'Ed25519'],
}

/** A signature of a detached payload, and what was signed with it. */
export interface DetachedJws {
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
