import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { fieldErrors, messageOf } from '../../src/engine/json/messages.ts'
import { secretFault } from '../../src/engine/webhooks/secret.ts'
import { Verification } from '../../src/engine/webhooks/verification.ts'
import { RSA_PEM, SENDERS } from './senders.ts'

const HMAC = { kind: 'hmac', header: 'X-Signature', algorithm: 'sha256' }
const KEY = { kind: 'public_key', header: 'X-Signature', algorithm: 'RS256', keys: [RSA_PEM] }

function faultsOf(input: unknown) {
  const result = Verification.safeParse(input, { error: messageOf })
  return result.success ? {} : fieldErrors(result.error.issues)
}

describe('A verification', () => {
  it.each<[z.input<typeof Verification>, Partial<Verification>]>([
    [
      { kind: 'hmac', header: 'X-Signature', algorithm: 'sha256' },
      {
        kind: 'hmac',
        header: 'X-Signature',
        algorithm: 'sha256',
        encoding: 'base64',
        signed: '{body}',
        secret_encoding: 'utf8',
      },
    ],
    [
      { kind: 'public_key', header: 'X-Signature', algorithm: 'RS256', keys: [RSA_PEM] },
      {
        kind: 'public_key',
        header: 'X-Signature',
        algorithm: 'RS256',
        encoding: 'base64',
        format: 'raw',
        signed: '{body}',
        keys: [RSA_PEM],
      },
    ],
    [
      { kind: 'basic', username: 'shop' },
      { kind: 'basic', username: 'shop' },
    ],
    [
      { kind: 'token', header: 'Authorization', prefix: 'Bearer ' },
      { kind: 'token', header: 'Authorization', prefix: 'Bearer ' },
    ],
    [{ kind: 'address' }, { kind: 'address' }],
  ])('of kind $kind has its defaults', (input, expected) => {
    expect(Verification.parse(input)).toEqual(expected)
  })

  it('allows 300 s', () => {
    const timed = { ...HMAC, signed: '{timestamp}{body}', timestamp: { header: 'X-Time' } }
    expect(Verification.parse(timed)).toMatchObject({ timestamp: { tolerance_s: 300 } })
  })

  it.each(SENDERS)('of $name is what it was once it is saved', ({ verification }) => {
    const parsed = Verification.parse(verification)
    expect(Verification.parse(JSON.parse(JSON.stringify(parsed)))).toEqual(parsed)
  })
})

