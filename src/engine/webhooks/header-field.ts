import * as z from 'zod'

const HEADER_LENGTH_MAX = 100

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
  .max(HEADER_LENGTH_MAX)
  .regex(/^[-!#$%&'*+.^_`|~0-9A-Za-z]*$/, {
    error: 'Must be the name of a header, such as X-Signature: letters, digits and hyphens.',
  })
  .refine((name) => !isOfOthers(name.toLowerCase()), {
    error: 'Must be a header that the sender sets. Cloudflare or the connection sets this one.',
  })

function isOfOthers(name: string): boolean {
  return name.startsWith('cf-') || NOT_OF_SENDER.has(name)
}
