import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { type MintedKey, mintKey } from '../../src/engine/identity/key.ts'
import { sample } from '../fixtures/depth.ts'
import { ADDRESSES, ENDPOINTS, PUBLIC, strayRequestOf } from '../fixtures/endpoints.ts'
import { admin } from '../fixtures/opened.ts'
import { PAGES } from '../fixtures/pages.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { routesBelow } from '../fixtures/routes.ts'
import { oneValue } from '../fixtures/sql.ts'
import { client, createKey, ORIGIN, openTenant, send } from '../fixtures/tenant.ts'

// Spec 5. Who is refused, at every endpoint there is.

const ALL = ['integrations.*', 'settings.*']
const PAST = '2026-01-01T00:00:00.000Z'

let valid: string

beforeAll(async () => {
  await openTenant('other')
  valid = (await createKey(ALL)).value
})

/** A key of full rights in the given database, whatever tenant it names. */
async function store(db: D1Database, { value, hash, hint }: MintedKey): Promise<string> {
  await db
    .prepare(
      `insert into api_keys (id, hash, hint, name, scopes, created_at)
       values (?, ?, ?, 'misplaced', ?, ?)`,
    )
    .bind(crypto.randomUUID(), hash, hint, JSON.stringify(ALL), PAST)
    .run()
  return value
}

const otherThan = (letter: string | undefined) => (letter === 'A' ? 'B' : 'A')

const INVALID_KEYS: [string, () => string | Promise<string>][] = [
  ['a word', () => 'secret'],
  ['a key without its prefix', () => valid.slice(3)],
  ['a key with another prefix', () => valid.replace('xd_', 'sk_')],
  ['a key that is cut short', () => valid.slice(0, -1)],
  ['a key that goes on', () => `${valid}A`],
  ['a key with its tenant in upper case', () => valid.replace('demo', 'DEMO')],
  ['a key whose tenant was exchanged', () => valid.replace('demo', 'other')],
  ['a key with a wrong checksum', () => valid.slice(0, -1) + otherThan(valid.at(-1))],
  [
    'a key with a wrong secret',
    () => valid.replace(/^(xd_demo_)(.)/, (_, prefix, letter) => prefix + otherThan(letter)),
  ],
  ['a well-formed key that nobody was given', async () => (await mintKey('demo')).value],
  ['a key of a tenant that has no database', async () => (await mintKey('nowhere')).value],
  [
    "another tenant's key that lies in this tenant's database",
    async () => store(env.DB_DEMO, await mintKey('other')),
  ],
  [
    "this tenant's key that lies in another tenant's database",
    async () => store(env.DB_OTHER, await mintKey('demo')),
  ],
  ['a key that stands twice in one header', () => `${valid}, ${valid}`],
  ['a revoked key', async () => (await createKey(ALL, { revoked_at: PAST })).value],
  [
    'a key that was revoked and has expired',
    async () => (await createKey(ALL, { revoked_at: PAST, expires_at: PAST })).value,
  ],
]

describe('the tables of endpoints, pages and public routes', () => {
  it('hold every route of the app and nothing else', () => {
    const listed = [...ENDPOINTS, ...PAGES, ...PUBLIC, ...ADDRESSES]
    const titles = listed.map(({ method, path }) => `${method} ${path}`)
    expect(titles.toSorted()).toEqual(routesBelow('/'))
  })
})

describe.each(ENDPOINTS)('$method $path', (endpoint) => {
  it.each([
    ['no key', null],
    ['an empty key', ''],
    ['a blank key', '   '],
  ])('refuses %s as missing', async (_, key) => {
    const answer = await client(key).call(...(await strayRequestOf(endpoint, admin)))
    expectRefusal(answer, 403, 'KEY_MISSING')
  })

  it('looks for the key in no other place', async () => {
    const [method, path, body] = await strayRequestOf(endpoint, admin)
    const answer = await client(null, {
      headers: { Authorization: `Bearer ${valid}`, Cookie: `X-API-Key=${valid}`, 'Api-Key': valid },
    }).call(method, `${path}?api_key=${valid}&X-API-Key=${valid}`, body)
    expectRefusal(answer, 403, 'KEY_MISSING')
  })

  it.each(sample(INVALID_KEYS, 1))('refuses %s', async (_, key) => {
    const answer = await client(await key()).call(...(await strayRequestOf(endpoint, admin)))
    expectRefusal(answer, 401, 'KEY_INVALID', 'Invalid API key.')
  })
})

describe.each(sample(ENDPOINTS, 8))('$method $path', (endpoint) => {
  it('refuses two valid keys at once', async () => {
    const [method, path, body] = await strayRequestOf(endpoint, admin)
    const headers = new Headers({ 'Content-Type': 'application/json' })
    for (const key of [valid, (await createKey(ALL)).value]) headers.append('X-API-Key', key)
    const answer = await send(
      new Request(ORIGIN + path, { method, headers, ...(body && { body: JSON.stringify(body) }) }),
    )
    expectRefusal(answer, 401, 'KEY_INVALID', 'Invalid API key.')
  })

  it('refuses an expired key', async () => {
    const { value } = await createKey(ALL, { expires_at: PAST })
    const answer = await client(value).call(...(await strayRequestOf(endpoint, admin)))
    expectRefusal(answer, 401, 'KEY_EXPIRED', 'API key has expired.')
  })

  it('refuses a key before it looks at the body', async () => {
    const [method, path] = await strayRequestOf(endpoint, admin)
    const body = method === 'GET' ? undefined : '{"broken'
    expectRefusal(await client('secret').call(method, path, body), 401, 'KEY_INVALID')
  })
})

describe.each(sample(PUBLIC, 1))('$method $path', ({ method, path }) => {
  const ask = (headers: Record<string, string>, query = '') =>
    send(new Request(`https://demo.example.com${path}${query}`, { method, headers }), {
      bindings: { ...env, BASE_DOMAIN: 'example.com' },
    })

  it('answers everybody alike, whatever key or cookie they send, and logs nobody', async () => {
    const rows = () => oneValue('select count(*) as n from audit_log')
    const { status, text } = await ask({})
    const before = await rows()
    const keys = [valid, '', 'secret', ...(await Promise.all(INVALID_KEYS.map(([, key]) => key())))]
    const answers = [
      ...keys.map((key) => ask({ 'X-API-Key': key })),
      ask({ Cookie: `crossdock_session=${valid}`, Authorization: `Bearer ${valid}` }),
      ask({}, `?api_key=${valid}&tenant=other`),
    ]
    for (const answer of await Promise.all(answers)) {
      expect([answer.status, answer.text]).toEqual([status, text])
      expect(answer.headers.get('Server-Timing')).toBeNull()
      expect(answer.headers.get('Set-Cookie')).toBeNull()
    }
    expect(status).toBe(200)
    expect(await rows()).toBe(before)
  })
})

describe('a key', () => {
  it('is refused where the binding of its tenant is no database', async () => {
    const { value } = await mintKey('nowhere')
    const bindings = { ...env, DB_NOWHERE: 'a word' }
    const answer = await client(value, { bindings }).get('/orders/')
    expectRefusal(answer, 401, 'KEY_INVALID', 'Invalid API key.')
  })

  it("is refused where its tenant's binding leads to another tenant's database", async () => {
    const value = await store(env.DB_DEMO, await mintKey('other'))
    const bindings = { ...env, DB_OTHER: env.DB_DEMO }
    const answer = await client(value, { bindings }).get('/orders/')
    expectRefusal(answer, 401, 'KEY_INVALID', 'Invalid API key.')
  })
})
