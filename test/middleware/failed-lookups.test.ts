import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type MintedKey, mintKey } from '../../src/engine/identity/key.ts'
import { newAddress } from '../fixtures/address.ts'
import { byDepth, inDeepPass, itInDeep } from '../fixtures/depth.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import { countedBindings } from '../fixtures/metering.ts'
import { expectRefusal } from '../fixtures/refusal.ts'
import { cookieOf, submit } from '../fixtures/session.ts'
import { type Answer, type CallOptions, client, createKey, openTenant } from '../fixtures/tenant.ts'
import { heldDatabase } from './occupied.ts'

const FAILURES_MAX = 100
const AT_ONCE_MAX = 10
const SIGN_IN = '/dashboard/sign-in/'
const PAST = '2026-01-01T00:00:00.000Z'

// The local platform counts in minutes of the clock: a test that failed in two of them is run once more.
const MINUTE_MS = 60_000
// Attempts are stored after an answer, once a minute at most.
const andOneStore = (lookUps: number) => expect.toBeOneOf([lookUps, lookUps + 1])
const minute = () => Math.floor(Date.now() / MINUTE_MS)
let begun: number
const ONCE_MORE = { retry: { count: 1, condition: () => minute() !== begun } }

beforeEach(async () => {
  await openTenant('demo')
  await openTenant('other')
  begun = minute()
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const from = (address: string | null, options: CallOptions = {}): CallOptions =>
  address === null ? options : { ...options, headers: { 'CF-Connecting-IP': address } }

const ask = (key: string, address: string | null, options: CallOptions = {}) =>
  client(key, from(address, options)).get('/orders/')

const signIn = (key: string, address: string, options: CallOptions = {}) =>
  submit(SIGN_IN, { key }, { 'CF-Connecting-IP': address }, options)

const strangers = async (count: number, tenant = 'demo') =>
  (await Promise.all(Array.from({ length: count }, () => mintKey(tenant)))).map(
    ({ value }) => value,
  )

/** One after the other; gives how often each status was answered. */
async function statusesOf(keys: string[], address: string | null, options: CallOptions = {}) {
  const answers: Answer[] = []
  for (const key of keys) answers.push(await ask(key, address, options))
  return tallyOf(answers)
}

function tallyOf(answers: Answer[]) {
  const byStatus = Map.groupBy(answers, ({ status }) => status)
  return Object.fromEntries(Array.from(byStatus, ([status, those]) => [status, those.length]))
}

/** An address from which as many keys were tried as the limit lets fail. */
async function closedAddress(options: CallOptions = {}): Promise<string> {
  const address = newAddress()
  const tried = await statusesOf(await strangers(FAILURES_MAX), address, options)
  expect(tried).toEqual({ 401: FAILURES_MAX })
  return address
}

/** Keys that were issued and that no isolate knows. */
async function issue(count: number, fields: Partial<Record<string, string>> = {}) {
  const keys = await Promise.all(Array.from({ length: count }, () => mintKey('demo')))
  const insert = ({ hash, hint }: MintedKey) =>
    env.DB_DEMO.prepare(
      `insert into api_keys (id, hash, hint, name, scopes, revoked_at, expires_at, created_at)
       values (?, ?, ?, 'issued', '["integrations.*", "settings.*"]', ?, ?, ?)`,
    ).bind(
      crypto.randomUUID(),
      hash,
      hint,
      fields.revoked_at ?? null,
      fields.expires_at ?? null,
      PAST,
    )
  await env.DB_DEMO.batch(keys.map(insert))
  return keys.map(({ value }) => value)
}

const secondsOf = ({ headers }: Answer) => Number(headers.get('Retry-After'))

function expectLimited(answer: Answer) {
  const seconds = answer.headers.get('Retry-After')
  expect(seconds).toMatch(/^([1-9]|[1-5]\d|60)$/)
  const message = `Your address has sent too many unknown API keys. Try again in ${seconds} s.`
  expectRefusal(answer, 429, 'RATE_LIMITED', message)
  expect(answer.body.error.reason).toBe('UNKNOWN_KEYS')
}

describe('keys that nobody has issued, from one address', ONCE_MORE, () => {
  it('are 401 a hundred times, and from then on 429 with Retry-After, before any I/O', async () => {
    const { bindings, calls } = countedBindings()
    const address = await closedAddress({ bindings })
    const looked = { ...calls }
    const d1 = andOneStore(100)
    expect(looked).toEqual({ d1, kv_reads: 100, kv_writes: 0, failure_counts: 100 })
    for (const key of await strangers(3)) expectLimited(await ask(key, address, { bindings }))
    expect(calls).toEqual(looked)
  })

  itInDeep('cost the database a bounded number of reads, however many come at once', async () => {
    const address = newAddress()
    for (const failures of [FAILURES_MAX, 1]) {
      const { bindings, calls, rows } = countedBindings()
      const options = { ...(await freshIsolate()), bindings }
      const keys = await strangers(byDepth(250, 1000))
      const tally = tallyOf(await Promise.all(keys.map((key) => ask(key, address, options))))
      // Those that come while very many wait already are put off.
      const putOff = tally[503] ?? 0
      expect({ ...tally, 503: putOff }).toEqual({
        401: calls.kv_reads,
        429: keys.length - calls.kv_reads - putOff,
        503: putOff,
      })
      expect(calls.kv_reads).toBeGreaterThanOrEqual(failures)
      expect(calls.kv_reads).toBeLessThan(failures + AT_ONCE_MAX)
      expect([calls.d1, calls.failure_counts]).toEqual([
        andOneStore(calls.kv_reads),
        calls.kv_reads,
      ])
      expect(rows.written).toBeLessThanOrEqual(calls.kv_reads)
    }
  })

  itInDeep(
    'close their address in another isolate as well, from the first failure there on',
    async () => {
      const address = await closedAddress()
      const { bindings, calls } = countedBindings()
      const options = { ...(await freshIsolate()), bindings }
      expect((await ask((await mintKey('demo')).value, address, options)).status).toBe(401)
      for (const key of await strangers(3)) expectLimited(await ask(key, address, options))
      expect([calls.d1, calls.kv_reads]).toEqual([andOneStore(1), 1])
    },
  )

  itInDeep('are looked up again when the minute is over, and not a second before', async () => {
    const { bindings } = inMinutesOfTheTest()
    const address = await closedAddress({ bindings })
    const [stranger = '', another = ''] = await strangers(2)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12_345 })
    const seconds = secondsOf(await ask(stranger, address, { bindings }))
    expect(seconds).toBeLessThan(49)
    vi.setSystemTime(Date.now() + (seconds - 1) * 1000)
    const again = await ask(stranger, address, { bindings })
    expectLimited(again)
    expect(secondsOf(again)).toBe(1)
    vi.setSystemTime(Date.now() + 1000)
    expect((await ask(stranger, address, { bindings })).status).toBe(401)
    expect((await ask(another, address, { bindings })).status).toBe(401)
  })
})

