import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { hintOf } from '../../src/engine/identity/key.ts'
import { attemptsIn, noAttempts } from '../fixtures/attempts.ts'
import { sample } from '../fixtures/depth.ts'
import { ENDPOINTS, strayRequestOf } from '../fixtures/endpoints.ts'
import { PAGES } from '../fixtures/pages.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { openDashboard } from '../fixtures/session.ts'
import {
  type Api,
  type CallOptions,
  client,
  createKey,
  openAdmin,
  send,
} from '../fixtures/tenant.ts'

// What comes over plain HTTP from another machine is refused before it is looked at.

const PLAIN = 'http://demo.example'
const REFUSED = expect.stringMatching(/^Send requests to https:\/\/\. .+ replace that key\.$/)

let admin: Api
let key: string
let options: CallOptions

beforeAll(async () => {
  admin = await openAdmin()
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
