import * as z from 'zod'
import { namesSecret, SENT_NAME_LENGTH_MAX } from '../json/sent-with.ts'

// What Cloudflare, the Worker or the connection sets or removes, so that it says nothing of the sender.
const NOT_OF_SENDER = new Set([
  'accept-encoding',
  'cdn-loop',
  'connection',
  'content-encoding',
  'content-length',
  'cookie',
  'expect',
  'forwarded',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'true-client-ip',
  'upgrade',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
])

/** The name of a request header that a sender may set itself (RFC 9110, 5.1). */
export const SenderHeader = z
  .string()
  .min(1)
  .max(SENT_NAME_LENGTH_MAX)
  .regex(/^[-!#$%&'*+.^_`|~0-9A-Za-z]*$/, {
    error: 'Must be the name of a header, such as X-Signature: letters, digits and hyphens.',
  })
  .refine((name) => !isOfOthers(name.toLowerCase()), {
    error: 'Must be a header that the sender sets. Cloudflare or the connection sets this one.',
  })

const SECRET =
  'Has a key, a password or a signature by its name: no mapping may read it. Leave it out.'

/** A header that mappings can read. */
export const ReadableHeader = SenderHeader.refine((name) => !namesSecret(name), { error: SECRET })

/** A parameter of the query that mappings can read. */
export const ReadableParameter = z
  .string()
  .min(1)
  .max(SENT_NAME_LENGTH_MAX)
  .regex(/^[^\p{Cc}]*$/u, { error: 'Must be the name of a parameter, without control characters.' })
  .refine((name) => !namesSecret(name), { error: SECRET })

function isOfOthers(name: string): boolean {
  return name.startsWith('cf-') || NOT_OF_SENDER.has(name)
}
