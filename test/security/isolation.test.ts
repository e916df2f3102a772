import { env } from 'cloudflare:workers'
import { sign } from 'hono/jwt'
import { beforeEach, describe, expect, it } from 'vitest'
import { hashKey } from '../../src/engine/identity/key.ts'
import { inDeepPass, sample } from '../fixtures/depth.ts'
import { asked, ENDPOINTS, pathAt } from '../fixtures/endpoints.ts'
import { PAGES } from '../fixtures/pages.ts'
import { openPartner } from '../fixtures/partner.ts'
import { expectInvalid, expectRefusal } from '../fixtures/refusal.ts'
import { cookieOf, newSession, submit, withCookie } from '../fixtures/session.ts'
import {
  type Answer,
  client,
  createKey,
  type Json,
  type Tenant,
  unique,
} from '../fixtures/tenant.ts'
import {
  contentsOf,
  dashboardOf,
  everything,
  everythingElse,
  type Holder,
  hold,
  identifierBy,
  makeReady,
  newNames,
  openEmpty,
  orderOf,
  recordsIn,
  requestBy,
  tracesIn,
  visitBy,
} from './twins.ts'

// P7 (docs/ARCHITECTURE.md): two tenants never meet, although their records have the same names. Demo acts,
// or owns what the other one tries to reach; other is its neighbour.

const SETTINGS = '/api/settings/v1'
const SECRET = (env as unknown as { SESSION_SECRET: string }).SESSION_SECRET
const INSIDE = PAGES.filter(({ scopes }) => scopes !== null)
const OUTSIDE = PAGES.filter(({ scopes }) => scopes === null)

type Place = { method: string; path: string }
// A preset is part of the build.
const isLookup = ({ path }: Place) => path.replace(':preset', '').includes(':')
// The page of a connection is a POST, because its forms carry what it shows once.
const TRYING =
  /\/preview\/$|\/mappings\/.*\/file\/$|\/import\/(?:products|locations|inventory)\/$|\/connect\/:preset\/:id\/(?:test\/)?$/
const isChange = ({ method, path }: Place) => method !== 'GET' && !TRYING.test(path)

/** The tenant's own host where BASE_DOMAIN is set. */
const hostOf = (tenant: Tenant) => ({
  bindings: { ...env, BASE_DOMAIN: 'example.com' },
  origin: `https://${tenant}.example.com`,
})

/** The same names in both tenants, and some that only the neighbour has. */
async function layTwins() {
  const names = newNames()
  const twins = { demo: await hold('demo', names), other: await hold('other', names) }
  return { ...twins, taken: (await hold('other', newNames())).names }
}

/** Demo acts: its neighbour's database is as it was, to the last row, and nothing of it is shown. */
async function actApart(act: () => Promise<Answer>) {
  const before = await everything()
  const answer = await act()
  const after = await everything()
  expect(after.other).toEqual(before.other)
  const foreign = tracesIn(before.other).difference(tracesIn(after.demo))
  expect(foreign.size).toBeGreaterThan(10)
  const shown = tracesIn(answer.text)
  expect([...shown.intersection(foreign)]).toEqual([])
  return {
    answer,
    showsOwn: shown.intersection(tracesIn(after.demo)).size > 0,
    changesOwn: JSON.stringify(recordsIn(after.demo)) !== JSON.stringify(recordsIn(before.demo)),
  }
}

/** The neighbour tries: demo's database is as it was, and its own but for its log. */
async function tryInVain<T extends Answer | Answer[]>(act: () => Promise<T>): Promise<T> {
  const before = await everything()
  const answers = await act()
  const after = await everything()
  expect(after.demo).toEqual(before.demo)
  expect(recordsIn(after.other)).toEqual(recordsIn(before.other))
  for (const { text } of [answers].flat()) expect(text).not.toContain('kept-by-demo')
  return answers
}

beforeEach(async () => {
  await openEmpty('demo')
  await openEmpty('other')
})

