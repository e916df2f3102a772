import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  attempt,
  attemptsIn,
  BASE_DOMAIN,
  countsIn,
  fillAttempts,
  hostOf,
  later,
  mistypedKey,
  mistypedKeys,
  noAttempts,
} from '../fixtures/attempts.ts'
import { itInDeep } from '../fixtures/depth.ts'
import { freshIsolate } from '../fixtures/isolate.ts'
import { type CallOptions, dispatch } from '../fixtures/tenant.ts'

// When attempts without a valid key are stored, how many are told apart, and what becomes of them while the
// database fails.

let options: CallOptions

beforeEach(async () => {
  options = await noAttempts()
})

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

type Batch = (statements: D1PreparedStatement[]) => unknown

/** The database of demo with this in place of its batches. */
const withBatch = (batch: Batch) => ({
  ...env,
  BASE_DOMAIN,
  DB_DEMO: { prepare: env.DB_DEMO.prepare.bind(env.DB_DEMO), batch },
})

const run: Batch = (statements) => env.DB_DEMO.batch(statements)

/** Counts the batches that reach the database of demo: malformed keys have no other. */
function watched() {
  let batches = 0
  const batch: Batch = (statements) => {
    batches += 1
    return run(statements)
  }
  return { bindings: withBatch(batch), batches: () => batches }
}

describe('attempts of one isolate', () => {
  it('are stored at once when they are the first of a minute, else with the next first', async () => {
    const { bindings, batches } = watched()
    const [one, two] = [await mistypedKey('one1'), await mistypedKey('two2')]
    const ask = (key: string) => attempt(key, { ...options, bindings })
    later(0)
    const begun = new Date().toISOString()
    await ask(one)
    expect(await attemptsIn()).toMatchObject([{ hint: 'xd_demo_…one1', count: 1 }])
    later(59_999)
    const last = new Date().toISOString()
    for (const key of [one, two, two]) await ask(key)
    expect([batches(), await countsIn()]).toEqual([1, { 'xd_demo_…one1': 1 }])
    later(1)
    const next = new Date().toISOString()
    await ask(two)
    expect(batches()).toBe(2)
    const reason = 'malformed'
    expect(await attemptsIn()).toEqual([
      { hint: 'xd_demo_…one1', reason, count: 2, first_at: begun, last_at: last },
      { hint: 'xd_demo_…two2', reason, count: 3, first_at: last, last_at: next },
    ])
  })

  itInDeep('wait for their own tenant alone', async () => {
    await attempt(await mistypedKey(), options)
    await attempt(await mistypedKey('typo', 'other'), options, 'other')
    expect([await countsIn(), await countsIn('other')]).toEqual([
      { 'xd_demo_…typo': 1 },
      { 'xd_other_…typo': 1 },
    ])
  })

  itInDeep('add to those of another isolate', async () => {
    for (let turn = 0; turn < 3; turn++) {
      await attempt(await mistypedKey(), { ...options, ...(await freshIsolate()) })
    }
    expect(await countsIn()).toEqual({ 'xd_demo_…typo': 3 })
  })

  it('are all counted when many come at once', async () => {
    const keys = await mistypedKeys(30)
    await Promise.all(keys.map((key) => attempt(key, options)))
    later(60_000)
    await attempt(keys[0] ?? '', options)
    const counts = await countsIn()
    expect(Object.keys(counts)).toHaveLength(30)
    expect(sumOf(counts)).toBe(31)
  })
})

const sumOf = (counts: Record<string, number>) =>
  Object.values(counts).reduce((sum, count) => sum + count, 0)

/** Stored in one bundle with one attempt more, whose hint ends in `last`. */
async function storeAll(keys: string[], own: CallOptions = options) {
  await attempt(await mistypedKey('last'), own)
  for (const key of keys) await attempt(key, own)
  later(60_000)
  await attempt(await mistypedKey('last'), own)
}