/** The real binding, which counts each minute of the test's own clock for itself. */
function inMinutesOfTheTest() {
  const limit = ({ key }: RateLimitOptions) =>
    env.FAILED_LOOKUPS.limit({ key: `${key} ${minute()}` })
  return { bindings: { ...env, FAILED_LOOKUPS: { limit } } }
}

inDeepPass(() => {
  describe('an address that is closed', ONCE_MORE, () => {
    it('goes on being served to every key that the isolate knows', async () => {
      const { value } = await createKey(['integrations.*', 'settings.*'])
      expect((await ask(value, null)).status).toBe(200)
      const address = await closedAddress()
      expect((await ask(value, address)).status).toBe(200)
      const signedIn = await signIn(value, address)
      expect([signedIn.status, cookieOf(signedIn)]).toEqual([303, expect.stringContaining('=')])
    })

    it('keeps out a key that was issued, where the isolate does not know it yet', async () => {
      const address = await closedAddress()
      const [issued = ''] = await issue(1)
      expectLimited(await ask(issued, address))
      expect((await ask(issued, newAddress())).status).toBe(200)
      expect((await ask(issued, address)).status).toBe(200)
    })

    it('is closed as the whole /64 that it is in, and no further', async () => {
      const address = await closedAddress()
      const network = address.replace('::1', '')
      const [stranger = '', another = ''] = await strangers(2)
      expectLimited(await ask(stranger, `${network}:ffff:0:0:2`))
      expect((await ask(stranger, newAddress())).status).toBe(401)
      expect((await ask(another, '192.0.2.7')).status).toBe(401)
    })

    it('is closed at one tenant, not at another', async () => {
      const address = await closedAddress()
      const [stranger = ''] = await strangers(1, 'other')
      expect((await ask(stranger, address)).status).toBe(401)
    })

    it('goes on being told 401 for what needs no look-up', async () => {
      const remembered = await strangers(3)
      const address = newAddress()
      const tried = await statusesOf([...remembered, ...(await strangers(97))], address)
      expect(tried).toEqual({ 401: 100 })
      const [nowhere = ''] = await strangers(1, 'nowhere')
      const { bindings, calls } = countedBindings()
      const keys = [...remembered, nowhere, 'secret', (await mintKey('demo')).value.slice(0, -1)]
      expect(await statusesOf(keys, address, { bindings })).toEqual({ 401: 6 })
      const d1 = andOneStore(0)
      expect(calls).toEqual({ d1, kv_reads: 0, kv_writes: 0, failure_counts: 0 })
    })
  })
})

