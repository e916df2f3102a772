import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { loggedRow } from '../fixtures/audit-rows.ts'
import { speedUpTime } from '../fixtures/clock.ts'
import { byDepth } from '../fixtures/depth.ts'
import { keep, SETTINGS } from '../fixtures/kept-documents.ts'
import { db } from '../fixtures/opened.ts'
import { wordsOf } from '../fixtures/pages-read.ts'
import { openDashboard } from '../fixtures/session.ts'
import { countingStatements, databaseWhere, STATEMENTS_MAX } from '../fixtures/statements.ts'
import { type Json, unique } from '../fixtures/tenant.ts'
import { createProduct } from '../fixtures/warehouse.ts'
import { openWebhook, type Sent, tryDue } from '../fixtures/webhooks.ts'
import { recordingBindings } from '../metrics/recording.ts'

const ORDERS = {
  inbound: {
    unmapped: 'drop',
    records: { each: 'orders[]' },
    fields: {
      order_number: 'orders[].number',
      customer_name: 'orders[].buyer',
      notes: 'shop',
      'items[].sku_code': 'orders[].lines[].sku',
      'items[].quantity': 'orders[].lines[].qty',
    },
  },
}
const RULES = {
  take_if: "@.orders[0].status != 'draft'",
  cancel_if: "@.orders[0].status == 'cancelled'",
  changed_at: 'orders[0].modified',
}

const openShop = async (inbound: object = ORDERS, rules: object = RULES) =>
  await openWebhook({ mappings: { orders: inbound }, rules })
type Opened = Awaited<ReturnType<typeof openShop>>

let shop: Opened
let sku: string
beforeAll(async () => {
  shop = await openShop()
  sku = (await createProduct(shop.admin)).sku as string
})
beforeEach(async () => {
  await db.batch([db.prepare('delete from waiting_deliveries')])
})

let moment = Date.parse('2025-01-01T00:00:00Z')

function order(more: object = {}) {
  moment += 1000
  return {
    number: unique('N'),
    status: 'processing',
    buyer: 'Ada',
    modified: new Date(moment).toISOString(),
    lines: [{ sku, qty: 2 }],
    ...more,
  }
}

async function deliver(orders: unknown, sent: Sent = {}, to = shop): Promise<Json> {
  const { status, body } = await to.deliver({ shop: 'web', orders }, sent)
  expect(status).toBe(200)
  return body.data
}

/** A database of which one batch is lost, before or after it commits. */
function failingAt(nth: number, how: 'before' | 'after') {
  let batches = 0
  const DB_DEMO = databaseWhere(async (statements) => {
    batches += 1
    if (batches !== nth) return
    if (how === 'after') await env.DB_DEMO.batch(statements)
    throw new Error('D1_ERROR: Network connection lost.')
  })
  return { bindings: { ...env, DB_DEMO }, failed: () => batches >= nth }
}

const outcomes = ({ results }: Json) => results.map(({ outcome }: Json) => outcome)
const all = async (sql: string, ...values: unknown[]): Promise<Json[]> =>
  (
    await db
      .prepare(sql)
      .bind(...values)
      .all()
  ).results
const waiting = async () => await all('select * from waiting_deliveries order by seq')
const rowsOf = async (id: string) =>
  await all('select * from audit_log where replay_of = ?1 order by seq', id)
const timesThere = async (numbers: string[]) =>
  await all(
    'select count(*) as n from orders where order_number in (select value from json_each(?1)) group by order_number',
    JSON.stringify(numbers),
  )

