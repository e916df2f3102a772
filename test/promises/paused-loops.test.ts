import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { runDailyJobs } from '../../src/engine/cron/run.ts'
import { PAUSE_MS, Pace, STEPS_MAX } from '../../src/engine/limits/pace.ts'
import { keepDocument } from '../../src/engine/log/documents/keep.ts'
import {
  addLog,
  archive,
  countHot,
  daysBefore,
  openLog,
  requestsFrom,
} from '../fixtures/archive.ts'
import { speedUpTime } from '../fixtures/clock.ts'
import { inDeepPass } from '../fixtures/depth.ts'
import { idOf, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { type Answer, type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { crowd, dueAt } from '../log/daily/crowd.ts'

// Loops that wait for D1 or R2 as they go. Such a wait may let others in, but it is no pause: the loop counts its work.

const DOCUMENTS = 8
const LONG = { text: 'x'.repeat(300_000) }
const fieldsOf = (rule: unknown) =>
  Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`metadata.f${at}`, rule]))

afterEach(() => vi.restoreAllMocks())

async function pausesDuring(work: () => Promise<unknown>): Promise<number> {
  const timers = vi.spyOn(globalThis, 'setTimeout')
  await work()
  const pauses = timers.mock.calls.filter(([, ms]) => ms === PAUSE_MS).length
  timers.mockRestore()
  return pauses
}

/** A partner with kept documents, which were refused. */
async function openDocuments(document: object, fields: object = { order_number: 'number' }) {
  await openTenant()
  const partner = await openKept(
    { of: 'all', days: 7 },
    { mappings: { orders: { inbound: { unmapped: 'drop', fields } } } },
  )
  const refused: Answer[] = []
  for (let n = 0; n < DOCUMENTS; n++) {
    const order = { number: unique('O'), ...document }
    refused.push(await partner.api.post('/orders/', order))
  }
  const { id, admin } = partner
  return { of: `${SETTINGS}/partners/${id}`, admin, ids: refused.map(idOf) }
}

describe('a loop over kept documents pauses', () => {
  type Opened = Awaited<ReturnType<typeof openDocuments>>
  inDeepPass(() => {
    it.each<[string, (opened: Opened) => Promise<Answer>, (data: Json) => number, number]>([
      [
        'that tries a mapping on them',
        ({ admin, of }) => admin.post(`${of}/mappings/orders/replay/`, {}),
        ({ same }) => same,
        4,
      ],
      [
        'that checks a partner up',
        ({ admin, of }) => admin.get(`${of}/check-up/`),
        () => DOCUMENTS,
        2,
      ],
      [
        'that sends them again',
        ({ admin, ids }) => admin.post(`${SETTINGS}/send-again/`, { request_ids: ids }),
        (data) => data.filter(({ status }: Json) => status === 400).length,
        4,
      ],
    ])('%s', async (_, ask, doneOf, atLeast) => {
      const opened = await openDocuments(LONG)
      const pauses = await pausesDuring(async () => {
        const { status, body } = await ask(opened)
        expect([status, doneOf(body.data)]).toEqual([200, DOCUMENTS])
      })
      expect(pauses).toBeGreaterThanOrEqual(atLeast)
    })
  })

  it('that tries a mapping with much work on short ones', async () => {
    const list = Array.from({ length: 700 }, () => 1)
    const { admin, of } = await openDocuments({ list }, fieldsOf('list[?@ == 2]'))
    const pauses = await pausesDuring(() => admin.post(`${of}/mappings/orders/replay/`, {}))
    expect(pauses).toBeGreaterThanOrEqual(2)
  })
})

describe('a long document', () => {
  const fields = fieldsOf({ from: 't', as: 'string' })
  const payload = { t: '\u2003'.repeat(60_000) }

  it('waits for a turn to be mapped, and for one to find what no rule reads', async () => {
    await openTenant()
    const partner = await openKept(null, { mappings: { orders: { inbound: { fields } } } })
    const answers: Answer[] = []
    const pauses = await pausesDuring(async () => {
      answers.push(await partner.api.post('/orders/', payload))
    })
    expect([answers[0]?.status, pauses]).toEqual([400, 2])
  })

  it('waits for the same in a preview', async () => {
    await openTenant()
    const partner = await openKept(null)
    const draft = { payload, method: 'POST', mapping: { inbound: { fields } } }
    const path = `${SETTINGS}/partners/${partner.id}/mappings/orders/preview/`
    const answers: Answer[] = []
    const pauses = await pausesDuring(async () => {
      answers.push(await partner.admin.post(path, draft))
    })
    expect([answers[0]?.status, pauses]).toEqual([200, 2])
  })
})

describe('the daily work pauses', () => {
  it('while it archives many rows', async () => {
    const db = await openLog()
    const message = 'x'.repeat(1000)
    await addLog(db, requestsFrom(daysBefore(60), 2000, { message }))
    expect(await pausesDuring(() => archive())).toBeGreaterThanOrEqual(3)
    expect(await countHot(db)).toBe(1)
  })

  it('while it does a little for each of many tenants', async () => {
    const { databases } = await crowd(9)
    const work = vi.fn(async (slice: { pace: Pace }) => {
      await slice.pace.spent(STEPS_MAX / 2)
      return false
    })
    const job = {
      ...{ name: 'audit' as const, event: 'tried', counts: ['done'] as const },
      ...{ queries_max: 1, calls_max: 1, work },
    }
    vi.spyOn(console, 'log').mockImplementation(() => {})
    const pauses = await pausesDuring(() =>
      runDailyJobs({ KEYS: env.KEYS, ...databases }, { turns: 'tried', jobs: [job] }, dueAt(0)),
    )
    expect(work.mock.calls.length).toBeGreaterThan(0)
    expect(pauses).toBeGreaterThanOrEqual(3)
  })
})

it('a document whose turn does not come in time is not kept', async () => {
  const realTime = speedUpTime()
  const others = Array.from({ length: 60 }, (_, n) =>
    new Pace({ tenant: `t${n}`, key: 'k' }).rest(),
  )
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const name = { tenant: 'demo', created_at: new Date().toISOString(), partner_id: null }
  const state = await keepDocument(env.DOCUMENTS, {
    name: { ...name, request_id: crypto.randomUUID() },
    policy: { of: 'all', days: 7, redact: [] },
    sent: { content_type: null, body: new Uint8Array(500_000), answer: null, delivery: null },
    ...{ status: 400, rules: { inbound: null, outbound: null }, isConfirmed: true },
  })
  realTime()
  await Promise.allSettled(others)
  expect(state).toEqual({ document_until: null, document_reason: 'unavailable' })
})
