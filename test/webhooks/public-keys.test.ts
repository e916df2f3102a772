import { describe, expect, it } from 'vitest'
import { fieldErrors, messageOf } from '../../src/engine/json/messages.ts'
import { type KeyAlgorithm, keyFaults } from '../../src/engine/webhooks/public-key.ts'
import { type KeyVerification, Verification } from '../../src/engine/webhooks/verification.ts'
import { check } from './senders.ts'

const ALGORITHMS = {
  RS256: {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
  },
  ES256: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  Ed25519: { name: 'Ed25519' },
}

interface Pair {
  algorithm: KeyAlgorithm
  pem: string
  jwk: Record<string, unknown>
  privatePem: string
  sign: (content: string) => Promise<Buffer>
}

async function pairOf(algorithm: KeyAlgorithm, options: object = {}): Promise<Pair> {
  const as = { ...ALGORITHMS[algorithm], ...options }
  const keys = await crypto.subtle.generateKey(as, true, ['sign', 'verify'])
  const { publicKey, privateKey } = keys as CryptoKeyPair
  const pemOf = async (key: CryptoKey, format: 'spki' | 'pkcs8', label: string) => {
    const der = Buffer.from((await crypto.subtle.exportKey(format, key)) as ArrayBuffer)
    const lines = der.toString('base64').replace(/.{64}/g, '$&\n')
    return `-----BEGIN ${label}-----\n${lines}\n-----END ${label}-----\n`
  }
  return {
    algorithm,
    pem: await pemOf(publicKey, 'spki', 'PUBLIC KEY'),
    privatePem: await pemOf(privateKey, 'pkcs8', 'PRIVATE KEY'),
    jwk: { ...(await crypto.subtle.exportKey('jwk', publicKey)) },
    sign: async (content) =>
      Buffer.from(await crypto.subtle.sign(as, privateKey, Buffer.from(content))),
  }
}

const RSA = await pairOf('RS256')
const EC = await pairOf('ES256')
const ED = await pairOf('Ed25519')
const PAIRS = [RSA, EC, ED]

const rule = (pair: Pair, others: object = {}) =>
  Verification.parse({
    kind: 'public_key',
    header: 'X-Signature',
    algorithm: pair.algorithm,
    keys: [pair.pem],
    ...others,
  }) as KeyVerification

const sent = (signature: string, body = '{}') => ({ headers: { 'x-signature': signature }, body })

/** SEQUENCE of two INTEGERs, as OpenSSL writes an ECDSA signature. */
function derOf(signature: Buffer): Buffer {
  const integer = (bytes: Buffer) => {
    const first = bytes.findIndex((byte) => byte !== 0)
    const digits = bytes.subarray(first)
    const sign = digits[0]! >= 0x80 ? [0] : []
    return Buffer.from([2, digits.length + sign.length, ...sign, ...digits])
  }
  const numbers = [signature.subarray(0, 32), signature.subarray(32)].map(integer)
  return Buffer.concat([Buffer.from([0x30, Buffer.concat(numbers).length]), ...numbers])
}

describe.each(PAIRS)('$algorithm', (pair) => {
  it.each(['base64', 'hex'] as const)('is verified in %s, by PEM and by JWK', async (encoding) => {
    const right = (await pair.sign('{}')).toString(encoding)
    const other = (await pair.sign('{ }')).toString(encoding)
    for (const key of [pair.pem, pair.jwk, ` ${pair.pem.replaceAll('\n', '\r\n')}`]) {
      const verification = rule(pair, { keys: [key], encoding })
      expect(await check(verification, sent(right), [])).toBeNull()
      expect(await check(verification, sent(other), [])).toBe('mismatch')
      expect(await check(verification, sent(right, '{ }'), [])).toBe('mismatch')
    }
  })

  it('is verified by either of two keys', async () => {
    const second = await pairOf(pair.algorithm)
    const verification = rule(pair, { keys: [pair.pem, second.jwk] })
    for (const { sign } of [pair, second]) {
      expect(await check(verification, sent((await sign('{}')).toString('base64')), [])).toBeNull()
    }
    const other = await pairOf(pair.algorithm)
    const signature = (await other.sign('{}')).toString('base64')
    expect(await check(verification, sent(signature), [])).toBe('mismatch')
  })

  it('refuses signatures of other lengths without an error', async () => {
    const right = await pair.sign('{}')
    const others = [right.subarray(1), Buffer.concat([right, right]), Buffer.alloc(1)]
    for (const signature of others) {
      expect(await check(rule(pair), sent(signature.toString('base64')), [])).toBe('mismatch')
    }
  })

  it('looks at four signatures', async () => {
    const verification = rule(pair, { separator: ' ', prefix: 'v1a,' })
    const right = `v1a,${(await pair.sign('{}')).toString('base64')}`
    const wrong = `v1a,${(await pair.sign('')).toString('base64')}`
    const signed = (...parts: string[]) => check(verification, sent(parts.join(' ')), [])
    expect(await signed(wrong, 'v1,x', wrong, wrong, right)).toBeNull()
    expect(await signed(wrong, wrong, wrong, wrong, right)).toBe('mismatch')
  })
})

