import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import versioning from '../../docs/versioning.md?raw'
import { RELEASE_1_0 } from '../../src/engine/releases/1.0.ts'
import { RELEASES } from '../../src/engine/releases/table.ts'
import { sample } from '../fixtures/depth.ts'
import { ENDPOINTS, requestOf, strayRequestOf } from '../fixtures/endpoints.ts'
import { tablesOf } from '../fixtures/markdown.ts'
import { admin } from '../fixtures/opened.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { AUDIT, inSeconds, issueKey, KEYS, WORKSPACE } from '../fixtures/settings.ts'
import { type Answer, type Api, client, type Json, unique } from '../fixtures/tenant.ts'

const { deprecated_at, sunset_at } = RELEASE_1_0.lifecycle ?? { deprecated_at: '', sunset_at: '' }
const SUNSET = Date.parse(sunset_at)
const NAMES = ['Deprecation', 'Sunset', 'Link']

let pinned: Api
let current: Api

beforeAll(async () => {
  const scopes = ['integrations.*', 'settings.*']
  pinned = client((await issueKey(admin, { release: '1.0', scopes })).key)
  current = client((await issueKey(admin, { scopes })).key)
})

afterEach(() => {
  vi.useRealTimers()
})

const announced = ({ headers }: Answer) => NAMES.map((name) => headers.get(name))

const ANNOUNCEMENT = [
  `@${Date.parse(deprecated_at) / 1000}`,
  new Date(sunset_at).toUTCString(),
  '</docs/#integrations/description/releases>; rel="deprecation"; type="text/html", </docs/#integrations/description/releases>; rel="sunset"; type="text/html"',
]
const NOTHING = [null, null, null]

describe('docs/versioning.md', () => {
  it('has every release, with its dates', () => {
    const [table = new Map()] = tablesOf(versioning)
    const rows = RELEASES.map(({ name, lifecycle }) => [
      name,
      lifecycle?.deprecated_at.slice(0, 10) ?? '',
      lifecycle?.sunset_at.slice(0, 10) ?? '',
    ])
    const told = [...table.values()].map((row) => Object.values(row))
    expect(told).toEqual(rows.map(([name, ...dates]) => [`\`${name}\``, ...dates]))
  })

  it('shows the headers as they are sent', async () => {
    const answer = await pinned.get('/orders/')
    for (const name of NAMES) {
      expect(versioning).toContain(`\n${name}: ${answer.headers.get(name)}\n`)
    }
  })
})

describe('release 1.0', () => {
  it('is deprecated from a day on, and ends twelve months later', () => {
    const twelveMonthsOn = new Date(deprecated_at)
    twelveMonthsOn.setUTCFullYear(twelveMonthsOn.getUTCFullYear() + 1)
    expect(twelveMonthsOn.toISOString()).toBe(sunset_at)
  })
})

describe.each(sample(ENDPOINTS, 12))('$method $path', (endpoint) => {
  const due = endpoint.area === 'integrations' ? ANNOUNCEMENT : NOTHING

  it('says in its headers when the release of a pinned key ends, on errors as well', async () => {
    const found = await pinned.call(...(await requestOf(endpoint, admin)))
    const stray = await pinned.call(...(await strayRequestOf(endpoint, admin)))
    expect([found, stray].map(announced)).toEqual([due, due])
  })

  it('says nothing of the kind to a current key', async () => {
    expect(announced(await current.call(...(await requestOf(endpoint, admin))))).toEqual(NOTHING)
  })
})

describe('Deprecation', () => {
  it.each([
    ['404 of an unknown path', 404, () => pinned.get('/shelves/')],
    ['405', 405, () => pinned.delete('/orders/')],
    ['400 of a body that is no JSON', 400, () => pinned.post('/orders/', '{')],
    ['403 of a missing scope', 403, async () => (await keyWith({ scopes: ['settings.read'] }))()],
  ])('is on a %s', async (_, status, ask) => {
    const answer = await ask()
    expect([answer.status, ...announced(answer)]).toEqual([status, ...ANNOUNCEMENT])
  })

  it('is on a 403 while the integration is switched off', async () => {
    await admin.put(WORKSPACE, { integration_enabled: false })
    const answer = await pinned.get('/orders/')
    await admin.put(WORKSPACE, { integration_enabled: true })
    expectRefusal(answer, 403, 'WORKSPACE_DISABLED')
    expect(announced(answer)).toEqual(ANNOUNCEMENT)
  })

  it('is gone with the next request once the key is current, and back with its release', async () => {
    const { id, key } = await issueKey(admin, { release: '1.0' })
    const seen = [announced(await client(key).get('/orders/'))]
    for (const release of ['current', '1.0']) {
      await admin.put(`${KEYS}${id}/`, { release })
      seen.push(announced(await client(key).get('/orders/')))
    }
    expect(seen).toEqual([ANNOUNCEMENT, NOTHING, ANNOUNCEMENT])
  })
})

