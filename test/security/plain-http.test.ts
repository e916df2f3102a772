import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hintOf } from '../../src/engine/identity/key.ts'
import { attemptsIn, noAttempts } from '../fixtures/attempts.ts'
import { sample } from '../fixtures/depth.ts'
import { ENDPOINTS, strayRequestOf } from '../fixtures/endpoints.ts'
import { admin } from '../fixtures/opened.ts'
import { PAGES } from '../fixtures/pages.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { openDashboard } from '../fixtures/session.ts'
import { type CallOptions, client, createKey, send } from '../fixtures/tenant.ts'

// What comes over plain HTTP from another machine is refused before it is looked at.

const PLAIN = 'http://demo.example'
const REFUSED = expect.stringMatching(/^Send requests to https:\/\/\. .+ replace that key\.$/)

let key: string
let options: CallOptions

beforeAll(async () => {
  key = (await createKey(['integrations.*', 'settings.*'])).value
})
beforeEach(async () => {
  options = await noAttempts()
})

const plain = (value: string | null) => client(value, { ...options, origin: PLAIN })
const rows = (table: string) =>
  env.DB_DEMO.prepare(`select count(*) as n from ${table}`).first<number>('n')

describe.each(sample(ENDPOINTS, 5))('$method $path', (endpoint) => {
  it('is 403 over plain HTTP, and does nothing', async () => {
    const [method, path, body] = await strayRequestOf(endpoint, admin)
    const logged = await rows('audit_log')
    for (const value of [key, null, 'secret']) {
      const answer = await plain(value).call(method, path, body)
      expectRefusal(answer, 403, 'HTTPS_REQUIRED', REFUSED)
      expect(answer.headers.get('Strict-Transport-Security')).toBeNull()
    }
    expect(await rows('audit_log')).toBe(logged)
  })
})

describe('a key over plain HTTP', () => {
  it('counts as exposed, with its hint, and no other does', async () => {
    await plain(key).get('/orders/')
    expect(await attemptsIn()).toEqual([
      expect.objectContaining({ hint: hintOf(key), reason: 'plain_http', count: 1 }),
    ])
  })

  it('does not count where it is no key', async () => {
    for (const value of [null, '', 'secret', `${key}x`]) await plain(value).get('/orders/')
    expect(await attemptsIn()).toEqual([])
  })

  it('of release 1.0 is refused, too', async () => {
    const { value, id } = await createKey(['integrations.*'])
    await env.DB_DEMO.prepare("update api_keys set release = '1.0' where id = ?").bind(id).run()
    expectRefusal(await plain(value).get('/orders/'), 403, 'HTTPS_REQUIRED', REFUSED)
  })

  it.each(['X-Forwarded-Proto', 'CF-Visitor'])('is not saved by %s', async (header) => {
    const headers = { [header]: header === 'CF-Visitor' ? '{"scheme":"https"}' : 'https' }
    const api = client(key, { ...options, origin: PLAIN, headers })
    expectRefusal(await api.get('/orders/'), 403, 'HTTPS_REQUIRED', REFUSED)
  })

  it('is marked in the list of keys until it is revoked', async () => {
    const { value, id } = await createKey(['settings.*'])
    await plain(value).get('/orders/')
    const dashboard = await openDashboard(['settings.*'])
    const rowOf = async () => {
      const { text } = await dashboard.get('/dashboard/api-keys/')
      return text.split('<tr>').find((row) => row.includes(hintOf(value)))
    }
    expect(await rowOf()).toContain('Sent over plain HTTP on')
    await admin.call('DELETE', `/api/settings/v1/api-keys/${id}/`)
    expect(await rowOf()).not.toContain('Sent over plain HTTP')
  })
})

describe('a page over plain HTTP', () => {
  const paths = [...new Set(PAGES.map(({ path }) => path.replace(/:\w+({[^}]*})?/g, 'unknown')))]

  it.each([...sample(paths, 2), '/healthz/', '/', '/docs/none', '/dashboard'])(
    'leads to HTTPS, whatever the method: %s',
    async (path) => {
      for (const method of ['GET', 'HEAD', 'POST']) {
        const request = new Request(`${PLAIN}:8080${path}?a=b%2Fc`, { method, redirect: 'manual' })
        const { status, headers } = await send(request)
        const to = `https://demo.example${path}?a=b%2Fc`
        expect([status, headers.get('Location')]).toEqual([308, to])
        expect(headers.get('Set-Cookie')).toBeNull()
      }
    },
  )
})

describe('this machine', () => {
  it.each([
    'http://localhost:8787',
    'http://demo.localhost',
    'http://127.0.0.1:9000',
    'http://127.1',
    'http://[::1]:8787',
  ])('may use %s', async (origin) => {
    const answer = await client(key, { origin }).get('/orders/')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('Strict-Transport-Security')).toBeNull()
  })

  it.each([
    'http://localhost.example',
    'http://127.0.0.1.example',
    'http://notlocalhost',
    'http://128.0.0.1',
    'http://[::2]',
    'http://0.0.0.0',
  ])('is not %s', async (origin) => {
    expectRefusal(await client(key, { origin }).get('/orders/'), 403, 'HTTPS_REQUIRED')
  })
})

describe('an answer over HTTPS', () => {
  it.each([
    ['of the API', '/api/integrations/v1/orders/'],
    ['that refuses', '/api/integrations/v1/none/'],
    ['that leads on', '/api/integrations/v1/orders'],
    ['that is a page', '/dashboard/sign-in/'],
    ['that is a document', '/api/integrations/v1/openapi.json'],
    ['of the health check', '/healthz/'],
  ])('%s tells browsers to stay with HTTPS', async (_, path) => {
    const { headers } = await client(key).get(path)
    expect(headers.get('Strict-Transport-Security')).toBe('max-age=31536000')
  })
})

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
