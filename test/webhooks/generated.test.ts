import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Verification } from '../../src/engine/webhooks/verification.ts'
import { byDepth } from '../fixtures/depth.ts'
import { check, SENDERS, SENT_AT } from './senders.ts'

const runs = byDepth(100, 2000)

const ALGORITHMS = ['sha256', 'sha1', 'sha512'] as const
const ENCODINGS = ['base64', 'hex'] as const

const bodies = fc.uint8Array({ minLength: 1, maxLength: 300 })
const secrets = fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' })

/** Another byte or unit at one place. */
function changed<List extends Uint8Array | string>(list: List, place: number, by: number): List {
  const at = place % list.length
  if (typeof list === 'string') {
    const unit = String.fromCharCode(((list.charCodeAt(at) - 32 + by) % 95) + 32)
    return `${list.slice(0, at)}${unit}${list.slice(at + 1)}` as List
  }
  return list.map((byte, index) => (index === at ? (byte + by) % 256 : byte)) as List
}

/** Hex in upper case is the same number, base64 needs no padding, and a header has no blanks at its ends. */
function isSame(text: string, signature: string): boolean {
  const isHex = /^[0-9a-f]+$/.test(signature)
  const header = isHex ? text.trim().toLowerCase() : text.trim()
  return header === signature || header === signature.replace(/=+$/, '')
}

describe('A signature of any body and secret', () => {
  it('is accepted, and refused once a byte is another', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...ALGORITHMS),
      fc.constantFrom(...ENCODINGS),
      bodies,
      secrets,
      fc.nat(),
      fc.integer({ min: 1, max: 94 }),
      async (algorithm, encoding, body, secret, place, by) => {
        const rule = Verification.parse({ kind: 'hmac', header: 'X-S', algorithm, encoding })
        const signature = createHmac(algorithm, secret).update(body).digest(encoding)
        const answer = (text: string, bytes: Uint8Array, key: string) =>
          check(rule, { headers: { 'x-s': text }, body: bytes }, [key])

        expect(await answer(signature, body, secret)).toBeNull()
        expect(await answer(signature, changed(body, place, by), secret)).toBe('mismatch')
        expect(await answer(signature, body, `${secret}x`)).toBe('mismatch')
        expect(await answer(signature, body, `x${secret}`)).toBe('mismatch')
        const other = changed(signature, place, by)
        expect(await answer(other, body, secret)).toBe(isSame(other, signature) ? null : 'mismatch')
        const cut = signature.slice(0, place % signature.length)
        expect(await answer(cut, body, secret)).toBe(isSame(cut, signature) ? null : 'mismatch')
      },
    )
    await fc.assert(property, { numRuns: runs })
  })
})

describe('Whatever a sender writes', () => {
  const latin = fc.string({
    unit: fc.integer({ min: 32, max: 126 }).map((c) => String.fromCharCode(c)),
    maxLength: 200,
  })
  const shaped = fc
    .array(
      fc.oneof(
        latin,
        fc.constantFrom(
          'v1,',
          'v1=',
          't=',
          'sha256=',
          '.',
          '..',
          ' ',
          ',',
          'Basic ',
          'Bearer ',
          'e30',
          '==',
        ),
        fc.base64String(),
        fc.integer().map(String),
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join(''))
  const names = SENDERS.flatMap(({ verification: { header, timestamp, id } }) =>
    [
      header,
      (timestamp as Record<string, string>)?.header,
      (id as Record<string, string>)?.header,
    ].flatMap((name) => (typeof name === 'string' ? [name] : [])),
  )
  const rules = [
    ...SENDERS.map(({ verification }) => Verification.parse(verification)),
    Verification.parse({ kind: 'basic', username: 'a' }),
    Verification.parse({ kind: 'token', header: 'Authorization', prefix: 'Bearer ' }),
  ]

  it('is refused and throws nothing', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...rules),
      fc.dictionary(fc.constantFrom(...names, 'Authorization'), shaped),
      fc.oneof(
        bodies,
        fc.json().map((text) => Buffer.from(text)),
      ),
      fc.webUrl({ withQueryParameters: true }),
      async (rule, headers, body, url) => {
        const answer = await check(rule, { headers, body, url: new URL(url) }, [
          'secret',
          'c2VjcmV0',
        ])
        expect(['missing', 'mismatch']).toContain(answer)
      },
    )
    await fc.assert(property, { numRuns: 3 * runs })
  })
})

it('takes as long for a wrong signature of 100 KB as for none', async () => {
  for (const { verification, body } of SENDERS) {
    const rule = Verification.parse(verification)
    const text = `v1,${'v1=,v1, '.repeat(12_500)}`
    const headers = { [String(verification.header)]: text }
    const before = performance.now()
    for (let run = 0; run < 20; run++) {
      expect(await check(rule, { headers, body }, ['secret'], SENT_AT)).toBe('mismatch')
    }
    expect(performance.now() - before).toBeLessThan(1000)
  }
})
