import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { hintOf, mintKey } from '../../src/engine/identity/key.ts'
import { newAddress } from '../fixtures/address.ts'
import {
  attempt,
  attemptsIn,
  hostOf,
  later,
  mistypedKey,
  noAttempts,
} from '../fixtures/attempts.ts'
import { itInDeep, sample } from '../fixtures/depth.ts'
import { cookieOf, submit, withCookie } from '../fixtures/session.ts'
import { type CallOptions, client, createKey, ORIGIN, send } from '../fixtures/tenant.ts'

// What is an attempt without a valid key, at which tenant it counts, and what is kept of the key.

const PAST = '2026-01-01T00:00:00.000Z'
const ALL = ['integrations.*', 'settings.*']

let options: CallOptions

beforeEach(async () => {
  options = await noAttempts()
})

afterEach(() => {
  vi.useRealTimers()
})

const issued = async (fields: object = {}) => (await createKey(ALL, fields)).value
const minted = async (tenant: string) => (await mintKey(tenant)).value

/** All that the tenants have counted when a minute has passed: one attempt more stores what waits. */
async function counted() {
  later(61_000)
  await attempt(await mistypedKey('last'), options)
  await attempt(await mistypedKey('last', 'other'), options, 'other')
  const [demo, other] = [await attemptsIn('demo'), await attemptsIn('other')]
  const own = ({ hint }: { hint: string }) => !hint.endsWith('last')
  return { demo: demo.filter(own), other: other.filter(own) }
}

describe('an attempt without a valid key', () => {
  const KINDS: [string, string, () => Promise<string>][] = [
    ['malformed', 'a mistyped key', () => mistypedKey()],
    ['unknown', 'a key that nobody was given', () => minted('demo')],
    ['unknown', 'a key of a tenant that is not here', () => minted('nowhere')],
    ['revoked', 'a revoked key', () => issued({ revoked_at: PAST })],
    [
      'revoked',
      'a key that is revoked and has expired',
      () => issued({ revoked_at: PAST, expires_at: PAST }),
    ],
    ['expired', 'an expired key', () => issued({ expires_at: PAST })],
  ]

  it.each(sample(KINDS, 3))('counts as %s: %s', async (reason, _, make) => {
    const key = await make()
    const before = new Date().toISOString()
    expect((await attempt(key, options)).status).toBe(401)
    const at = expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/)
    const row = { hint: hintOf(key), reason, count: 1, first_at: at, last_at: at }
    const [found, ...more] = await attemptsIn()
    expect([found, more]).toEqual([row, []])
    expect(found.first_at >= before && found.first_at <= new Date().toISOString()).toBe(true)
    expect(found.last_at).toBe(found.first_at)
    expect(await attemptsIn('other')).toEqual([])
  })

  it("counts as wrong_host at the key's own tenant, and not at that of the host", async () => {
    const key = await issued()
    expect((await attempt(key, options, 'other')).status).toBe(401)
    expect(await attemptsIn('other')).toEqual([])
    expect(await attemptsIn()).toMatchObject([
      { hint: hintOf(key), reason: 'wrong_host', count: 1 },
    ])
  })

  itInDeep('counts at every method and path of both APIs, once each', async () => {
    const key = await minted('demo')
    const api = client(key, { origin: hostOf('demo'), ...options })
    await api.post('/orders/', '{"broken')
    await api.get('/api/settings/v1/workspace/')
    await api.call('HEAD', '/orders/')
    await api.get('/nowhere/')
    expect((await counted()).demo).toMatchObject([{ hint: hintOf(key), count: 4 }])
  })

  it('is known by key and reason', async () => {
    const { id, value } = await createKey(ALL, { expires_at: PAST })
    await attempt(value, options)
    await env.DB_DEMO.prepare('update api_keys set revoked_at = ? where id = ?')
      .bind(PAST, id)
      .run()
    for (let turn = 0; turn < 2; turn++) await attempt(value, options)
    const rows = (await counted()).demo
    expect(rows.map(({ hint, reason, count }) => [hint, reason, count])).toEqual([
      [hintOf(value), 'expired', 1],
      [hintOf(value), 'revoked', 2],
    ])
  })

  itInDeep('moves no settings version', async () => {
    const version = () => env.DB_DEMO.prepare('select settings_version from workspace').first()
    const key = await issued({ revoked_at: PAST })
    const before = await version()
    await attempt(key, options)
    await counted()
    expect(await version()).toEqual(before)
  })

  itInDeep('leaves no other trace of a key that is in no audit log', async () => {
    const rows = () => env.DB_DEMO.prepare('select count(*) as n from audit_log').first('n')
    const before = await rows()
    await attempt(await mistypedKey(), options)
    await attempt(await minted('demo'), options)
    expect(await rows()).toBe(before)
  })
})

describe('at the sign-in of the dashboard', () => {
  const signIn = (key: string) =>
    submit('/dashboard/sign-in/', { key }, {}, { ...options, origin: hostOf('demo') })

  it('an attempt counts too', async () => {
    const keys = [await minted('demo'), await issued({ revoked_at: PAST }), await mistypedKey()]
    for (const key of keys) expect((await signIn(key)).status).toBe(401)
    const rows = (await counted()).demo
    expect(rows.map(({ hint }) => hint).toSorted()).toEqual(keys.map(hintOf).toSorted())
  })

  it('a form without a key, and a session whose key has ended, are no attempts', async () => {
    for (const key of ['', '  ']) await signIn(key)
    const { id, value } = await createKey(ALL)
    const session = withCookie(cookieOf(await signIn(value)), {
      ...options,
      origin: hostOf('demo'),
    })
    expect((await session.get('/dashboard/')).status).toBe(200)
    await env.DB_DEMO.prepare('update api_keys set revoked_at = ? where id = ?')
      .bind(PAST, id)
      .run()
    expect((await session.get('/dashboard/')).status).toBe(303)
    expect(await counted()).toEqual({ demo: [], other: [] })
  })
})

