import { describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { ENDPOINTS, pathAt } from '../fixtures/endpoints.ts'
import { admin } from '../fixtures/opened.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { oneRow } from '../fixtures/sql.ts'
import { client, createKey, ORIGIN, send } from '../fixtures/tenant.ts'

// The reference, Paths: trailing slash, unknown path, wrong method.

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const PATHS = [...new Set(ENDPOINTS.map(({ path }) => path))]
const filled = (path: string) => pathAt(path, 'unknown')

function allowedAt(path: string): string[] {
  const methods = ENDPOINTS.filter((endpoint) => endpoint.path === path).map(({ method }) => method)
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods
}

describe.each(sample(PATHS, 14))('%s', (path) => {
  it.each(['GET', 'POST', 'PUT', 'DELETE'])(
    'without its slash sends %s on to it, query kept, before it asks for a key',
    async (method) => {
      const target = filled(path)
      const url = `${target.slice(0, -1)}?limit=2&cursor=a%20b%2Fc`
      const body = method === 'GET' ? undefined : {}
      for (const key of [null, 'secret', (await createKey([])).value]) {
        const answer = await client(key).call(method, url, body)
        const location = answer.headers.get('Location')
        expect([answer.status, location]).toEqual([308, `${target}?limit=2&cursor=a%20b%2Fc`])
        expect(answer.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/)
        expect(answer.headers.get('Cache-Control')).toBe('no-store')
      }
    },
  )

  it.each(METHODS.filter((method) => !allowedAt(path).includes(method)))(
    'answers %s with 405 and with the methods that it has',
    async (method) => {
      const answer = await admin.call(method, filled(path))
      const allow = answer.headers.get('Allow')?.split(', ') ?? []
      expect([answer.status, allow.toSorted()]).toEqual([405, allowedAt(path).toSorted()])
      if (method !== 'HEAD') expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED')
    },
  )

  it('does not say which methods it has before it knows the key', async () => {
    const answer = await client(null).call('PATCH', filled(path), {})
    expectRefusal(answer, 403, 'KEY_MISSING')
    expect(answer.headers.get('Allow')).toBeNull()
  })
})

describe('an unknown path', () => {
  it('of a mapping names the resources that there are', async () => {
    const mappings = `/api/settings/v1/partners/${crypto.randomUUID()}/mappings/`
    for (const path of ['order/', 'Orders/', 'order/preview/']) {
      const message =
        'This path does not exist: the resource of a mapping is one of orders, products, locations, inventory.'
      expectRefusal(await admin.get(mappings + path), 404, 'NOT_FOUND', message)
    }
    for (const path of [`${mappings}orders/x/`, '/api/settings/v1/mapping/']) {
      const message = 'This path does not exist: check its spelling.'
      expectRefusal(await admin.get(path), 404, 'NOT_FOUND', message)
    }
  })
})

describe('a redirect', () => {
  it('stays on this host whatever the path looks like', async () => {
    for (const path of ['/api//evil.org', '/api/%5C%5Cevil.org', '/api/https://evil.org']) {
      const location = (await client(null).get(path)).headers.get('Location') ?? ''
      expect(new URL(location, 'https://demo.example').origin).toBe('https://demo.example')
    }
  })

  it('keeps what is encoded in the path encoded', async () => {
    const answer = await client(null).get('/orders/a%2Fb%20c')
    expect(answer.headers.get('Location')).toBe('/api/integrations/v1/orders/a%2Fb%20c/')
  })
})

describe('an unknown path', () => {
  it.each([
    '/api/',
    '/api/nothing/',
    '/api/integrations/',
    '/api/integrations/v1/',
    '/api/integrations/v1/nothing/',
    '/api/integrations/v2/orders/',
    '/api/integrations/v1/Orders/',
    '/api/integrations/v1/orders/a/b/',
    '/api/integrations/v1/orders//',
    '/api/settings/v1/',
    '/api/settings/v1/orders/',
    '/api/settings/v1/workspace/1/',
    '/api/settings/v1/api-keys/a/b/',
    '/api/settings/v1/audit-log/a/b/',
  ])('is 404: %s', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE']) {
      expectRefusal(await admin.call(method, path), 404, 'NOT_FOUND')
    }
  })

  it('is 404 whatever the scopes of the key', async () => {
    const { value } = await createKey([])
    expectRefusal(await client(value).get('/nothing/'), 404, 'NOT_FOUND')
  })

  it('is 403 and 401 without a key and with an unknown one', async () => {
    expectRefusal(await client(null).get('/nothing/'), 403, 'KEY_MISSING')
    expectRefusal(await client('secret').get('/nothing/'), 401, 'KEY_INVALID')
  })
})

describe('a path with percent-encoded letters', () => {
  it.each([
    ['/%61pi/integrations/v1/orders/', '/api/integrations/v1/orders/'],
    ['/api/%69ntegrations/v1/%6frders/', '/api/integrations/v1/orders/'],
    ['/api/integrations/v1/orders/%41%2F%2e1%c3%a9/', '/api/integrations/v1/orders/A%2F.1%C3%A9/'],
  ])('%s is in the audit log as it is served', async (path, served) => {
    const { value } = await createKey()
    const answer = await send(new Request(ORIGIN + path, { headers: { 'X-API-Key': value } }))
    const row = await oneRow(
      'select path from audit_log where request_id = ?',
      answer.headers.get('X-Request-Id'),
    )
    expect(row).toEqual({ path: served })
  })

  it('of the dashboard is a page of the dashboard', async () => {
    const answer = await send(new Request(`${ORIGIN}/%64ashboard/`, { redirect: 'manual' }))
    expect([answer.status, answer.headers.get('Location')?.split('?')[0]]).toEqual([
      303,
      '/dashboard/sign-in/',
    ])
  })
})