describe('hints', () => {
  it('are at most 100 in the table, the earliest, and then "other", whatever isolates send', async () => {
    await storeAll(await mistypedKeys(60))
    await storeAll(await mistypedKeys(60, 2000), { ...options, ...(await freshIsolate()) })
    const { other, ...counts } = await countsIn()
    expect(Object.keys(counts)).toHaveLength(100)
    expect(counts).toMatchObject({ 'xd_demo_…2038': 1, 'xd_demo_…last': 4 })
    expect(counts).not.toHaveProperty('xd_demo_…2039')
    expect(other).toBe(21)
  })

  itInDeep(
    'that the table has go on being counted when it is full, for other reasons too',
    async () => {
      await fillAttempts(100)
      await env.DB_DEMO.exec(
        "update key_attempts set hint = 'xd_demo_…typo', reason = 'revoked' where hint = 'hint 2'",
      )
      await attempt(await mistypedKey(), options)
      await attempt(await mistypedKey('new1'), { ...options, ...(await freshIsolate()) })
      const rows = (await attemptsIn()).filter(({ hint }) => /typo|other/.test(hint))
      expect(rows.map(({ hint, reason, count }) => [hint, reason, count]).toSorted()).toEqual([
        ['other', 'malformed', 1],
        ['xd_demo_…typo', 'malformed', 1],
        ['xd_demo_…typo', 'revoked', 1],
      ])
    },
  )

  itInDeep('make room when they are no longer kept', async () => {
    await fillAttempts(100)
    await env.DB_DEMO.exec(
      "update key_attempts set last_at = '2020-01-01T00:00:00.000Z' where hint = 'hint 1'",
    )
    await attempt(await mistypedKey(), options)
    const counts = await countsIn()
    expect(counts).toMatchObject({ 'xd_demo_…typo': 1, 'hint 2': 1 })
    expect(counts).not.toHaveProperty('hint 1')
    expect(counts).not.toHaveProperty('other')
  })

  itInDeep('are at most 100 in the memory of an isolate, and the others are counted', async () => {
    let rows: { hint: string; count: number }[] = []
    const prepare = (sql: string) => ({
      bind: (...values: unknown[]) => {
        const json = values.map(String).find((value) => value.startsWith('['))
        if (json) rows = JSON.parse(json)
        return env.DB_DEMO.prepare(sql).bind(...values)
      },
    })
    const bindings = { ...options.bindings, DB_DEMO: { prepare, batch: run } }
    await storeAll(await mistypedKeys(250), { ...options, bindings })
    expect(rows).toHaveLength(101)
    expect(rows.find(({ hint }) => hint === 'other')?.count).toBe(151)
    expect(sumOf(await countsIn())).toBe(252)
  })
})

const LOST = 'D1_ERROR: Network connection lost.'

describe('a database that does not take them', () => {
  let lines: string[]

  beforeEach(() => {
    lines = []
    vi.spyOn(console, 'error').mockImplementation((line) => lines.push(line))
  })

  const failing = (message: string, acts: boolean): Batch => {
    return async (statements) => {
      if (acts) await run(statements)
      throw new Error(message)
    }
  }

  const notStored = (name = 'Error') =>
    JSON.stringify({ event: 'key_attempts_not_stored', tenant: 'demo', name })

  itInDeep(
    'is asked again by the first attempt of the next minute, with all that waits',
    async () => {
      const bindings = withBatch(failing('D1_ERROR: D1 DB is overloaded.', false))
      const key = await mistypedKey()
      for (let turn = 0; turn < 3; turn++) {
        expect((await attempt(key, { ...options, bindings })).status).toBe(401)
      }
      expect([lines, await attemptsIn()]).toEqual([[notStored()], []])
      later(60_000)
      await attempt(key, options)
      expect(await countsIn()).toEqual({ 'xd_demo_…typo': 4 })
    },
  )

  it.each([
    ['at once', LOST],
    ['a minute later', 'D1_ERROR: D1 DB is overloaded.'],
  ])(
    'counts nothing twice where an answer is lost, and it is asked again %s',
    async (_, message) => {
      let failures = 0
      const batch: Batch = (statements) => {
        failures += 1
        return failures === 1 ? failing(message, true)(statements) : run(statements)
      }
      const own = { ...options, bindings: withBatch(batch) }
      const key = await mistypedKey()
      await attempt(key, own)
      expect(await countsIn()).toEqual({ 'xd_demo_…typo': 1 })
      expect(lines).toEqual(message === LOST ? [] : [notStored()])
      await attempt(key, own)
      later(60_000)
      await attempt(key, own)
      expect(await countsIn()).toEqual({ 'xd_demo_…typo': 3 })
    },
  )

  it.each<[string, Batch]>([
    ['fails', failing('D1_ERROR: no such table: key_attempts', false)],
    ['never answers', () => new Promise(() => {})],
  ])('delays no answer, where it %s', async (_, batch) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let asked = false
    const noted: Batch = (statements) => {
      asked = true
      return batch(statements)
    }
    const headers = { 'X-API-Key': await mistypedKey() }
    const request = new Request(`${hostOf('demo')}/api/integrations/v1/orders/`, { headers })
    const bindings = withBatch(noted)
    const { answer, afterwards } = await dispatch(request, { ...options, bindings })
    expect(answer.status).toBe(401)
    const done = afterwards()
    while (!asked) await scheduler.wait(1)
    vi.advanceTimersByTime(5000)
    await done
    expect(lines).toEqual([expect.stringContaining('"event":"key_attempts_not_stored"')])
    expect(lines[0]).not.toContain('no such table')
  })

  it('delays no answer, where it is late, and the attempt is stored', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const batch: Batch = async (statements) => {
      await released
      return await run(statements)
    }
    const headers = { 'X-API-Key': await mistypedKey() }
    const request = new Request(`${hostOf('demo')}/api/integrations/v1/orders/`, { headers })
    const { answer, afterwards } = await dispatch(request, {
      ...options,
      bindings: withBatch(batch),
    })
    expect([answer.status, await attemptsIn()]).toEqual([401, []])
    release()
    await afterwards()
    expect(await countsIn()).toEqual({ 'xd_demo_…typo': 1 })
  })
})
