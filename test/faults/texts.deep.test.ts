import { beforeAll, describe, expect, it } from 'vitest'
import { speedUpTime } from '../fixtures/clock.ts'
import { ENDPOINTS } from '../fixtures/endpoints.ts'
import { D1_FULL, D1_OTHER, D1_TRANSIENT, type Fault } from '../fixtures/fault.ts'
import { endpointSubjects } from './endpoint.ts'
import { type Subject, tryOut } from './trial.ts'
import { untruths } from './truth.ts'

// Each text of D1, at each call of a write, of a cancellation and of a read (P8). The texts that D1 documents are 503 with
// Retry-After, never 500.

const KNOWN = [...D1_TRANSIENT, ...D1_OTHER.slice(0, -1)]
const NAMES = [
  'POST /api/integrations/v1/orders/',
  'DELETE /api/integrations/v1/orders/:identifier/',
  'GET /api/integrations/v1/orders/',
]

const subjects = ENDPOINTS.flatMap(endpointSubjects).filter(({ name }) => NAMES.includes(name))

beforeAll(() => speedUpTime())

async function untruthsUnder(
  subject: Subject,
  faultsAt: (nth: number) => Fault[],
): Promise<object[]> {
  const sound = await tryOut(subject, [])
  const wrong: object[] = []
  for (const [nth] of sound.calls.filter((call) => call === 'd1').entries()) {
    for (const fault of faultsAt(nth)) {
      const found = untruths(await tryOut(subject, [fault]), sound, fault)
      if (found.length > 0) wrong.push({ fault, found })
    }
  }
  return wrong
}

describe.each(subjects)('$name', (subject) => {
  it('knows every text, whether the call acted or not', async () => {
    const faultsAt = (nth: number) =>
      KNOWN.flatMap((message): Fault[] => [
        { on: 'd1', nth, times: 1, how: 'before', message },
        { on: 'd1', nth, times: 1, how: 'after', message },
        { on: 'd1', nth, times: 50, how: 'before', message },
      ])
    expect(await untruthsUnder(subject, faultsAt)).toEqual([])
  }, 300_000)

  it('says that nothing was changed where the database is full', async () => {
    const faultsAt = (nth: number) =>
      D1_FULL.flatMap((message): Fault[] => [
        { on: 'd1', nth, times: 1, how: 'before', message },
        { on: 'd1', nth, times: 50, how: 'before', message },
      ])
    expect(await untruthsUnder(subject, faultsAt)).toEqual([])
  }, 300_000)
})

describe('a database without room', () => {
  const [write, , read] = NAMES
  const full = (nth: number): Fault => ({
    ...{ on: 'd1', nth, times: 50, how: 'before' },
    message: D1_FULL[0] ?? '',
  })
  const tryFull = async (named: string | undefined) => {
    const subject = subjects.find(({ name }) => name === named)
    if (!subject) throw new Error(`no subject ${named}`)
    return await tryOut(subject, [full(named === write ? 1 : 2)])
  }

  it('refuses a write at once, and says who can help', async () => {
    const { answer, calls, effect, logged } = await tryFull(write)
    expect([answer.status, answer.body.error.code]).toEqual([503, 'UNAVAILABLE'])
    expect(answer.headers.get('Retry-After')).toBe('60')
    expect(answer.text).toContain('is full. Nothing was changed.')
    expect(answer.text).toContain('the operator of Crossdock has to make room')
    expect(effect).toBe('')
    expect(logged).toContainEqual(
      expect.objectContaining({ event: 'storage_full', tenant: 'demo' }),
    )
    // The caller, the write, and the audit row of the refusal: none is tried again.
    expect(calls.filter((call) => call === 'd1')).toHaveLength(3)
  })

  it('answers reads, and leaves their audit rows in the log', async () => {
    const { answer, audited, logged } = await tryFull(read)
    expect(answer.status).toBe(200)
    expect(audited).toEqual([])
    expect(logged).toContainEqual(expect.objectContaining({ event: 'audit_row_not_stored' }))
  })
})