describe('an answer that was begun on old settings', () => {
  it.each([
    ['of an unknown path', 404, (api: Api) => api.get('/nothing/')],
    ['of a wrong method', 405, (api: Api) => api.call('PATCH', '/orders/')],
    ['of a record that is not there', 404, (api: Api) => api.get('/orders/none/')],
    ['of a list', 200, (api: Api) => api.get('/products/')],
  ])('has nothing of their headers: %s', async (_, status, ask) => {
    const { id, key } = await issueKey(admin, { release: '1.0', rate_limit: 50 })
    const api = client(key)
    expect((await api.get('/orders/')).headers.get('X-RateLimit-Remaining')).toBe('49')
    await admin.put(`${KEYS}${id}/`, { release: 'current', rate_limit: null })
    const answer = await ask(api)
    expect([answer.status, ...announced(answer)]).toEqual([status, ...NOTHING])
    expect(answer.headers.get('X-RateLimit-Remaining')).toBeNull()
    expect(answer.headers.get('Server-Timing')).not.toContain('round trips 1,')
  })
})

const keyWith = async (fields: Json) => {
  const { key } = await issueKey(admin, { release: '1.0', ...fields })
  return () => client(key).get('/orders/')
}

describe('past the sunset', () => {
  const integrations = ENDPOINTS.filter(({ area }) => area === 'integrations')

  it.each(sample(integrations, 6))('$method $path is 410 RELEASE_GONE', async (endpoint) => {
    const request = await requestOf(endpoint, admin)
    vi.useFakeTimers({ toFake: ['Date'], now: SUNSET })
    const answer = await pinned.call(...request)
    vi.useRealTimers()
    expectRefusal(
      answer,
      410,
      'RELEASE_GONE',
      'This API key is pinned to release 1.0, which has ended: set its release to "current".',
    )
    expect(announced(answer)).toEqual(ANNOUNCEMENT)
  })

  it('was answered to the last millisecond', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: SUNSET - 1 })
    expect((await pinned.get('/orders/')).status).toBe(200)
  })

  it('settings are answered, also by a pinned key, and none can be pinned any more', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: SUNSET })
    const refused = await pinned.post(KEYS, { name: unique('key'), release: '1.0' })
    expectInvalid(refused, 'release')
    expect(refused.body.error.fields.release).toEqual([
      'This release has ended: set it to current.',
    ])
  })

  it('the key works again on the very next request once it is current', async () => {
    const { id, key } = await issueKey(admin, { release: '1.0' })
    vi.useFakeTimers({ toFake: ['Date'], now: SUNSET })
    expect((await client(key).get('/orders/')).status).toBe(410)
    await admin.put(`${KEYS}${id}/`, { release: 'current' })
    expect((await client(key).get('/orders/')).status).toBe(200)
  })

  it('writes nothing, and is in the audit log', async () => {
    const sku = unique('S')
    vi.useFakeTimers({ toFake: ['Date'], now: SUNSET })
    const { headers } = await pinned.post('/products/', { sku })
    vi.useRealTimers()
    expect((await current.get(`/products/${sku}/`)).status).toBe(404)
    const { body } = await admin.get(`${AUDIT}?request_id=${headers.get('X-Request-Id')}`)
    expect(body.data).toMatchObject([{ status: 410, error_code: 'RELEASE_GONE' }])
  })

  it('is told after what is wrong with the key itself', async () => {
    const expires_at = inSeconds(60)
    const { key } = await issueKey(admin, { release: '1.0', expires_at })
    vi.useFakeTimers({ toFake: ['Date'], now: SUNSET })
    expectRefusal(await client(key).get('/orders/'), 401, 'KEY_EXPIRED')
  })
})

describe('a release that is no longer in the table', () => {
  it('is 410 RELEASE_GONE, without dates', async () => {
    const { id, key } = await issueKey(admin)
    await env.DB_DEMO.prepare('update api_keys set "release" = ? where id = ?')
      .bind('0.9', id)
      .run()
    const answer = await client(key).get('/orders/')
    expectRefusal(answer, 410, 'RELEASE_GONE')
    expect(announced(answer)).toEqual(NOTHING)
    expect((await admin.get(`${KEYS}${id}/`)).body.data.release).toBe('0.9')
  })
})
