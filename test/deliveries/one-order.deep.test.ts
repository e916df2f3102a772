import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { speedUpTime } from '../fixtures/clock.ts'
import { db } from '../fixtures/opened.ts'
import { type Answer, type Json, unique } from '../fixtures/tenant.ts'
import { openWebhook, signed, type Webhook } from '../fixtures/webhooks.ts'
import { Clock, Dice } from './shops/clock.ts'
import { Receiver } from './shops/receiver.ts'
import { drawFaults } from './shops/trouble.ts'

// A sender that does not wait: 200 deliveries of one order at once, in any order and again, while D1 fails.

const DELIVERIES = 200
const RUNS = 8
/** A minute of real time: what is answered matters here, and not how soon a busy machine answers 200 at once. */
const WAITS_MS = 600_000
/** 500 for the text of D1 that nobody foresaw. */
const FAILURES = [500, 503]

let clock: Clock
let logged: Json[]
let shop: Webhook
let slowDown: () => void
beforeAll(async () => {
  clock = new Clock()
  logged = []
  for (const level of ['error', 'warn'] as const) {
    vi.spyOn(console, level).mockImplementation((line) => logged.push(JSON.parse(line)))
  }
  shop = await openWebhook()
  slowDown = speedUpTime(10)
})
afterAll(() => {
  slowDown()
  clock.stop()
  vi.restoreAllMocks()
})

const timeOf = (version: number) => new Date(Date.UTC(2026, 0, 2) + version * 1000).toISOString()

/** The versions of one order; a customer of null cancels it. */
function historyOf(dice: Dice, sku: string) {
  const number = unique('O')
  const lines = [{ sku, qty: 2 }]
  return Array.from({ length: 2 + dice.below(8) }, (_, version) => {
    const isCancelled = dice.chance(0.1)
    const status = isCancelled ? 'cancelled' : 'processing'
    return { number, status, customer: `Version ${version}`, modified: timeOf(version), lines }
  })
}

describe('deliveries of one order at once, again, in any order, with faults of D1', () => {
  it('leave what the newest document says, each once, and nothing that waits', async ({ task }) => {
    const { seed } = env.RANDOM
    task.meta.notice = `one order: seed ${seed}`
    const dice = new Dice(seed)
    const total = { sent: 0, faults: 0, ok: 0, waited: 0 }
    for (let run = 0; run < RUNS; run++) {
      const sku = unique('SKU')
      const documents = historyOf(dice, sku)
      const receiver = new Receiver()
      receiver.draw = () => drawFaults(dice)
      const send = (document: Json) => sendUntilHeard(receiver, document, dice)
      const sent = Array.from({ length: DELIVERIES - 1 }, () => dice.of(documents))
      sent.splice(dice.below(DELIVERIES), 0, documents.at(-1) as Json)
      // The product comes in the middle, so the first ones wait.
      const half = sent.splice(0, DELIVERIES >> 1)
      await Promise.all(half.map(send))
      const rest = sent.splice(0, sent.length >> 1)
      await Promise.all([shop.api.post('/products/', { sku }), ...rest.map(send)])
      await receiver.settle(clock)
      receiver.draw = () => drawFaults(dice)
      await Promise.all(sent.map(send))
      await receiver.settle(clock)
      const told = await expectTold(receiver)
      await expectNewest(documents)
      total.sent += receiver.sent
      total.faults += receiver.faults
      total.ok += told.ok
      total.waited += told.waited
    }
    task.meta.notice = `one order: ${RUNS} runs, ${total.sent} deliveries, ${total.ok} answered 200, ${total.waited} of which waited, ${total.faults} faults of D1; seed ${seed}`
  }, 600_000)
})

/** A sender repeats what was not answered by 200. */
async function sendUntilHeard(receiver: Receiver, document: Json, dice: Dice): Promise<void> {
  for (let status: number | null = null; status !== 200; ) {
    const event = dice.of(['order.created', 'order.updated'])
    status = await receiver.send(signed(shop.webhook.address, document, { event }), WAITS_MS)
    if (status !== 200) expect(status).toBeOneOf(FAILURES)
  }
}

/** Each 200 has its row, which says what was told; no delivery has two, or was applied twice. */
async function expectTold({ answers, sent }: Receiver) {
  expect(answers.length).toBe(sent)
  const ids = JSON.stringify(answers.map(({ headers }) => headers.get('X-Request-Id')))
  const { results } = await db
    .prepare(
      `select request_id, replay_of, outcome, status from audit_log
       where coalesce(replay_of, request_id) in (select value from json_each(?))`,
    )
    .bind(ids)
    .all<Json>()
  const rows = Map.groupBy(results, (row) => row.request_id)
  for (const answer of answers) expect(rowFault(answer, rows)).toBeNull()
  const applied = results.filter(({ outcome }) => APPLIED.includes(outcome))
  const times = Map.groupBy(applied, (row) => row.replay_of ?? row.request_id)
  expect([...times.values()].filter(({ length }) => length > 1)).toEqual([])
  const ok = answers.filter(({ status }) => status === 200)
  const waited = ok.filter(({ body }) => body.data.outcome === 'waiting')
  // Each that was told to wait has ended with a reason, or a try has ended it.
  const ended = new Set(
    results
      .filter(({ outcome }) => outcome !== null && outcome !== 'waiting')
      .map((row) => row.replay_of ?? row.request_id),
  )
  expect(waited.filter(({ body }) => !ended.has(body.data.delivery_id))).toEqual([])
  expect(waited.length).toBeGreaterThan(0)
  return { ok: ok.length, waited: waited.length }
}

const APPLIED = ['created', 'updated', 'unchanged', 'cancelled']

function rowFault({ status, headers, text, body }: Answer, rows: Map<string, Json[]>) {
  const id = headers.get('X-Request-Id') ?? ''
  const [row, ...more] = rows.get(id) ?? []
  if (more.length > 0) return `two rows: ${text}`
  if (status !== 200) {
    if (!FAILURES.includes(status)) return `is ${status}: ${text}`
    return row || logged.some(({ request_id }) => request_id === id) ? null : `no row: ${text}`
  }
  const told = body.data.outcome
  // As for reads: the row of what changes nothing is stored after the answer. If D1 does not take it, the log has it.
  const isLogged = logged.some(
    (line) => line.request_id === id && line.event === 'audit_row_not_stored',
  )
  if (!row) return isLogged && ['skipped', 'stale'].includes(told) ? null : `no row: ${text}`
  const isEnded = told === 'waiting' && row.outcome === 'superseded'
  return row.outcome === told || isEnded ? null : `the row says ${row.outcome}: ${text}`
}

/** The order is what the newest document says, however many came; none of them waits. */
async function expectNewest(documents: Json[]): Promise<void> {
  const newest = documents.at(-1)
  const { status, body } = await shop.api.get(`/orders/${newest.number}/`)
  if (newest.status === 'cancelled') {
    expect(status === 404 ? 404 : body.data.status).toBeOneOf([404, 'cancelled'])
  } else expect([status, body.data?.customer_name]).toEqual([200, newest.customer])
  const left = await db.prepare('select count(*) as n from waiting_deliveries').first('n')
  expect(left).toBe(0)
}
