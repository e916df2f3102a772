import { Buffer } from 'node:buffer'
import { signedContents } from './signed-content.ts'
import type { HmacVerification, Verification } from './verification.ts'
import { macKey } from './verify.ts'

/** A delivery that is to be signed, to the address at which it is checked. */
interface Unsigned {
  body: Uint8Array
  url: URL
}

/**
 * The headers by which a sender with this secret proves who it is, so that `verify` accepts the delivery. `now` is in
 * milliseconds since 1970. Null if nobody but the sender can sign, or the secret cannot be a key.
 */
export async function proofHeaders(
  verification: Verification,
  delivery: Unsigned,
  secret: string,
  now: number,
): Promise<Record<string, string> | null> {
  switch (verification.kind) {
    case 'address':
      return {}
    case 'public_key':
      return null
    case 'basic': {
      const credentials = Buffer.from(`${verification.username}:${secret}`).toString('base64')
      return { Authorization: `Basic ${credentials}` }
    }
    case 'token':
      return { [verification.header]: (verification.prefix ?? '') + secret }
    default:
      return await signatureHeaders(verification, delivery, secret, now)
  }
}

async function signatureHeaders(
  verification: HmacVerification,
  { body, url }: Unsigned,
  secret: string,
  now: number,
): Promise<Record<string, string> | null> {
  const { header, prefix = '', separator = '', timestamp: time, id: named } = verification
  const timestamp = String(Math.floor(now / 1000))
  const id = `test_${crypto.randomUUID()}`
  const headers = {
    ...(time?.header && { [time.header]: timestamp }),
    ...(named && { [named.header]: id }),
  }
  const values = { timestamp, id, origin: verification.origin ?? '' }
  const delivery = { headers: new Headers(headers), body, url }
  const [content] = signedContents(verification.signed, delivery, values)
  const mac = content && (await macOf(verification, secret, content))
  if (!mac) return null
  const signature = prefix + mac
  const member = time?.member && `${time.member}=${timestamp}${separator}`
  return { ...headers, [header]: (member ?? '') + signature }
}

async function macOf(
  verification: HmacVerification,
  secret: string,
  content: Uint8Array,
): Promise<string | null> {
  const key = await macKey(verification, secret)
  const mac = key && (await crypto.subtle.sign('HMAC', key, content))
  return mac && Buffer.from(mac).toString(verification.encoding)
}
