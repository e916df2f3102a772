import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectRefusal } from '../fixtures/refusal.ts'
import { client, createKey, send } from '../fixtures/tenant.ts'

// docs/behaviour.md, Keys and scopes: where BASE_DOMAIN is set, a key is valid only at its tenant's host.
// isolation.test.ts tests this at every endpoint.

const ALL = ['integrations.*', 'settings.*']
const bindings = { ...env, BASE_DOMAIN: 'example.com' }

let demo: string
let other: string

beforeAll(async () => {
  demo = (await createKey(ALL)).value
  other = (await createKey(ALL, { tenant: 'other' })).value
})

const get = (key: string, origin: string) => client(key, { bindings, origin }).get('/orders/')

describe('a key where BASE_DOMAIN is set', () => {
  it.each([
    'https://demo.example.com',
    'https://DEMO.example.com',
    'https://demo.example.com:8443',
  ])('is valid at %s', async (origin) => {
    expect((await get(demo, origin)).status).toBe(200)
  })

  it.each([
    'https://other.example.com',
    'https://example.com',
    'https://www.example.com',
    'https://demo.example.org',
    'https://demo.example.com.evil.org',
    'https://a.demo.example.com',
    'https://demo.a.example.com',
    'https://xdemo.example.com',
    'https://demo-example.com',
    'https://demo',
    'https://127.0.0.1',
  ])('is invalid at %s', async (origin) => {
    expectRefusal(await get(demo, origin), 401, 'KEY_INVALID', 'Invalid API key.')
  })

  it('of another tenant is valid at that tenant and not here', async () => {
    expect((await get(other, 'https://other.example.com')).status).toBe(200)
    expectRefusal(await get(other, 'https://demo.example.com'), 401, 'KEY_INVALID')
  })

  it('is not let in by a host that headers name', async () => {
    const headers = { 'X-Forwarded-Host': 'demo.example.com', Forwarded: 'host=demo.example.com' }
    const api = client(demo, { bindings, origin: 'https://other.example.com', headers })
    expectRefusal(await api.get('/orders/'), 401, 'KEY_INVALID')
  })
})

describe('a key where BASE_DOMAIN is not set', () => {
  it.each(['https://other.example.com', 'http://localhost:8787'])('is valid at %s', async (o) => {
    expect((await client(demo, { origin: o }).get('/orders/')).status).toBe(200)
  })
})

describe('a public route', () => {
  const ask = (origin: string, headers: Record<string, string> = {}) =>
    send(new Request(`${origin}/healthz/`, { headers }), { bindings })

  it('takes no header for the host', async () => {
    const headers = {
      Host: 'other.example.com',
      'X-Forwarded-Host': 'other.example.com',
      'X-Original-Host': 'other.example.com',
      Forwarded: 'host=other.example.com',
      'X-Tenant': 'other',
    }
    expect((await ask('https://demo.example.com', headers)).body.data.tenant).toBe('demo')
    expect((await ask('https://example.com', headers)).body.data.tenant).toBeUndefined()
  })

  it.each([
    'https://demo.example.com.',
    'https://demo.example.com@evil.org',
    'https://evil.org/.example.com',
    'https://demo%2eexample.com.evil.org',
  ])('tells of no tenant at %s', async (origin) => {
    expect((await ask(origin)).body.data?.tenant).toBeUndefined()
  })

  it.each([
    'https://__proto__.example.com',
    'https://constructor.example.com',
    'https://demo%5F.example.com',
    'https://xn--demo-.example.com',
    `https://${'a'.repeat(63)}.example.com`,
  ])('says 404 of %s', async (origin) => {
    expectRefusal(await ask(origin), 404, 'NOT_FOUND', 'No tenant is served at this host.')
  })

  it('tells the router whether the tenant is here', async () => {
    const tells = async (origin: string) => (await ask(origin)).headers.get('X-No-Tenant')
    expect(await tells('https://nobody.example.com')).toBe('true')
    expect(await tells('https://__proto__.example.com')).toBe('true')
    expect(await tells('https://demo.example.com')).toBeNull()
    expect(await tells('http://localhost:8787')).toBeNull()
  })
})
