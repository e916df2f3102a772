import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, it } from 'vitest'
import { speedUpTime } from '../fixtures/clock.ts'
import { sample } from '../fixtures/depth.ts'
import type { Fault } from '../fixtures/fault.ts'
import { faultyBindings } from '../fixtures/harness.ts'
import { idOf, openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { saveMapping } from '../fixtures/partner.ts'
import { withCookie } from '../fixtures/session.ts'
import { type Answer, client, createKey, unique } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'
import { faultsOf } from './cases.ts'
import { sessionOf } from './page.ts'

// The request that is sent is answered inside of another answer, so the tables of endpoints do not fit.

const DRAWN = 4
const MAPPING = {
  order_number: 'number',
  'items[].sku_code': 'lines[].sku',
  'items[].quantity': 'lines[].qty',
}
const MENDED = { ...MAPPING, 'items[].quantity': { from: 'lines[].qty', as: 'integer' } }

beforeAll(() => speedUpTime())

/** A refused order that would be taken by now. */
async function prepare() {
  const partner = await openKept(
    { of: 'errors', days: 7 },
    { mappings: { orders: { inbound: { fields: MAPPING } } } },
  )
  const { sku } = await createProduct(partner.admin)
  const number = unique('O')
  const refused = await partner.api.post('/orders/', { number, lines: [{ sku, qty: '2' }] })
  await saveMapping(partner.admin, partner.id, 'orders', { inbound: { fields: MENDED } })
  return { number, id: idOf(refused) }
}

interface Sent {
  answer: Answer
  calls: ReturnType<typeof faultyBindings>['calls']
  hasOrder: boolean
  /** The status of each row of the request that was sent. */
  rows: number[]
}

async function send(faults: Fault[]): Promise<Sent> {
  const { number, id } = await prepare()
  const { value } = await createKey(['settings.*', 'integrations.*'])
  const { bindings, calls, drained } = faultyBindings(faults)
  const path = `${SETTINGS}/audit-log/${id}/send-again/`
  const answer = await client(value).post(path, {}, { bindings })
  await drained()
  const db = env.DB_DEMO
  const orders = db.prepare('select count(*) as n from orders where order_number = ?').bind(number)
  const rows = db.prepare('select status from audit_log where replay_of = ?').bind(id)
  return {
    answer,
    calls,
    hasOrder: (await orders.first('n')) === 1,
    rows: (await rows.all<{ status: number }>()).results.map(({ status }) => status),
  }
}

/** What is not true of it; empty where all is well. */
function untruths({ answer: { status, body, text }, hasOrder, rows }: Sent): string[] {
  const inner = status === 200 ? body.data : { status, answer: body }
  const { detail = '' } = inner.answer
  const wrong: [boolean, string][] = [
    [![200, 500, 503].includes(status), `is ${status}`],
    [![201, 500, 503].includes(inner.status), `was answered ${inner.status}`],
    [inner.status === 201 && !hasOrder, 'says that there is an order'],
    [status !== 200 && hasOrder, 'says that nothing was sent'],
    [/Nothing was changed/.test(detail) && hasOrder, 'says that nothing was changed'],
    [/was applied, but/.test(detail) && !hasOrder, 'says that it was applied'],
    [rows.length > 1, `has ${rows.length} rows`],
    [hasOrder !== rows.includes(201), `has rows that say ${rows}`],
  ]
  return wrong.filter(([is]) => is).map(([, what]) => `${what}: ${text}`)
}

/** The form of a run of one request: sent with faults, and once more without. */
async function sendTwice(faults: Fault[]) {
  const { number, id } = await prepare()
  const cookie = await sessionOf((await createKey(['settings.*', 'integrations.*'])).id)
  const { bindings, calls, drained } = faultyBindings(faults)
  const form = { run: crypto.randomUUID(), ids: id, results: '[]' }
  const post = (options = {}) => withCookie(cookie, options).post('/dashboard/send-again/', form)
  await post({ bindings })
  await drained()
  const { status, text } = await post()
  const db = env.DB_DEMO
  const orders = db.prepare('select count(*) as n from orders where order_number = ?').bind(number)
  const rows = db.prepare('select request_id, status from audit_log where replay_of = ?').bind(id)
  const { results } = await rows.all<{ request_id: string; status: number }>()
  return {
    calls,
    status,
    rows: results.map((row) => row.status),
    isShown: results.every(({ request_id }) => text.includes(request_id)),
    hasOrder: (await orders.first('n')) === 1,
  }
}

describe('POST /dashboard/send-again/', () => {
  it('applies a request once, and shows it, whichever call fails the first time', async () => {
    const sound = await sendTwice([])
    expect(sound).toMatchObject({ status: 200, rows: [201], isShown: true, hasOrder: true })
    const wrong: object[] = []
    for (const fault of sample(faultsOf(sound.calls), DRAWN)) {
      const sent = await sendTwice([fault])
      const isTrue = sent.hasOrder === (sent.rows[0] === 201)
      if (sent.status !== 200 || sent.rows.length !== 1 || !sent.isShown || !isTrue) {
        wrong.push({ fault, sent })
      }
    }
    expect(wrong).toEqual([])
  }, 240_000)
})

describe('POST /audit-log/{request_id}/send-again/', () => {
  it('tells the truth whichever of its calls fails, is late or never answered', async () => {
    const sound = await send([])
    expect(sound).toMatchObject({ hasOrder: true, rows: [201] })
    expect(sound.calls).toContain('r2')
    const wrong: object[] = []
    for (const fault of sample(faultsOf(sound.calls), DRAWN)) {
      const found = untruths(await send([fault]))
      if (found.length > 0) wrong.push({ fault, found })
    }
    expect(wrong).toEqual([])
  }, 240_000)
})
