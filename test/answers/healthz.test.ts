import { env } from 'cloudflare:workers'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { version } from '../../package.json'
import { MIGRATIONS } from '../../src/engine/db/migrations.ts'
import { brokenBindings } from '../fixtures/bindings.ts'
import { speedUpTime } from '../fixtures/clock.ts'
import { sample } from '../fixtures/depth.ts'
import type { Fault } from '../fixtures/fault.ts'
import { faultyBindings } from '../fixtures/harness.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import { countedBindings } from '../fixtures/metering.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { type CallOptions, openTenant, send } from '../fixtures/tenant.ts'

const DEMO = 'https://demo.example.com'
const OTHER = 'https://other.example.com'
const NEWEST = MIGRATIONS.at(-1)
const PLAIN = { success: true, data: { version } }
const found = (tenant: string) => ({
  success: true,
  data: { version, tenant, migration: NEWEST, migrations: MIGRATIONS.length },
})

let fresh: CallOptions

beforeAll(async () => {
  await openTenant('demo')
  await openTenant('other')
  fresh = await freshIsolate()
})
afterEach(() => {
  vi.useRealTimers()
})

const asked = (url: string, init: RequestInit = {}, bindings: object = env) =>
  send(new Request(url, { redirect: 'manual', ...init }), { ...fresh, bindings })

/** Where BASE_DOMAIN is set. */
const ask = (origin: string, bindings: object = env) =>
  asked(`${origin}/healthz/`, {}, { ...bindings, BASE_DOMAIN: 'example.com' })

/** Runs without a row, or the whole, of what wrangler keeps in the other tenant's database. */
async function without<T>(what: string, run: () => Promise<T>): Promise<T> {
  const [take, giveBack] =
    what === 'd1_migrations'
      ? ['alter table d1_migrations rename to away', 'alter table away rename to d1_migrations']
      : [
          `update d1_migrations set name = 'away' where name = '${what}'`,
          `update d1_migrations set name = '${what}' where name = 'away'`,
        ]
  await env.DB_OTHER.exec(take)
  try {
    return await run()
  } finally {
    await env.DB_OTHER.exec(giveBack)
  }
}

describe('GET /healthz/ of no tenant', () => {
  it.each([DEMO, 'http://localhost:8787'])(
    'tells the version alone where BASE_DOMAIN is not set, without I/O: %s',
    async (origin) => {
      const { bindings, calls } = countedBindings()
      const { status, body } = await asked(`${origin}/healthz/`, {}, bindings)
      expect([status, body]).toEqual([200, PLAIN])
      expect(calls).toEqual({ d1: 0, kv_reads: 0, kv_writes: 0, failure_counts: 0 })
    },
  )

  it.each([
    'https://example.com',
    'https://EXAMPLE.com',
    'https://demo.example.org',
    'https://demo-example.com',
    'https://demo.example.com.evil.org',
    'https://127.0.0.1',
  ])('tells the version alone at %s, which names no tenant, without I/O', async (origin) => {
    const { bindings, calls } = countedBindings()
    const { status, body } = await ask(origin, bindings)
    expect([status, body]).toEqual([200, PLAIN])
    expect(calls).toEqual({ d1: 0, kv_reads: 0, kv_writes: 0, failure_counts: 0 })
  })

  it.each([
    'https://nobody.example.com',
    'https://a.demo.example.com',
    'https://demo.demo.example.com',
    'https://-demo.example.com',
    'https://de_mo.example.com',
    'https://word.example.com',
    'https://keys.example.com',
  ])('is 404 at %s, where no tenant is served', async (origin) => {
    const bindings = { ...env, DB_DE_MO: env.DB_DEMO, DB_WORD: 'a word', DB_KEYS: env.KEYS }
    const answer = await ask(origin, bindings)
    expectRefusal(answer, 404, 'NOT_FOUND', 'No tenant is served at this host.')
    expect(answer.body.error.reason).toBe('UNKNOWN_HOST')
  })
})