const leadsTo = ({ headers }: Answer) => headers.get('Location')?.split('?')[0]

function expectSignIn(answer: Answer) {
  expect([answer.status, leadsTo(answer), answer.text]).toEqual([303, '/dashboard/sign-in/', ''])
}

function expectInside(answer: Answer) {
  expect([200, 201, 303]).toContain(answer.status)
  expect(leadsTo(answer)).not.toBe('/dashboard/sign-in/')
}

/** About documents: test/log/*document*.test.ts, test/{settings,dashboard}/{send-again,replay}*.test.ts. */
const isOfDocument = ({ path }: Place) => /\/(?:documents?|send-again|replay)\/$/.test(path)

/** What is part of the build is the same for every tenant. */
const isOfBuild = ({ path }: Place) => /\/(?:mapping-starters|webhook-presets)\//.test(path)

describe.each(
  sample(
    ENDPOINTS.filter((endpoint) => !isOfDocument(endpoint)),
    5,
  ),
)('$method $path', (endpoint) => {
  it("shows and changes the records of the key's own tenant alone", async () => {
    const { demo, taken } = await layTwins()
    const request = await requestBy(demo, endpoint, taken)
    const { answer, showsOwn, changesOwn } = await actApart(() => demo.api.call(...request))
    expect([200, 201]).toContain(answer.status)
    expect(changesOwn).toBe(isChange(endpoint))
    if (endpoint.method === 'GET') expect(showsOwn).toBe(!isOfBuild(endpoint))
  })

  it('changes no record of any tenant in a dry run', async () => {
    const { demo, taken } = await layTwins()
    const [method, path, body] = await requestBy(demo, endpoint, taken)
    const act = () => demo.api.call(method, asked(path, 'dry_run=true'), body)
    const { answer, changesOwn } = await actApart(act)
    // A list refuses a parameter that it does not know.
    expect(method === 'GET' ? [200, 400] : [200, 201]).toContain(answer.status)
    expect(changesOwn).toBe(false)
  })

  it("is closed to a key at another tenant's host, and open at its own", async () => {
    const demo = await hold('demo', newNames())
    const request = await requestBy(demo, endpoint, newNames())
    const before = await everythingElse()
    const stray = client(demo.key.value, hostOf('other'))
    expectRefusal(await stray.call(...request), 401, 'KEY_INVALID', 'Invalid API key.')
    expect(await everythingElse()).toEqual(before)
    const home = client(demo.key.value, hostOf('demo'))
    expect([200, 201]).toContain((await home.call(...request)).status)
  })
})

const LOOKUPS = ENDPOINTS.filter((endpoint) => isLookup(endpoint) && !isOfBuild(endpoint))

const PLAIN = INSIDE.filter(
  (page) => !isOfDocument(page) || (page.method === 'GET' && isLookup(page)),
)

describe.each(sample(LOOKUPS, 2))('$method $path', (endpoint) => {
  it("finds nothing by the name or an id of another tenant's record", async () => {
    const demo = await hold('demo', newNames())
    const other = await hold('other', newNames())
    const byId = await openPartner({ tenant: 'other', default_identifier_field: 'id' })
    const body = await endpoint.body?.(other.api)
    const names = [identifierBy(demo, endpoint), ...Object.values(demo.ids)]
    const callers = endpoint.area === 'integrations' ? [other.api, byId.api] : [other.api]
    const answers = await tryInVain(() =>
      Promise.all(
        names.flatMap((name) =>
          callers.map((api) => api.call(endpoint.method, pathAt(endpoint.path, name), body)),
        ),
      ),
    )
    expect(answers.length).toBeGreaterThanOrEqual(6)
    for (const answer of answers) {
      if (endpoint.path.includes('/inventory/')) expect(answer.body.data).toEqual([])
      else expectRefusal(answer, 404, 'NOT_FOUND')
    }
  })
})

