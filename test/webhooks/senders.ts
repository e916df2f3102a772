import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import type { Verification } from '../../src/engine/webhooks/verification.ts'
import { verify } from '../../src/engine/webhooks/verify.ts'

/** What one system sends, and the verification that its webhooks have here. */
export interface Sender {
  name: string
  /** As it is saved, before defaults. */
  verification: Record<string, unknown>
  secret: string
  body: string
  /** The headers with the signature. `at` is in seconds since 1970. */
  headers: (sender: Sender, at: number) => Record<string, string>
}

export const ADDRESS = new URL('https://worker.internal/webhooks/v1/token/?shop=keramik')
export const ORIGIN = 'https://api.example.com'
export const CALLED = `${ORIGIN}${ADDRESS.pathname}${ADDRESS.search}`

/** In seconds since 1970. */
export const SENT_AT = 1_772_357_400

export const hmac = (
  secret: string | Uint8Array,
  content: string,
  encoding: 'base64' | 'hex' = 'base64',
  algorithm = 'sha256',
) => createHmac(algorithm, secret).update(content).digest(encoding)

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 })

export const RSA_PEM = RSA.publicKey.export({ type: 'spki', format: 'pem' }).toString()

const base64 = (text: string) => Buffer.from(text).toString('base64')

const rs256 = (content: string) => sign('sha256', Buffer.from(content), RSA.privateKey)

/** PyJWT, with which Saleor signs, writes `b64: false` and no `crit`. */
function saleorJws(body: string): string {
  const header = Buffer.from(JSON.stringify({ alg: 'RS256', b64: false, kid: '1' }))
  const text = header.toString('base64url')
  return `${text}..${rs256(`${text}.${body}`).toString('base64url')}`
}

const STANDARD = {
  kind: 'hmac',
  algorithm: 'sha256',
  header: 'webhook-signature',
  prefix: 'v1,',
  separator: ' ',
  signed: '{id}.{timestamp}.{body}',
  timestamp: { header: 'webhook-timestamp' },
  id: { header: 'webhook-id' },
  secret_encoding: 'base64',
  secret_prefix: 'whsec_',
}

const ORDER = '{"id":30418,"status":"processing","note":"T\\u00fcr 2\\/3","total":"12.50"}'
const WHSEC = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

