import { env } from 'cloudflare:workers'
import { sign } from 'hono/jwt'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { PAGES } from '../dashboard/pages.ts'
import { cookieOf, openDashboard, submit, withCookie } from '../dashboard/session.ts'
import { routesBelow } from '../routes.ts'
import { type Answer, client, createKey, ORIGIN, openTenant, send, unique } from '../tenant.ts'

// Who is let into the dashboard, at every page there is.

const SHORT = 'x'.repeat(31)
const PAST = '2026-01-01T00:00:00.000Z'
const SECRET = (env as unknown as { SESSION_SECRET: string }).SESSION_SECRET
const INSIDE = PAGES.filter(({ scope }) => scope !== null)
const CHANGING = PAGES.filter(({ scope }) => scope === 'settings.write')
const inAnHour = () => Math.floor(Date.now() / 1000) + 3600

let session: { tenant: string; key_id: string; exp: number }

beforeAll(async () => {
  await openTenant('other')
  session = { tenant: 'demo', key_id: (await createKey(['settings.*'])).id, exp: inAnHour() }
})

const at = (path: string) =>
  path
    .replace(':resource{orders|products|locations|inventory}', 'orders')
    .replace(':id', unique('id'))

const cookie = async (payload: object, secret = SECRET) =>
  `crossdock_session=${await sign({ ...payload }, secret, 'HS256')}`

/** As another isolate would: this one is not told. */
const endKey = (id: string) =>
  env.DB_DEMO.prepare('update api_keys set revoked_at = ? where id = ?').bind(PAST, id).run()

/** Where the sign-in leads on to. */
const nextIn = ({ headers }: Answer) =>
  new URL(headers.get('Location') ?? '', ORIGIN).searchParams.get('next')

const visit = (method: string, path: string, sent: string | null) => {
  const dashboard = withCookie(sent)
  return method === 'GET' ? dashboard.get(path) : dashboard.post(path)
}

const STRANGERS: [string, () => null | string | Promise<string>][] = [
  ['no cookie', () => null],
  ['an empty cookie', () => 'crossdock_session='],
  ['a cookie that is no token', () => 'crossdock_session=abc'],
  ['a session that another secret signed', () => cookie(session, 'x'.repeat(40))],
  [
    'a session that nobody signed',
    () =>
      `crossdock_session=${btoa('{"alg":"none","typ":"JWT"}')}.${btoa(JSON.stringify(session))}.`,
  ],
  ['a session of more than 8 hours ago', () => cookie({ ...session, exp: inAnHour() - 3601 })],
  ['a session without an end', () => cookie({ tenant: session.tenant, key_id: session.key_id })],
  ['a session of no key', () => cookie({ ...session, key_id: unique('key') })],
  ["a session of another tenant's key", () => cookie({ ...session, tenant: 'other' })],
  ['a session of no tenant', () => cookie({ ...session, tenant: 'nowhere' })],
  [
    'a session of a revoked key',
    async () =>
      cookie({ ...session, key_id: (await createKey(['settings.*'], { revoked_at: PAST })).id }),
  ],
  [
    'a session of an expired key',
    async () =>
      cookie({ ...session, key_id: (await createKey(['settings.*'], { expires_at: PAST })).id }),
  ],
  [
    'an API key in place of a session',
    async () => `crossdock_session=${(await createKey(['settings.*'])).value}`,
  ],
]

describe('the table of pages', () => {
  it('holds every route of the dashboard and nothing else', () => {
    const listed = PAGES.map(({ method, path }) => `${method} ${path}`)
    expect(listed.toSorted()).toEqual(routesBelow('/dashboard/'))
  })
})