describe.each(sample(PLAIN, 2))('$method $path', (page) => {
  it("shows and changes the records of the session's own tenant alone", async () => {
    const { demo, taken } = await layTwins()
    await makeReady(demo, page)
    const dashboard = await dashboardOf(demo)
    const { answer, showsOwn, changesOwn } = await actApart(() =>
      visitBy(demo, dashboard, page, taken),
    )
    expectInside(answer)
    expect(changesOwn).toBe(isChange(page))
    if (page.method === 'GET') expect(showsOwn).toBe(true)
  })

  it("is closed to a session at another tenant's host, and open at its own", async () => {
    const demo = await hold('demo', newNames())
    const taken = newNames()
    const cookie = cookieOf(await submit('/dashboard/sign-in/', { key: demo.key.value }))
    const before = await everything()
    expectSignIn(await visitBy(demo, withCookie(cookie, hostOf('other')), page, taken))
    expect(await everything()).toEqual(before)
    expectInside(await visitBy(demo, withCookie(cookie, hostOf('demo')), page, taken))
  })
})

describe.each(sample(PLAIN.filter(isLookup), 2))('$method $path', (page) => {
  it("finds nothing by the id of another tenant's record", async () => {
    const { demo, other, taken } = await layTwins()
    const dashboard = await dashboardOf(other)
    const answer = await tryInVain(() => visitBy(demo, dashboard, page, taken))
    expect(answer.status).toBe(404)
  })
})

describe.each(OUTSIDE)('$method $path', (page) => {
  it('shows no records of anybody, and begins and ends own sessions alone', async () => {
    const { demo, taken } = await layTwins()
    const dashboard = await dashboardOf(demo)
    const { answer, ...own } = await actApart(() => visitBy(demo, dashboard, page, taken))
    expect(answer.status).toBeLessThan(400)
    expect(own).toEqual({ showsOwn: false, changesOwn: page.method === 'POST' })
  })
})

describe('POST /dashboard/sign-in/', () => {
  it("signs nobody in at another tenant's host", async () => {
    const demo = await hold('demo', newNames())
    const before = await everythingElse()
    const form = { key: demo.key.value }
    const answer = await submit('/dashboard/sign-in/', form, {}, hostOf('other'))
    expect([answer.status, cookieOf(answer)]).toEqual([401, ''])
    expect(await everythingElse()).toEqual(before)
    const home = await submit('/dashboard/sign-in/', form, {}, hostOf('demo'))
    expect([home.status, leadsTo(home)]).toEqual([303, '/dashboard/'])
  })
})

describe('an identifier of its own', () => {
  it.each(['GET', 'PUT', 'DELETE'])(
    'is looked up by %s of a partner in its own tenant alone',
    async (method) => {
      const { demo } = await layTwins()
      const partner = { default_identifier_field: 'external_order_id' }
      const { api } = await openPartner(partner)
      const path = `/orders/${demo.names.external_order_id}/`
      const body = method === 'GET' ? undefined : {}
      const { answer, showsOwn } = await actApart(() => api.call(method, path, body))
      expect([answer.status, showsOwn]).toEqual([200, true])
      expect(answer.body.data.id).toBe(demo.ids.orders)
    },
  )
})

