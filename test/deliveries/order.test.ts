import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { byDepth } from '../fixtures/depth.ts'
import { bindingsBefore } from '../fixtures/metering.ts'
import { db } from '../fixtures/opened.ts'
import { shop } from '../fixtures/opened-shop.ts'
import type { Answer, Json } from '../fixtures/tenant.ts'
import { openWebhook, SHOP_MAPPING, shopDocument } from '../fixtures/webhooks.ts'

// Senders deliver out of order, at once and again. Whatever the order: what the newest document says is what counts.

beforeAll(async () => {
  await shop.deliver(await shopDocument(shop.api))
})

const DELIVERIES = byDepth(40, 200)
const RUNS = byDepth(3, 12)

/** The first state of an order, and what follows: a customer, or null for a cancellation. */
const anyHistory = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom('Ada', 'Grace', 'Edith', 'Mary') },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  { minLength: 1, maxLength: 8 },
)

const anyRun = fc.record({
  history: anyHistory,
  /** Which of the documents each delivery has, and by which event. */
  deliveries: fc.array(fc.tuple(fc.nat(), fc.boolean()), {
    minLength: DELIVERIES,
    maxLength: DELIVERIES,
  }),
  atOnce: fc.constantFrom(1, 7, DELIVERIES),
})

const timeOf = (version: number) => new Date(Date.UTC(2026, 0, 2) + version * 1000).toISOString()

async function inGroups<T>(items: T[], size: number, act: (item: T) => Promise<Answer>) {
  const answers: Answer[] = []
  for (let at = 0; at < items.length; at += size) {
    answers.push(...(await Promise.all(items.slice(at, at + size).map(act))))
  }
  return answers
}

describe('deliveries of one order in any order, again and at once', () => {
  it('leave what the newest document says, and a row for each with what was told', async () => {
    await fc.assert(
      fc.asyncProperty(anyRun, async ({ history, deliveries, atOnce }) => {
        const first = await shopDocument(shop.api)
        const documents = history.map((customer, version) => ({
          ...first,
          customer: customer ?? 'Nobody',
          status: customer === null ? 'cancelled' : 'processing',
          modified: timeOf(version),
        }))
        const sent = deliveries.map(([which, isNew]) => ({
          document: documents[which % documents.length],
          event: isNew ? 'order.created' : 'order.updated',
        }))
        // The newest arrives at some time.
        sent.splice(sent.length >> 1, 0, { document: documents.at(-1), event: 'order.updated' })
        const answers = await inGroups(sent, atOnce, ({ document, event }) =>
          shop.deliver(document, { event }),
        )
        expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
        const { status, body } = await shop.api.get(`/orders/${first.number}/`)
        const [newest, isEnded] = [documents.at(-1), history.at(-1) === null]
        if (status === 404) expect(isEnded).toBe(true)
        else if (isEnded) expect(body.data.status).toBe('cancelled')
        else expect(body.data.customer_name).toBe(newest?.customer)
        await expectRows(answers)
      }),
      { numRuns: RUNS },
    )
  }, 240_000)

  it('keep a cancellation that arrives while its order is created', async () => {
    for (let n = 0; n < byDepth(15, 60); n++) {
      const document = await shopDocument(shop.api)
      const cancelled = { ...document, status: 'cancelled', modified: timeOf(1e6 + n) }
      const answers = await Promise.all([
        shop.deliver(document),
        shop.deliver(cancelled),
        shop.deliver(document, { event: 'order.updated' }),
        shop.deliver(cancelled, { event: 'order.deleted' }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const { status, body } = await shop.api.get(`/orders/${document.number}/`)
      expect([404, 'cancelled']).toContain(status === 404 ? 404 : body.data.status)
    }
  }, 120_000)

  it('keep the newest of two changes of an order that is not there yet', async () => {
    for (let n = 0; n < byDepth(15, 60); n++) {
      const document = await shopDocument(shop.api)
      const newer = { ...document, customer: 'Grace', modified: timeOf(2e6 + n) }
      const answers = await Promise.all(
        [document, newer, document].map((each) => shop.deliver(each, { event: 'order.updated' })),
      )
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect((await shop.orderOf(document.number)).customer_name).toBe('Grace')
    }
  }, 120_000)
})

describe('an order that another delivery creates in the middle of this one', () => {
  it('is changed', async () => {
    const document = await shopDocument(shop.api)
    const newer = { ...document, customer: 'Grace', modified: timeOf(3e6) }
    const bindings = bindingsBefore(2, () => shop.deliver(document))
    expect(await shop.told(newer, { event: 'order.updated', bindings })).toMatchObject({
      outcome: 'updated',
      record: document.number,
    })
  })

  it('is cancelled', async () => {
    const document = await shopDocument(shop.api)
    const cancelled = { ...document, status: 'cancelled', modified: timeOf(3e6) }
    const bindings = bindingsBefore(2, () => shop.deliver(document))
    expect(await shop.told(cancelled, { bindings })).toMatchObject({
      outcome: 'cancelled',
      record: document.number,
    })
  })

  it('gets the state that ended it', async () => {
    const own = await endingShop()
    const document = await shopDocument(own.api, { status: 'pending' })
    const ended = { ...document, status: 'cancelled', modified: timeOf(3e6) }
    const bindings = bindingsBefore(2, () => own.deliver(document))
    const { body } = await own.deliver(ended, { bindings })
    expect(body.data).toMatchObject({ outcome: 'updated', record: document.number })
    const order = await own.api.get(`/orders/${document.number}/`)
    expect(order.body.data.status).toBe('cancelled')
  })
})

/** A shop whose mapping says that an order is cancelled or shipped; its rules do not. */
async function endingShop() {
  const fields = { ...SHOP_MAPPING.inbound.fields, status: 'status' }
  const mappings = { orders: { inbound: { ...SHOP_MAPPING.inbound, fields } } }
  const own = await openWebhook({ mappings, rules: { take_if: null, cancel_if: null } })
  // The isolate knows the webhook from now on.
  await own.deliver(await shopDocument(own.api, { status: 'pending' }))
  return own
}

describe('an order that has ended before it was created', () => {
  it.each(['cancelled', 'shipped'])('stays away if its creation is older: %s', async (status) => {
    const own = await endingShop()
    const document = await shopDocument(own.api, { status: 'pending' })
    const ended = { ...document, status, modified: timeOf(4e6) }
    expect(await own.outcomeOf(ended)).toBe('skipped')
    expect(await own.outcomeOf(document)).toBe('stale')
    const later = { ...document, modified: timeOf(5e6) }
    expect(await own.outcomeOf(later)).toBe('created')
  })
})

/** Each delivery has one row, which says what the sender was told. */
async function expectRows(answers: Answer[]): Promise<void> {
  const told = answers.map(({ headers, body }) => [
    headers.get('X-Request-Id'),
    body.data.outcome,
    body.data.delivery_id,
  ])
  const ids = JSON.stringify(told.map(([id]) => id))
  const { results } = await db
    .prepare(
      `select request_id, outcome, status, error_code from audit_log
       where request_id in (select value from json_each(?))`,
    )
    .bind(ids)
    .all<Json>()
  expect(results.length).toBe(answers.length)
  const rows = new Map(results.map((row: Json) => [row.request_id, row]))
  for (const [id, outcome, delivery_id] of told) {
    const row = rows.get(id)
    expect([row.outcome, row.request_id, row.error_code]).toEqual([outcome, delivery_id, null])
  }
}