inDeepPass(() => {
  describe('keys that many addresses try at once', () => {
    it('are looked up 50 at a time of a tenant', async () => {
      const keys = await strangers(80)
      const { state, letGo, bindings } = heldDatabase(1)
      const answers = keys.map((key) => ask(key, newAddress(), { bindings }))
      await expect.poll(() => state.inside).toBeGreaterThanOrEqual(50)
      await scheduler.wait(50)
      const { inside } = state
      letGo()
      expect([inside, tallyOf(await Promise.all(answers))]).toEqual([50, { 401: 80 }])
    })
  })
})

/** None of them is counted: in the deep pass they are more than may fail. */
const MANY = byDepth(12, 120)

describe('what is no failure', ONCE_MORE, () => {
  it('is a key that is found: it is neither counted, nor refused before a hundred failures', async () => {
    const address = newAddress()
    expect(await statusesOf(await strangers(99), address)).toEqual({ 401: 99 })
    const { bindings, calls } = countedBindings()
    expect(await statusesOf(await issue(MANY), address, { bindings })).toEqual({ 200: MANY })
    expect(calls.failure_counts).toBe(0)
    const [last = '', beyond = ''] = await strangers(2)
    expect((await ask(last, address)).status).toBe(401)
    expectLimited(await ask(beyond, address))
  })

  it.each([
    ['revoked', { revoked_at: PAST }],
    ['expired', { expires_at: PAST }],
  ])('is a key that was issued and is %s', async (_, fields) => {
    const address = newAddress()
    const { bindings, calls } = countedBindings()
    const keys = await issue(MANY, fields)
    expect(await statusesOf(keys, address, { bindings })).toEqual({ 401: MANY })
    expect(calls.failure_counts).toBe(0)
  })

  itInDeep('is an unknown key that the isolate remembers', async () => {
    const [stranger = ''] = await strangers(1)
    const { bindings, calls } = countedBindings()
    const again = Array.from({ length: MANY }, () => stranger)
    expect(await statusesOf(again, newAddress(), { bindings })).toEqual({ 401: MANY })
    const d1 = andOneStore(1)
    expect(calls).toEqual({ d1, kv_reads: 1, kv_writes: 0, failure_counts: 1 })
  })

  it('is a key of no tenant, or a mistyped one, which is looked up nowhere', async () => {
    const { bindings, calls } = countedBindings()
    const keys = [...(await strangers(MANY, 'nowhere')), ...Array.from({ length: MANY }, String)]
    expect(await statusesOf(keys, newAddress(), { bindings })).toEqual({ 401: 2 * MANY })
    expect(calls.failure_counts).toBe(0)
  })

  itInDeep('is a look-up that the database does not answer', async () => {
    const address = newAddress()
    const DB_DEMO = { prepare: env.DB_DEMO.prepare.bind(env.DB_DEMO), batch: overloaded }
    const { bindings, calls } = countedBindings()
    const broken = { bindings: { ...bindings, DB_DEMO } }
    expect(await statusesOf(await strangers(MANY), address, broken)).toEqual({ 503: MANY })
    expect(calls.failure_counts).toBe(0)
  })
})

