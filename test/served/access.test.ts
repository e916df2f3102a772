import { SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AUDIENCE, EMAIL, newKey, openAccess } from '../fixtures/access.ts'

const SIGN_IN = '/dashboard/sign-in/'

let access: Awaited<ReturnType<typeof openAccess>>

beforeAll(async () => {
  access = await openAccess()
}, 120_000)

afterAll(async () => await access?.close())

const ask: typeof access.ask = (...asked) => access.ask(...asked)
const mint: typeof access.team.mint = (minted) => access.team.mint(minted)

describe('GET /dashboard/sign-in/ behind Cloudflare Access', () => {
  it('signs a person in, who sees what the role may see', async () => {
    const answer = await ask('GET', `${SIGN_IN}?next=/dashboard/products/`, { token: await mint() })
    expect([answer.status, answer.location]).toEqual([303, '/dashboard/products/'])
    const { cookie } = answer
    expect((await ask('GET', '/dashboard/products/', { cookie })).status).toBe(200)
    expect((await ask('GET', '/dashboard/new/product/', { cookie })).status).toBe(403)
    const { text } = await ask('GET', `/api/settings/v1/sessions/`, { key: access.admin })
    expect(text).toContain('Ada Lund')
  })

  it('begins no session for what is no visit of the page, such as a picture or a frame elsewhere', async () => {
    const token = await mint()
    expect((await ask('GET', SIGN_IN, { token, mode: 'no-cors' })).cookie).toBe('')
    expect((await ask('GET', SIGN_IN, { token, mode: 'navigate', dest: 'iframe' })).cookie).toBe('')
    const opened = { token, mode: 'navigate', dest: 'document' }
    expect((await ask('GET', SIGN_IN, opened)).cookie).not.toBe('')
  })

  it('takes an address in any case', async () => {
    const token = await mint({ payload: { email: 'Ada@Example.COM' } })
    expect((await ask('GET', SIGN_IN, { token })).status).toBe(303)
  })

  it.each<[string, () => Promise<string>, string]>([
    ['that has expired', () => mint({ ends: '-1m' }), 'it has expired'],
    [
      'for another audience',
      () => mint({ payload: { aud: ['other'] } }),
      'it is for another application',
    ],
    [
      'of another issuer',
      () => mint({ payload: { iss: 'https://other.example' } }),
      'another team has issued it',
    ],
    [
      'that nobody signed',
      async () =>
        new UnsecuredJWT({ email: EMAIL, aud: AUDIENCE, iss: access.team.issuer }).encode(),
      'none of the keys of the team has signed it',
    ],
    [
      'of a key that is not the team’s, under the name of one that is',
      async () => mint({ by: await newKey('one') }),
      'none of the keys of the team has signed it',
    ],
    ['without an address', () => mint({ payload: { email: undefined } }), 'a claim is missing'],
    ['of a service', () => mint({ payload: { email: '' } }), 'it names no e-mail address'],
    ['that is no token', async () => 'abc', 'none of the keys of the team has signed it'],
  ])('refuses a token %s, and says so', async (_, tokenOf, why) => {
    const answer = await ask('GET', SIGN_IN, { token: await tokenOf() })
    expect([answer.status, answer.cookie]).toEqual([401, ''])
    expect(answer.text).toContain(why)
  })

  it('refuses a token that ends never', async () => {
    const token = await new SignJWT({ email: EMAIL, aud: AUDIENCE, iss: access.team.issuer })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(access.team.key.pair.privateKey)
    expect((await ask('GET', SIGN_IN, { token })).status).toBe(401)
  })

  it('takes the token of one tenant for no other', async () => {
    const answer = await ask('GET', SIGN_IN, { token: await mint(), host: 'other' })
    expect(answer.cookie).toBe('')
  })

  it('tells a stranger who may let him in, and keeps the way by a key', async () => {
    const token = await mint({ payload: { email: 'eve@example.com' } })
    const answer = await ask('GET', SIGN_IN, { token })
    expect([answer.status, answer.cookie]).toEqual([403, ''])
    expect(answer.text).toContain('Nobody with the e-mail address eve@example.com')
    expect(answer.text).toContain('name="key"')
  })

  it('does not sign in anew whoever has just signed out', async () => {
    const token = await mint()
    const answer = await ask('GET', `${SIGN_IN}?done=signed-out`, { token })
    expect([answer.status, answer.cookie]).toEqual([200, ''])
  })

  it('signs nobody in whose access was taken away', async () => {
    const email = 'gone@example.com'
    const person = { name: 'Gone', email, role: 'owner' }
    const added = await ask('POST', '/api/settings/v1/people/', { key: access.admin, body: person })
    const { id } = JSON.parse(added.text).data
    const token = await mint({ payload: { email } })
    const { cookie } = await ask('GET', SIGN_IN, { token })
    expect((await ask('GET', '/dashboard/people/', { cookie })).status).toBe(200)
    await ask('DELETE', `/api/settings/v1/people/${id}/`, { key: access.admin })
    expect((await ask('GET', '/dashboard/people/', { cookie })).status).toBe(303)
    expect((await ask('GET', SIGN_IN, { token })).status).toBe(403)
  })

  it('asks for the keys of the team once', async () => {
    await ask('GET', SIGN_IN, { token: await mint() })
    const before = access.team.asked
    await ask('GET', SIGN_IN, { token: await mint() })
    expect(access.team.asked).toBe(before)
  })
})
