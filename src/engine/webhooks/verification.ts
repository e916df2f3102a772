import * as z from 'zod'
import { boundedText, Integer } from '../json/fields.ts'
import { contradictions } from './contradictions.ts'
import { SenderHeader } from './header-field.ts'
import { KEY_ALGORITHMS, PastedKey } from './public-key.ts'
import { valuePathFault } from './template.ts'

export const HMAC_ALGORITHMS = ['sha256', 'sha1', 'sha512'] as const
export const ENCODINGS = ['base64', 'hex'] as const

const MARK_LENGTH_MAX = 20
const TEMPLATE_LENGTH_MAX = 200
const PATH_LENGTH_MAX = 100
const USERNAME_LENGTH_MAX = 255
const TOLERANCE_S_MAX = 172_800
const TOLERANCE_S = 300
const KEYS_MAX = 2

/** A prefix, a separator, the name of a member: a short text that a header can have. */
const Mark = z
  .string()
  .min(1)
  .max(MARK_LENGTH_MAX)
  .regex(/^[\x20-\x7e]*$/, { error: 'Must have only printable ASCII characters.' })

const Template = boundedText(TEMPLATE_LENGTH_MAX).min(1, { abort: true })

const ValuePath = boundedText(PATH_LENGTH_MAX).superRefine((path, context) => {
  const fault = valuePathFault(path)
  if (fault) context.addIssue({ code: 'custom', message: fault })
})

/** Where the time of a delivery stands: seconds or milliseconds since 1970, ISO 8601, or a date of RFC 9110. */
const Timestamp = z
  .strictObject({
    header: SenderHeader.exactOptional(),
    /** `t` for `t=1492774577` in the signature header. */
    member: Mark.exactOptional(),
    /** In the body, which is read as JSON once the signature has matched. */
    path: ValuePath.exactOptional(),
    tolerance_s: Integer.min(1).max(TOLERANCE_S_MAX).default(TOLERANCE_S),
  })
  .refine(({ header, member, path }) => [header, member, path].filter(Boolean).length === 1, {
    error: 'Must have one of header, member and path.',
    abort: true,
  })

const Origin = boundedText(255).refine(isHttpsOrigin, {
  error: 'Must be an https origin without a path, such as https://api.example.com.',
})

const SIGNED = {
  header: SenderHeader,
  encoding: z.enum(ENCODINGS).default('base64'),
  /** Before each signature: `sha256=`, `v1,`. With a separator, parts without it are no signatures. */
  prefix: Mark.exactOptional(),
  /** Between the parts of a header with several signatures. */
  separator: Mark.exactOptional(),
  /** What is signed: a text with {body}, {body_base64}, {timestamp}, {id}, {url}, or {$.a.b} of the body. */
  signed: Template.default('{body}'),
  timestamp: Timestamp.exactOptional(),
  id: z.strictObject({ header: SenderHeader }).exactOptional(),
  /** Of {url}. A proxy may have changed the host, so the request does not say it. */
  origin: Origin.exactOptional(),
}

const Hmac = z.strictObject({
  kind: z.literal('hmac'),
  ...SIGNED,
  algorithm: z.enum(HMAC_ALGORITHMS),
  secret_encoding: z.enum(['utf8', 'base64']).default('utf8'),
  /**
   * What stands before a base64 secret and is no part of the key: `whsec_` of Standard Webhooks. A member, since Stripe's
   * secrets begin with the same text and have it as a part of the key.
   */
  secret_prefix: Mark.exactOptional(),
})

const SignedByKey = z.strictObject({
  kind: z.literal('public_key'),
  ...SIGNED,
  algorithm: z.enum(KEY_ALGORITHMS),
  /** `jws`: compact, with a detached payload (RFC 7515, appendix F; RFC 7797 with `b64: false`). */
  format: z.enum(['raw', 'jws']).default('raw'),
  keys: z.array(PastedKey).min(1).max(KEYS_MAX),
})

const Basic = z.strictObject({
  kind: z.literal('basic'),
  /** The secret is the password. */
  username: boundedText(USERNAME_LENGTH_MAX)
    .min(1)
    .regex(/^[^:\p{Cc}]*$/u, { error: 'Must not have a colon or control characters (RFC 7617).' }),
})

const Token = z.strictObject({
  kind: z.literal('token'),
  header: SenderHeader,
  /** `Bearer `, with its space. */
  prefix: Mark.exactOptional(),
})

const Address = z.strictObject({ kind: z.literal('address') })

const KINDS = [Hmac, SignedByKey, Basic, Token, Address] as const

export const VERIFICATION_KINDS = KINDS.map(({ shape }) => shape.kind.value)

/** How a webhook checks who sends. The secrets are not part of it. */
export const Verification = z
  .discriminatedUnion('kind', KINDS, {
    error: ({ code }) =>
      code === 'invalid_union' ? `Must be one of: ${VERIFICATION_KINDS.join(', ')}.` : undefined,
  })
  .superRefine((verification, context) => {
    if (verification.kind !== 'hmac' && verification.kind !== 'public_key') return
    for (const { path, message } of contradictions(verification)) {
      context.addIssue({ code: 'custom', path, message })
    }
  })
export type Verification = z.output<typeof Verification>
export type HmacVerification = z.output<typeof Hmac>
export type KeyVerification = z.output<typeof SignedByKey>
export type SignatureVerification = HmacVerification | KeyVerification

function isHttpsOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text && text.startsWith('https://')
}
