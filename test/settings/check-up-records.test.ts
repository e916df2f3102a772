import { beforeAll, describe, expect, it } from 'vitest'
import { insertRequests } from '../fixtures/audit-rows.ts'
import { openKept, SETTINGS } from '../fixtures/kept-documents.ts'
import { openPartner, saveMapping } from '../fixtures/partner.ts'
import { type Json, openTenant, unique } from '../fixtures/tenant.ts'
import { openWebhook } from '../fixtures/webhooks.ts'

const ORDERS = {
  inbound: {
    records: { each: 'orders[]' },
    fields: {
      order_number: 'orders[].number',
      'items[].sku_code': 'orders[].lines[].sku',
      'items[].quantity': 'orders[].lines[].qty',
    },
  },
}
const RULES = { take_if: null, cancel_if: null, changed_at: null }

type Shop = Pick<Awaited<ReturnType<typeof openPartner>>, 'admin' | 'id'>

let db: D1Database
beforeAll(async () => {
  db = await openTenant()
})

async function found({ admin, id }: Shop): Promise<Json[]> {
  const { status, body } = await admin.get(`${SETTINGS}/partners/${id}/check-up/`)
  expect(status).toBe(200)
  return body.data
}

const orders = (count: number, qty: unknown = 'two') =>
  Array.from({ length: count }, () => ({ number: unique('N'), lines: [{ sku: 'x', qty }] }))

async function idsOf(document: string): Promise<string[]> {
  const rows = db.prepare('select request_id from audit_log where replay_of = ? order by seq desc')
  return (await rows.bind(document).all<Json>()).results.map(({ request_id }) => request_id)
}

describe('GET /partners/{id}/check-up/ about documents with several records', () => {
  it('finds a field that their records are refused for, with the requests of those', async () => {
    const partner = await openPartner({ mappings: { orders: ORDERS } })
    const { body, headers } = await partner.api.post('/orders/', { orders: orders(5) })
    expect(body.data.failed).toBe(5)
    const [finding, ...others] = await found(partner)
    expect(others).toEqual([])
    const requests = await idsOf(headers.get('X-Request-Id') ?? '')
    expect(finding).toMatchObject({ kind: 'field_refused', count: 5, requests })
    expect(finding?.message).toContain('"items[].quantity" (with "orders[].lines[].qty")')
  })

  it('finds a record that comes three times and is refused alike', async () => {
    const partner = await openPartner({ mappings: { orders: ORDERS } })
    const [order] = orders(1)
    for (let n = 0; n < 3; n++) await partner.api.post('/orders/', { orders: [order] })
    expect(await found(partner)).toMatchObject([{ kind: 'same_document', count: 3 }])
    const dry = await openPartner({ mappings: { orders: ORDERS } })
    for (let n = 0; n < 3; n++) await dry.api.post('/orders/?dry_run=true', { orders: [order] })
    expect(await found(dry)).toEqual([])
  })

  it('counts the records of a document that was sent again, and not the request that repeats it', async () => {
    const partner = await openKept({ of: 'errors', days: 7 }, { mappings: { orders: ORDERS } })
    const refused = await partner.api.post('/orders/', { orders: { of: orders(5) } })
    expect(refused.status).toBe(422)
    const again = `${SETTINGS}/audit-log/${refused.body.request_id}/send-again/`
    for (let n = 0; n < 5; n++) {
      expect((await partner.admin.post(again, {})).body.data.status).toBe(422)
    }
    expect(await found(partner)).toEqual([])
    const each = 'orders.of[]'
    const fields = Object.fromEntries(
      Object.entries(ORDERS.inbound.fields).map(([to, from]) => [
        to,
        from.replace('orders[]', each),
      ]),
    )
    await saveMapping(partner.admin, partner.id, 'orders', {
      inbound: { records: { each }, fields },
    })
    const { data } = (await partner.admin.post(again, {})).body
    expect([data.status, data.answer.data.failed]).toEqual([200, 5])
    expect(await found(partner)).toMatchObject([
      { kind: 'field_refused', count: 5, requests: await idsOf(data.request_id) },
    ])
  })

  it('finds a field that records of deliveries are refused for, and counts no try of those', async () => {
    const shop = await openWebhook({ mappings: { orders: ORDERS }, rules: RULES })
    const partner = { admin: shop.admin, id: shop.partner.id }
    const deliver = async (count: number): Promise<Json> => {
      const { body } = await shop.deliver({ orders: orders(count) })
      expect(body.data.outcome).toBe('several')
      return body.data
    }
    const { results } = await deliver(4)
    for (let n = 0; n < 3; n++) {
      for (const { outcome, delivery_id } of results) {
        expect(outcome).toBe('waiting')
        const at = `${SETTINGS}/deliveries/${delivery_id}/apply/`
        expect((await shop.admin.post(at, {})).body.data.outcome).toBe('waiting')
      }
    }
    expect(await found(partner)).toEqual([])
    await deliver(2)
    expect(await found(partner)).toMatchObject([{ kind: 'field_refused', count: 6 }])
  })

  it('reads as many rows as for requests of their own', async () => {
    const partner = await openPartner()
    const rowsRead = async () => {
      const { headers } = await partner.admin.get(`${SETTINGS}/partners/${partner.id}/check-up/`)
      return Number(/rows read (\d+)/.exec(headers.get('Server-Timing') ?? '')?.[1])
    }
    const refused = { method: 'POST', status: 400, error_code: 'VALIDATION_ERROR' }
    await insertRequests([{ partner_id: partner.id, ...refused, error_fields: '\na\n' }], 50)
    const own = await rowsRead()
    const change = "update audit_log set replay_of = 'd', record_id = 'd' where partner_id = ?"
    await db.prepare(change).bind(partner.id).run()
    expect(await rowsRead()).toBeLessThanOrEqual(own)
    expect(await found(partner)).toMatchObject([{ kind: 'field_refused', count: 50 }])
  })
})
