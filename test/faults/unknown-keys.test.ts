import { beforeAll, describe, expect, it } from 'vitest'
import { mintKey } from '../../src/engine/identity/key.ts'
import { newAddress } from '../fixtures/address.ts'
import { speedUpTime } from '../fixtures/clock.ts'
import { sample } from '../fixtures/depth.ts'
import type { Fault } from '../fixtures/fault.ts'
import { faultyBindings } from '../fixtures/harness.ts'
import { normalized } from '../fixtures/normalized.ts'
import { submit } from '../fixtures/session.ts'
import { type Answer, client, createKey } from '../fixtures/tenant.ts'
import { faultsOf, UNTOLD } from './cases.ts'
import { type Trial, tryOut } from './trial.ts'

type Ask = (key: string, headers: Record<string, string>, bindings: object) => Promise<Answer>

const ASKED: [string, Ask][] = [
  ['GET /orders/', (key, headers, bindings) => client(key, { headers, bindings }).get('/orders/')],
  [
    'POST /orders/',
    (key, headers, bindings) => client(key, { headers, bindings }).post('/orders/', {}),
  ],
  [
    'POST /dashboard/sign-in/',
    (key, headers, bindings) => submit('/dashboard/sign-in/', { key }, headers, { bindings }),
  ],
]

/** In the quick pass, of some forty. */
const DRAWN = 4
const REFUSAL = { success: false }

beforeAll(() => speedUpTime())

/** With a key that nobody was given, from an address of its own. */
const subjectOf = (name: string, ask: Ask) => ({
  name,
  prepare: async () => {
    const { value } = await mintKey('demo')
    const headers = { 'CF-Connecting-IP': newAddress() }
    // Attempts are stored once a minute: key-attempts.test.ts is about that.
    await client((await mintKey('demo')).value).get('/orders/')
    return (bindings: object) => ask(value, headers, bindings)
  },
})

describe.each(ASKED)('%s with a key that nobody was given', (name, ask) => {
  it('is refused whichever of its calls fails, is late, never answered or wrong', async () => {
    const subject = subjectOf(name, ask)
    const sound = await tryOut(subject, [])
    expect([sound.answer.status, sound.calls]).toEqual([401, ['kv_read', 'd1', 'rate_limit']])
    const wrong: object[] = []
    for (const fault of sample(faultsOf(sound.calls), DRAWN)) {
      const found = untruths(await tryOut(subject, [fault]), sound, fault)
      if (found.length > 0) wrong.push({ fault, found })
    }
    expect(wrong).toEqual([])
  }, 120_000)
})

describe('a rate limit that says of a first failure that it was one too many', () => {
  it('is believed for a minute, and keeps out no key that the isolate knows', async () => {
    const refusing: Fault = { on: 'rate_limit', nth: 0, times: 1, how: 'wrong', value: REFUSAL }
    const { bindings } = faultyBindings([refusing])
    const headers = { 'CF-Connecting-IP': newAddress() }
    const known = (await createKey()).value
    const statuses: number[] = []
    for (const key of [
      known,
      (await mintKey('demo')).value,
      (await mintKey('demo')).value,
      known,
    ]) {
      statuses.push((await client(key, { headers, bindings }).get('/orders/')).status)
    }
    expect(statuses).toEqual([200, 401, 429, 200])
  })
})

function untruths(trial: Trial, sound: Trial, fault: Fault): string[] {
  const { answer, logged, effect, audited } = trial
  const events = logged.map(({ event }) => event)
  const isSound = answer.status === 401 && normalized(answer.text) === normalized(sound.answer.text)
  const isUncounted = fault.on === 'rate_limit'
  const wrong: [boolean, string][] = [
    [!trial.hit, 'the fault met no call'],
    [!isSound && !isExcused(answer, fault), `is answered ${answer.status}: ${answer.text}`],
    [effect !== '' || audited.length > 0, 'has left something'],
    [events.at(-1) !== 'refused', 'has no line of its refusal'],
    // One more may tell of a call that took too long by itself: a second is 5 ms here.
    [isUncounted && !events.includes('failed_lookup_uncounted'), 'has no line of its own'],
    [events.length > 2, `has left the lines ${events}`],
  ]
  return wrong.filter(([is]) => is).map(([, what]) => what)
}

/** Only a failure of the database is one of the look-up. */
function isExcused({ status, headers }: Answer, fault: Fault): boolean {
  if (fault.on !== 'd1') return false
  if (status === 500) return 'message' in fault && fault.message === UNTOLD
  return status === 503 && Number(headers.get('Retry-After')) > 0
}
