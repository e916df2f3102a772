import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { DeliveryDriver } from '../../src/index.ts'
import { newAddress } from '../fixtures/address.ts'
import { openTenant, send, unique } from '../fixtures/tenant.ts'
import { openWebhook, shopDocument } from '../fixtures/webhooks.ts'
import { recordingBindings } from './recording.ts'

type Opened = Awaited<ReturnType<typeof openWebhook>>

let shop: Opened
beforeEach(async () => {
  const db = await openTenant()
  await db.exec('delete from waiting_deliveries')
  await db.exec('update waiting_totals set records = 0, bytes = 0')
  shop = await openWebhook()
})

const waiting = () => shopDocument(shop.partner.api, { lines: [{ sku: unique('SKU'), qty: 1 }] })

/** The point of one delivery. */
async function pointOf(document: unknown, sent: Parameters<Opened['deliver']>[1] = {}) {
  const { bindings, points } = recordingBindings()
  await shop.deliver(document, { ...sent, bindings })
  expect(points).toHaveLength(1)
  return points[0]
}

describe('the point of a delivery', () => {
  const mine = { index: 'demo', tenant: 'demo', area: 'webhooks', method: 'POST' }

  it('names the tenant and what became of it', async () => {
    const order = await shopDocument(shop.partner.api)
    const told = { ...mine, status: 200, error_code: '', d1_round_trips: expect.any(Number) }
    expect(await pointOf(order)).toMatchObject({ ...told, outcome: 'created' })
    expect(await pointOf(order)).toMatchObject({ ...told, outcome: 'unchanged' })
    expect(await pointOf(await waiting())).toMatchObject({ ...told, outcome: 'waiting' })
    expect(await pointOf(order, { event: 'x' })).toMatchObject({ ...told, outcome: 'skipped' })
  })

  it('that is refused names the reason, and no outcome', async () => {
    const refused = { ...mine, status: 401, error_code: 'SIGNATURE_INVALID', outcome: '' }
    const reason = 'SIGNATURE_MISMATCH'
    expect(await pointOf({}, { secret: 'another' })).toMatchObject({ ...refused, reason })
  })

  it('of a ping that nobody has signed names no tenant', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const nobody = { index: '-', tenant: '-', area: 'webhooks', status: 200, outcome: '' }
    expect(await pointOf('webhook_id=7', { headers })).toMatchObject(nobody)
  })

  it('at an unknown address names no tenant', async () => {
    const { bindings, points } = recordingBindings()
    const headers = { 'CF-Connecting-IP': newAddress() }
    await send(new Request(shop.webhook.address.slice(0, -3), { headers }), { bindings })
    expect(points).toEqual([expect.objectContaining({ tenant: '-', status: 404, outcome: '' })])
  })

  it('of a request with a key has no outcome', async () => {
    const { bindings, points } = recordingBindings()
    await shop.partner.api.get('/orders/', { bindings })
    expect(points).toEqual([expect.objectContaining({ outcome: '' })])
  })
})

describe('the point of a tenant with waiting deliveries', () => {
  /** What the tenant's object tells when it looks. */
  async function look() {
    const { bindings, points } = recordingBindings()
    await runInDurableObject(env.DELIVERIES.getByName('demo'), async (_, state) => {
      await new DeliveryDriver(state, bindings as unknown as typeof env).tryDue('demo')
    })
    return points.filter(({ kind }) => kind === 'deliveries')
  }

  it('says how many wait, for how long, and how much of what may', async () => {
    for (let at = 0; at < 3; at++) await shop.deliver(await waiting())
    const db = env.DB_DEMO
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
    await db
      .prepare(
        'update waiting_deliveries set created_at = ? where seq = (select min(seq) from waiting_deliveries)',
      )
      .bind(hourAgo)
      .run()
    const [point, ...others] = await look()
    expect(others).toEqual([])
    expect(point).toMatchObject({ index: 'demo', tenant: 'demo', waiting_records: 3 })
    expect(point?.waiting_share).toBeCloseTo(3 / 5000, 5)
    expect(Number(point?.waiting_ms)).toBeGreaterThanOrEqual(3_600_000)
    expect(Number(point?.waiting_ms)).toBeLessThan(3_660_000)
  })

  it.each([
    ["records = 9000, bytes = 0 where subject = 'all'", 0.9],
    ["bytes = 95000000 where subject = 'all'", 0.95],
    ["bytes = 40000000 where subject <> 'all' and records > 0", 0.8],
  ])('measures the fullest of the totals: %s', async (totals, share) => {
    await shop.deliver(await waiting())
    await env.DB_DEMO.prepare(`update waiting_totals set ${totals}`).run()
    const [point] = await look()
    expect(point?.waiting_share).toBeCloseTo(share, 5)
  })

  it('says that nothing waits any more', async () => {
    expect(await look()).toEqual([
      expect.objectContaining({ waiting_records: 0, waiting_ms: 0, waiting_share: 0 }),
    ])
  })
})