describe('POST /webhooks/v1/:token/ of a document with several records', () => {
  it('applies each by itself, and keeps the one that cannot be applied, alone', async () => {
    const [one, changed] = [order(), order({ buyer: 'Grace' })]
    const lacking = unique('SKU')
    const waits = order({ lines: [{ sku: lacking, qty: 1 }] })
    await deliver([{ ...changed, buyer: 'Ada', modified: '2025-01-01T00:00:00Z' }])
    const answer = await deliver([one, waits, changed], { sender_id: 'd-7' })
    expect(answer).toEqual({
      delivery_id: expect.any(String),
      outcome: 'several',
      record: null,
      reason: '3 records: 1 created, 1 waiting, 1 updated.',
      results: [
        { index: 0, outcome: 'created', record: one.number, delivery_id: expect.any(String) },
        {
          ...{
            index: 1,
            outcome: 'waiting',
            record: waits.number,
            delivery_id: expect.any(String),
          },
          reason: expect.stringContaining(lacking),
          error: expect.objectContaining({ code: 'SERVICE_ERROR', reason: 'UNKNOWN_SKU' }),
        },
        { index: 2, outcome: 'updated', record: changed.number, delivery_id: expect.any(String) },
      ],
    })
    expect(await shop.orderOf(one.number)).toMatchObject({ customer_name: 'Ada', notes: 'web' })
    expect(await shop.orderOf(changed.number)).toMatchObject({ customer_name: 'Grace' })

    const rows = await rowsOf(answer.delivery_id)
    expect(rows.map(({ outcome, record_name }) => [outcome, record_name])).toEqual([
      ['created', one.number],
      ['waiting', waits.number],
      ['updated', changed.number],
    ])
    for (const row of rows) {
      expect(row).toMatchObject({ sender_event: 'order.created', sender_id: 'd-7' })
    }
    expect(await loggedRow(answer.delivery_id)).toMatchObject({
      status: 200,
      outcome: 'several',
      message: answer.reason,
    })

    const [kept, ...more] = await waiting()
    expect(more).toEqual([])
    expect(kept).toMatchObject({
      delivery_id: answer.results[1].delivery_id,
      record_name: waits.number,
      needs: 'product',
      needs_code: lacking,
    })
    expect(JSON.parse(kept?.body)).toEqual({ shop: 'web', orders: [waits] })

    await shop.api.post('/products/', { sku: lacking })
    await tryDue()
    expect(await waiting()).toEqual([])
    expect(await shop.orderOf(waits.number)).toMatchObject({ notes: 'web' })
  })

  it('keeps a record with the digits that came, and what stands beside it', async () => {
    const text = `{"page": 1.50, "orders": [{"number": "${unique('N')}", "id": 820982911946154508, "lines": []},
      {"number": "${unique('N')}", "lines": [{"sku": "${sku}", "qty": 1}]}]}`
    const own = await openShop(ORDERS, {
      ...RULES,
      changed_at: null,
      take_if: null,
      cancel_if: null,
    })
    const { body } = await own.deliver(text)
    expect(outcomes(body.data)).toEqual(['waiting', 'created'])
    const [kept] = await waiting()
    expect(kept?.body).toMatch(/^\{"page":1.50,"orders":\[\{.*"id":820982911946154508,/)
  })

  it('asks the conditions of each record by itself', async () => {
    const [taken, draft] = [order(), order({ status: 'draft' })]
    const there = order()
    await deliver([there, order()])
    const cancelled = { ...there, status: 'cancelled' }
    const older = { ...taken, buyer: 'Old', modified: '2024-01-01T00:00:00Z' }
    const answer = await deliver([draft, taken, cancelled, older])
    expect(outcomes(answer)).toEqual(['skipped', 'created', 'cancelled', 'stale'])
    expect(answer.results[0].reason).toContain('take_if')
    expect(await shop.orderOf(taken.number)).toMatchObject({ customer_name: 'Ada' })
  })

  it('reads the records where the rules say that the document is', async () => {
    const own = await openShop(ORDERS, { ...RULES, document: 'data.list' })
    const orders = [order(), order({ lines: [{ sku: unique('none'), qty: 1 }] })]
    const { body } = await own.deliver({ hook: 'h', data: { list: { orders }, more: 1 } })
    expect(outcomes(body.data)).toEqual(['created', 'waiting'])
    const [kept] = await waiting()
    const list = { orders: [orders[1]] }
    expect(JSON.parse(kept?.body)).toEqual({ hook: 'h', data: { list, more: 1 } })
  })

  it('keeps the rows of one order', async () => {
    const inbound = {
      unmapped: 'drop',
      records: { each: '$[]', group_by: ['$[].number'] },
      fields: {
        order_number: '$[].number',
        'items[].sku_code': '$[].sku',
        'items[].quantity': '$[].qty',
      },
    }
    const own = await openShop({ inbound }, { changed_at: null, take_if: null, cancel_if: null })
    const [first, second, none] = [unique('N'), unique('N'), unique('none')]
    const rows = [
      { number: first, sku, qty: 1 },
      { number: second, sku, qty: 2 },
      { number: first, sku: none, qty: 3 },
    ]
    const { body } = await own.deliver(rows)
    expect(outcomes(body.data)).toEqual(['waiting', 'created'])
    const [kept] = await waiting()
    expect(JSON.parse(kept?.body)).toEqual([rows[0], rows[2]])
    await own.api.post('/products/', { sku: none })
    await tryDue()
    const { items } = await own.orderOf(first)
    expect(items.map(({ quantity }: Json) => quantity)).toEqual([1, 3])
  })

  it('is answered as before for one record, skips a document without one, and an event by its name', async () => {
    const one = order()
    expect(await deliver([one])).toMatchObject({ outcome: 'created', record: one.number })
    expect(await deliver([])).toMatchObject({
      outcome: 'skipped',
      reason: 'The document has no record.',
    })
    const skipped = await deliver([order(), order()], { event: 'refund.created' })
    expect(skipped).toMatchObject({ outcome: 'skipped', reason: expect.stringContaining('event') })
    const [first, second] = [order(), order()]
    await deliver([first, second])
    const ended = await deliver([first, second], { event: 'order.deleted' })
    expect(outcomes(ended)).toEqual(['cancelled', 'cancelled'])
  })

  it('keeps a whole document that cannot be told into records, and what comes during a pause', async () => {
    expect(await deliver('none')).toMatchObject({ outcome: 'waiting' })
    const many = Array.from({ length: 501 }, () => ({ number: 'n' }))
    expect(await deliver(many)).toMatchObject({
      outcome: 'waiting',
      error: { code: 'MAPPING_ERROR' },
    })
    const orders = [order(), order()]
    await shop.pause({ until: null })
    const { outcome, delivery_id } = await deliver(orders)
    expect(outcome).toBe('waiting')
    await shop.pause(null)
    await tryDue()
    expect(
      await all('select 1 from waiting_deliveries where delivery_id = ?', delivery_id),
    ).toEqual([])
    const [tried] = await rowsOf(delivery_id)
    expect(tried).toMatchObject({ outcome: 'several', message: '2 records: 2 created.' })
    expect((await timesThere(orders.map(({ number }) => number))).length).toBe(2)
  })

  it('goes on by itself with what one request cannot apply, below 1,000 statements each', async () => {
    const lacking = unique('SKU')
    for (let n = 0; n < 18; n++) await deliver([order({ lines: [{ sku: lacking, qty: 1 }] })])
    const orders = Array.from({ length: 260 }, () => order())
    const numbers = orders.map(({ number }) => number)
    const { bindings, sent } = countingStatements(() => false)
    const answer = await deliver(orders, { bindings })
    expect(sent.statements).toBeLessThan(STATEMENTS_MAX)
    const tried = answer.results.length
    expect(tried).toBeGreaterThan(20)
    expect(tried).toBeLessThan(260)
    expect(answer.reason).toContain(`${260 - tried} are not tried yet`)
    const kept = await waiting()
    expect(kept).toHaveLength(19)
    expect(JSON.parse(kept.at(-1)?.body).orders).toEqual(orders.slice(tried))
    await shop.admin.post('/api/integrations/v1/products/', { sku: lacking })

    // What the shop says of one of them meanwhile is newer.
    const last = { ...orders.at(-1), buyer: 'Grace', modified: '2026-01-01T00:00:00Z' }
    await deliver([last])
    for (let turn = 0; turn < 6 && (await waiting()).length > 0; turn++) {
      const counting = countingStatements(() => false)
      await tryDue(counting.bindings)
      expect(counting.sent.statements).toBeLessThan(STATEMENTS_MAX)
    }
    expect(await waiting()).toEqual([])
    expect(await timesThere(numbers)).toEqual(numbers.map(() => ({ n: 1 })))
    expect(await shop.orderOf(numbers.at(-1) ?? '')).toMatchObject({ customer_name: 'Grace' })
  })

  it('is applied once however often and at once it comes', async () => {
    const orders = Array.from({ length: 8 }, () => order())
    const answers = await Promise.all([deliver(orders), deliver(orders), deliver(orders)])
    expect(await timesThere(orders.map(({ number }) => number))).toHaveLength(8)
    expect(answers.flatMap(outcomes).filter((outcome) => outcome === 'created')).toHaveLength(8)
    expect(outcomes(await deliver(orders))).toEqual(orders.map(() => 'unchanged'))
    expect(await waiting()).toEqual([])
  })

  it.each(['before', 'after'] as const)(
    'is repeated, and ends as the document says, if a call of D1 fails %s its commit',
    async (how) => {
      for (let nth = 1; nth <= byDepth(5, 9); nth++) {
        await db.batch([db.prepare('delete from waiting_deliveries')])
        const lacking = unique('SKU')
        const orders = [order(), order({ lines: [{ sku: lacking, qty: 1 }] }), order()]
        const { bindings, failed } = failingAt(nth, how)
        const slowDown = speedUpTime()
        const { status } = await shop
          .deliver({ shop: 'web', orders }, { bindings })
          .finally(slowDown)
        expect([200, 503]).toContain(status)
        if (!failed()) break
        if (status !== 200) await deliver(orders)
        for (let turn = 0; turn < 3; turn++) await tryDue()
        const [one, , three] = orders.map(({ number }) => number)
        expect(await timesThere([one ?? '', three ?? ''])).toEqual([{ n: 1 }, { n: 1 }])
        const kept = await waiting()
        expect(new Set(kept.map(({ record_name }) => record_name))).toEqual(
          new Set([orders[1]?.number]),
        )
        await shop.admin.post('/api/integrations/v1/products/', { sku: lacking })
        // After trouble it is tried again in a minute.
        await db.batch([db.prepare('update waiting_deliveries set is_due = 1')])
        await tryDue()
        expect(await waiting()).toEqual([])
        expect(await timesThere([orders[1]?.number ?? ''])).toEqual([{ n: 1 }])
        const made = await all(
          "select record_name from audit_log where outcome = 'created' and record_name in (select value from json_each(?1))",
          JSON.stringify(orders.map(({ number }) => number)),
        )
        expect(made).toHaveLength(3)
      }
    },
  )

  it('counts as deliveries on the page of its webhook, and not as tries', async () => {
    const own = await openShop()
    const lacking = unique('SKU')
    const waits = () => order({ lines: [{ sku: lacking, qty: 1 }] })
    await deliver([order(), order(), waits()], {}, own)
    const page = async () =>
      wordsOf(await (await openDashboard()).get(`/dashboard/webhooks/${own.id}/`))
    expect(await page()).toContain('created 2 several 1 kept 1')
    expect(await page()).not.toContain('kept, and ended since')
    await own.api.post('/products/', { sku: lacking })
    await tryDue()
    expect(await page()).toContain('kept, and ended since 1')
  })

  it('is one request in the metrics, with what all its records have cost', async () => {
    const { bindings, points } = recordingBindings()
    await deliver([order(), order(), order()], { bindings })
    expect(points).toHaveLength(1)
    expect(points[0]?.outcome).toBe('several')
  })

  it('is replayed on a draft as a document that makes several records', async () => {
    const own = await openShop()
    await keep(own.admin, own.partner.id, { of: 'all', days: 7 })
    await deliver([order(), order()], {}, own)
    const path = `${SETTINGS}/partners/${own.partner.id}/mappings/orders/replay/`
    const replayed = async (fields: object) => {
      const inbound = { ...ORDERS.inbound, fields: { ...ORDERS.inbound.fields, ...fields } }
      return (await own.admin.post(path, { mapping: { inbound } })).body.data
    }
    expect(await replayed({})).toMatchObject({ documents: 1, same: 1, unreadable: 0 })
    expect(await replayed({ notes: 'orders[].status' })).toMatchObject({ documents: 1, changed: 1 })
  })

  it('is rehearsed where somebody asks what would happen', async () => {
    const lacking = unique('SKU')
    const [one, two] = [order(), order({ lines: [{ sku: lacking, qty: 1 }] })]
    await shop.pause({ until: null })
    const { delivery_id } = await deliver([one, two])
    await shop.pause(null)
    const tried = await shop.admin.post(
      `/api/settings/v1/deliveries/${delivery_id}/apply/?dry_run=true`,
      {},
    )
    expect(tried.body.data).toMatchObject({
      outcome: 'several',
      reason: '2 records: 1 created, 1 waiting.',
    })
    expect(await waiting()).toHaveLength(1)
    expect((await shop.api.get(`/orders/${one.number}/`)).status).toBe(404)
  })
})
