import { createSign, generateKeyPairSync } from 'node:crypto'
import { sign as signForGitHub } from '@octokit/webhooks-methods'
import { exportJWK, FlattenedSign, flattenedVerify, generateKeyPair } from 'jose'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { Stripe } from 'stripe'
import { Webhook as SvixWebhook } from 'svix'
import { describe, expect, it } from 'vitest'
import { Verification } from '../../src/engine/webhooks/verification.ts'
import { check, SENDERS, SENT_AT, type Sent } from './senders.ts'

// Public libraries sign what is verified here, or verify what these tests sign.

const BODY = '{"id":30418,"note":"T\\u00fcr 2\\/3, ü"}'
const WHSEC = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const AT = new Date(SENT_AT * 1000)

const ruleOf = (name: string) =>
  Verification.parse(SENDERS.find((sender) => sender.name === name)!.verification)

const standard = (
  brand: string,
  secret: string,
  of: typeof StandardWebhook | typeof SvixWebhook,
) => ({
  [`${brand}-id`]: 'msg_2',
  [`${brand}-timestamp`]: String(SENT_AT),
  [`${brand}-signature`]: new of(secret).sign('msg_2', AT, BODY),
})

interface Signed {
  name: string
  secret: string
  sign: () => Promise<Record<string, string>>
}

const SIGNED: Signed[] = [
  {
    name: 'Standard Webhooks',
    secret: WHSEC,
    sign: async () => standard('webhook', WHSEC, StandardWebhook),
  },
  { name: 'Svix', secret: WHSEC, sign: async () => standard('svix', WHSEC, SvixWebhook) },
  {
    // The library wants base64 of a secret that is text.
    name: 'BigCommerce',
    secret: 'client_secret_of_the_app',
    sign: async () =>
      standard(
        'webhook',
        Buffer.from('client_secret_of_the_app').toString('base64'),
        StandardWebhook,
      ),
  },
  {
    name: 'Stripe',
    secret: WHSEC,
    sign: async () => ({
      'Stripe-Signature': new Stripe('none').webhooks.generateTestHeaderString({
        payload: BODY,
        secret: WHSEC,
        timestamp: SENT_AT,
      }),
    }),
  },
  {
    name: 'GitHub',
    secret: 'hush, ü',
    sign: async () => ({ 'X-Hub-Signature-256': await signForGitHub('hush, ü', BODY) }),
  },
]

async function expectOnlyThis(
  rule: Verification,
  sent: Sent & { body: string },
  secrets: string[],
) {
  expect(await check(rule, sent, secrets)).toBeNull()
  for (let at = 0; at < sent.body.length; at += 5) {
    const bytes = Buffer.from(sent.body)
    bytes[at]! ^= 1
    expect(await check(rule, { ...sent, body: bytes }, secrets)).toBe('mismatch')
  }
}

describe('What a library signs', () => {
  it.each(SIGNED)('for $name is accepted, and no other body', async ({ name, secret, sign }) => {
    await expectOnlyThis(ruleOf(name), { headers: await sign(), body: BODY }, [secret])
  })
})

describe('A JWS by jose', () => {
  const cases = (['RS256', 'ES256', 'EdDSA'] as const).flatMap((alg) =>
    [true, false].map((b64) => ({ alg, b64 })),
  )

  it.each(cases)('of $alg with b64 $b64 is accepted, and no other body', async ({ alg, b64 }) => {
    const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
    const header = b64 ? { alg } : { alg, b64, crit: ['b64'] }
    const jws = await new FlattenedSign(Buffer.from(BODY))
      .setProtectedHeader(header)
      .sign(privateKey)
    const rule = Verification.parse({
      kind: 'public_key',
      header: 'X-JWS',
      algorithm: alg === 'EdDSA' ? 'Ed25519' : alg,
      format: 'jws',
      keys: [await exportJWK(publicKey)],
    })
    const headers = { 'x-jws': `${jws.protected}..${jws.signature}` }
    await expectOnlyThis(rule, { headers, body: BODY }, [])
  })

  // Saleor's documentation passes the body to jose as the payload. This jose first verifies the signature, and then
  // finds that such a payload is no base64url.
  it('is signed over the body as Saleor says', async () => {
    const saleor = SENDERS.find(({ name }) => name === 'Saleor')!
    const text = saleor.headers(saleor, SENT_AT)['saleor-signature']!
    const [header = '', , signature = ''] = text.split('.')
    const { key_ops: _, ...jwk } = (saleor.verification as { keys: [JsonWebKey] }).keys[0]
    const verified = (payload: string) =>
      flattenedVerify({ protected: header, payload, signature }, jwk)
    await expect(verified(saleor.body)).rejects.toThrow('Failed to base64url decode the payload')
    await expect(verified(`${saleor.body} `)).rejects.toThrow('signature verification failed')
  })
})

it('takes what the example of Adobe Commerce verifies', async () => {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const rule = Verification.parse({
    ...SENDERS.find(({ name }) => name === 'Adobe Commerce')!.verification,
    keys: [publicKey.export({ type: 'spki', format: 'pem' })],
  })
  const signature = createSign('SHA256')
    .update(Buffer.from(BODY).toString('base64'))
    .sign(privateKey, 'base64')
  const headers = { 'x-adobe-commerce-webhook-signature': signature }
  await expectOnlyThis(rule, { headers, body: BODY }, [])
})