describe.each(INSIDE)('$method $path', ({ method, path, scope }) => {
  it.each(STRANGERS)('sends %s to sign in', async (_, stranger) => {
    const place = at(path)
    const asked = `${place}?range=7d`
    const answer = await visit(method, asked, await stranger())
    expect(answer.status).toBe(303)
    expect(answer.headers.get('Location')).toMatch(/^\/dashboard\/sign-in\//)
    const form = place.replace('preview/', '')
    expect(nextIn(answer)).toBe(method === 'GET' ? asked : form)
    expect(answer.text).toBe('')
  })

  it('is over for a key that was revoked a moment ago, past this isolate', async () => {
    const { id } = await createKey(['settings.*'])
    const own = await cookie({ ...session, key_id: id })
    expect((await visit('GET', '/dashboard/workspace/', own)).status).toBe(200)
    await endKey(id)
    const answer = await visit(method, at(path), own)
    expect([answer.status, answer.text]).toEqual([303, ''])
  })

  it('takes no API key in the header', async () => {
    const { value } = await createKey(['settings.*'])
    const headers = { 'X-API-Key': value, Origin: ORIGIN }
    const answer = await send(
      new Request(ORIGIN + at(path), { method, headers, redirect: 'manual' }),
    )
    expect(answer.status).toBe(303)
  })

  it('refuses a session whose key has no settings scope any more', async () => {
    const { id } = await createKey(['integrations.*'])
    const answer = await visit(method, at(path), await cookie({ ...session, key_id: id }))
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('This API key lacks the scope settings.read.')
  })

  it(`asks for ${scope}`, async () => {
    const { id } = await createKey(['settings.read'])
    const answer = await visit(method, at(path), await cookie({ ...session, key_id: id }))
    const lacks = 'This API key lacks the scope settings.write.'
    if (scope === 'settings.write') expect(answer.status).toBe(403)
    expect(answer.text.includes(lacks)).toBe(scope === 'settings.write')
  })
})

describe.each(PAGES)('$method $path', ({ method, path }) => {
  it('is shown in no frame, with nothing inline and nothing from elsewhere', async () => {
    const answer = await visit(method, at(path), await cookie(session))
    const policy = answer.headers.get('Content-Security-Policy')?.split('; ')
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ])
    expect(answer.headers.get('X-Frame-Options')).toBe('DENY')
    expect(answer.headers.get('Referrer-Policy')).toBe('same-origin')
    expect(answer.headers.get('X-Content-Type-Options')).toBe('nosniff')
    expect(answer.headers.get('Cache-Control')).toBe('no-store')
    expect(answer.text).not.toMatch(/<script(?! type="module" src="\/assets)| style=| on[a-z]+=/)
  })
})

describe.each(CHANGING.filter(({ method }) => method === 'POST'))('POST $path', ({ path }) => {
  it.each([
    ['another site', { Origin: 'https://evil.example' }],
    ['another site, as the browser tells', { Origin: '', 'Sec-Fetch-Site': 'cross-site' }],
    ['a neighbour', { Origin: 'https://other.example', 'Sec-Fetch-Site': 'same-site' }],
    ['nobody knows where', { Origin: '' }],
    ['a sandboxed frame', { Origin: 'null' }],
  ])('refuses a form from %s', async (_, headers) => {
    const answer = await submit(at(path), {}, { Cookie: await cookie(session), ...headers })
    expect(answer.status).toBe(403)
    expect(answer.text).toContain('This form was sent from another site.')
  })
})

describe('POST /dashboard/sign-in/', () => {
  it('opens a session in a cookie that no script reads and no other site sends', async () => {
    const { value, id } = await createKey(['settings.*'])
    const answer = await submit('/dashboard/sign-in/', { key: ` ${value}\n` })
    expect(answer.status).toBe(303)
    expect(answer.headers.get('Location')).toBe('/dashboard/')
    const set = answer.headers.get('Set-Cookie') ?? ''
    for (const attribute of [
      'HttpOnly',
      'Secure',
      'SameSite=Strict',
      'Max-Age=28800',
      'Path=/dashboard/',
    ]) {
      expect(set).toContain(attribute)
    }
    const claims = atob(cookieOf(answer).split('.')[1]!.replaceAll('-', '+').replaceAll('_', '/'))
    const { exp, ...who } = JSON.parse(claims)
    expect(who).toEqual({ tenant: 'demo', key_id: id })
    expect(Math.abs(exp - Date.now() / 1000 - 28_800)).toBeLessThan(60)
    expect(set).not.toContain(value.slice(-20))
  })

  it('sets a cookie that a browser keeps where there is no TLS', async () => {
    const { value } = await createKey(['settings.*'])
    const origin = 'http://demo.example'
    const body = new URLSearchParams({ key: value })
    const init = { method: 'POST', body, headers: { Origin: origin }, redirect: 'manual' } as const
    const answer = await send(new Request(`${origin}/dashboard/sign-in/`, init))
    expect(cookieOf(answer)).not.toBe('')
    expect(answer.headers.get('Set-Cookie')).not.toContain('Secure')
  })

  it('signs nobody in with a key that was revoked a moment ago, past this isolate', async () => {
    const { value, id } = await createKey(['settings.*'])
    expect((await client(value).get('/api/settings/v1/workspace/')).status).toBe(200)
    await endKey(id)
    const answer = await submit('/dashboard/sign-in/', { key: value })
    expect(answer.status).toBe(401)
    expect(answer.headers.get('Set-Cookie')).toBeNull()
  })

  it('opens a session for a key whose settings changed a moment ago, past this isolate', async () => {
    const { value, id } = await createKey(['settings.*'])
    expect((await client(value).get('/api/settings/v1/workspace/')).status).toBe(200)
    await env.DB_DEMO.prepare('update api_keys set name = ? where id = ?').bind('New', id).run()
    const answer = await submit('/dashboard/sign-in/', { key: value })
    expect(answer.status).toBe(303)
    const { text } = await withCookie(cookieOf(answer)).get('/dashboard/workspace/')
    expect(text).toContain('Signed in with the key “New”')
  })

  it('leads to the page that the visitor wanted', async () => {
    const { value } = await createKey(['settings.*'])
    const path = '/dashboard/sign-in/?next=%2Fdashboard%2Faudit-log%2F%3Fstatus%3D4xx'
    const answer = await submit(path, { key: value })
    expect(answer.headers.get('Location')).toBe('/dashboard/audit-log/?status=4xx')
  })

  it.each([
    'https://evil.example/',
    'https://evil.example/dashboard/',
    '//evil.example/dashboard/',
    '/\\evil.example',
    '/dashboard/\\..',
    '/api/',
  ])('leads nowhere else: %s', async (next) => {
    const { value } = await createKey(['settings.*'])
    const path = `/dashboard/sign-in/?next=${encodeURIComponent(next)}`
    const answer = await submit(path, { key: value })
    expect(answer.headers.get('Location')).toBe('/dashboard/')
  })

  it.each([
    ['a word', () => 'secret', 401, 'Invalid API key.'],
    ['nothing', () => '', 401, 'Invalid API key.'],
    [
      'a revoked key',
      async () => (await createKey(['settings.*'], { revoked_at: PAST })).value,
      401,
      'Invalid API key.',
    ],
    [
      'an expired key',
      async () => (await createKey(['settings.*'], { expires_at: PAST })).value,
      401,
      'API key has expired.',
    ],
    [
      'a key without a settings scope',
      async () => (await createKey(['integrations.*'])).value,
      403,
      'This API key lacks the scope settings.read.',
    ],
  ])('tells why it refuses %s, on the form', async (_, key, status, message) => {
    const answer = await submit('/dashboard/sign-in/', { key: await key() })
    expect(answer.status).toBe(status)
    expect(answer.text).toContain(message)
    expect(answer.text).toContain('name="key"')
    expect(answer.text).not.toContain('Sign out')
    expect(answer.headers.get('Set-Cookie')).toBeNull()
  })

  it('leaves one line of a stranger in the log, without his query or key', async () => {
    const log = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const path = '/dashboard/sign-in/?next=%2Fdashboard%2F'
    const { headers } = await submit(path, { key: 'xd_demo_private' })
    const lines = log.mock.calls.map(([line]) => JSON.parse(line))
    log.mockRestore()
    const request_id = headers.get('X-Request-Id')
    const told = { method: 'POST', path: '/dashboard/sign-in/', error_code: 'KEY_INVALID' }
    expect(lines).toEqual([{ event: 'refused', request_id, ...told }])
  })

  it('refuses a form from another site', async () => {
    const { value } = await createKey(['settings.*'])
    const answer = await submit(
      '/dashboard/sign-in/',
      { key: value },
      { Origin: 'https://evil.example' },
    )
    expect(answer.status).toBe(403)
    expect(answer.headers.get('Set-Cookie')).toBeNull()
  })

  it.each([undefined, '', SHORT])('signs nobody in with the secret %j', async (secret) => {
    const { value } = await createKey(['settings.*'])
    const body = new URLSearchParams({ key: value })
    const request = new Request('https://demo.example/dashboard/sign-in/', {
      method: 'POST',
      body,
      headers: { Origin: 'https://demo.example' },
    })
    const answer = await send(request, { bindings: { ...env, SESSION_SECRET: secret } })
    expect(answer.status).toBe(503)
    expect(answer.text).toContain('SESSION_SECRET')
  })
})

describe('a session', () => {
  it('that a short secret has signed opens nothing', async () => {
    const headers = { Cookie: await cookie(session, SHORT) }
    const bindings = { ...env, SESSION_SECRET: SHORT }
    const answer = await send(new Request(`${ORIGIN}/dashboard/`, { headers }), { bindings })
    expect(answer.status).toBe(503)
  })

  it('ends with its key, at the next request', async () => {
    const { value, id } = await createKey(['settings.*'])
    const dashboard = await openDashboard([], { key: value })
    expect((await dashboard.get('/dashboard/api-keys/')).status).toBe(200)
    const admin = client((await createKey(['settings.*'])).value)
    await admin.delete(`/api/settings/v1/api-keys/${id}/`)
    const answer = await dashboard.get('/dashboard/api-keys/')
    expect(answer.status).toBe(303)
    expect(answer.headers.get('Location')).toContain('/dashboard/sign-in/')
  })

  it('that has ended leaves its row in the audit log, and takes no other row with it', async () => {
    const [{ id }, reader] = [await createKey(['settings.*']), await createKey(['settings.*'])]
    const own = withCookie(await cookie({ ...session, key_id: id }))
    await endKey(id)
    await Promise.all([
      own.post('/dashboard/workspace/', { name: 'x' }),
      client(reader.value).get('/api/settings/v1/workspace/'),
    ])
    const { results } = await env.DB_DEMO.prepare(
      `select api_key_id, method, status, error_code from audit_log
       where api_key_id in (?, ?) order by method`,
    )
      .bind(id, reader.id)
      .all()
    expect(results).toEqual([
      { api_key_id: reader.id, method: 'GET', status: 200, error_code: null },
      { api_key_id: id, method: 'POST', status: 401, error_code: 'KEY_INVALID' },
    ])
  })

  it('loses its right to change with the scope, at the next request', async () => {
    const { value, id } = await createKey(['settings.*'])
    const dashboard = await openDashboard([], { key: value })
    expect((await dashboard.get('/dashboard/new/api-key/')).status).toBe(200)
    const admin = client((await createKey(['settings.*'])).value)
    await admin.put(`/api/settings/v1/api-keys/${id}/`, { scopes: ['settings.read'] })
    const before = await admin.get('/api/settings/v1/workspace/')
    const answer = await dashboard.post('/dashboard/workspace/', { name: 'Taken over' })
    expect(answer.status).toBe(403)
    expect((await admin.get('/api/settings/v1/workspace/')).body.data.name).toBe(
      before.body.data.name,
    )
  })

  it('is looked up once by an isolate that has not seen its key', async () => {
    const { id } = await createKey(['settings.*'])
    const own = withCookie(await cookie({ ...session, key_id: id }))
    const found = async () =>
      /desc="(\w+)"/.exec((await own.get('/dashboard/')).headers.get('Server-Timing') ?? '')?.[1]
    expect([await found(), await found()]).toEqual(['d1', 'isolate'])
  })

  it('is over after signing out', async () => {
    const dashboard = await openDashboard()
    const answer = await dashboard.post('/dashboard/sign-out/')
    expect(answer.status).toBe(303)
    expect(answer.headers.get('Set-Cookie')).toMatch(
      /^crossdock_session=;.*Max-Age=0.*Path=\/dashboard\//,
    )
  })

  it('opens no endpoint of the API', async () => {
    const answer = await withCookie(await cookie(session)).get('/api/settings/v1/workspace/')
    expect(answer.body.error.code).toBe('KEY_MISSING')
  })
})

describe('POST of a form by an ended session', () => {
  it('is in the audit log as refused, and so is everything that is asked meanwhile', async () => {
    const { id } = await createKey(['settings.*'], { revoked_at: PAST })
    const ended = withCookie(await cookie({ ...session, key_id: id }))
    const name = unique('reader')
    const reader = client((await createKey(['integrations.*'], { name })).value)
    await Promise.all([
      ...Array.from({ length: 5 }, () => ended.post('/dashboard/workspace/', { name: 'x' })),
      ...Array.from({ length: 15 }, () => reader.get('/orders/')),
    ])
    const rows = async (column: string, value: string) =>
      (
        await env.DB_DEMO.prepare(`select status, error_code from audit_log where ${column} = ?`)
          .bind(value)
          .all()
      ).results
    expect(await rows('api_key_name', name)).toHaveLength(15)
    expect(await rows('api_key_id', id)).toEqual(
      Array.from({ length: 5 }, () => ({ status: 401, error_code: 'KEY_INVALID' })),
    )
  })
})

describe('POST of a form', () => {
  it.each(['/dashboard/workspace/', '/dashboard/sign-in/'])(
    'is refused beyond 10 MiB, as a page: %s',
    async (path) => {
      const body = `name=${'x'.repeat(10 * 1024 * 1024)}`
      const headers = { Origin: ORIGIN, Cookie: await cookie(session) }
      const answer = await send(
        new Request(ORIGIN + path, {
          method: 'POST',
          body,
          headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
        }),
      )
      expect(answer.status).toBe(413)
      expect(answer.text).toContain('The body is larger than')
    },
  )

  it.each(['application/json', 'multipart/form-data', 'text/plain'])(
    'is refused as %s without what that takes',
    async (type) => {
      const headers = { Origin: ORIGIN, Cookie: await cookie(session), 'Content-Type': type }
      const init = { method: 'POST', body: '{"name":"x"}', headers }
      const answer = await send(new Request(`${ORIGIN}/dashboard/workspace/`, init))
      expect(answer.status).toBe(400)
      expect(answer.text).toContain('The form could not be read.')
    },
  )
})

describe('a page that is none', () => {
  it.each([
    ['GET', '/dashboard/nothing/', 404, 'There is nothing at this path.'],
    ['DELETE', '/dashboard/workspace/', 405, 'This path answers GET, HEAD, POST.'],
  ])('%s %s is told of as a page', async (method, path, status, message) => {
    const headers = { Origin: ORIGIN, Cookie: await cookie(session) }
    const answer = await send(new Request(ORIGIN + path, { method, headers }))
    expect(answer.status).toBe(status)
    expect(answer.headers.get('Content-Type')).toContain('text/html')
    expect(answer.text).toContain(message)
  })

  it('is none of another name that begins alike', async () => {
    const answer = await send(new Request(`${ORIGIN}/dashboardx/`))
    expect(answer.body.error.code).toBe('NOT_FOUND')
  })

  it('names what was asked for as text, whatever is in it', async () => {
    const path = `/dashboard/api-keys/${encodeURIComponent('<script>alert(1)</script>')}/`
    const answer = await visit('GET', path, await cookie(session))
    expect(answer.status).toBe(404)
    expect(answer.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(answer.text).not.toContain('<script>alert')
  })

  it('is found with its trailing slash', async () => {
    const answer = await send(new Request(`${ORIGIN}/dashboard`, { redirect: 'manual' }))
    expect([answer.status, answer.headers.get('Location')]).toEqual([308, '/dashboard/'])
  })
})
