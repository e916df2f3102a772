import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { sample } from '../fixtures/depth.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { openDashboard, withCookie } from '../fixtures/session.ts'
import { allRows } from '../fixtures/sql.ts'
import {
  type CallOptions,
  client,
  createKey,
  type Json,
  ORIGIN,
  openAdmin,
  outdateCallers,
  send,
  unique,
} from '../fixtures/tenant.ts'
import { cookie, cookieFor, endKey, PAST, SHORT, session, visit } from './visits.ts'

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
    const admin = await openAdmin()
    await admin.delete(`/api/settings/v1/api-keys/${id}/`)
    const answer = await dashboard.get('/dashboard/api-keys/')
    expect(answer.status).toBe(303)
    expect(answer.headers.get('Location')).toContain('/dashboard/sign-in/')
  })

  it('that has ended leaves its row in the audit log, and takes no other row with it', async () => {
    const [{ id }, reader] = [await createKey(['settings.*']), await createKey(['settings.*'])]
    const own = withCookie(await cookieFor(id))
    await endKey(id)
    await Promise.all([
      own.post('/dashboard/workspace/', { name: 'x', version: '1' }),
      client(reader.value).get('/api/settings/v1/workspace/'),
    ])
    const results = await allRows(
      `select api_key_id, method, status, error_code from audit_log
       where api_key_id in (?, ?) order by method`,
      id,
      reader.id,
    )
    expect(results).toEqual([
      { api_key_id: reader.id, method: 'GET', status: 200, error_code: null },
      { api_key_id: id, method: 'POST', status: 401, error_code: 'KEY_INVALID' },
    ])
  })

  it('loses its right to change with the scope, at the next request', async () => {
    const { value, id } = await createKey(['settings.*'])
    const dashboard = await openDashboard([], { key: value })
    expect((await dashboard.get('/dashboard/new/api-key/')).status).toBe(200)
    const admin = await openAdmin()
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
    const own = withCookie(await cookieFor(id))
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
    const ended = withCookie(await cookieFor(id))
    const name = unique('reader')
    const reader = client((await createKey(['integrations.*'], { name })).value)
    await Promise.all([
      ...Array.from({ length: 5 }, () =>
        ended.post('/dashboard/workspace/', { name: 'x', version: '1' }),
      ),
      ...Array.from({ length: 15 }, () => reader.get('/orders/')),
    ])
    const rows = async (column: string, value: string) =>
      await allRows(`select status, error_code from audit_log where ${column} = ?`, value)
    expect(await rows('api_key_name', name)).toHaveLength(15)
    expect(await rows('api_key_id', id)).toEqual(
      Array.from({ length: 5 }, () => ({ status: 401, error_code: 'KEY_INVALID' })),
    )
  })
})

describe('a page that is none', () => {
  it.each([
    ['GET', '/dashboard/nothing/', 404, 'This path does not exist: check its spelling.'],
    ['DELETE', '/dashboard/workspace/', 405, 'This path accepts only GET, HEAD, POST.'],
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
    const text = markupOf(await visit('GET', path, await cookie(session)), 404)
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect(text).not.toContain('<script>alert')
  })

  it('is found with its trailing slash', async () => {
    const answer = await send(new Request(`${ORIGIN}/dashboard`, { redirect: 'manual' }))
    expect([answer.status, answer.headers.get('Location')]).toEqual([308, '/dashboard/'])
  })
})

// A refusal that D1 finds to rest on old settings is rerun. Whatever was wrong with the body is
// still wrong then, although the body has been read.

const TOO_LONG = 10 * 1024 * 1024 + 1

let api: ReturnType<typeof client>

const chunked = (text: string) => new Blob([text]).stream()
const header = (name: string, value: string) => ({ headers: { [name]: value } })

const BAD_BODIES: [string, number, string, () => Json, CallOptions?][] = [
  ['that is no JSON', 400, 'VALIDATION_ERROR', () => '{"name":'],
  ['that comes in chunks and is no JSON', 400, 'VALIDATION_ERROR', () => chunked('{"name":')],
  ['that is too deep', 400, 'VALIDATION_ERROR', () => '['.repeat(65)],
  ['that is no object', 400, 'VALIDATION_ERROR', () => '[]'],
  ['that lacks what is required', 400, 'VALIDATION_ERROR', () => '{}'],
  [
    'of another type',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    () => '{}',
    header('Content-Type', 'text/html'),
  ],
  [
    'in another encoding',
    415,
    'UNSUPPORTED_MEDIA_TYPE',
    () => '{}',
    header('Content-Encoding', 'gzip'),
  ],
  [
    'that says it is too long',
    413,
    'PAYLOAD_TOO_LARGE',
    () => '{}',
    header('Content-Length', String(TOO_LONG)),
  ],
  ['that turns out too long', 413, 'PAYLOAD_TOO_LARGE', () => chunked(' '.repeat(TOO_LONG))],
]

describe.each([
  '/api/integrations/v1/orders/',
  '/api/integrations/v1/inventory/',
  '/api/settings/v1/api-keys/',
])('POST %s just after settings have changed', (path) => {
  beforeEach(async () => {
    api = await openAdmin()
    await api.get('/orders/')
    await outdateCallers()
  })

  it.each(sample(BAD_BODIES, 3))('refuses a body %s', async (_, status, code, body, options) => {
    expectRefusal(await api.post(path, body(), options), status, code)
  })

  it('leaves one audit row of the refusal', async () => {
    const answer = await api.post(path, '{"name":')
    const id = answer.headers.get('X-Request-Id')
    const { body } = await api.get(`/api/settings/v1/audit-log/?request_id=${id}`)
    const rows = body.data.map(({ status, error_code }: Json) => [status, error_code])
    expect(rows).toEqual([[400, 'VALIDATION_ERROR']])
  })
})
