import { beforeAll, describe, expect, it } from 'vitest'
import { openWebhook, shopDocument } from '../fixtures/webhooks.ts'

type Opened = Awaited<ReturnType<typeof openWebhook>>
let shop: Opened
beforeAll(async () => {
  shop = await openWebhook()
})

const orderOf = async (number: string) =>
  (await shop.partner.api.get(`/orders/${number}/`)).body.data

describe('POST /webhooks/v1/:token/', () => {
  it('creates the order of a signed document, and says so', async () => {
    const document = await shopDocument(shop.partner.api)
    const { status, body } = await shop.deliver(document, { sender_id: 'd-1' })
    expect([status, body]).toEqual([
      200,
      {
        success: true,
        data: { delivery_id: expect.any(String), outcome: 'created', record: document.number },
      },
    ])
    expect(await orderOf(document.number)).toMatchObject({
      customer_name: 'Ada',
      status: 'pending',
    })
  })

  it('changes the order that is there', async () => {
    const document = await shopDocument(shop.partner.api)
    await shop.deliver(document)
    const changed = { ...document, customer: 'Grace' }
    const { body } = await shop.deliver(changed, { event: 'order.updated' })
    expect(body.data).toMatchObject({ outcome: 'updated', record: document.number })
    expect(await orderOf(document.number)).toMatchObject({ customer_name: 'Grace' })
  })

  it('creates the order of a change that came first', async () => {
    const document = await shopDocument(shop.partner.api)
    const { body } = await shop.deliver(document, { event: 'order.updated' })
    expect(body.data).toMatchObject({ outcome: 'created', record: document.number })
  })

  it('answers unchanged where the order has all these values', async () => {
    const document = await shopDocument(shop.partner.api)
    await shop.deliver(document)
    for (const event of ['order.created', 'order.updated']) {
      const { body } = await shop.deliver(document, { event })
      expect(body.data).toMatchObject({ outcome: 'unchanged', record: document.number })
    }
  })

  it('changes nothing by a document that is older than the last one', async () => {
    const older = await shopDocument(shop.partner.api)
    const newer = { ...older, modified: '2026-01-01T00:00:00Z', customer: 'Grace' }
    await shop.deliver(newer)
    const { body } = await shop.deliver(older, { event: 'order.updated' })
    expect(body.data).toMatchObject({ outcome: 'stale', record: null })
    expect(await orderOf(older.number)).toMatchObject({ customer_name: 'Grace' })
  })

  it('cancels, and does not create what was cancelled before', async () => {
    const document = await shopDocument(shop.partner.api)
    const cancelled = { ...document, status: 'cancelled', modified: '2026-01-01T00:00:00Z' }
    expect((await shop.deliver(cancelled)).body.data).toMatchObject({ outcome: 'skipped' })
    expect((await shop.deliver(document)).body.data).toMatchObject({ outcome: 'stale' })

    const other = await shopDocument(shop.partner.api)
    await shop.deliver(other)
    const ended = { ...other, status: 'cancelled' }
    expect((await shop.deliver(ended)).body.data).toMatchObject({ outcome: 'cancelled' })
    expect((await shop.deliver(ended)).body.data).toMatchObject({ outcome: 'unchanged' })
    expect(await orderOf(other.number)).toMatchObject({ status: 'cancelled' })
  })

  it('skips what the rules do not take, and says why', async () => {
    const document = await shopDocument(shop.partner.api, { status: 'draft' })
    expect((await shop.deliver(document)).body.data).toMatchObject({
      outcome: 'skipped',
      reason: expect.stringContaining('take_if'),
    })
    const refund = await shop.deliver(document, { event: 'refund.created' })
    expect(refund.body.data).toMatchObject({
      outcome: 'skipped',
      reason: 'The rules skip the event "refund.created".',
    })
  })

  it('warns of lines that differ from those of the order', async () => {
    const document = await shopDocument(shop.partner.api)
    await shop.deliver(document)
    const [line] = document.lines
    const { body } = await shop.deliver({ ...document, lines: [{ ...line, qty: 3 }] })
    expect(body.data.outcome).toBe('unchanged')
    expect(body.warnings).toEqual([expect.objectContaining({ code: 'LINES_DIFFER' })])
  })
})
