import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { speedUpTime } from '../fixtures/clock.ts'
import { sample } from '../fixtures/depth.ts'
import type { Fault } from '../fixtures/fault.ts'
import { faultyBindings } from '../fixtures/harness.ts'
import { openTenant, unique } from '../fixtures/tenant.ts'

// What the tests beside this one rest on: that a fault does what its name says.

beforeAll(() => speedUpTime())

const MESSAGE = 'D1_ERROR: Network connection lost.'
const at = { on: 'd1' as const, nth: 0, times: 1 }

/** A batch that leaves a mark, through bindings with the fault; `seen` is what its caller has so far. */
function leaveMark(fault: Fault) {
  const mark = unique('mark')
  const faulty = faultyBindings([fault])
  const { DB_DEMO } = faulty.bindings as typeof env
  let seen = 'nothing'
  DB_DEMO.batch([DB_DEMO.prepare('insert into marks values (?)').bind(mark)]).then(
    () => {
      seen = 'an answer'
    },
    ({ message }) => {
      seen = message
    },
  )
  const isThere = async () =>
    (await db.prepare('select 1 from marks where mark = ?').bind(mark).first()) !== null
  return { ...faulty, seen: () => seen, isThere }
}

const TABLE: [string, Fault, { early: string; late: string; acted: [boolean, boolean] }][] = [
  [
    'before',
    { ...at, how: 'before', message: MESSAGE },
    { early: MESSAGE, late: MESSAGE, acted: [false, false] },
  ],
  [
    'after',
    { ...at, how: 'after', message: MESSAGE },
    { early: MESSAGE, late: MESSAGE, acted: [true, true] },
  ],
  [
    'lost, and acts all the same',
    { ...at, how: 'lost', message: MESSAGE, ms: 100_000 },
    { early: MESSAGE, late: MESSAGE, acted: [false, true] },
  ],
  [
    'late, having acted at once',
    { ...at, how: 'late', ms: 100_000, acts: 'at_once' },
    { early: 'nothing', late: 'an answer', acted: [true, true] },
  ],
  [
    'late, acting in the end',
    { ...at, how: 'late', ms: 100_000, acts: 'in_the_end' },
    { early: 'nothing', late: 'an answer', acted: [false, true] },
  ],
  [
    'never, having acted',
    { ...at, how: 'never', acts: true },
    { early: 'nothing', late: 'nothing', acted: [true, true] },
  ],
  [
    'never, not having acted',
    { ...at, how: 'never', acts: false },
    { early: 'nothing', late: 'nothing', acted: [false, false] },
  ],
]

const db = await openTenant()
await db.prepare('create table marks (mark text)').run()

describe('a fault', () => {
  it.each(sample(TABLE, 4))('that comes %s is that', async (_, fault, { early, late, acted }) => {
    const { seen, isThere, drained, hits } = leaveMark(fault)
    const now = async () => [seen(), await isThere()]
    await vi.waitFor(async () => expect(await now()).toEqual([early, acted[0]]), 10_000)
    await drained()
    await vi.waitFor(async () => expect(await now()).toEqual([late, acted[1]]), 20_000)
    expect(hits).toEqual([fault])
  })

  it('meets the calls of its kind from the nth on, as many as it says', async () => {
    const fault: Fault = { ...at, nth: 1, times: 2, how: 'before', message: MESSAGE }
    const { bindings, calls } = faultyBindings([fault])
    const { DB_DEMO, KEYS } = bindings as typeof env
    await KEYS.get('some name')
    const failed: boolean[] = []
    for (let turn = 0; turn < 4; turn++) {
      const asked = DB_DEMO.batch([DB_DEMO.prepare('select 1')])
      failed.push(await asked.then(...([() => false, () => true] as const)))
    }
    expect(failed).toEqual([false, true, true, false])
    expect(calls).toEqual(['kv_read', 'd1', 'd1', 'd1', 'd1'])
  })

  it('may give another value than KV has', async () => {
    await env.KEYS.put('a name', '"its value"')
    const fault: Fault = { on: 'kv_read', nth: 0, times: 1, how: 'wrong', value: null }
    const { KEYS } = faultyBindings([fault]).bindings as typeof env
    expect(await KEYS.get('a name', 'json')).toBe(null)
    expect(await KEYS.get('a name', 'json')).toBe('its value')
  })

  it('may give another answer than the rate limit has, which has not counted then', async () => {
    const key = unique('address')
    const fault: Fault = { on: 'rate_limit', nth: 0, times: 2, how: 'wrong', value: 'nonsense' }
    const { FAILED_LOOKUPS } = faultyBindings([fault]).bindings as typeof env
    const answers: unknown[] = []
    for (let turn = 0; turn < 4; turn++) answers.push(await FAILED_LOOKUPS.limit({ key }))
    expect(answers).toEqual(['nonsense', 'nonsense', { success: true }, { success: true }])
  })

  it('of the Durable Object has counted, or has not', async () => {
    const name = unique('limit')
    const fault: Fault = { on: 'durable_object', nth: 0, times: 1, how: 'after', message: 'gone' }
    const { RATE_LIMITER } = faultyBindings([fault]).bindings as typeof env
    await expect(RATE_LIMITER.getByName(name).take(5)).rejects.toThrow('gone')
    expect((await RATE_LIMITER.getByName(name).take(5)).place).toBe(2)
  })
})