describe('ES256 as DER', () => {
  const verification = rule(EC)
  const checked = (bytes: Uint8Array) =>
    check(verification, sent(Buffer.from(bytes).toString('base64')), [])

  it('is verified, and in no other form', async () => {
    for (let run = 0; run < 20; run++) {
      const der = derOf(await EC.sign('{}'))
      expect(await checked(der)).toBeNull()
      expect(await checked(Buffer.concat([der, Buffer.alloc(1)]))).toBe('mismatch')
      const longer = Buffer.from([0x30, der[1]! + 1, ...der.subarray(2), 0])
      expect(await checked(longer)).toBe('mismatch')
      // The first number with one zero more.
      const padded = Buffer.from([0x30, der[1]! + 1, 2, der[3]! + 1, 0, ...der.subarray(4)])
      expect(await checked(padded)).toBe('mismatch')
      for (let at = 0; at < der.length; at += 7) {
        const changed = Buffer.from(der)
        changed[at]! ^= 1
        expect(await checked(changed)).toBe('mismatch')
        expect(await checked(der.subarray(0, at))).toBe('mismatch')
      }
    }
  })
})

describe('A detached JWS', () => {
  const base64url = (text: string) => Buffer.from(text).toString('base64url')
  const alg = { RS256: 'RS256', ES256: 'ES256', Ed25519: 'EdDSA' }

  async function jws(pair: Pair, members: object, body: string, isEncoded: boolean) {
    const header = base64url(JSON.stringify({ alg: alg[pair.algorithm], ...members }))
    const content = `${header}.${isEncoded ? base64url(body) : body}`
    return `${header}..${(await pair.sign(content)).toString('base64url')}`
  }

  it.each(PAIRS)('is verified with $algorithm', async (pair) => {
    const verification = rule(pair, { format: 'jws' })
    const forms = [
      await jws(pair, {}, '{"ü":1}', true),
      await jws(pair, { b64: true, crit: ['b64'] }, '{"ü":1}', true),
      await jws(pair, { b64: false, crit: ['b64'] }, '{"ü":1}', false),
      await jws(pair, { b64: false, kid: '1' }, '{"ü":1}', false),
    ]
    for (const form of forms) {
      expect(await check(verification, sent(form, '{"ü":1}'), [])).toBeNull()
      expect(await check(verification, sent(form, '{"u":1}'), [])).toBe('mismatch')
      const [header, , signature] = form.split('.')
      const whole = sent(`${header}.x.${signature}`, '{"ü":1}')
      expect(await check(verification, whole, [])).toBe('mismatch')
    }
  })

  it('may name the curve of Ed25519', async () => {
    const verification = rule(ED, { format: 'jws' })
    const named = await jws(ED, { alg: 'Ed25519' }, '{}', true)
    expect(await check(verification, sent(named), [])).toBeNull()
  })

  it.each([
    [{ alg: 'none' }],
    [{ alg: 'HS256' }],
    [{ alg: 'ES256' }],
    [{ alg: ['RS256'] }],
    [{ alg: undefined }],
    [{ crit: ['b64'] }],
    [{ crit: [] }],
    [{ crit: ['exp'], exp: 1 }],
    [{ crit: ['b64', 'exp'], b64: true, exp: 1 }],
    [{ b64: 'false' }],
    [{ b64: 0 }],
  ])('is refused with the members %j', async (members) => {
    const verification = rule(RSA, { format: 'jws' })
    const signed = await jws(RSA, members, '{}', true)
    expect(await check(verification, sent(signed), [])).toBe('mismatch')
  })

  it.each([
    '',
    '.',
    '..',
    '...',
    'e30..',
    'W10..AA',
    'bnVsbA..AA',
    '{}..AA',
    `${'A'.repeat(9)}..B`,
  ])('is not "%s"', async (text) => {
    expect(await check(rule(RSA, { format: 'jws' }), sent(text), [])).toBe('mismatch')
  })
})