async function overloaded(): Promise<never> {
  throw new Error('D1_ERROR: D1 DB is overloaded. Requests queued for too long.')
}

inDeepPass(() => {
  describe('a request whose address nobody knows', () => {
    it('is not limited: a limit would be one for all clients together', async () => {
      const { bindings, calls } = countedBindings()
      expect(await statusesOf(await strangers(150), null, { bindings })).toEqual({ 401: 150 })
      expect(calls.failure_counts).toBe(0)
    })
  })
})

describe('a key that is new to the isolate', () => {
  it('is looked up by few of many requests at once, and all are answered', async () => {
    const [issued = ''] = await issue(1)
    const { bindings, calls } = countedBindings()
    const address = newAddress()
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => ask(issued, address, { bindings })),
    )
    expect(tallyOf(answers)).toEqual({ 200: 60 })
    expect(calls.kv_reads).toBeLessThanOrEqual(AT_ONCE_MAX)
  })
})

describe('POST /dashboard/sign-in/', ONCE_MORE, () => {
  it('shares the limit with the API, and says so on its form', async () => {
    const address = newAddress()
    for (const key of await strangers(60)) {
      expect((await signIn(key, address)).status).toBe(401)
    }
    expect(await statusesOf(await strangers(40), address)).toEqual({ 401: 40 })
    const [stranger = '', another = ''] = await strangers(2)
    const refused = await signIn(stranger, address)
    expect(refused.status).toBe(429)
    expect(secondsOf(refused)).toBeGreaterThan(0)
    expect(refused.text).toContain('Your address has sent too many unknown API keys.')
    expect(refused.text).toContain('name="key"')
    expect(refused.headers.get('Set-Cookie')).toBeNull()
    expectLimited(await ask(another, address))
  })
})

describe('a binding that does not count', () => {
  let lines: string[]

  beforeEach(() => {
    lines = []
    vi.spyOn(console, 'error').mockImplementation((line) => lines.push(line))
  })

  const lineOf = ({ headers }: Answer) =>
    JSON.stringify({
      event: 'failed_lookup_uncounted',
      request_id: headers.get('X-Request-Id'),
    })

  it.each<[string, unknown]>([
    ['is not there', undefined],
    ['fails', { limit: () => Promise.reject(new Error('an address of ours')) }],
    ['answers nonsense', { limit: async () => ({ success: 'false' }) }],
    ['answers nothing', { limit: async () => null }],
  ])('lets every request pass, with one line in the log, where it %s', async (_, binding) => {
    const bindings = { ...env, FAILED_LOOKUPS: binding }
    const address = newAddress()
    for (const key of await strangers(byDepth(5, 110))) {
      const answer = await ask(key, address, { bindings })
      expectRefusal(answer, 401, 'KEY_INVALID', 'Invalid API key.')
      expect(lines.splice(0)).toEqual([lineOf(answer)])
    }
  })

  itInDeep('is waited for a second', async () => {
    let asked = false
    const limit = () => {
      asked = true
      return new Promise(() => {})
    }
    const [stranger = ''] = await strangers(1)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let answered = false
    const bindings = { ...env, FAILED_LOOKUPS: { limit } }
    const pending = ask(stranger, newAddress(), { bindings }).finally(() => {
      answered = true
    })
    while (!asked) await scheduler.wait(1)
    vi.advanceTimersByTime(999)
    await scheduler.wait(20)
    expect(answered).toBe(false)
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    const answer = await pending
    expect(answer.status).toBe(401)
    expect(lines).toEqual([lineOf(answer)])
  })
})
