import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { speedUpTime } from '../fixtures/clock.ts'
import { sample } from '../fixtures/depth.ts'
import type { Fault } from '../fixtures/fault.ts'
import { faultyBindings } from '../fixtures/harness.ts'
import {
  badOrder,
  documentOf,
  idOf,
  keysWith,
  openKept,
  stateOf,
} from '../fixtures/kept-documents.ts'
import { dispatch, type Json, ORIGIN, send, unique } from '../fixtures/tenant.ts'
import { faultsOf, SOON_MS } from './cases.ts'

// The call that stores a document, and everything that may become of it.

const TRIES_MAX = 20

beforeAll(() => speedUpTime())

type Kept = Awaited<ReturnType<typeof openKept>>

const requests: [string, () => [path: string, body: object], number][] = [
  ['a write', () => ['/products/', { sku: unique('S') }], 201],
  ['a refusal', () => ['/orders/', badOrder()], 400],
  [
    'an upload with failed rows',
    () => ['/inventory/', { inventory: [{ location_code: 'x', sku_code: 'y', quantity: 1 }] }],
    200,
  ],
]

function requestOf({ key }: Kept, [path, body]: [string, object]): Request {
  return new Request(`${ORIGIN}/api/integrations/v1${path}`, {
    method: 'POST',
    headers: { 'X-API-Key': key.key, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/**
 * What the audit log says and what R2 has, when all is over. Tries again while it is not settled: a call of a busy
 * machine may be too late without a fault, as time goes faster.
 */
async function outcomeUnder(
  fault: Fault,
  partner: Kept,
  request: () => [string, object],
  isSettled: (outcome: Json) => boolean,
) {
  for (let left = TRIES_MAX; ; left--) {
    const { bindings, hits, drained } = faultyBindings([fault])
    const answer = await send(requestOf(partner, request()), { bindings })
    await drained()
    const state = await stateOf(partner.admin, answer)
    const { status: readable } = await documentOf(partner.admin, answer)
    const outcome = { answer, isHit: hits.length > 0, state, readable }
    if (isSettled(outcome) || left === 0) return outcome
  }
}

describe.each(sample(requests, 1))('the document of %s', (_, request, status) => {
  it('changes no answer, and the audit log knows what became of it, whatever becomes of R2', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const partner = await openKept({ of: 'all', days: 7 })
    const wrong: object[] = []
    for (const fault of faultsOf(['r2_put'])) {
      // R2 that answers within 8 s has stored it.
      const isDue = fault.how === 'late' && fault.ms <= SOON_MS
      const isSettled = ({ state }: Json) => !isDue || state?.state === 'kept'
      const { answer, ...outcome } = await outcomeUnder(fault, partner, request, isSettled)
      const isKept = outcome.state?.state === 'kept'
      const isLost = outcome.state?.reason === 'unavailable'
      const isRight = isKept ? outcome.readable === 200 : isLost && outcome.readable === 404
      if (outcome.isHit && isRight && isKept === isDue && answer.status === status) continue
      wrong.push({ fault, status: answer.status, ...outcome })
    }
    expect(wrong).toEqual([])
    vi.restoreAllMocks()
  }, 60_000)

  it('is never waited for by the answer', async () => {
    const partner = await openKept({ of: 'all', days: 7 })
    const { promise, resolve } = Promise.withResolvers<void>()
    const put = async () => {
      await promise
      throw new Error('R2 fails in the end')
    }
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const bindings = { ...env, DOCUMENTS: { put } }
    const { answer, afterwards } = await dispatch(requestOf(partner, request()), { bindings })
    expect(answer.status).toBe(status)
    resolve()
    await afterwards()
    expect(await stateOf(partner.admin, answer)).toEqual({
      state: 'not_kept',
      reason: 'unavailable',
    })
    vi.restoreAllMocks()
  })

  it('is not kept where the Worker has no bucket', async () => {
    const partner = await openKept({ of: 'all', days: 7 })
    const { DOCUMENTS, ...bindings }: Json = env
    const answer = await send(requestOf(partner, request()), { bindings })
    expect(answer.status).toBe(status)
    expect(await stateOf(partner.admin, answer)).toEqual({
      state: 'not_kept',
      reason: 'unavailable',
    })
  })
})

describe('a request whose settings the database does not confirm', () => {
  it('has no document, because a place may have to be redacted by now', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {})
    const partner = await openKept({ of: 'all', days: 7 })
    await partner.api.get('/orders/')
    const lost = { message: 'D1_ERROR: D1 DB is overloaded. Requests queued for too long.' }
    const fault: Fault = { on: 'd1', nth: 0, times: 1, how: 'before', ...lost }
    const { bindings } = faultyBindings([fault])
    const answer = await send(requestOf(partner, ['/orders/', badOrder()]), { bindings })
    expect(answer.status).toBe(503)
    expect(await keysWith(idOf(answer))).toEqual([])
    expect(await stateOf(partner.admin, answer)).toEqual({
      state: 'not_kept',
      reason: 'unavailable',
    })
    vi.restoreAllMocks()
  })
})
