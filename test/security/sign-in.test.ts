import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { hashKey } from '../../src/engine/identity/key.ts'
import { sample } from '../fixtures/depth.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { cookieOf, submit, withCookie } from '../fixtures/session.ts'
import { execute, oneValue } from '../fixtures/sql.ts'
import { client, createKey, ORIGIN, send } from '../fixtures/tenant.ts'
import { endKey, PAST, SHORT } from './visits.ts'

/** Where a sign-in at a form with this `next` leads. */
async function placeAfterSignIn(
  next: string,
  scopes: Parameters<typeof createKey>[0] = ['settings.*'],
): Promise<string | null> {
  const { value } = await createKey(scopes)
  const path = `/dashboard/sign-in/?next=${encodeURIComponent(next)}`
  return (await submit(path, { key: value })).headers.get('Location')
}

describe('POST /dashboard/sign-in/', () => {
  it.each([
    ['/dashboard/', '/dashboard/products/'],
    ['/dashboard/?range=1h', '/dashboard/products/'],
    ['/dashboard/new/api-key/', '/dashboard/products/'],
    ['/dashboard/audit-log/x/', '/dashboard/products/'],
    ['/dashboard/audit-log/?area=integrations', '/dashboard/products/'],
    ['/dashboard/products/x/', '/dashboard/products/x/'],
    ['/dashboard/search/?q=x', '/dashboard/search/?q=x'],
  ])('leads a key with few scopes from %s to %s', async (next, place) => {
    expect(await placeAfterSignIn(next, ['integrations.products.read'])).toBe(place)
  })

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
    expect(who).toEqual({ tenant: 'demo', token: expect.any(String) })
    const hash = await hashKey(`demo ${who.token}`)
    expect(await oneValue('select api_key_id from sessions where hash = ?', hash)).toBe(id)
    expect(Math.abs(exp - Date.now() / 1000 - 28_800)).toBeLessThan(60)
    expect(set).not.toContain(value.slice(-20))
  })

  it('sets a cookie that a browser keeps where there is no TLS', async () => {
    const { value } = await createKey(['settings.*'])
    const origin = 'http://demo.localhost'
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
    await execute('update api_keys set name = ? where id = ?', 'New', id)
    const answer = await submit('/dashboard/sign-in/', { key: value })
    expect(answer.status).toBe(303)
    const { text } = await withCookie(cookieOf(answer)).get('/dashboard/workspace/')
    expect(text).toContain('Signed in with the key “New”')
  })

  it.each([
    ['/dashboard/audit-log/?status=4xx'],
    ['/dashboard/partners/0b0f3b3e-4d1c-4a52-9f0e-3c1f5a1b2c3d/mappings/orders/?x=1'],
    ['/dashboard/audit-log/?resource=..&from=2026-11-01T00%3A00%3A00.000Z&path=%2Fapi%2F+%5C'],
    ['/dashboard/api-keys/../partners/', '/dashboard/partners/'],
    ['/dashboard/./api-keys/%2e/', '/dashboard/api-keys/'],
    ['/dashboard\\api-keys\\', '/dashboard/api-keys/'],
    ['\t/dash\nboard/api-keys/\r\n', '/dashboard/api-keys/'],
    [`${ORIGIN}/dashboard/api-keys/#top`, '/dashboard/api-keys/'],
  ])(
    'leads to the page of the dashboard that the visitor wanted: %j',
    async (next, page = next) => {
      expect(await placeAfterSignIn(next)).toBe(page)
    },
  )

  it.each(
    sample(
      [
        'https://evil.example/',
        'https://evil.example/dashboard/',
        'https:evil.example/dashboard/',
        'http://demo.example/dashboard/api-keys/',
        '//evil.example/dashboard/',
        '///evil.example/dashboard/',
        '/\\evil.example',
        '\\\\evil.example/dashboard/',
        '/\t/evil.example/dashboard/',
        '\n//evil.example/dashboard/',
        '//demo.example@evil.example/dashboard/',
        'https://demo.example:x@evil.example/dashboard/',
        'https://demo.example.evil.example/dashboard/',
        'https://demo.example:8443/dashboard/',
        'javascript:alert(1)//dashboard/',
        'data:text/html,/dashboard/',
        'blob:https://demo.example/dashboard/',
        '/dashboard/..',
        '/dashboard/../api/',
        '/dashboard/%2e%2e/',
        '/dashboard/.%2E/api/',
        '/dashboard/%2e%2e%2fapi/',
        '/dashboard/..%2f',
        '/dashboard/..%5capi/',
        '/dashboard/%252e%252e/',
        '/dashboard/\\..',
        '/dashboard/..\\..\\api/',
        '/dashboard/.\t./api/',
        '/dashboard//evil.example/',
        '/dashboard/%2f%2fevil.example/',
        '/dashboard/api-keys/%0d%0aSet-Cookie:x=1/',
        '/dashboard/api-keys;x/',
        '/dashboard',
        '/dashboards/',
        '/DASHBOARD/',
        '/api/',
        'api-keys/',
        'https://',
        '',
      ],
      10,
    ),
  )('leads to the overview, not to what is no page of the dashboard: %j', async (next) => {
    expect(await placeAfterSignIn(next)).toBe('/dashboard/')
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
      'a key that may see nothing',
      async () => (await createKey(['integrations.orders.write'])).value,
      403,
      'This API key opens no page of the dashboard: it needs one of the scopes',
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
    const text = markupOf(
      await send(request, { bindings: { ...env, SESSION_SECRET: secret } }),
      503,
    )
    expect(text).toContain('SESSION_SECRET')
  })
})
