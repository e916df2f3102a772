import { describe, expect, it } from 'vitest'
import { SCOPES } from '../../src/engine/identity/scopes.ts'
import { sample } from '../fixtures/depth.ts'
import { PAGES } from '../fixtures/pages.ts'
import { markupOf } from '../fixtures/pages-read.ts'
import { routesBelow } from '../fixtures/routes.ts'
import { submit } from '../fixtures/session.ts'
import { type Answer, createKey, ORIGIN, send, unique } from '../fixtures/tenant.ts'
import { at, cookie, cookieFor, endKey, inAnHour, PAST, session, visit } from './visits.ts'

// Who is let into the dashboard, at every page there is.

const INSIDE = PAGES.flatMap(({ scopes, ...page }) => (scopes ? [{ ...page, scopes }] : []))

const POSTS = INSIDE.filter(({ method, scopes }) => method === 'POST' && scopes.length === 2)

const READS = [
  'settings.audit.read',
  ...['orders', 'products', 'locations', 'inventory'].map((name) => `integrations.${name}.read`),
  ...['partners', 'keys', 'documents', 'people', 'workspace'].map(
    (name) => `settings.${name}.read`,
  ),
]

/** Where the sign-in leads on to. */
const nextIn = ({ headers }: Answer) =>
  new URL(headers.get('Location') ?? '', ORIGIN).searchParams.get('next')

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
  ['a session without an end', () => cookie({ tenant: session.tenant, token: session.token })],
  ['a session of no key', () => cookieFor(unique('key'))],
  ["a session of another tenant's key", () => cookie({ ...session, tenant: 'other' })],
  ['a session that was never begun', () => cookie({ ...session, token: unique('token') })],
  ['a session of no tenant', () => cookie({ ...session, tenant: 'nowhere' })],
  [
    'a session of a revoked key',
    async () => cookieFor((await createKey(['settings.*'], { revoked_at: PAST })).id),
  ],
  [
    'a session of an expired key',
    async () => cookieFor((await createKey(['settings.*'], { expires_at: PAST })).id),
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

describe.each(INSIDE)('$method $path', ({ method, path, scopes }) => {
  it.each(sample(STRANGERS, 1))('sends %s to sign in', async (_, stranger) => {
    const place = at(path)
    const asked = `${place}?range=7d`
    const answer = await visit(method, asked, await stranger())
    expect(answer.status).toBe(303)
    expect(answer.headers.get('Location')).toMatch(/^\/dashboard\/sign-in\//)
    const form = place.replace(/(preview|replay|apply)\/$/, '')
    expect(nextIn(answer)).toBe(method === 'GET' ? asked : form)
    expect(answer.text).toBe('')
  })

  const visitWith = async (held: readonly string[]) => {
    const { id } = await createKey([...held])
    return await visit(method, at(path), await cookieFor(id))
  }

  it.each(scopes)(
    'refuses a session that lacks %s, and says so, with the way elsewhere',
    async (lacked) => {
      const answer = await visitWith(SCOPES.filter((scope) => scope !== lacked))
      if (path === '/dashboard/') {
        // The first page leads to one that the key may see.
        expect(answer.status).toBe(303)
        expect(answer.headers.get('Location')).toMatch(/^\/dashboard\/\w/)
        return
      }
      expect(answer.status).toBe(403)
      expect(answer.text).toContain(`This API key lacks the scope ${lacked}.`)
      expect(answer.text).toContain('aria-label="Dashboard"')
    },
  )

  // The search asks for one of several scopes.
  const opening = scopes.length > 0 ? scopes : ['integrations.products.read']
  it(`is open with ${opening.join(' and ')} alone`, async () => {
    const answer = await visitWith(opening)
    expect(answer.status).not.toBe(403)
  })
})

describe.each(sample(INSIDE, 8))('$method $path', ({ method, path }) => {
  it('is over for a key that was revoked a moment ago, past this isolate', async () => {
    const { id } = await createKey(['settings.*'])
    const own = await cookieFor(id)
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

  it('refuses a session whose key opens no page any more', async () => {
    const { id } = await createKey(['integrations.orders.write', 'settings.documents.write'])
    const text = markupOf(await visit(method, at(path), await cookieFor(id)), 403)
    expect(text).toContain(
      `opens no page of the dashboard: it needs one of the scopes ${READS.join(', ')}.`,
    )
  })
})

describe.each(sample(PAGES, 10))('$method $path', ({ method, path }) => {
  it('is shown in no frame, with nothing inline and nothing from elsewhere', async () => {
    // Some pages end the session: each visit has its own.
    const { id } = await createKey(['settings.*'])
    const answer = await visit(method, at(path), await cookieFor(id))
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

describe.each(sample(POSTS, 4))('POST $path', ({ path }) => {
  it.each([
    ['another site', { Origin: 'https://evil.example' }],
    ['another site, as the browser tells', { Origin: '', 'Sec-Fetch-Site': 'cross-site' }],
    ['a neighbour', { Origin: 'https://other.example', 'Sec-Fetch-Site': 'same-site' }],
    ['nobody knows where', { Origin: '' }],
    ['a sandboxed frame', { Origin: 'null' }],
  ])('refuses a form from %s', async (_, headers) => {
    const text = markupOf(
      await submit(at(path), {}, { Cookie: await cookie(session), ...headers }),
      403,
    )
    expect(text).toContain('This form was sent from another site.')
  })
})

describe('POST of a form', () => {
  it.each(['/dashboard/workspace/', '/dashboard/sign-in/'])(
    'is refused beyond 10 MiB, as a page: %s',
    async (path) => {
      const body = `name=${'x'.repeat(10 * 1024 * 1024)}`
      const headers = { Origin: ORIGIN, Cookie: await cookie(session) }
      const text = markupOf(
        await send(
          new Request(ORIGIN + path, {
            method: 'POST',
            body,
            headers: { ...headers, 'Content-Type': 'application/x-www-form-urlencoded' },
          }),
        ),
        413,
      )
      expect(text).toContain('The body is larger than')
    },
  )

  it.each(['application/json', 'multipart/form-data', 'text/plain'])(
    'is refused as %s without what that takes',
    async (type) => {
      const headers = { Origin: ORIGIN, Cookie: await cookie(session), 'Content-Type': type }
      const init = { method: 'POST', body: '{"name":"x"}', headers }
      const text = markupOf(await send(new Request(`${ORIGIN}/dashboard/workspace/`, init)), 415)
      expect(text).toContain('Send the form as application/x-www-form-urlencoded.')
    },
  )
})