describe('a delivery', () => {
  const addressOf = ({ token }: Holder, tenant: Tenant) =>
    [`/webhooks/v1/${token}/`, hostOf(tenant)] as const

  it("changes the records of the webhook's own tenant alone", async () => {
    const { demo } = await layTwins()
    const [path, options] = addressOf(demo, 'demo')
    const order = orderOf('kept-by-demo', demo.names.sku)
    const deliver = () => client(null).post(path, order, options)
    const { answer, changesOwn } = await actApart(deliver)
    expect([answer.body.data.outcome, changesOwn]).toEqual(['created', true])
    // Its product is there, but not in this tenant.
    const { taken } = await layTwins()
    const strange = orderOf('kept-by-demo', taken.sku)
    const kept = await actApart(() => client(null).post(path, strange, options))
    expect([kept.answer.body.data.outcome, kept.changesOwn]).toEqual(['waiting', true])
  })

  it("that names an order of the neighbour's number leaves that one alone", async () => {
    const { demo, taken } = await layTwins()
    const [path, options] = addressOf(demo, 'demo')
    const { order_number } = taken
    const order = { ...orderOf('kept-by-demo', demo.names.sku), order_number }
    const { answer } = await actApart(() => client(null).post(path, order, options))
    expect(answer.body.data.outcome).toBe('created')
  })

  it.each(['GET', 'POST'])("is closed at another tenant's host: %s", async (method) => {
    const { demo } = await layTwins()
    const [path, options] = addressOf(demo, 'other')
    const body = method === 'GET' ? undefined : orderOf('kept-by-demo', demo.names.sku)
    const before = await everythingElse()
    const answer = await client(null).call(method, path, body, options)
    expectRefusal(
      answer,
      404,
      'NOT_FOUND',
      'No webhook has this address: copy it again, or rotate it.',
    )
    expect(await everythingElse()).toEqual(before)
  })

  it('with the ids of a neighbour in its snapshot in KV opens neither', async () => {
    const { demo, other } = await layTwins()
    const [path, options] = addressOf(demo, 'demo')
    expect((await client(null).get(path, options)).status).toBe(200)
    const { keys } = await env.KEYS.list()
    const hash = await hashKey(demo.token)
    const { name = '' } = keys.find((one) => one.name.endsWith(hash)) ?? {}
    const entry = JSON.parse((await env.KEYS.get(name)) ?? '')
    const placed = name.replace(hash, await hashKey(other.token))
    await env.KEYS.put(placed, JSON.stringify({ ...entry, hash: await hashKey(other.token) }))
    await levelVersions(entry.settings_version)
    const [strange, own] = addressOf(other, 'other')
    const order = orderOf('kept-by-other', other.names.sku)
    const before = await everything()
    const answer = await client(null).post(strange, order, own)
    expect(answer.body.data.outcome).toBe('created')
    expect((await everything()).demo).toEqual(before.demo)
  })
})

describe("the id of another tenant's partner", () => {
  it('is given to no key', async () => {
    const { demo, other } = await layTwins()
    const linked = { partner_id: demo.ids.partners }
    const fields = { name: unique('key'), ...linked }
    const path = `${SETTINGS}/api-keys/`
    const own = `${path}${other.ids['api-keys']}/`
    expectInvalid(await tryInVain(() => other.api.post(path, fields)), 'partner_id')
    expectInvalid(await tryInVain(() => other.api.put(own, linked)), 'partner_id')
    expect((await demo.api.post(path, fields)).status).toBe(201)
  })

  it.each(['/dashboard/new/api-key/', '/dashboard/api-keys/:id/'])(
    'is given to no key by the form at %s',
    async (path) => {
      const { demo, other } = await layTwins()
      const fields = { name: unique('key'), access: 'full', partner_id: demo.ids.partners ?? '' }
      const form = path.replace(':id', other.ids['api-keys'] ?? '')
      const dashboard = await dashboardOf(other)
      expect((await tryInVain(() => dashboard.post(form, fields))).status).toBe(400)
    },
  )
})

describe('the audit log', () => {
  it("finds nothing by another tenant's key, partner or request", async () => {
    const { demo, other } = await layTwins()
    const { id: partner_id, key, api } = await openPartner()
    const request_id = (await api.get('/orders/')).headers.get('X-Request-Id') ?? ''
    const dashboards = [await dashboardOf(demo), await dashboardOf(other)] as const
    for (const filter of Object.entries({ api_key_id: key.id, partner_id, request_id })) {
      const query = `audit-log/?${new URLSearchParams([filter])}`
      const [own, strange] = await Promise.all(
        [demo, other].map(({ api }) => api.get(`${SETTINGS}/${query}`)),
      )
      expect(own?.body.data.map((row: Json) => row.request_id)).toContain(request_id)
      expect(strange?.body.data).toEqual([])
      const [page, strangePage] = await Promise.all(
        dashboards.map((dashboard) => dashboard.get(`/dashboard/${query}`)),
      )
      expect(page?.text).toContain(`data-copy="${request_id}"`)
      expect(strangePage?.text).toContain('No request matches these filters.')
      expect(strangePage?.text).not.toContain('data-copy=')
    }
  })
})