describe('what is no attempt', () => {
  it('is a request without a key, or with a valid one, whatever is answered', async () => {
    for (const key of [null, '', '   ']) expect((await attempt(key, options)).status).toBe(403)
    const reader = (await createKey(['settings.audit.read'])).value
    expect((await attempt(reader, options)).status).toBe(403)
    expect((await attempt(await issued(), options)).status).toBe(200)
    await send(
      new Request(`${hostOf('demo')}/healthz/`, { headers: { 'X-API-Key': 'x' } }),
      options,
    )
    expect(await counted()).toEqual({ demo: [], other: [] })
  })

  itInDeep('is one that the limit of unknown keys refuses', async () => {
    const closing = { limit: async () => ({ success: false }) }
    const bindings = { ...options.bindings, FAILED_LOOKUPS: closing }
    const limited = { ...options, bindings, headers: { 'CF-Connecting-IP': newAddress() } }
    const [first, second] = [await minted('demo'), await minted('demo')]
    expect((await attempt(first, limited)).status).toBe(401)
    expect((await attempt(second, limited)).status).toBe(429)
    expect((await counted()).demo).toMatchObject([{ hint: hintOf(first), count: 1 }])
  })

  it('is a key that the database could not look up', async () => {
    const batch = () => Promise.reject(new Error('D1_ERROR: D1 DB is overloaded.'))
    const DB_DEMO = { prepare: env.DB_DEMO.prepare.bind(env.DB_DEMO), batch }
    const broken = { ...options, bindings: { ...options.bindings, DB_DEMO } }
    expect((await attempt(await minted('demo'), broken)).status).toBe(503)
    expect(await counted()).toEqual({ demo: [], other: [] })
  })
})

describe('the tenant at which it counts', () => {
  it.each(
    sample(['https://example.com', 'https://www.example.com', 'https://demo.example.org'], 1),
  )('is none for a malformed key at %s', async (origin) => {
    const answer = await client(await mistypedKey(), { ...options, origin }).get('/orders/')
    expect(answer.status).toBe(401)
    expect(await counted()).toEqual({ demo: [], other: [] })
  })

  itInDeep('is none without a host, but for keys of a tenant that is here', async () => {
    const anywhere = { ...options, bindings: env, origin: ORIGIN }
    for (const key of [await mistypedKey(), await minted('nowhere'), 'secret']) {
      expect((await client(key, anywhere).get('/orders/')).status).toBe(401)
    }
    const key = await minted('demo')
    await client(key, anywhere).get('/orders/')
    expect(await counted()).toMatchObject({ demo: [{ hint: hintOf(key) }], other: [] })
  })

  itInDeep('is not one whose name a host only resembles', async () => {
    const DB_NORTH_SEA = env.DB_OTHER
    const bindings = { ...options.bindings, DB_NORTH_SEA }
    const odd = { ...options, bindings }
    await attempt(await mistypedKey(), odd, 'north_sea')
    await attempt('constructor', odd, 'constructor')
    expect(await counted()).toEqual({ demo: [], other: [] })
  })

  it('is one of two, and the other one learns nothing', async () => {
    await attempt(await mistypedKey('mine'), options)
    await attempt(await mistypedKey('your', 'other'), options, 'other')
    expect(await attemptsIn()).toMatchObject([{ hint: 'xd_demo_…mine' }])
    expect(await attemptsIn('other')).toMatchObject([{ hint: 'xd_other_…your' }])
  })
})

describe('the hint of a key that is malformed', () => {
  const secret = 'A'.repeat(45)
  const MALFORMED = [
    ['with a typo', `xd_demo_${secret}typo`, 'xd_demo_…typo'],
    ['in quotes', `"xd_demo_${secret}typo"`, 'xd_demo_…typo'],
    ['after a word', `Bearer xd_demo_${secret}typo`, 'xd_demo_…typo'],
    ['with a blank in it', `xd_demo_${'A'.repeat(20)} ${'A'.repeat(25)}typo`, 'xd_demo_…typo'],
    ['cut short', `xd_demo_${secret}`, 'xd_demo_…'],
    ['that goes on', `xd_demo_${secret}typo1`, 'xd_demo_…'],
    ['twice', `xd_demo_${secret}typo, xd_demo_${secret}typo`, 'xd_demo_…'],
    ['of another tenant, with a typo', `xd_other_${secret}typo`, '…'],
    ['of another system', 'sk_live_4eC39HqLyjWDarjtT1zdp7dc', '…'],
    ['that is a password', 'hunter2', '…'],
    ['without its prefix', `${secret}typo`, '…'],
    ['of markup', '<script>alert(1)</script>', '…'],
    ['that is very long', `xd_demo_${'A'.repeat(8000)}`, 'xd_demo_…'],
  ] as const

  it.each(sample(MALFORMED, 2))('%s', async (_, key, hint) => {
    expect((await attempt(key, options)).status).toBe(401)
    expect(await attemptsIn()).toMatchObject([{ hint, reason: 'malformed' }])
  })
})