describe('Refused', () => {
  it('at the same place each time', () => {
    const rules = z.object({ verification: Verification })
    const verification = { ...HMAC, timestamp: { header: 'X-Time' } }
    for (let turn = 0; turn < 3; turn += 1) {
      const { issues = [] } = rules.safeParse({ verification }).error ?? {}
      expect(Object.keys(fieldErrors(issues))).toEqual(['verification.timestamp'])
    }
  })

  it.each<[unknown, string, string]>([
    [null, 'body', 'Must be an object, not null.'],
    [{}, 'kind', 'Must be one of: hmac, public_key, basic, token, address.'],
    [{ kind: 'HMAC' }, 'kind', 'Must be one of: hmac, public_key, basic, token, address.'],
    [{ kind: 'hmac', algorithm: 'sha256' }, 'header', 'This field is required.'],
    [{ ...HMAC, algorithm: 'md5' }, 'algorithm', 'Must be one of: sha256, sha1, sha512.'],
    [{ ...HMAC, header: '' }, 'header', 'Must have at least 1 character.'],
    [{ ...HMAC, header: 'x'.repeat(101) }, 'header', 'Must have at most 100 characters.'],
    [{ ...HMAC, header: 'X Signature' }, 'header', 'Must be the name of a header'],
    [{ ...HMAC, header: 'Cookie' }, 'header', 'Must be a header that the sender sets.'],
    [{ ...HMAC, header: 'CF-Connecting-IP' }, 'header', 'Must be a header that the sender sets.'],
    [{ ...HMAC, prefix: 'x'.repeat(21) }, 'prefix', 'Must have at most 20 characters.'],
    [{ ...HMAC, prefix: 'ü' }, 'prefix', 'Must have only printable ASCII characters.'],
    [{ ...HMAC, separator: '' }, 'separator', 'Must have at least 1 character.'],
    [{ ...HMAC, signed: '' }, 'signed', 'Must have at least 1 character.'],
    [
      { ...HMAC, signed: `{body}${'x'.repeat(200)}` },
      'signed',
      'Must have at most 200 characters.',
    ],
    [{ ...HMAC, signed: 'body' }, 'signed', 'Must have {body} or {body_base64}'],
    [{ ...HMAC, signed: '{Body}' }, 'signed', 'Does not know "{Body}": write {body}, '],
    [{ ...HMAC, signed: '{body' }, 'signed', 'Has a brace without its pair in "{body".'],
    [{ ...HMAC, signed: '{body}}' }, 'signed', 'Has a brace without its pair in "}".'],
    [{ ...HMAC, signed: '{$.a[]}' }, 'signed', 'The path "$.a[]" may lead to several values'],
    [{ ...HMAC, signed: '{$.a..b}' }, 'signed', 'The path "$.a..b" is not a path'],
    [{ ...HMAC, signed: '{timestamp}{body}' }, 'timestamp', 'Is needed, since "signed" has'],
    [{ ...HMAC, signed: '{id}{body}' }, 'id', 'Is needed, since "signed" has {id}'],
    [{ ...HMAC, signed: '{url}{body}' }, 'origin', 'Is needed, since "signed" has {url}'],
    [{ ...HMAC, id: { header: 'X-Id' } }, 'id', 'Has no effect, since "signed" has no {id}'],
    [{ ...HMAC, origin: 'https://a.example' }, 'origin', 'Has no effect, since "signed" has no'],
    [{ ...HMAC, timestamp: { header: 'X-Time' } }, 'timestamp', 'Protects nothing, since'],
    [{ ...HMAC, timestamp: {} }, 'timestamp', 'Must have one of header, member and path.'],
    [
      { ...HMAC, timestamp: { path: 'a', header: 'X-Time' } },
      'timestamp',
      'Must have one of header, member and path.',
    ],
    [{ ...HMAC, timestamp: { path: '/a/b' } }, 'timestamp.path', 'is a JSON pointer: write "a.b"'],
    [{ ...HMAC, timestamp: { path: 'a[?@.b]' } }, 'timestamp.path', 'The path "a[?@.b]" may lead'],
    [
      { ...HMAC, timestamp: { path: 'a', tolerance_s: 0 } },
      'timestamp.tolerance_s',
      'Must be at least 1.',
    ],
    [
      { ...HMAC, timestamp: { path: 'a', tolerance_s: 172_801 } },
      'timestamp.tolerance_s',
      'Must be at most 172800.',
    ],
    [
      { ...HMAC, signed: '{timestamp}{body}', timestamp: { path: 'a' } },
      'signed',
      '{timestamp} cannot stand in a path of the body',
    ],
    [
      { ...HMAC, signed: '{timestamp}{body}', timestamp: { member: 't' } },
      'timestamp.member',
      'Is a part of the signature header, which then needs a "separator".',
    ],
    ...[
      'http://a.example',
      'https://a.example/',
      'https://a.example/x',
      'a.example',
      'https://',
    ].map((origin): [unknown, string, string] => [
      { ...HMAC, signed: '{url}{body}', origin },
      'origin',
      'Must be an https origin without a path, such as https://api.example.com.',
    ]),
    [{ ...HMAC, secret_prefix: 'whsec_' }, 'secret_prefix', 'Is for base64 secrets'],
    [{ ...KEY, format: 'jws', encoding: 'hex' }, 'encoding', 'A JWS is always base64'],
    [{ ...KEY, format: 'jws', separator: ',' }, 'separator', 'A JWS stands alone'],
    [{ ...KEY, keys: [] }, 'keys', 'Must have at least 1 entry.'],
    [{ ...KEY, keys: [RSA_PEM, RSA_PEM, RSA_PEM] }, 'keys', 'Must have at most 2 entries.'],
    [{ ...KEY, keys: [1] }, 'keys[0]', 'Must be a PEM text or a JWK object, not a number.'],
    [{ kind: 'basic', username: 'a:b' }, 'username', 'Must not have a colon'],
    [{ kind: 'basic' }, 'username', 'This field is required.'],
    [{ kind: 'token' }, 'header', 'This field is required.'],
  ])('%j, of which %s is wrong', (input, field, message) => {
    expect(faultsOf(input)).toEqual({ [field]: [expect.stringContaining(message)] })
  })
})

describe('secretFault', () => {
  const standard = SENDERS.find(({ name }) => name === 'Standard Webhooks')!.verification

  it.each<[Record<string, unknown>, string, string | null]>([
    [HMAC, 'any text', null],
    [HMAC, '', 'Must not be empty.'],
    [standard, 'whsec_c2VjcmV0', null],
    [standard, 'c2VjcmV0', null],
    [standard, 'whsec_', 'Must be base64, after whsec_.'],
    [standard, 'whsec_not base64', 'Must be base64, after whsec_.'],
    [{ ...HMAC, secret_encoding: 'base64' }, 'c2VjcmV', 'Must be base64.'],
    [{ kind: 'basic', username: 'a' }, 'password', null],
    [{ kind: 'basic', username: 'a' }, ' pass\nword ', null],
    [{ kind: 'token', header: 'X-Token' }, 'a token, with ü', null],
    [
      { kind: 'token', header: 'X-Token' },
      'token\n',
      'Must be what a header can have: no line breaks, no spaces at either end.',
    ],
    [
      { kind: 'token', header: 'X-Token' },
      ' token',
      'Must be what a header can have: no line breaks, no spaces at either end.',
    ],
    [
      { kind: 'address' },
      'secret',
      'Has no effect: a webhook with the verification "address" has no secret.',
    ],
  ])('of %j says of %s: %s', (verification, secret, expected) => {
    expect(secretFault(Verification.parse(verification), secret)).toBe(expected)
  })
})