/** No difference of versions gives a mix-up away. */
async function levelVersions(version?: number) {
  const read = 'select settings_version from workspace'
  const level = version ?? (await env.DB_DEMO.prepare(read).first('settings_version'))
  await env.DB_OTHER.prepare('update workspace set settings_version = ?').bind(level).run()
  expect(await env.DB_OTHER.prepare(read).first('settings_version')).toBe(level)
}

describe('a session', () => {
  // At every page, but by an isolate that has not seen the key: dashboard.test.ts.
  it('of one tenant with the token of another one’s opens neither, wherever that was seen', async () => {
    const own = await newSession((await createKey(['settings.*'])).id)
    const visit = async (tenant: string) => {
      const cookie = await sign({ ...own, tenant }, SECRET, 'HS256')
      return await withCookie(`crossdock_session=${cookie}`).get('/dashboard/workspace/')
    }
    await levelVersions()
    expectSignIn(await visit('other'))
    expect((await visit('demo')).status).toBe(200)
    await levelVersions()
    expectSignIn(await visit('other'))
    expect((await visit('demo')).status).toBe(200)
  })
})

describe('a snapshot in KV', () => {
  /** Under the hash of a new key without scopes, which no isolate has seen. */
  async function place(entryOf: (entry: Json, key: Json) => Json): Promise<string> {
    const demo = await hold('demo', newNames())
    expect((await demo.api.get(`${SETTINGS}/workspace/`)).status).toBe(200)
    const { keys } = await env.KEYS.list()
    const { name = '' } = keys.find(({ name }) => name.endsWith(demo.key.hash)) ?? {}
    const entry: Json = await env.KEYS.get(name, 'json')
    const { id, hash, value } = await createKey([], { tenant: 'other' })
    const placed = JSON.stringify(entryOf(entry, { id, hash, scopes: [] }))
    await env.KEYS.put(name.replace(demo.key.hash, hash), placed)
    await levelVersions(entry.settings_version)
    return value
  }

  it.each<[string, string, Parameters<typeof place>[0]]>([
    ["of another tenant's key is passed over", 'd1', (entry) => entry],
    ['of one with its hash is passed over', 'd1', (entry, { hash }) => ({ ...entry, hash })],
    ['of one with its tenant is passed over', 'd1', (entry) => ({ ...entry, tenant: 'other' })],
    [
      'of the key itself is taken',
      'kv',
      (entry, { hash, ...key }) => ({
        ...entry,
        hash,
        tenant: 'other',
        key: { ...entry.key, ...key },
      }),
    ],
  ])('%s', async (_, origin, entryOf) => {
    const { get } = client(await place(entryOf))
    const answer = await tryInVain(() => get(`${SETTINGS}/workspace/`))
    expectRefusal(answer, 403, 'SCOPE_MISSING')
    expect(answer.headers.get('Server-Timing')).toContain(`key;desc="${origin}"`)
  })
})

inDeepPass(() => {
  describe('requests of two tenants at once', () => {
    it('leave their rows in the log of their own', async () => {
      const twins = [await hold('demo', newNames()), await hold('other', newNames())]
      await Promise.all(
        twins.flatMap(({ api }) =>
          Array.from({ length: 20 }, () => [api.get('/orders/'), api.get('/none/')]).flat(),
        ),
      )
      const ids = twins.map(({ key }) => key.id)
      for (const { tenant, key } of twins) {
        const { audit_log } = await contentsOf(tenant)
        const logged = audit_log?.map(({ api_key_id }) => api_key_id) ?? []
        expect(logged.filter((id) => ids.includes(id))).toEqual(Array(45).fill(key.id))
      }
    })
  })
})
