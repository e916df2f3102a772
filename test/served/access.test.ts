import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Served, startServer } from '../fixtures/server.ts'

// Signing in by Cloudflare Access: real tokens, and a server that tells the keys of the team as Access does.

const AUDIENCE = 'f3a1c2'
const EMAIL = 'ada@example.com'

type Pair = Awaited<ReturnType<typeof generateKeyPair>>

let keys: { kid: string; pair: Pair }[] = []
let asked = 0
const team = createServer(async (_, response) => {
  asked += 1
  const shown = keys.map(async ({ kid, pair }) => ({
    ...(await exportJWK(pair.publicKey)),
    kid,
    alg: 'RS256',
    use: 'sig',
  }))
  response.setHeader('Content-Type', 'application/json')
  response.end(JSON.stringify({ keys: await Promise.all(shown) }))
})

let issuer: string
let server: Served
let admin: string

async function newPair(kid: string) {
  return { kid, pair: await generateKeyPair('RS256', { extractable: true }) }
}

beforeAll(async () => {
  keys = [await newPair('one')]
  await new Promise<void>((resolve) => team.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(team.address() as AddressInfo).port}`
  server = await startServer({
    configPath: 'wrangler.toml',
    prebuiltWorkerDir: 'dist/worker',
    secrets: {
      SESSION_SECRET: 'for tests only, for tests only, for tests only',
      BASE_DOMAIN: 'localhost',
      ACCESS_ISSUER: issuer,
      ACCESS_AUD_DEMO: AUDIENCE,
    },
  })
  admin = await server.createKey(['integrations.*', 'settings.*'])
  const person = { name: 'Ada Lund', email: EMAIL, role: 'viewer' }
  expect((await ask('POST', '/api/settings/v1/people/', { key: admin, body: person })).status).toBe(
    201,
  )
}, 120_000)

afterAll(async () => {
  await server?.close()
  team.close()
})

interface Asked {
  token?: string | undefined
  cookie?: string | undefined
  key?: string
  body?: object
  host?: string
  mode?: string
}

/** Node's fetch sets no Host header, which names the tenant. */
function ask(
  method: string,
  path: string,
  { token, cookie, key, body, host = 'demo', mode }: Asked = {},
) {
  const url = new URL(path, server.origin)
  const headers = {
    Host: `${host}.localhost:${url.port}`,
    ...(token && { 'Cf-Access-Jwt-Assertion': token }),
    ...(cookie && { Cookie: cookie }),
    ...(mode && { 'Sec-Fetch-Mode': mode }),
    ...(key && { 'X-API-Key': key }),
    ...(body && { 'Content-Type': 'application/json' }),
  }
  return new Promise<{ status: number; cookie: string; location: string; text: string }>(
    (resolve, reject) => {
      const sent = request(String(url), { method, headers }, async (response) => {
        let text = ''
        for await (const part of response) text += part
        const [set = ''] = response.headers['set-cookie'] ?? []
        const { statusCode: status = 0 } = response
        const { location = '' } = response.headers
        resolve({ status, cookie: set.split(';')[0] ?? '', location, text })
      })
      sent.on('error', reject)
      sent.end(body && JSON.stringify(body))
    },
  )
}

interface Minted {
  payload?: JWTPayload
  by?: { kid: string; pair: Pair } | undefined
  ends?: string
}

async function mint({ payload = {}, by = keys[0], ends = '10m' }: Minted = {}): Promise<string> {
  const claims = { email: EMAIL, aud: [AUDIENCE], iss: issuer, ...payload }
  if (!by) throw new Error('there is no key')
  return await new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: by.kid })
    .setIssuedAt()
    .setExpirationTime(ends)
    .sign(by.pair.privateKey)
}

const SIGN_IN = '/dashboard/sign-in/'

describe('GET /dashboard/sign-in/ behind Cloudflare Access', () => {
  it('signs a person in, who sees what the role may see', async () => {
    const answer = await ask('GET', `${SIGN_IN}?next=/dashboard/products/`, { token: await mint() })
    expect([answer.status, answer.location]).toEqual([303, '/dashboard/products/'])
    const { cookie } = answer
    expect((await ask('GET', '/dashboard/products/', { cookie })).status).toBe(200)
    expect((await ask('GET', '/dashboard/new/product/', { cookie })).status).toBe(403)
    const { text } = await ask('GET', `/api/settings/v1/sessions/`, { key: admin })
    expect(text).toContain('Ada Lund')
  })

  it('begins no session for what is no visit of the page, such as a picture elsewhere', async () => {
    const token = await mint()
    expect((await ask('GET', SIGN_IN, { token, mode: 'no-cors' })).cookie).toBe('')
    expect((await ask('GET', SIGN_IN, { token, mode: 'navigate' })).cookie).not.toBe('')
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
      async () => new UnsecuredJWT({ email: EMAIL, aud: AUDIENCE, iss: issuer }).encode(),
      'none of the keys of the team has signed it',
    ],
    [
      'of a key that is not the team’s, under the name of one that is',
      async () => mint({ by: await newPair('one') }),
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
    const [key] = keys
    const token = await new SignJWT({ email: EMAIL, aud: AUDIENCE, iss: issuer })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(key?.pair.privateKey as CryptoKey)
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
    const added = await ask('POST', '/api/settings/v1/people/', { key: admin, body: person })
    const { id } = JSON.parse(added.text).data
    const token = await mint({ payload: { email } })
    const { cookie } = await ask('GET', SIGN_IN, { token })
    expect((await ask('GET', '/dashboard/people/', { cookie })).status).toBe(200)
    await ask('DELETE', `/api/settings/v1/people/${id}/`, { key: admin })
    expect((await ask('GET', '/dashboard/people/', { cookie })).status).toBe(303)
    expect((await ask('GET', SIGN_IN, { token })).status).toBe(403)
  })

  it('asks for the keys of the team once, and again when they have rotated', async () => {
    await ask('GET', SIGN_IN, { token: await mint() })
    const before = asked
    await ask('GET', SIGN_IN, { token: await mint() })
    expect(asked).toBe(before)
    keys = [await newPair('two')]
    // An unknown key is asked for again after half a minute at the earliest.
    await expect
      .poll(async () => (await ask('GET', SIGN_IN, { token: await mint() })).status, {
        timeout: 45_000,
        interval: 3000,
      })
      .toBe(303)
    expect(asked).toBe(before + 1)
  }, 60_000)
})