/** Each as its public documentation says. */
export const SENDERS: Sender[] = [
  {
    name: 'WooCommerce',
    verification: { kind: 'hmac', algorithm: 'sha256', header: 'X-WC-Webhook-Signature' },
    secret: 'a secret with spaces, ü',
    body: ORDER,
    headers: ({ secret, body }) => ({ 'x-wc-webhook-signature': hmac(secret, body) }),
  },
  {
    name: 'Shopify',
    verification: { kind: 'hmac', algorithm: 'sha256', header: 'X-Shopify-Hmac-Sha256' },
    secret: 'hush',
    body: ORDER,
    headers: ({ secret, body }) => ({ 'X-Shopify-Hmac-SHA256': hmac(secret, body) }),
  },
  {
    name: 'ShipHero',
    verification: { kind: 'hmac', algorithm: 'sha256', header: 'X-Shiphero-Hmac-Sha256' },
    secret: 'shared_signature_secret',
    body: ORDER,
    headers: ({ secret, body }) => ({ 'x-shiphero-hmac-sha256': hmac(secret, body) }),
  },
  {
    name: 'Shopware',
    verification: {
      kind: 'hmac',
      algorithm: 'sha256',
      encoding: 'hex',
      header: 'shopware-shop-signature',
      timestamp: { path: 'timestamp' },
    },
    secret: 'shop-secret',
    body: `{"source":{"eventId":"1"},"data":{"event":"checkout.order.placed"},"timestamp":${SENT_AT}}`,
    headers: ({ secret, body }) => ({ 'shopware-shop-signature': hmac(secret, body, 'hex') }),
  },
  {
    name: 'Adobe Commerce',
    verification: {
      kind: 'public_key',
      algorithm: 'RS256',
      header: 'x-adobe-commerce-webhook-signature',
      signed: '{body_base64}',
      keys: [RSA_PEM],
    },
    secret: '',
    body: ORDER,
    headers: ({ body }) => ({
      'x-adobe-commerce-webhook-signature': rs256(base64(body)).toString('base64'),
    }),
  },
  {
    name: 'Saleor',
    verification: {
      kind: 'public_key',
      algorithm: 'RS256',
      format: 'jws',
      header: 'Saleor-Signature',
      keys: [{ ...RSA.publicKey.export({ format: 'jwk' }), use: 'sig', kid: '1', key_ops: [] }],
    },
    secret: '',
    body: ORDER,
    headers: ({ body }) => ({ 'saleor-signature': saleorJws(body) }),
  },
  {
    name: 'Ecwid',
    verification: {
      kind: 'hmac',
      algorithm: 'sha256',
      header: 'X-Ecwid-Webhook-Signature',
      signed: '{$.eventCreated}.{$.eventId}',
      timestamp: { path: 'eventCreated', tolerance_s: 86_400 },
    },
    secret: 'abcde123456789',
    body: `{"eventId":"80aece08-40e8-4145-8764-6c2f0d38678","eventCreated":${SENT_AT},"entityId":1}`,
    headers: ({ secret }, at) => ({
      'X-Ecwid-Webhook-Signature': hmac(secret, `${at}.80aece08-40e8-4145-8764-6c2f0d38678`),
    }),
  },
  {
    name: 'Standard Webhooks',
    verification: STANDARD,
    secret: WHSEC,
    body: ORDER,
    headers: standardHeaders('webhook', Buffer.from(WHSEC.slice(6), 'base64')),
  },
  {
    name: 'Svix',
    verification: {
      ...STANDARD,
      header: 'svix-signature',
      timestamp: { header: 'svix-timestamp' },
      id: { header: 'svix-id' },
    },
    secret: WHSEC,
    body: ORDER,
    headers: standardHeaders('svix', Buffer.from(WHSEC.slice(6), 'base64')),
  },
  {
    name: 'BigCommerce',
    // The form of Standard Webhooks; the client secret of the app is the key as it is.
    verification: (({ secret_prefix: _, ...others }) => ({ ...others, secret_encoding: 'utf8' }))(
      STANDARD,
    ),
    secret: 'client_secret_of_the_app',
    body: '{"scope":"store/order/created","data":{"type":"order","id":173331}}',
    headers: standardHeaders('webhook', Buffer.from('client_secret_of_the_app')),
  },
  {
    name: 'GitHub',
    verification: {
      kind: 'hmac',
      algorithm: 'sha256',
      encoding: 'hex',
      header: 'X-Hub-Signature-256',
      prefix: 'sha256=',
    },
    secret: "It's a Secret to Everybody",
    body: 'Hello, World!',
    headers: () => ({
      'x-hub-signature-256':
        'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    }),
  },
  {
    name: 'Stripe',
    verification: {
      kind: 'hmac',
      algorithm: 'sha256',
      encoding: 'hex',
      header: 'Stripe-Signature',
      separator: ',',
      prefix: 'v1=',
      signed: '{timestamp}.{body}',
      timestamp: { member: 't' },
    },
    secret: WHSEC,
    body: ORDER,
    headers: ({ secret, body }, at) => {
      const ours = hmac(secret, `${at}.${body}`, 'hex')
      const other = hmac('rotated', `${at}.${body}`, 'hex')
      return { 'stripe-signature': `t=${at},v1=${other},v1=${ours},v0=${other}` }
    },
  },
  {
    name: 'Square',
    verification: {
      kind: 'hmac',
      algorithm: 'sha256',
      header: 'x-square-hmacsha256-signature',
      signed: '{url}{body}',
      origin: ORIGIN,
    },
    secret: 'Ibxx_5AKakO-3qeNVR61Dw',
    body: ORDER,
    headers: ({ secret, body }) => ({
      'x-square-hmacsha256-signature': hmac(secret, `${CALLED}${body}`),
    }),
  },
]

function standardHeaders(brand: string, key: Uint8Array): Sender['headers'] {
  return ({ body }, at) => ({
    [`${brand}-id`]: 'msg_1',
    [`${brand}-timestamp`]: String(at),
    [`${brand}-signature`]: `v1,${hmac('other', body)} v1,${hmac(key, `msg_1.${at}.${body}`)} v1a,x`,
  })
}

export interface Sent {
  headers: Record<string, string>
  body: string | Uint8Array
  url?: URL
}

/** What a webhook says of a request, one second after SENT_AT. */
export function check(
  verification: Verification,
  { headers, body, url = ADDRESS }: Sent,
  secrets: readonly string[],
  now = (SENT_AT + 1) * 1000,
) {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body
  return verify(verification, { headers: new Headers(headers), body: bytes, url }, secrets, now)
}
