import { beforeAll, describe, expect, it } from 'vitest'
import { keep, SETTINGS } from '../fixtures/kept-documents.ts'
import { type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { openWebhook, SHOP_MAPPING, shopDocument, type Webhook } from '../fixtures/webhooks.ts'

beforeAll(async () => {
  await openTenant()
})

const findings = async ({ admin, partner }: Webhook, kind: string): Promise<Json[]> => {
  const { status, body } = await admin.get(`${SETTINGS}/partners/${partner.id}/check-up/`)
  expect([status, body.warnings]).toEqual([200, undefined])
  return body.data.filter((one: Json) => one.kind === kind)
}

describe('POST /audit-log/{id}/undo/ of a delivery', () => {
  it('takes a change back', async () => {
    const shop = await openWebhook()
    const order = await shopDocument(shop.api, { customer: 'Ada' })
    await shop.deliver(order)
    const later = { ...order, customer: 'Grace', modified: '2026-06-01T00:00:00Z' }
    const changed = await shop.deliver(later, { event: 'order.updated' })
    expect(changed.body.data.outcome).toBe('updated')
    const { delivery_id } = changed.body.data
    const undo = await shop.admin.post(`${SETTINGS}/audit-log/${delivery_id}/undo/`, {})
    expect([undo.status, undo.body.error]).toEqual([200, undefined])
    const data = await shop.orderOf(order.number)
    expect(data.customer_name).toBe('Ada')
  })
})

const waits = (fields: object = {}) => ({
  number: unique('O'),
  status: 'processing',
  modified: '2026-01-01T00:00:00Z',
  customer: { name: 'Ada' },
  lines: [{ sku: 'a', qty: 1 }],
  ...fields,
})

describe('GET /partners/{id}/check-up/ about deliveries', () => {
  it('finds a field that is refused time and again, although the sender hears 200', async () => {
    const shop = await openWebhook()
    for (let n = 0; n < 5; n++) {
      expect(await shop.outcomeOf(waits())).toBe('waiting')
    }
    const [finding, ...others] = await findings(shop, 'field_refused')
    expect(others).toEqual([])
    expect(finding?.count).toBe(5)
    expect(finding?.message).toContain('"customer"')
  })

  it('does not say that a sender repeats itself when it tells of each change of an order', async () => {
    const shop = await openWebhook()
    await keep(shop.admin, shop.partner.id, { of: 'all', days: 7 })
    const document = waits()
    for (let n = 0; n < 4; n++) await shop.deliver(document, { event: 'order.updated' })
    expect(await findings(shop, 'same_document')).toEqual([])
  })

  it('forgets what a newer delivery has settled, and what was dismissed', async () => {
    const shop = await openWebhook()
    const sku = unique('SKU')
    for (let n = 0; n < 5; n++) {
      const number = unique('O')
      const older = waits({ number, customer: 'Ada', lines: [{ sku, qty: 1 }] })
      const { delivery_id } = await shop.told(older)
      if (n === 0) await shop.admin.post(`${SETTINGS}/deliveries/${delivery_id}/dismiss/`, {})
      else
        await shop.deliver(
          await shopDocument(shop.api, { number, modified: '2026-02-01T00:00:00Z' }),
        )
    }
    expect(await findings(shop, 'field_refused')).toEqual([])
  })

  it('counts no dry run of a try, whose row has the status that a key would have got', async () => {
    const shop = await openWebhook()
    const { delivery_id } = await shop.told(waits())
    const path = `${SETTINGS}/deliveries/${delivery_id}/apply/?dry_run=true`
    const { body } = await shop.admin.post(path, {})
    expect(body.data).toMatchObject({ outcome: 'waiting' })
    const log = await shop.admin.get(`${SETTINGS}/audit-log/?request_id=${body.data.request_id}`)
    expect(log.body.data).toMatchObject([
      { status: 400, dry_run: true, error_code: 'VALIDATION_ERROR', replay_of: delivery_id },
    ])
  })

  it('finds a drift in the records of deliveries, and leaves out those that are skipped', async () => {
    const shop = await openWebhook({ rules: { document: 'data' } })
    await keep(shop.admin, shop.partner.id, { of: 'all', days: 7 })
    const deliver = async (fields: object) => {
      const data = await shopDocument(shop.api, fields)
      return await shop.outcomeOf({ sent_at: 1, data })
    }
    for (let n = 0; n < 10; n++) expect(await deliver({})).toBe('created')
    for (let n = 0; n < 10; n++) expect(await deliver({ gift: true })).toBe('created')
    for (let n = 0; n < 12; n++) expect(await deliver({ status: 'draft', odd: 1 })).toBe('skipped')
    expect((await findings(shop, 'drift')).map(({ message }) => message)).toEqual([
      'POST of orders: "gift" appeared: it is in 10 of 10 kept documents since then, and in 0 of 10 before.',
    ])
    expect(SHOP_MAPPING.inbound.fields).not.toHaveProperty('gift')
  })
})
