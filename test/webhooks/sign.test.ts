import { describe, expect, it } from 'vitest'
import { proofHeaders } from '../../src/engine/webhooks/sign.ts'
import { Verification } from '../../src/engine/webhooks/verification.ts'
import { verify } from '../../src/engine/webhooks/verify.ts'
import { ADDRESS, SENDERS, SENT_AT } from './senders.ts'

const NOW = SENT_AT * 1000

interface Proven {
  verification: Record<string, unknown>
  secret: string
  body: string
}

/** Signs, and checks what was signed with these secrets. */
async function proven({ verification, secret, body }: Proven, secrets = [secret]) {
  const rules = Verification.parse(verification)
  const delivery = { body: new TextEncoder().encode(body), url: ADDRESS }
  const headers = await proofHeaders(rules, delivery, secret, NOW)
  if (!headers) return 'not signed'
  return await verify(rules, { ...delivery, headers: new Headers(headers) }, secrets, NOW)
}

const BY_SECRET = SENDERS.filter(({ secret }) => secret !== '')
const OTHERS = [
  { name: 'Basic', verification: { kind: 'basic', username: 'shop' } },
  { name: 'a token', verification: { kind: 'token', header: 'Authorization', prefix: 'Bearer ' } },
  { name: 'a token alone', verification: { kind: 'token', header: 'X-Token' } },
].map((one) => ({ ...one, secret: 'pässword', body: '{}' }))

describe('proofHeaders', () => {
  it.each([...BY_SECRET, ...OTHERS])('proves to be $name', async (sender) => {
    if (sender.name === 'a token' || sender.name === 'a token alone') sender.secret = 'a-token'
    expect(await proven(sender)).toBeNull()
    expect(await proven(sender, ['another'])).toBe('mismatch')
  })

  it('proves nothing where the address is all', async () => {
    expect(await proven({ verification: { kind: 'address' }, secret: '', body: '{}' })).toBeNull()
  })

  it.each(SENDERS.filter(({ secret }) => secret === ''))(
    'cannot sign for $name',
    async (sender) => {
      expect(await proven(sender)).toBe('not signed')
    },
  )

  it('cannot sign with a secret that is no key', async () => {
    const verification = {
      kind: 'hmac',
      header: 'X-Signature',
      algorithm: 'sha256',
      secret_encoding: 'base64',
    }
    expect(await proven({ verification, secret: 'no base64!', body: '{}' })).toBe('not signed')
  })
})