describe('Keys', () => {
  const faultsOf = (key: unknown) => {
    const input = { kind: 'public_key', header: 'X-S', algorithm: 'RS256', keys: [key] }
    const result = Verification.safeParse(input, { error: messageOf })
    return result.success ? {} : fieldErrors(result.error.issues)
  }

  it.each<[string, unknown, string]>([
    ['a private PEM', RSA.privatePem, 'Is a private key.'],
    ['a private JWK', { ...RSA.jwk, d: 'AQAB' }, 'Is a private or secret key.'],
    ['a shared secret', { kty: 'oct', k: 'AQAB' }, 'Is a private or secret key.'],
    ['a certificate', '-----BEGIN CERTIFICATE-----', 'Must be a public key as SPKI'],
    ['PKCS #1', '-----BEGIN RSA PUBLIC KEY-----', 'Must be a public key as SPKI'],
    ['no PEM', 'AQAB', 'Must be a PEM text from'],
    ['two PEMs', RSA.pem + RSA.pem, 'Must be a PEM text from'],
    ['a long PEM', RSA.pem + ' '.repeat(10_000), 'Must have at most 10000 characters.'],
    ['a long JWK', { ...RSA.jwk, kid: 'x'.repeat(10_000) }, 'Must have at most 10000 characters'],
    ['a JWK Set', { keys: [RSA.jwk] }, 'Is a set of keys: paste one key'],
    ['another curve', { ...EC.jwk, crv: 'P-384' }, 'Must be a JWK with "kty" RSA'],
    ['half a JWK', { kty: 'RSA', e: 'AQAB' }, 'Lacks the member "n"'],
  ])('refuse %s', (_, key, message) => {
    expect(faultsOf(key)).toEqual({ 'keys[0]': [expect.stringContaining(message)] })
  })

  it('keep what a public key needs', () => {
    const { keys } = rule(RSA, { keys: [{ ...RSA.jwk, use: 'enc', key_ops: [], x5c: ['x'] }] })
    expect(Object.keys(keys[0]!).sort()).toEqual(['e', 'kty', 'n'])
  })

  it.each(PAIRS)('of $algorithm are good for it alone', async (pair) => {
    for (const { algorithm } of PAIRS) {
      const { keys } = rule(pair, { keys: [pair.pem, pair.jwk] })
      const message = [`Is not a key for ${algorithm}, or has been changed while it was pasted.`]
      const expected =
        algorithm === pair.algorithm ? {} : { 'keys[0]': message, 'keys[1]': message }
      expect(await keyFaults(keys, algorithm)).toEqual(expected)
    }
  })

  it('that were cut are told by their place, and verify nothing', async () => {
    const cut = RSA.pem.replace(/\n.{64}\n/, '\n')
    const { keys } = rule(RSA, { keys: [RSA.pem, cut] })
    expect(Object.keys(await keyFaults(keys, 'RS256'))).toEqual(['keys[1]'])
    const signature = (await RSA.sign('{}')).toString('base64')
    expect(await check(rule(RSA, { keys }), sent(signature), [])).toBeNull()
    expect(await check(rule(RSA, { keys: [cut] }), sent(signature), [])).toBe('mismatch')
  })

  it('of 1024 bits are too short', async () => {
    const short = await pairOf('RS256', { modulusLength: 1024 })
    expect(await keyFaults([short.pem], 'RS256')).toEqual({
      'keys[0]': ['Must have 2048 to 8192 bits, not 1024.'],
    })
  })
})