describe('GET /healthz/ of a tenant', () => {
  // An isolate remembers a database that lacks nothing.
  beforeEach(async () => {
    fresh = await freshIsolate()
  })

  it.each(
    sample(
      [
        ['demo', DEMO],
        ['demo', 'https://DEMO.example.com:8443'],
        ['other', OTHER],
      ] as const,
      2,
    ),
  )('tells of the tenant %s at %s, and of the newest migration it has', async (tenant, origin) => {
    const { status, body } = await ask(origin)
    expect([status, body]).toEqual([200, found(tenant)])
  })

  it.each([
    ...sample(MIGRATIONS, 1).map((name) => [name, name] as const),
    ['d1_migrations', MIGRATIONS[0]] as const,
  ])(
    'is 503 while the database lacks %s, by the name of the migration, and 200 at once afterwards',
    async (what, named) => {
      const answer = await without(what, () => ask(OTHER))
      expectRefusal(answer, 503, 'UNAVAILABLE', `The database lacks the migration ${named}.`)
      expect(answer.headers.get('Retry-After')).toMatch(/^[1-9]\d*$/)
      expect((await ask(OTHER)).body).toEqual(found('other'))
    },
  )

  it('is 200 for a database that is ahead of this build', async () => {
    const insert = "insert into d1_migrations (name) values ('9999_yet_to_come.sql')"
    await env.DB_OTHER.exec(insert)
    const { status, body } = await ask(OTHER)
    await env.DB_OTHER.exec("delete from d1_migrations where name = '9999_yet_to_come.sql'")
    const ahead = { migration: '9999_yet_to_come.sql', migrations: MIGRATIONS.length + 1 }
    expect([status, body.data]).toEqual([200, expect.objectContaining(ahead)])
  })

  it('looks into a database that lacks nothing once in ten seconds', async () => {
    const { bindings, calls } = countedBindings()
    for (let turn = 0; turn < 5; turn++) expect((await ask(DEMO, bindings)).status).toBe(200)
    expect(calls).toEqual({ d1: 1, kv_reads: 0, kv_writes: 0, failure_counts: 0 })
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 9_000 })
    await ask(DEMO, bindings)
    expect(calls.d1).toBe(1)
    vi.setSystemTime(Date.now() + 2_000)
    expect((await ask(DEMO, bindings)).body).toEqual(found('demo'))
    expect(calls.d1).toBe(2)
  })

  it.each([
    ['D1_ERROR: D1 DB is overloaded', 503, 'UNAVAILABLE'],
    ['D1_ERROR: Network connection lost', 503, 'UNAVAILABLE'],
    ['D1_ERROR: no such table: secrets: SQLITE_ERROR', 500, 'INTERNAL_ERROR'],
  ] as const)('answers as every other endpoint to %s', async (message, status, code) => {
    expectRefusal(await ask(DEMO, brokenBindings(message)), status, code)
    expect((await ask(DEMO)).body).toEqual(found('demo'))
  })

  it('is 503 where the database does not answer', async () => {
    const slowDown = speedUpTime()
    const never: Fault = { on: 'd1', nth: 0, times: 1, how: 'never', acts: false }
    const { bindings } = faultyBindings([never])
    expectRefusal(await ask(DEMO, bindings), 503, 'UNAVAILABLE')
    slowDown()
  })

  it('leaves no row in the audit log', async () => {
    const count = () => env.DB_DEMO.prepare('select count(*) as n from audit_log').first('n')
    const before = await count()
    await ask(DEMO)
    await ask(DEMO, brokenBindings('D1_ERROR: D1 DB is overloaded'))
    expect(await count()).toBe(before)
  })
})

describe('HEAD /healthz/', () => {
  it('is answered as GET, without a body', async () => {
    const { status, text, headers } = await asked(`${DEMO}/healthz/`, { method: 'HEAD' })
    expect([status, text, headers.get('Cache-Control')]).toEqual([200, '', 'no-store'])
  })
})

describe('/healthz', () => {
  it.each(['GET', 'HEAD', 'POST'])('without its slash sends %s on to it', async (method) => {
    const { status, headers } = await asked(`${DEMO}/healthz?x=1`, { method })
    expect([status, headers.get('Location')]).toEqual([308, '/healthz/?x=1'])
  })
})

describe('another method of /healthz/', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('is 405: %s', async (method) => {
    const answer = await asked(`${DEMO}/healthz/`, { method })
    expectRefusal(answer, 405, 'METHOD_NOT_ALLOWED', 'This path accepts only GET, HEAD.')
    expect(answer.headers.get('Allow')).toBe('GET, HEAD')
  })
})

describe('a path below /healthz/', () => {
  it('is 404', async () => {
    expectRefusal(await asked(`${DEMO}/healthz/db/`), 404, 'NOT_FOUND')
  })
})
